#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events of the kernel, system calls and a kprobe are switched while they fire, beside ftrace,
# perf and BPF on the same events. A live patch has a function that a caller of one calls.
# Meanwhile a processor goes and comes, and so does a module whose event fires. Each call is
# received or missed, and each received record is in a ring or dropped. LONG=1 attaches and
# removes ten thousand events.
# shellcheck disable=SC2317 # called by retry_until
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
hits=/sys/module/source/parameters/hits
cpu=/sys/devices/system/cpu/cpu1
shared='source/source_hit kmem/rss_stat rcu/rcu_utilization syscalls/sys_enter_getdents64'
names='source kmem:rss_stat rcu:rcu_utilization percpu vmscan'
names="$names workqueue:workqueue_queue_work syscalls:sys_enter_getdents64 syscalls:sys_exit_getdents64"
names="$names syscalls:sys_enter_newuname syscalls:sys_exit_newuname"
cd /tmp || exit 1
[ -e $theirs/events ] || mount -t tracefs none $theirs

ok "module loads" load_module rbmap buffer_size_kb=512 || done_testing
ok "the module loads" load_module source || done_testing
if [ -e $theirs/kprobe_events ]; then
	# shellcheck disable=SC2016 # the kernel knows $arg1
	echo 'p:mine/opens do_sys_openat2 dfd=$arg1' >$theirs/kprobe_events
	names="$names mine:opens"
fi
ok "events are named" put available_events "$names"
# Calls of events that are built in are not counted.
grep -l -e '^kernel$' -e '^syscall$' -e '^foreign$' $events/*/*/source | sed 's|.*/events/||; s|/source$||; s|/|:|' >names
names=$(cat names)
is "$(cat $root/kernel_events)" alias "the kernel's records are as expected"

sums()
{
	awk -F ': *' -v key="$1" '$1 == key { sum += $2 } END { printf "%.0f\n", sum + 0 }' \
		$events/*/*/counts
}

# The functions below run until the file `stop` exists.
fire()
{
	while [ ! -e stop ]; do
		echo 500 >$hits
		uname >/dev/null
		ls /proc /tmp >/dev/null
		cat /proc/stat >file
	done 2>/dev/null
}

by_ftrace()
{
	while [ ! -e stop ]; do
		for value in 1 0; do
			for event in $shared; do
				echo $value >$theirs/events/"$event"/enable
			done
		done
		echo >>ftrace_rounds
	done 2>/dev/null
}

by_perf()
{
	# shellcheck disable=SC2046,SC2086 # names without blanks
	while [ ! -e stop ]; do
		perf stat -a $(printf -- '-e %s ' $shared | tr / :) sleep 0.1 >/dev/null 2>&1 &&
			echo >>perf_rounds
	done
}

patched=/sys/kernel/livepatch/patched

settled()
{
	[ "$(cat $patched/transition)" = 0 ]
}

unpatched()
{
	[ ! -e $patched ] && rmmod patched
}

unloaded()
{
	rmmod source 2>/dev/null
}

# A transition under fire takes minutes in an emulator. Each load of the module is one, too.
if [ -e /sys/kernel/livepatch ]; then
	ok "a function that the event's caller calls is patched" load_module patched
	ok "it is patched for all tasks" retry_until 120 settled
fi
rm -f stop ftrace_rounds perf_rounds
touch ftrace_rounds perf_rounds
fire & workers=$!
fire & workers="$workers $!"
by_ftrace & workers="$workers $!"
! command -v perf >/dev/null || by_perf & workers="$workers $!"
# shellcheck disable=SC2086 # names without blanks
/tests/with_bpf stop $shared >by_bpf & bpf=$!
wanted=500
[ -z "$SHORT" ] || wanted=60
[ -z "$LONG" ] || wanted=10000
attached=0 rounds=0 gone=0 hotplugged=0

# all_took_part: whether ftrace and perf were on the events, and the module has gone. They may
# hold the module whenever it should go.
all_took_part()
{
	[ $gone -gt 0 ] && [ -s ftrace_rounds ] &&
		{ [ -s perf_rounds ] || ! command -v perf >/dev/null; }
}

while [ $attached -lt $wanted ] || { ! all_took_part && [ $rounds -lt 100 ]; }; do
	put set_event "$names" || break
	nr=$(wc -l <$root/set_event)
	[ "$nr" -gt 0 ] || break
	attached=$((attached + nr))
	rounds=$((rounds + 1))
	case $((rounds % 10)) in
	2 | 7) # perf and ftrace may hold the module for a moment.
		if retry_until 5 unloaded; then
			gone=$((gone + 1))
			load_module source || break
		fi
		;;
	1 | 6)
		[ ! -e $cpu/online ] || {
			echo 0 >$cpu/online
			echo 1 >$cpu/online
			hotplugged=$((hotplugged + 1))
		}
		;;
	esac
	put set_event ' '
done
ok "$attached events are attached and removed" test $attached -ge $wanted
touch stop
# shellcheck disable=SC2086 # numbers
wait $workers
wait $bpf
bpf_status=$?
rm stop
ok "all events are off" put set_event ' '
diag "$rounds rounds; the module went $gone times, a processor $hotplugged times"
diag "$(wc -l <ftrace_rounds) rounds of ftrace, $(wc -l <perf_rounds) of perf"
[ ! -e $cpu/online ] || ok "a processor has gone and come" test $hotplugged -ge 1
ok "the module has gone while its event was on" test $gone -ge 1
ok "ftrace was on the same events" test -s ftrace_rounds
if command -v perf >/dev/null; then
	ok "perf was on the same events" test -s perf_rounds
else
	skip "this machine has no perf" "perf on the same events"
fi
if [ $bpf_status = 2 ]; then
	skip "this kernel has no BPF" "BPF on the same events"
else
	is $bpf_status 0 "BPF was on the same events"
	diag "$(cat by_bpf) programs of BPF were attached"
fi
if [ -e $patched ]; then
	patched_calls=$(cat /sys/module/patched/parameters/calls)
	diag "$patched_calls calls of the patched function"
	ok "the caller of the event calls the patched function" test "$patched_calls" -gt 0
	echo 0 >$patched/enabled
	ok "the patch is removed" retry_until 120 unpatched
else
	skip "this kernel has no live patches" "a live patch"
fi
for event in $shared; do
	ok "$event has fired" grep -q '^received: *[1-9]' "$events/$event/counts"
done
calls=$(sums calls) received=$(sums received) missed=$(sums missed)
diag "$calls calls, $received received, $missed missed"
is $((received + missed)) "$calls" "each call is received or missed"
is "$(summed missed)" "$missed" "stats count what was missed"
is $(($(summed emitted) + $(summed 'dropped events'))) "$received" \
	"each record that was received is in a ring, or counted as dropped"
[ ! -e $theirs/kprobe_events ] || ok "the kprobe is removed" sh -c "echo >$theirs/kprobe_events"
ok "module unloads" rmmod rbmap
ok "the module unloads" rmmod source
done_testing
