#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The rbmap command against the module: each error is one line that names cause and
# remedy, and a command that fails changes nothing.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
ko=/modules/rbmap.ko
there=$(uname -r)

# says STATUS PATTERN COMMAND...: COMMAND fails with STATUS and one line that matches
says()
{
	wanted=$1
	pattern=$2
	shift 2
	"$@" >/tmp/out 2>/tmp/err
	status=$?
	if [ $status = "$wanted" ] && [ "$(wc -l </tmp/err)" = 1 ] &&
		grep -qE -e "$pattern" /tmp/err; then
		pass "$*: $wanted, /$pattern/"
	else
		fail "$*: $wanted, /$pattern/"
		diag "status $status"
		diag "$(cat /tmp/err)"
	fi
}

# prints PATTERN COMMAND...: COMMAND succeeds, and its output matches
prints()
{
	pattern=$1
	shift
	like "$("$@" 2>&1)" "$pattern" "$*: /$pattern/"
}

user()
{
	/tests/setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}

# --- not loaded
for command in list 'enable x' 'disable x' stat stream 'record -o /tmp/x' \
	'record -e sched -o /tmp/x'; do
	# shellcheck disable=SC2086 # split into words
	says 1 "module is not loaded: run 'rbmap load' as root" rbmap $command
done
ok "nothing was written" [ ! -e /tmp/x ]
says 1 "the module is not loaded" rbmap unload
prints 'not loaded' rbmap status
like "$(rbmap status --json)" '"loaded": false' "status --json"

# --- load
mv /lib/libkmod.so.2 /lib/libkmod.away
says 1 "cannot load libkmod: .*: install the package libkmod2" rbmap load
mv /lib/libkmod.away /lib/libkmod.so.2
says 1 "no module rbmap is installed for kernel ${there%%+*}" rbmap load
says 1 "cannot read /nowhere.ko: No such file" rbmap load --module /nowhere.ko
says 1 "no parameter 'buffer_kb': its parameters are .*buffer_size_kb" \
	rbmap load --module $ko buffer_kb=4
says 1 "invalid for parameter .buffer_size_kb" rbmap load --module $ko buffer_size_kb=much
says 1 "invalid for parameter .buffer_size_kb" rbmap load --module $ko buffer_size_kb=
says 1 "invalid for parameter .overwrite" rbmap load --module $ko overwrite=7
says 1 "subbuf_size_kb=3" rbmap load --module $ko subbuf_size_kb=3
echo "no module" >/tmp/rbmap.ko
says 1 "/tmp/rbmap.ko is not a module|/tmp/rbmap.ko.*rebuild it" \
	rbmap load --module /tmp/rbmap.ko
if [ -e /modules/other.ko ]; then
	says 1 "other.ko was built for kernel .*, but kernel ${there%%+*}.* is running: build it for that kernel" \
		rbmap load --module /modules/other.ko
else
	skip "no module of another kernel" "a module of another kernel"
fi
fails "nothing is loaded" is_loaded rbmap
fails "doctor finds a fault" eval "rbmap doctor >/dev/null"
prints "fail +module +rbmap.ko is not installed for ${there%%+*}.*Run: " rbmap doctor
prints 'fail +loaded +no.*Run: rbmap load' rbmap doctor
# Install the module where depmod finds it.
mkdir -p "/lib/modules/$there/extra"
cp $ko "/lib/modules/$there/extra/rbmap.ko"
if [ -e /tests/depmod ]; then
	/tests/depmod -a
	ok "load the installed module" rbmap load buffer_size_kb=64
	is "$(cat $root/buffer_size_kb)" 64 "the parameter is set"
	ok "unload" rbmap unload
else
	skip "no depmod" "load the installed module"
fi
ok "load a file" rbmap load --module $ko buffer_size_kb=128 overwrite=0
is "$(cat $root/overwrite)" 0 "both parameters are set"
says 1 "loaded already: to change its parameters, run 'rbmap unload' first" rbmap load --module $ko
says 1 "loaded already: to change its parameters, run 'rbmap unload' first" rbmap load

# --- status, list, stat
prints "buffer +128 KiB a CPU, sub-buffers of $page_kb KiB" rbmap status
prints 'discard: a full ring discards' rbmap status
prints 'enabled +rbmap:marker' rbmap status
like "$(rbmap status --json)" '"mode": "discard"' "status --json"
like "$(rbmap status --json)" '"rbmap:marker"' "status --json has events"
find $root/events -mindepth 2 -maxdepth 2 -type d | sed 's|.*events/||; s|/|:|' >/tmp/names
is "$(rbmap list | awk '{ print $1 }' | sort)" "$(sort -u $root/available_events /tmp/names)" \
	"list has all events"
is "$(rbmap list 'sched:sched_sw[i]*' | xargs)" "sched:sched_switch built in" "list with a pattern"
is "$(rbmap list sched | wc -l)" "$(cat $root/available_events /tmp/names | sort -u | grep -c ^sched:)" \
	"list a system"
prints 'rbmap:marker +program +enabled' rbmap list marker
says 1 "no event 'nonsense': 'rbmap list' lists" rbmap list nonsense
prints '^CPU +EMITTED' rbmap stat
at_most "$(rbmap stat | wc -L)" 80 "stat fits 80 columns"
like "$(rbmap stat --json)" '"dropped_full": 0' "stat --json"
is "$(timeout "$(patience 10)" rbmap stat --json -i 0.2 | head -n 3 | wc -l)" 3 "stat -i goes on"

