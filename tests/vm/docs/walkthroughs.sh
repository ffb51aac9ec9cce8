#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the blocks of docs/walkthroughs, unchanged and in their order. Each block must
# succeed and print what the text says. The guest has no compiler: its `make` and `cc`
# copy what the host has built, if the host's source is the same. SHORT=1 leaves out
# walkthroughs of which other tests have the steps: my_fork.sh, compat32.sh, top.sh and
# latency.sh.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

tools=/tmp/walk-tools
at=/tmp/walk

mkdir -p $tools
tool make <<'END'
#!/bin/sh
for name in $(sed -n 's/^obj-m := \(.*\)\.o$/\1/p' Makefile); do
	grep -qx 'include rbmap/probe.mk' Makefile && cmp "$name.c" "/tests/built/$name.c" &&
		cp "/modules/$name.ko" . && echo "LD [M] $name.ko" && built=1
done
[ -n "$built" ]
END
tool cc <<'END'
#!/bin/sh
for source; do
	:
done
name=${source%.c}
case " $* " in
*" -o $name $source ") cmp "$source" "/tests/built/$source" && cp "/tests/$name" "$name" ;;
*) exit 1 ;;
esac
END

# walk NAME: begins a document
walk()
{
	walk=$1
	step=0
	rm -rf $at
	mkdir $at
	/tests/lib/blocks "/tests/walkthroughs/$walk.md" $at >/tmp/walk-blocks
	steps=$(grep -c '^step-' /tmp/walk-blocks)
}

# step TEXT REGEX...: runs the next block; its output must match each REGEX
step()
{
	text="$walk: $1"
	shift
	step=$((step + 1))
	file=$at/step-$(printf %02d $step)
	if (cd $at && PATH=$tools:$PATH timeout "$(patience 120)" sh -eu "$file") >/tmp/walk-out 2>&1; then
		pass "$text"
	else
		fail "$text"
		diag "$(cat "$file" /tmp/walk-out)"
	fi
	for regex; do
		grep -qE -e "$regex" /tmp/walk-out && pass "$text: /$regex/" && continue
		fail "$text: /$regex/"
		diag "$(cat /tmp/walk-out)"
	done
}

# arrive: ends a document; all blocks were run
arrive()
{
	is "$step of $steps" "$steps of $steps" "$walk: all blocks were run"
	fails "$walk: nothing is loaded any more" is_loaded rbmap
	! is_loaded rbmap || rbmap unload
}

# the beginning of an event in a report: task, CPU, time
line=' +[^ ]+-[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: '

if [ ! -e /tests/depmod ]; then
	skip_all "no depmod"
fi
install_module

walk slow
step "load"
ok "slow: the module is loaded" is_loaded rbmap
step "the program is slow" 'real[[:space:]]+0m ?[1-9][0-9]*\.[0-9]' '^job: no idea$'
step "record" '^[0-9]+ events read, [0-9]+ lost' '^slow\.dat: ' '^job: no idea$'
step "what takes long" '^ *[1-9][0-9.]*s from .*: job-[0-9]+, CPU [0-9]+, openat$' \
	'^ *[1-9][0-9.]*s from .*: job-[0-9]+, CPU [0-9]+, sleeping in openat, woken by server-[0-9]+ on CPU [0-9]+$'
step "why" '^job-[0-9]+ waited .* in openat for server-[0-9]+, which waited for sleep-[0-9]+, which slept [0-9.]+ s in (clock_)?nanosleep'
step "the task that ends the wait" "^ +server-[0-9]+ .* sched_waking: +comm=job pid=[0-9]+ "
step "what that task does" '^ +server-[0-9]+ .* sched_process_fork: .*child_pid=[0-9]+' \
	'^ +sleep-[0-9]+ .* sched_process_exit: '
step "unload"
arrive

if [ -z "${SHORT:-}" ]; then
	walk probe
	step "build and load" 'LD \[M\] my_fork\.ko'
	step "the event" '^mysystem:my_fork +probe *$' '^name: my_fork$' 'field:pid_t child;' \
		'^print fmt: "%s made %d", __get_str\(name\), REC->child$'
	step "record" '^[1-9][0-9]* events read, 0 lost$' "^$line"'my_fork: +sh made [0-9]+$'
	step "filter" '^0 events read, 0 lost$'
	step "unload"
	arrive
fi

