#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare filters, set_event_pid and set_event_notrace_pid with ftrace's. LONG=1 tries
# thousands of expressions, RBMAP_TEST_SEED=N tries others. SHORT=1 tries a tenth of them.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

rb=/sys/kernel/rbmap
events=$rb/events
times=${LONG:+12}
part=${SHORT:+10}

# expressions EVENT NUMBER: compares NUMBER random expressions for EVENT
expressions()
{
	results "$1: " filters expressions "$1" $(($2 * ${times:-1} / ${part:-1})) \
		"${RBMAP_TEST_SEED:-24301}"
}

# put FILE TEXT: writes TEXT; /tmp/error has the error
put()
{
	printf %b "$2" | dd of="$1" bs=8192 conv=notrunc 2>/tmp/error
}

# refused FILE TEXT SHOWN: the write fails, and FILE then reads SHOWN
refused()
{
	if put "$1" "$2"; then
		fail "'${2%%\\n}' is refused"
	else
		like "$(cat /tmp/error)" "Invalid argument" "'${2%%\\n}' is refused: EINVAL"
	fi
	is "$(cat "$1")" "$3" "the file's contents after the refused '${2%%\\n}'"
}

marked()
{
	echo "$1" >/dev/rbmap/marker
}

# recorded: the number of events in the default buffer
recorded()
{
	cat $rb/per_cpu/cpu*/stats | awk -F ': *' '$1 == "entries" { n += $2 } END { print n }'
}

ok "the module loads" load_module rbmap || done_testing
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
# Each replaced filter waits for all processors: expedite that.
echo 1 >/sys/kernel/rcu_expedited
ip link set lo up
for file in /proc/irq/*/smp_affinity; do
	echo 1 >"$file"
done 2>/dev/null

# Filter files
switch=$events/sched/sched_switch/filter
is "$(cat $switch)" none "a file without a filter reads none"
is "$(cat $events/sched/filter)" none "the system's file without a filter reads none"
ok "a filter is accepted" put $switch "next_pid == 1 || prev_comm ~ 'a*' \n"
is "$(cat $switch)" "next_pid == 1 || prev_comm ~ 'a*'" "the filter reads as it was written"
is "$(cat $events/sched/filter)" "next_pid == 1 || prev_comm ~ 'a*'" "the system's file reads the only filter"
refused $switch 'next_pid == 1 && foo == 2\n' "next_pid == 1 && foo == 2
                     ^
parse_error: Field not found"
ok "the log names the rejected filter" retry_until 30 sh -c 'dmesg | grep -q "rbmap: events/sched/sched_switch/filter refused: character 22, at \"== 2\": Field not found"'
is "$(cat $events/sched/filter)" none "after an error the system has no filter"
ok "writing 0 removes the filter" put $switch ' 0 \n'
is "$(cat $switch)" none "the file reads none after 0"
ok "an expression of a page is refused" sh -c "! yes '||' | dd bs=4096 count=1 iflag=fullblock of=$switch conv=notrunc 2>/dev/null"
is "$(cat $switch)" none "a refused expression leaves the event without a filter"
ok "a system accepts a filter" put $events/sched/filter 'prev_pid == 7\n'
is "$(cat $switch)" 'prev_pid == 7' "an event with the field has the system's filter"
is "$(cat $events/sched/sched_waking/filter)" "prev_pid == 7
^
parse_error: Couldn't find or set field in one of a subsystem's events" "the others say that they have not"
is "$(cat $events/sched/filter)" 'prev_pid == 7' "the system's file reads its filter"
ok "one event of the system gets another filter" put $events/sched/sched_waking/filter 'pid == 7'
is "$(cat $events/sched/filter)" X "the system's file shows that the filters differ"
refused $events/sched/filter 'foo == 1' "foo == 1
    ^
parse_error: Field not found"
is "$(cat $switch)" 'prev_pid == 7' "a refused system filter changes no event's filter"
ok "writing 0 removes a system's filters" put $events/sched/filter 0
is "$(cat $switch $events/sched/*/filter | sort -u)" none "no event of the system has a filter"

