#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events that have no tracepoint of their own: system calls, and what somebody has made in
# tracefs. They are recorded by name, with ftrace's formats, beside ftrace. SHORT=1 compares
# each sixteenth format of a system call.
# shellcheck disable=SC2016 # the kernel knows $arg1 and $retval
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
[ -e $theirs/events ] || mount -t tracefs none $theirs
cd /tmp || exit 1

ok "module loads" load_module rbmap buffer_size_kb=4096 || done_testing

# same_format SYSTEM/EVENT: compares the format with tracefs's
same_format()
{
	is "$(sed 's/^ID: .*/ID: N/' $events/"$1"/format)" "$(sed 's/^ID: .*/ID: N/' $theirs/events/"$1"/format)" \
		"$1 has ftrace's format"
}

# --- system calls
ok "a system call can be named" put set_event syscalls:sys_enter_kill
ok "its exit, too" sh -c "echo syscalls:sys_exit_kill >>$root/set_event"
is "$(cat $events/syscalls/sys_enter_kill/status) $(cat $events/syscalls/sys_enter_kill/source)" \
	"available foreign" "status and source"
same_format syscalls/sys_enter_kill
same_format syscalls/sys_exit_kill
echo 1 >$theirs/events/syscalls/sys_enter_kill/enable
kill -0 $$
kill -0 1
echo 0 >$theirs/events/syscalls/sys_enter_kill/enable
put set_event ' '
rbmap stream --no-follow 2>/dev/null >ours
like "$(cat ours)" ' sys_enter_kill: +pid: 0x00000001, sig: 0x00000000' \
	"the call is recorded, with its arguments"
like "$(cat ours)" ' sys_exit_kill: +0x0' "and its return value"
is "$(grep -c sys_enter_kill ours)" "$(grep -c 'sys_kill(' $theirs/trace)" "ftrace has as many"
fails "no record has an address of the kernel" grep -q 'ffff[89a-e][0-9a-f]' ours

# Switched off, and on again at once
calls()
{
	awk '/^calls:/ { print $2 }' $events/syscalls/sys_enter_kill/counts
}
for round in 1 2 3; do
	put set_event syscalls:sys_enter_kill
	before=$(calls)
	for _ in 1 2 3; do kill -0 $$; done
	is "$(($(calls) - before))" 3 "round $round: each call is heard once"
	put set_event ' '
	before=$(calls)
	kill -0 $$
	is "$(($(calls) - before))" 0 "round $round: and none when it is off"
done
cpu=/sys/devices/system/cpu/cpu1
if [ -e $cpu/online ]; then
	echo 0 >$cpu/online
	echo 1 >$cpu/online
	put set_event syscalls:sys_enter_kill
	before=$(calls)
	taskset 2 sh -c 'kill -0 1'
	is "$(($(calls) - before))" 1 "a CPU that came on line meanwhile has events"
	put set_event ' '
fi

# All of them at once
rbmap record -e 'syscalls:*' -b 8M -o all.dat -- sh -c 'for i in 1 2 3 4 5; do ls /proc >/dev/null; done' 2>errors
is "$?" 0 "all system calls are recorded together"
diag "$(cat errors)"
rbmap report all.dat >all 2>sums
is "$(grep -c '\[[0-9][0-9][0-9]\]' all)" "$(sed -n 's/ events read.*//p' errors)" "the report has all events"
like "$(cat all)" 'ls-.* sys_enter_getdents64' "calls of the command"
calls=$(grep -c ' sys_enter_getdents64' all)
is "$(grep -c ' sys_exit_getdents64' all)" "$calls" "each call has returned"
# The release of their perf events waits for the kernel, and others wait for it meanwhile.
kept()
{
	put set_event 'syscalls:*'
	echo 0 >/sys/module/failing/parameters/nth
	put set_event ' '
	put set_event 'syscalls:*'
	released=$(wc -w </sys/module/failing/parameters/calls)
	put set_event ' '
	[ "$released" = 0 ]
}
if [ -z "${SHORT:-}" ] && load_module failing functions=perf_event_release_kernel; then
	# A machine that stood still for a second between two writes has released some.
	ok "perf events are not released while they are attached again" retry_until 60 kept
	ok "the module that counts releases unloads" rmmod failing
fi
different=0 made=0
ok "all system calls are made" put available_events 'syscalls:*'
for file in "$theirs"/events/syscalls/*/format; do
	made=$((made + 1))
	[ -z "${SHORT:-}" ] || [ $((made % 16)) = 0 ] || continue
	name=${file#"$theirs"/events/}
	sed 's/^ID: .*/ID: N/' "$file" >theirs
	sed 's/^ID: .*/ID: N/' "$events/$name" >ours
	cmp -s theirs ours || {
		different=$((different + 1))
		diag "$name" "$(diff theirs ours | head -n 4)"
	}
done
is "$different" 0 "all $made formats of system calls are ftrace's"

# --- events of others
if [ -e $theirs/kprobe_events ]; then
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
	# The same moments as ftrace
	printf '%s\n' 'p:mine/writes vfs_write len=$arg3' 'r:mine/written vfs_write ret=$retval' >$theirs/kprobe_events
	put kptr 1
	results "" records mine/writes mine/written syscalls/sys_enter_sched_yield \
		syscalls/sys_exit_sched_yield
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
else
	skip "this kernel has no kprobe_events" "kprobes of tracefs"
fi

# --- a CPU that goes and comes
ok "a system call is recorded" put set_event syscalls:sys_enter_sched_yield
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
on_cpu1()
{
	chrt -o 0 true 2>/dev/null
	/tests/on_cpu 1 true 2>/dev/null || taskset 2 ls / >/dev/null
	grep -q '^emitted: [1-9]' $root/per_cpu/cpu1/stats
}
put set_event syscalls:sys_enter_getdents64
ok "also on a CPU that has come on line" retry_until 30 on_cpu1
put set_event ' '

# The kernel waits for RCU with each release of a perf event. 5.10 refuses a kprobe there,
# because it builds the file without a place for ftrace.
if [ -e $theirs/kprobe_events ] && printf 'p:mine/%s %s\n' begin rcu_expedite_gp \
	release perf_event_release_kernel end rcu_unexpedite_gp 2>/dev/null >$theirs/kprobe_events; then
	ok "system calls are recorded again" put set_event 'syscalls:sys_enter_getdents64 syscalls:sys_exit_getdents64'
	echo 1 >$theirs/events/mine/enable
	echo >$theirs/trace
	put set_event ' '
	ok "module unloads" rmmod rbmap
	echo 0 >$theirs/events/mine/enable
	# The listeners of all aliases are released last, with one wait.
	is "$(awk -v cpus="$(nproc)" '/: begin:/ { n++ } /: end:/ { n-- }
		/: release:/ { if (n > 0) short++; else long++ }
		END { print n + 0, (long <= cpus), (short >= 2) }' $theirs/trace)" "0 1 1" \
		"all perf events of system calls are released with short waits for RCU"
	diag "$(grep -cE ': (begin|end):' $theirs/trace) switches of waits, $(grep -c ': release:' $theirs/trace) releases"
else
	skip "this kernel refuses a kprobe" "all perf events of system calls are released with short waits"
	ok "module unloads" rmmod rbmap
fi
[ ! -e $theirs/kprobe_events ] || echo >$theirs/kprobe_events
done_testing
