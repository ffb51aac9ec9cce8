#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Named buffers: each has sizes, modes, clocks and events of its own, beside the default
# buffer. They are created and destroyed while all of that is in use. SHORT=1: fewer times, and
# fewer names that are refused.
# shellcheck disable=SC2086,SC2217,SC2317 # names without blanks; files that are only held open; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

root=/sys/kernel/rbmap
instances=$root/instances
dev=/dev/rbmap
cpus=$(grep -c '^processor' /proc/cpuinfo)

create()
{
	echo "$*" >$instances/create
} 2>/dev/null

destroy()
{
	echo "$1" >$instances/destroy
} 2>/dev/null

# error FILE TEXT: writes TEXT and prints the error
error()
{
	(echo "$2" >"$instances/$1") 2>&1 | sed 's/.*: //'
}

# names DIR: lists all files below DIR
names()
{
	(cd "$1" && find . | grep -vE '^\./(instances|version|lockdown|dynamic_events|kernel_events|self_cost)' | sort)
}

# devices PATTERN: counts the devices in /dev/rbmap/one that match the pattern
devices()
{
	find $dev/one -type c | grep -c "$1"
}

# fit CPUS: prints how many buffers have device numbers on a machine with so many CPUs
fit()
{
	of_cpu=$(devices 'cpu0\|per_cpu/0/')
	echo $(((1 << 20) / ($1 * of_cpu + $(devices .) - cpus * of_cpu)))
}

# busy: causes events of all kinds
busy()
{
	for round in 1 2 3 4 5; do
		/bin/busybox true
		sleep 0.01
	done
}

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing

# --- files and devices
ok "a buffer is created" create one
is "$(names $instances/one)" "$(names $root)" "the buffer has the files of the default buffer"
is "$(cd $dev/one && stat -c '%n %a' ./* | xargs)" \
	"$(cd $dev && stat -c '%n %a' ./cpu* ./error_log ./marker* ./per_cpu ./snapshot ./trace ./trace_pipe | xargs)" "the buffer has the devices of the default buffer"
is "$(fit 1024) $(fit 8192)" "204 25" "as many buffers fit as docs/reference.md says"
is "$(cat $instances/one/buffer_size_kb $instances/one/events/enable | xargs)" \
	"256 0" "sizes are those of the load, no event is enabled but the marker"
is "$(error create one)" "File exists" "a name that is in use is refused"
like "$(last_logged)" 'create: there is a buffer one already' "the log has the reason"
is "$(error destroy two)" "No such file or directory" "destroying an unknown buffer is refused"
ok "the buffer is destroyed" destroy one
is "$(find $dev $instances | grep -c one)" 0 "no file or device of the buffer is left"

# --- names
good=0
for name in a A.b-c_9 cpu cpux cpu-1 0 -x snapshots abcdefghijklmnopqrstuvwxyz012345; do
	if create $name && [ -c $dev/$name/marker ] && destroy $name; then
		good=$((good + 1))
	else
		diag "not taken: $name"
	fi
done
is $good 9 "good names are accepted"
bad=0 names=0 wanted=24
[ -z "${SHORT:-}" ] || wanted=8
for name in '' . .. .x a/b ../x 'a!b' cpu0 cpu4711 cpu0-x cpu1x marker marker_raw trace error_log saved_cmdlines snapshot create destroy 'x=1' \
	"$(printf 'a\tb')" "$(printf 'a\nb')" "$(printf 'caf\303\251')" \
	abcdefghijklmnopqrstuvwxyz0123456; do
	# SHORT takes every third name.
	names=$((names + 1))
	[ -z "${SHORT:-}" ] || [ $((names % 3)) = 1 ] || continue
	before=$(dmesg | grep -c 'rbmap: create')
	sleep 0.6	# rate limit of the log
	if [ "$(error create "$name")" = "Invalid argument" ] && [ "$(dmesg | grep -c 'rbmap: create')" = $((before + 1)) ]; then
		bad=$((bad + 1))
	else
		diag "not refused with one line: $name"
	fi