# Events without a tracepoint
ok "the marker accepts a filter" put $events/rbmap/marker/filter "buf ~ 'yes*'"
echo 1 >$rb/reset
marked "yes, please"
marked "no, thanks"
is "$(recorded)" 1 "only the marker that matches is recorded"
ok "a filter can match the newline at a marker's end" put $events/rbmap/marker/filter "buf ~ '*thanks\n'"
echo 0 >$events/rbmap/marker/filter

# A named buffer has filters of its own, which are freed with it.
echo other >$rb/instances/create
ok "an event of a named buffer has a filter of its own" put $rb/instances/other/events/sched/sched_switch/filter 'prev_pid == 9'
is "$(cat $switch)" none "the default buffer's event has no filter"
echo 1 >$rb/instances/other/events/sched/enable
echo 1 >$rb/instances/other/set_event_pid
echo 1 >$rb/instances/other/options/event-fork
ok "a named buffer with filters is destroyed" sh -c "echo other >$rb/instances/destroy"

# set_event_pid
is "$(cat $rb/set_event_pid)" "" "an empty set_event_pid selects all tasks"
ok "set_event_pid accepts pids" put $rb/set_event_pid '17 4 9\n'
is "$(cat $rb/set_event_pid | tr '\n' ' ')" "4 9 17 " "set_event_pid lists the pids in order"
echo 5 >>$rb/set_event_pid
is "$(cat $rb/set_event_pid | tr '\n' ' ')" "4 5 9 17 " ">> adds one"
for bad in x 1x -1 0 4194304 99999999999; do
	if put $rb/set_event_pid "3 $bad"; then
		fail "$bad is refused"
	else
		is "$(cat $rb/set_event_pid | tr '\n' ' ')" "4 5 9 17 " "$bad is refused, and nothing has changed"
	fi
done
seq 1 2000 >/tmp/pids
cat /tmp/pids >$rb/set_event_pid
ok "more than a page" cmp /tmp/pids $rb/set_event_pid
ok "an empty line selects all tasks again" put $rb/set_event_pid '\n'
is "$(cat $rb/set_event_pid)" "" "set_event_pid is empty again"
is "$(cat $rb/options/event-fork)" 0 "children are not followed"
is "$(cat $rb/set_event_notrace_pid)" "" "an empty set_event_notrace_pid excludes no task"
ok "set_event_notrace_pid accepts pids" put $rb/set_event_notrace_pid '8 3\n'
is "$(cat $rb/set_event_notrace_pid | tr '\n' ' ')" "3 8 " "set_event_notrace_pid lists the pids in order"
is "$(cat $rb/set_event_pid)" "" "set_event_pid is still empty"
echo 5 >>$rb/set_event_notrace_pid
is "$(cat $rb/set_event_notrace_pid | tr '\n' ' ')" "3 5 8 " ">> adds one"
fails "x is refused" put $rb/set_event_notrace_pid x
ok "the log names the file" retry_until 30 sh -c 'dmesg | grep -q "rbmap: set_event_notrace_pid: \"x\" refused"'
ok "an empty line excludes no task again" put $rb/set_event_notrace_pid '\n'
is "$(cat $rb/set_event_notrace_pid)" "" "set_event_notrace_pid is empty again"

# The rbmap command
ok "rbmap enable sets a filter" rbmap enable sched_switch --filter 'prev_pid == 1'
is "$(cat $switch)" "prev_pid == 1" "the filter stays after rbmap enable"
ok "rbmap disable" rbmap disable sched_switch
if rbmap enable sched:sched_switch sched:sched_waking --filter 'prev_pid == 2' 2>/tmp/error; then
	fail "rbmap enable refuses a filter with a field that one event lacks"
else
	like "$(cat /tmp/error)" "sched:sched_waking refuses the filter" "rbmap enable refuses a filter with a field that one event lacks"
	like "$(cat /tmp/error)" "^         \^$" "the error shows the place in the filter"
	like "$(cat /tmp/error)" "^parse_error: Field not found$" "the error has the reason"