# --- doctor
prints 'ok +loaded +yes' rbmap doctor
prints "ok +devices +$(nproc) devices in /dev/rbmap" rbmap doctor
prints 'ok +access +root may read' rbmap doctor
prints 'ok +version .* module' rbmap doctor
prints '(ok|note) +events +[0-9]+' rbmap doctor
prints 'ok +holders +nobody' rbmap doctor

# --- enable, disable
on()
{
	cat "$root/events/$1/enable"
}

ok "enable system:event" rbmap enable sched:sched_switch
is "$(on sched/sched_switch)$(on sched/sched_wakeup)" 10 "only sched_switch is enabled"
ok "enable an event" rbmap enable sched_wakeup
is "$(on sched/sched_wakeup)" 1 "sched_wakeup is enabled"
ok "disable a system" rbmap disable sched
is "$(on sched)" 0 "all events of sched are disabled"
ok "enable a wildcard" rbmap enable 'sched:*wak*' irq_handler_entry
is "$(on sched/sched_waking)$(on irq/irq_handler_entry)$(on sched/sched_switch)" 110 \
	"the wildcard's events are enabled, no other"
ok "disable all" rbmap disable '*'
is "$(on .)" 0 "no event is enabled"
says 1 "no event 'sched:sched_swich': similar names: sched:sched_switch" \
	rbmap enable sched:sched_wakeup sched:sched_swich
is "$(on sched)" 0 "one wrong name changes nothing"
says 1 "no event is enabled: name events with -e" rbmap record -o /tmp/x
ok "enable again" rbmap enable marker
says 1 "cannot run /nowhere/x: No such file" \
	rbmap record -o /tmp/never -- /nowhere/x
ok "the file of a recording that failed was removed" [ ! -e /tmp/never ]

# --- files that cannot be written
says 1 "cannot create /nowhere/x: its directory does not exist" \
	rbmap record -d 0 -o /nowhere/x
says 1 "/dev/null is not a regular file" rbmap record -d 0 -o /dev/null
mkfifo /tmp/fifo
says 1 "/tmp/fifo is not a regular file" rbmap record -d 0 -o /tmp/fifo
says 1 "Is a directory" rbmap record -d 0 -o /tmp
says 1 "cannot create /proc/x" rbmap record -d 0 -o /proc/x
says 1 "no event 'nonsense'" rbmap record -e nonsense -o /tmp/x
says 1 "ulimit -f" sh -c 'ulimit -f 100; exec rbmap record -d 0 -o /tmp/limited'
echo 0 >$root/tracing_on
rbmap record -d 0.2 -o /tmp/x 2>/tmp/err
like "$(cat /tmp/err)" 'warning: tracing_on is 0, and nothing is recorded' "tracing_on is 0"
prints 'tracing +off' rbmap status
echo 1 >$root/tracing_on

# --- without root
if [ -e /tests/setpriv ]; then
	says 1 "no permission to (read|write) /sys/kernel/rbmap/.*: run rbmap as root" \
		user rbmap enable sched
	says 1 "no permission to read /dev/rbmap/cpu0: run rbmap as root" \
		user rbmap record -d 0 -o /tmp/x
	says 1 "no permission to unload a module: run 'rbmap unload' as root" \
		user rbmap unload
	chgrp 2000 /dev/rbmap/cpu*
	says 1 "no permission to read /dev/rbmap/cpu0: run rbmap as root" \
		user rbmap record -d 0 -o /tmp/x
	for command in status list stat; do
		says 1 "no permission to read $root/.*: run rbmap as root" user rbmap $command
	done
	chgrp 1000 /dev/rbmap/cpu*
	chgrp -R 1000 $root
	ok "a group may record" user rbmap record -q -d 0 -o /tmp/group
	says 1 "no permission to write $root/available_events: run rbmap as root" \
		user rbmap record --default -e sched -o /tmp/group2
	says 1 "no permission to make a buffer for this command: run it as root, or use the default buffer" \
		user rbmap record -e sched -o /tmp/group2
	ok "the group's recording that failed left no file" [ ! -e /tmp/group2 ]
	ok "status needs the group, no root" user rbmap status
	ok "list needs the group, no root" user rbmap list
	ok "stat needs the group, no root" user rbmap stat
else
	skip "no setpriv" "without root"
fi

# --- unload while in use
# shellcheck disable=SC2217 # sleep only holds the device open
sleep 60 </dev/rbmap/cpu0 &
holder=$!
retry_until 20 runs $holder sleep
says 1 "in use by sleep \(pid $holder\): end or unload these users first" rbmap unload
prints "ok +holders +sleep \(pid $holder\)" rbmap doctor
kill $holder
wait $holder 2>/dev/null
rbmap record -q -o /tmp/x &
holder=$!
retry_until 20 has_open $holder /dev/rbmap
says 1 "in use by rbmap \(pid $holder\)" rbmap unload
kill -INT $holder
wait $holder
ok "unload" retry_until 30 rbmap unload
fails "the module is unloaded" is_loaded rbmap
if [ -e /tests/setpriv ]; then
	says 1 "no permission to load a module: run 'rbmap load' as root" \
		user rbmap load --module $ko
fi
echo 1 >/proc/sys/kernel/modules_disabled
says 1 "loads no more modules" rbmap load --module $ko
done_testing