done
is $bad "$wanted" "bad names are refused, with a line in the log"
like "$(last_logged)" 'create: .* refused: write a name of 1 to 32 letters' "the log's line lists the good characters"
like "$(error create 'x size=4')" 'Invalid argument' "an unknown setting is refused"
like "$(error create 'x overwrite=2')" 'Invalid argument' "a bad value is refused"
like "$(error create 'x clock=sun')" 'Invalid argument' "a bad clock is refused"
like "$(error create 'x subbuf_size_kb=3')" 'Invalid argument' "a bad size is refused"
like "$(error create 'x buffer_size_kb=262136')" 'Cannot allocate memory' "a size that exceeds the memory is refused"
is "$(find $dev $instances | grep -c /x)" 0 "no file or device of a refused buffer is left"

# --- settings
ok "buffer a is created with settings" rbmap create a buffer_size_kb=128K subbuf_size_kb=16 \
	overwrite=0 clock=mono
ok "buffer b is created with other settings" rbmap create b buffer_size_kb=64 clock=boot
settings()
{
	cat "$1/buffer_size_kb" "$1/buffer_subbuf_size_kb" "$1/overwrite" \
		"$1/trace_clock" "$1/buffer_percent" "$1/tracing_on" |
		sed 's/.*\[\(.*\)\].*/\1/' | xargs
}
is "$(settings $instances/a)" "128 16 0 mono 50 1" "buffer a has its settings"
is "$(settings $instances/b)" "64 $page_kb 1 boot 50 1" "buffer b has its settings"
is "$(settings $root)" "256 $page_kb 1 local 50 1" "the default buffer has its settings"
echo 512 >$instances/b/buffer_size_kb
echo 0 >$instances/b/tracing_on
echo 70 >$instances/b/buffer_percent
is "$(settings $instances/b)" "512 $page_kb 1 boot 70 0" "the settings of buffer b change"
is "$(settings $instances/a)/$(settings $root)" "128 16 0 mono 50 1/256 $page_kb 1 local 50 1" \
	"the settings of the other buffers do not change"
echo 1 >$instances/b/tracing_on
like "$(rbmap status)" '^named buffer +a$' "rbmap status lists them"
like "$(rbmap status -B a)" '^clock +mono$' "rbmap status -B"
is "$(rbmap stat -B a --json | grep -c '"cpu"')" "$cpus" "rbmap stat -B"

# --- events
ok "an event is enabled in buffer a" rbmap enable -B a sched_switch
ok "an event is enabled in buffer b" rbmap enable -B b sys_enter
is "$(rbmap list -B a | awk '/enabled/ { print $1 }' | xargs)" \
	"rbmap:marker rbmap:marker_raw sched:sched_switch" "rbmap list -B"
is "$(rbmap list | awk '/enabled/ { print $1 }' | xargs)" "rbmap:marker rbmap:marker_raw" "rbmap list: the default buffer has only the markers"
echo to-a >$dev/a/marker
echo to-b >$dev/b/marker
echo to-default >$dev/marker
busy
ok "the event is disabled in buffer a" rbmap disable -B a sched_switch
ok "the event is disabled in buffer b" rbmap disable -B b sys_enter
like "$(rbmap stream --no-follow 2>/dev/null)" 'to-default' "the default buffer has its marker's event"
is "$(summed 'read events')" 1 \
	"the default buffer has no other event"
rbmap stream --no-follow -B a >/tmp/a 2>/dev/null
rbmap stream --no-follow -B b >/tmp/b 2>/dev/null
ok "buffer a has its events" test "$(grep -c sched_switch: /tmp/a)" -ge 10
ok "buffer b has its events" test "$(grep -c sys_enter: /tmp/b)" -ge 10
# A text for the default buffer's marker reaches all buffers.
is "$(grep -cE 'to-(a|default)' /tmp/a) $(grep -vcE 'sched_switch:|to-(a|default)' /tmp/a)" "2 0" "buffer a has no other event"
is "$(grep -cE 'to-(b|default)' /tmp/b) $(grep -vcE 'sys_enter:|to-(b|default)' /tmp/b)" "2 0" "buffer b has no other event"

# One event is enabled in all three buffers, and then disabled in one after the other.
for dir in $root $instances/a $instances/b; do
	echo 1 >$dir/events/sched/sched_switch/enable
	echo 1 >$dir/reset
