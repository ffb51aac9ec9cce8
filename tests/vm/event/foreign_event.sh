#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events that somebody has made in tracefs are recorded by name, with ftrace's formats, beside
# ftrace.
# shellcheck disable=SC2016 # the kernel knows $arg1 and $retval
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
[ -e $theirs/events ] || mount -t tracefs none $theirs
cd /tmp || exit 1

[ -e $theirs/kprobe_events ] || skip_all "this kernel has no kprobe_events"
ok "module loads" load_module rbmap buffer_size_kb=4096 || done_testing

echo 'p:mine/opens do_sys_openat2 dfd=$arg1 name=+0($arg2):ustring' >$theirs/kprobe_events
echo 'r:mine/opened do_sys_openat2 fd=$retval:s32' >>$theirs/kprobe_events
rbmap record -e mine -o kprobe.dat -- cat /proc/version >/dev/null 2>errors
is "$?" 0 "a kprobe of tracefs is recorded by its name"
same=$(rbmap report kprobe.dat 2>/dev/null)
like "$same" 'opens: .*name="/proc/version"' "with its arguments"
like "$same" 'opened: .*fd=3' "and what the function has returned"
ok "its maker removes it afterwards" sh -c "echo >$theirs/kprobe_events"
fails "an event that is gone is refused" put set_event mine:opens
# The print format is the same, and the record is not.
echo 'p:mine/opens do_sys_openat2 dfd=$arg1:s64 name=+0($arg2):ustring' >$theirs/kprobe_events
fails "one that was made anew with other fields, too" put set_event mine:opens
ok "it is named again" put set_event mine:opens
same_format mine/opens
put set_event ' '
ok "it is removed, and made once more" sh -c "echo 'p:mine/opens do_sys_openat2 dir=\$arg1:s32' >$theirs/kprobe_events"
fails "it is refused once more" put set_event mine:opens
ok "until it is named again" put set_event mine:opens
same_format mine/opens
fails "it cannot be removed while it is recorded" sh -c "echo >$theirs/kprobe_events"
cat /proc/version >/dev/null
put set_event ' '
like "$(rbmap stream --no-follow 2>/dev/null)" 'opens: .*dir=-100' "its new fields are recorded"
# A new event may get the number of one that was removed. Records of that are still in the ring.
ok "it is removed once more" sh -c "echo >$theirs/kprobe_events"
echo 'p:mine/anew vfs_read len=$arg3' >$theirs/kprobe_events
put set_event mine:anew
sh -c 'read -r line </proc/version'
put set_event ' '
ok "an event is removed" sh -c "echo >$theirs/kprobe_events"
echo 'p:mine/anew do_sys_openat2 name=+0($arg2):ustring' >$theirs/kprobe_events
anew=$(grep ' anew: ' /dev/rbmap/trace)
like "$anew" 'anew: .*len=1$' "a text has the fields of the recorded event"
fails "it is refused, as it was made anew" put set_event mine:anew
is "$(grep ' anew: ' /dev/rbmap/trace)" "$anew" "the text stays"
ok "it is removed at last" sh -c "echo >$theirs/kprobe_events"

# Most kernels hand a synthetic event to ftrace alone.
if echo 'delayed u64 delay' >$theirs/synthetic_events 2>/dev/null; then
	waking=$theirs/events/sched/sched_waking/trigger
	switch=$theirs/events/sched/sched_switch/trigger
	began='hist:keys=pid:ts0=common_timestamp.usecs'
	ended='hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).delayed($lat)'
	is "$(rbmap list synthetic:delayed | xargs)" "synthetic:delayed foreign" "a synthetic event is listed as foreign"
	echo "$began" >"$waking" && echo "$ended" >"$switch"
	if rbmap record -q -e synthetic:delayed -o delayed.dat -- sleep 0.1 2>errors; then
		like "$(rbmap report delayed.dat 2>/dev/null)" 'delayed: +delay=[0-9]' "a synthetic event is recorded"
	else
		like "$(cat errors)" 'the kernel hands it to nobody but ftrace' "a synthetic event is refused, with the reason"
	fi
	echo "!$ended" >"$switch" && echo "!$began" >"$waking"
	ok "it can be removed" sh -c "echo >$theirs/synthetic_events"