fi
is "$(cat $switch) $(cat $events/sched/sched_switch/enable)" "prev_pid == 1 0" "a refused rbmap enable changes no filter"
echo 77 >$rb/set_event_pid
before=$(summed emitted)
(
	while :; do
		sleep 0.1
	done
) &
sleeper=$!
ok "rbmap record accepts a filter and a process" rbmap record -q --default -o /tmp/f.dat -e sched_switch \
	--filter 'prev_pid == 0 && next_pid != 0' -p $sleeper -- sh -c "cat $switch $rb/options/event-fork $rb/set_event_pid >/tmp/during
		until [ \$(cat $rb/per_cpu/cpu*/stats | awk '/^emitted:/ { sum += \$2 } END { print sum }') -gt $before ]; do
			sleep 0.1
		done"
is "$(head -n 2 /tmp/during | tr '\n' ' ')" "prev_pid == 0 && next_pid != 0 1 " "the filter is set while rbmap record runs"
ok "set_event_pid has the process while rbmap record runs" grep -qx $sleeper /tmp/during
is "$(cat $switch $rb/set_event_pid $rb/options/event-fork | tr '\n' ' ')" "prev_pid == 1 77 0 " "rbmap record restores the filter and the pids"
rbmap report /tmp/f.dat >/tmp/f.txt 2>/dev/null
like "$(grep -c sched_switch: /tmp/f.txt)" "^[1-9]" "something was recorded"
is "$(grep sched_switch: /tmp/f.txt | grep -v 'swapper.* ==> ')" "" "only events that match the filter were recorded"
ok "rbmap stream accepts a filter and a process" sh -c "rbmap stream --default -n 1 -e raw_syscalls:sys_enter --filter 'id == 39 || id > 0' -p $sleeper >/tmp/stream.txt"
kill $sleeper
like "$(cat /tmp/stream.txt)" "sys_enter: NR" "rbmap stream prints the events that match"
is "$(cat $switch $rb/set_event_pid $events/raw_syscalls/sys_enter/filter | tr '\n' ' ')" "prev_pid == 1 77 none " "rbmap stream restores the filter and the pids"
if rbmap record -e sched_switch -p 4000000 -d 1 -o /tmp/g.dat 2>/tmp/error; then
	fail "a process that is not there is refused"
else
	like "$(cat /tmp/error)" "process 4000000 does not exist" "a process that is not there is refused"
fi
is "$(cat $switch $rb/set_event_pid $rb/options/event-fork $events/sched/sched_switch/enable | tr '\n' ' ')" \
	"prev_pid == 1 77 0 0 " "a refused process changes no filter"
echo 0 >$events/sched/filter
echo >$rb/set_event_pid

# Comparison with ftrace
results "set_event_pid: " filters pids
expressions sched/sched_switch 80
expressions sched/sched_waking 40
expressions sched/sched_process_exec 20
expressions irq/softirq_entry 60
expressions irq/irq_handler_entry 20
expressions raw_syscalls/sys_enter 80

# Filters and pids are replaced while all processors record.
echo 1 >$events/enable
echo 1 >$rb/options/event-fork
(
	while :; do
		/bin/true
		marked x
	done
) &
busy=$!
turns=40
[ -z "${SHORT:-}" ] || turns=4
n=0
while [ $n -lt $turns ]; do
	put $switch "prev_pid == $n || next_comm ~ '*[a-$n]*'"
	put $events/sched/filter "common_pid > $n"
	put $events/rbmap/marker/filter "buf == 'y'"
	put $rb/set_event_pid "$busy $n\n"
	put $rb/set_event_pid "$n"
	put $rb/set_event_notrace_pid "$busy $n\n"
	put $events/sched/filter 0
	put $events/rbmap/marker/filter "foo == 1"
	put $rb/set_event_pid '\n'
	put $rb/set_event_notrace_pid '\n'
	n=$((n + 1))
done
kill $busy
echo 0 >$rb/options/event-fork
ok "all events and filters are off again" sh -c "echo 0 >$events/enable && echo 0 >$events/rbmap/filter"
echo 0 >/sys/kernel/rcu_expedited
ok "the module unloads" rmmod rbmap
done_testing