done
busy
ok "an event in all buffers: the default buffer has it" test "$(summed emitted $root)" -ge 10
ok "an event in all buffers: buffer a has it" test "$(summed emitted $instances/a)" -ge 10
ok "an event in all buffers: buffer b has it" test "$(summed emitted $instances/b)" -ge 10
echo 0 >$root/events/enable
echo 0 >$instances/b/events/enable
counts="$(summed emitted $root) $(summed emitted $instances/b)"
echo 1 >$instances/a/reset
busy
is "$(summed emitted $root) $(summed emitted $instances/b)" "$counts" "the event is off in two buffers"
ok "the event is still on in buffer a" test "$(summed emitted $instances/a)" -ge 10
is "$( (echo x >$dev/b/marker) 2>&1 | sed 's/.*: //')" "" "events/enable leaves the marker enabled"
echo 0 >$instances/b/events/rbmap/enable
is "$( (echo x >$dev/b/marker) 2>&1 | sed 's/.*: //')" "Bad file descriptor" "a marker with its own enable file off is refused"
echo 0 >$instances/a/events/sched/enable
ok "record -B" rbmap record -q -B a -e sched -o /tmp/a.dat -- /bin/busybox true
like "$(rbmap report /tmp/a.dat | head -n 200)" 'sched_' "the recording has the buffer's events"
ok "tracefs-dir -B" rbmap tracefs-dir -B a /tmp/tracefs
is "$(readlink /tmp/tracefs/per_cpu/cpu0/trace_pipe_raw) $(cat /tmp/tracefs/buffer_subbuf_size_kb)" \
	"$dev/a/cpu0 16" "the directory is that of buffer a"
rbmap tracefs-dir --remove /tmp/tracefs

# --- processes that hold a buffer

hold_open()
{
	exec sleep 1000 <$dev/b/cpu0
}
hold_marker()
{
	exec sleep 1000 >$dev/b/marker
}
# held_by TEXT COMMAND...: destroy is refused while COMMAND runs, and rbmap names the
# holder
held_by()
{
	what=$1
	shift
	"$@" >/dev/null 2>&1 &
	holder=$!
	ok "$what: is in use" retry_until 60 is_held_in b
	is "$(error destroy b)" "Device or resource busy" "$what: refused"
	like "$(rbmap destroy b 2>&1)" "'b' is in use by [a-z]+ \(pid $holder\): end those processes first" \
		"$what: the error names the holder"
	kill $holder
	wait $holder 2>/dev/null
}
# is_held_in NAME: succeeds if the holder has a file or a map of the buffer; changes
# nothing
is_held_in()
{
	for fd in "/proc/$holder/fd/"*; do
		readlink $fd
	done | grep -q "$dev/$1/" || grep -q "$dev/$1/" /proc/$holder/maps
}
held_by "open" hold_open
held_by "marker" hold_marker
held_by "mapped" rbmap stream -B b
held_by "map without a file" lifetime --device $dev/b/cpu%d hold 0
is "$(error destroy b)" "" "a buffer without holders is destroyed"
like "$(rbmap destroy b 2>&1)" "no buffer 'b' exists" "rbmap destroy of an unknown buffer"
like "$(rbmap stream -B b 2>&1)" "no buffer 'b' exists: 'rbmap create b'" "rbmap stream of an unknown buffer"
like "$(rbmap create a 2>&1)" "a buffer 'a' exists already" "rbmap create of a name that is in use"
like "$(rbmap create x buffer_size_kb=262136 2>&1)" 'not enough memory for the rings of .x.: .*2621(36|44)' \
	"rbmap create of a buffer that is too large"

# --- snapshots
ok "buffer snap is created" create snap buffer_size_kb=64
echo kept >$dev/snap/marker
ok "snapshot" sh -c "echo 1 >$instances/snap/snapshot"
is "$(cat $root/snapshot $instances/a/snapshot | xargs)" "0 0" "only that buffer has a snapshot"
is "$(cat $dev/snap/snapshot/cpu* | grep -ac kept)" 1 "the snapshot is readable"
ok "rbmap snapshot -B" rbmap snapshot -B snap -q --read-existing -o /tmp/snap.dat
is "$(rbmap report /tmp/snap.dat | grep -c kept)" 1 "the file has the snapshot's event"
ok "rbmap stream -B --observe" sh -c "echo seen >$dev/snap/marker; timeout $(patience 20) rbmap stream -B snap --observe -n 1 | grep seen"
exec 3<$dev/snap/snapshot/cpu0
is "$(error destroy snap)" "Device or resource busy" "an observing rbmap stream holds the buffer"
exec 3<&-
ok "buffer snap is destroyed" destroy snap