fi
# A probe of an event is handed to ftrace alone by all kernels.
if echo 'e:mine/switches sched.sched_switch pid=$prev_pid' >>$theirs/dynamic_events 2>/dev/null; then
	fails "a probe of an event is refused" put set_event mine:switches
	ok "it can be removed, too" sh -c "echo >$theirs/dynamic_events"
fi

# The same moments as ftrace
printf '%s\n' 'p:mine/writes vfs_write len=$arg3' 'r:mine/written vfs_write ret=$retval' >$theirs/kprobe_events
put kptr 1
results "" records mine/writes mine/written
put kptr 0
ok "the events are removed" sh -c "echo >$theirs/kprobe_events"
# In interrupts and softirqs
echo 'p:mine/timers call_timer_fn timer=$arg1' >$theirs/kprobe_events 2>/dev/null ||
	echo 'p:mine/timers run_timer_softirq' >$theirs/kprobe_events
put set_event mine:timers
heard()
{
	grep -q '^received: [1-9]' $events/mine/timers/counts
}
ok "a kprobe in a softirq is recorded" retry_until 20 heard
put set_event ' '
ok "the event in a softirq is removed" sh -c "echo >$theirs/kprobe_events"
# The address is not at a multiple of its size.
echo 'p:mine/reads vfs_read len=$arg3:u8 file=$arg1' >$theirs/kprobe_events
put set_event mine:reads
sh -c 'read -r line </proc/version'
put set_event ' '
rbmap stream --no-follow >packed 2>/dev/null
like "$(cat packed)" 'reads: .*file=0x[0-9a-f]' "a field that is packed behind a byte is recorded"
fails "without an address of the kernel" grep -q 'ffff[89a-e][0-9a-f]' packed
diag "$(cat $root/per_cpu/cpu*/stats | grep -e emitted -e missed | xargs)"
ok "it is removed" sh -c "echo >$theirs/kprobe_events"

# --- many events that stop together
# The kernel waits for RCU for each of them, while others wait for a lock. The waits are
# expedited, unless the kernel is told to have normal ones.
stop_many()
{
	put set_event 'mine:'
	is "$(grep -c many $root/set_event)" 40 "forty events are recorded"
	echo "$1" >/sys/kernel/rcu_normal
	began=$(hundredths)
	put set_event ' '
	took=$(($(hundredths) - began))
	echo "$rcu_normal" >/sys/kernel/rcu_normal
	diag "they stopped in $took hundredths of a second, with rcu_normal=$1"
}
for i in $(seq 40); do
	echo "p:mine/many$i vfs_read len=\$arg3"
done >$theirs/kprobe_events
rcu_normal=$(cat /sys/kernel/rcu_normal)
# A busy machine makes one of the times longer, now and then. Without short waits both are the same.
for _ in $(seq 5); do
	stop_many 1
	normal=$took
	stop_many 0
	[ $((2 * took)) -ge $normal ] || break
done
ok "they stop with short waits" [ $((2 * took)) -lt "$normal" ]
ok "they are removed" sh -c "echo >$theirs/kprobe_events"

# --- a CPU that goes and comes
echo 'p:mine/lengths vfs_read len=$arg3' >$theirs/kprobe_events
ok "an event is recorded" put set_event mine:lengths
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
put reset 1
on_cpu1()
{
	taskset 2 sh -c 'read -r line </proc/version'
	grep -q '^emitted: [1-9]' $root/per_cpu/cpu1/stats
}
ok "also on a CPU that has come on line" retry_until 30 on_cpu1
put set_event ' '
ok "the event is removed" sh -c "echo >$theirs/kprobe_events"
ok "module unloads" rmmod rbmap
done_testing