walk driver
step "build and load" 'LD \[M\] driver_ring\.ko'
step "devices and files" '^cpu0$' '^snapshot$' '^driver_ring$'
step "a format" '^name: request$' 'field:u32 sector;' \
	'^print fmt: "%u bytes at sector %u", REC->bytes, REC->sector$'
step "observe" '\[[0-9]+\] .* reset: reset: the driver was loaded$' '\[[0-9]+\] .* request: 4096 bytes at sector 42$'
step "record" '^2 events read, 0 lost' 'request: +4096 bytes at sector 42$' '"sector": 42' \
	'^CPU +EMITTED +READ +UNREAD +LOST' '^sum +2 +2 +0 +0 '
step "again" 'sector 7$' 'module driver_ring was removed' \
	'driver_ring was loaded again after [0-9.]+ s: 0 events of the new buffer are lost'
step "unload"
arrive

if [ -z "${SHORT:-}" ]; then
	walk reader
	step "compile"
	step "an event" '^[0-9]+ cpu0 type [0-9]+ size [0-9]+$'
	step "its format" '^[0-9]+$' '^name: marker$' 'field:char buf\[\];'
	step "losses" '^lost [1-9][0-9]*$' '^[0-9]+ cpu0 type ' '^6000 events$'
	is "$(head -n 1 $at/events | cut -d ' ' -f 1)" lost "reader: the loss comes first"
	step "observe" 'marker: again$'
	is "$(grep -c 'marker: again$' /tmp/walk-out)" 2 "reader: seen, and then read"
	step "unload"
	arrive
fi

mkdir -p /sys/fs/cgroup
if mount -t cgroup2 cgroup2 /sys/fs/cgroup; then
	at_exit "umount /sys/fs/cgroup"
	walk containers
	step "a container"
	ok "containers: it works" retry_until 20 grep -q . /sys/fs/cgroup/shop/cgroup.procs
	step "the container alone" '^[1-9][0-9]* events read, 0 lost$' "^$line"'sched_[a-z_]*: '
	step "everything" '^[1-9][0-9]* events read, 0 lost$' '^cgroup +COUNT ' '^/shop +[1-9]' '^/ +[1-9]'
	step "one of them" '^sleeping +[1-9]' "^$line"'sched_[a-z_]*: '
	step "process ids" '^/shop: .*[0-9]:1( |$)'
	step "the end"
	arrive
fi

walk flight-recorder
step "load" 'buffer +4096 KiB a CPU'
step "start" "kill -USR1 [0-9]+' writes its events to incident.dat"
is "$(cat /sys/kernel/rbmap/overwrite)" 1 "flight-recorder: the rings overwrite"
step "the first incident" '^[1-9][0-9]* events read, [0-9]+ lost' '^incident\.dat: .* in the file$'
step "look" 'marker: +request 4711 failed$' '^[1-9][0-9]* events in [0-9]+\.[0-9] s$'
step "the second incident" 'marker: +request 4712 failed$'
fails "flight-recorder: the first one is not in it" grep -q 4711 /tmp/walk-out
step "costs" '^task +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+'
step "end" '^incident\.dat$' '^incident\.dat\.1$' '^incident\.dat\.2$'
step "a trigger" 'marker: +request 4713 failed$'
step "unload"
arrive

if [ -z "${SHORT:-}" ]; then
	walk views
	step "load"
	step "two tasks"
	step "record" '^[1-9][0-9]* events read, 0 lost$'
	# On a busy machine the wait lasts longer. A process of job is called sleep while it
	# sleeps.
	long='[1-9][0-9]*[.][0-9]+s'
	step "a table" "^ +([2-9][0-9][0-9]ms|$long) from .*: (job|sleep)-[0-9]+, CPU 0" \
		"^ +CPU 0 ran hog-[0-9]+ for ([1-9][0-9][0-9]ms|$long)"
	step "a page" '^views\.html is complete'
	like "$(head -n 1 $at/views.html)" '^<!DOCTYPE html>' "views: it is a page"
	step "Perfetto" '^[1-9][0-9]* events, 0 lost$'
	ok "views: it has the task's name" grep -aq hog $at/views.dat.perfetto-trace
	step "trace-cmd" '^([2-9][0-9]{5}|[1-9][0-9]{6,})\.[0-9]{3}$'
	step "live" '^ +CPU 0 ran hog-[0-9]+ for' ' SHARE  TASK +MOSTLY$'
	step "hand over" ' end\.html$'
	step "unload"
	arrive
fi

done_testing