# --- exactness
markers='' scenarios=''
[ -z "${SHORT:-}" ] || markers=2000 scenarios="overwrite-map-fast discard-read-end"
ok "buffer exact is created" create exact buffer_size_kb=64
results "exact: " exact --device $dev/exact/cpu%d --marker $dev/exact/marker \
	--control $instances/exact marker "${markers:-6000}" $scenarios
ok "buffer exact is destroyed" destroy exact

# --- processors
if [ "$cpus" -gt 1 ]; then
	echo 0 >/sys/devices/system/cpu/cpu1/online
	ok "a buffer is created while CPU 1 is offline" create late
	fails "the buffer has no device of the offline CPU" test -e $dev/late/cpu1
	fails "the buffer has no files of the offline CPU" test -e $instances/late/per_cpu/cpu1
	echo 1 >/sys/devices/system/cpu/cpu1/online
	ok "the buffer gets the CPU's device when it is online" test -c $dev/late/cpu1
	ok "the buffer gets the CPU's files when it is online" test -e $instances/late/per_cpu/cpu1/stats
	taskset 2 sh -c "echo x >$dev/late/marker"
	is "$(awk '/^emitted/ { print $2 }' $instances/late/per_cpu/cpu1/stats)" 1 "the buffer gets a ring of the CPU that is online"
	ok "buffer late is destroyed" destroy late
else
	skip "one processor" "a buffer is created while CPU 1 is offline"
fi

# --- created and destroyed again and again, under load
echo 1 >$root/events/enable
echo 1 >$instances/a/events/enable
(while :; do busy; done) &
load=$!
# One process opens the buffer while another one creates and destroys it.
openers()
{
	while :; do
		true <$dev/n/cpu0	# not ":", which would end the shell
		true <$dev/n/snapshot/cpu0
		cat $instances/n/per_cpu/cpu0/stats
		echo 1 >$instances/n/events/irq/enable
	done >/dev/null 2>&1
}
openers &
open=$!
# Only some of the events: the kernel needs milliseconds to enable or disable each.
makers()
{
	while :; do
		create n buffer_size_kb=16
		echo 1 >$instances/n/events/sched/enable
		destroy n
	done >/dev/null 2>&1
}
makers &
maker=$!
# Kernels with debugging checks need memory and time for the checks.
noise=1 wanted=20 many=10
[ -z "${SHORT:-}" ] || wanted=4 many=1
[ ! -e /sys/kernel/debug/kmemleak ] && [ ! -e /sys/kernel/debug/kcsan ] ||
	noise=10 wanted=15
count=0
tries=0
while [ $count -lt $wanted ] && [ $tries -lt 2000 ]; do
	tries=$((tries + 1))
	create n buffer_size_kb=16 && {
		count=$((count + 1))
		echo 1 2>/dev/null >$instances/n/events/sched/enable
	}
	destroy n
done
is $count $wanted "buffers are created and destroyed under load while others open them: rounds"
ok "the opener and the creator are still running" kill $open $maker
wait $open $maker 2>/dev/null
destroy n
diag "$tries tries"
fails "the last buffer is gone" test -e $dev/n

many()
{
	round=0
	while [ $((round += 1)) -le $((many / noise + 1)) ]; do
		create m buffer_size_kb=1024 && echo 1 >$instances/m/events/sched/enable &&
			destroy m || return 1
	done
}
gives_back "many times" $((1024 * noise)) $((1024 * noise)) many
kill $load
wait $load 2>/dev/null

# --- unload
ok "buffer z is created" create z
echo 1 >$instances/z/events/enable
is "$(cd $instances && echo *)" "a create destroy z" "buffers a and z exist, all events are enabled"
sleep 1000 <$dev/z/cpu0 &
holder=$!
ok "buffer z is in use" retry_until 60 is_held_in z
retry_until 20 runs $holder sleep
like "$(rbmap unload 2>&1)" "in use by sleep \(pid $holder\)" "a process that holds a buffer holds the module"
kill $holder
wait $holder 2>/dev/null
ok "module unloads" rmmod rbmap
fails "no device is left" test -e $dev
done_testing
