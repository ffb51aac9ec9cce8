#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# exclude_process leaves out what a process causes itself, and counts it by CPU. Interrupts
# in the process are recorded, and so is what is about the whole machine. Recorders exclude
# themselves: a recording has each switch to one of their threads. SHORT=1 has fewer
# system calls, and one round less.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
all=$root/instances/all
part=$root/instances/part

ok "the module loads" load_module rbmap buffer_size_kb=8192 || done_testing
echo all >$root/instances/create
echo part >$root/instances/create

# --- the list
is "$(cat $part/exclude_process)" "" "at first no process is excluded"
echo '12 7' >$part/exclude_process
echo 30 >>$part/exclude_process
is "$(cat $part/exclude_process | xargs)" "7 12 30" "processes are listed in order"
echo '!12 8' >>$part/exclude_process
is "$(cat $part/exclude_process | xargs)" "7 30" "! removes processes"
echo '!7 30' >$part/exclude_process
is "$(cat $part/exclude_process)" "" "and the last ones"
echo '9 4194303' >$part/exclude_process
is "$(cat $part/exclude_process | xargs)" "9 4194303" "the largest process is listed"
echo '7 30' >$part/exclude_process
echo 4194303 >>$part/exclude_process
is "$(cat $part/exclude_process | xargs)" "7 30 4194303" "the largest process joins the others"
echo '!4194303 7' >>$part/exclude_process
is "$(cat $part/exclude_process | xargs)" 30 "it is removed as they are"
echo 1 >$part/options/event-fork
echo 4000000 >>$part/exclude_process
is "$(cat $part/exclude_process | xargs)" "30 4000000" "while children are followed, the list stays"
echo 5 >$part/exclude_process
echo 4000000 >>$part/exclude_process
is "$(cat $part/exclude_process | xargs)" "5 4000000" "and takes large numbers"
echo 0 >$part/options/event-fork
is "$(sh -c "echo 0 >$part/exclude_process; grep -cx \$\$ $part/exclude_process")" 1 "0 is the writing process"
for wrong in '!x' x '1 !2' 4194304; do
	fails "'$wrong' is refused" sh -c "echo '$wrong' >$part/exclude_process"
done
is "$(cat $root/exclude_process)" "" "other buffers have lists of their own"
echo >$part/exclude_process
is "$(cat $part/exclude_process)" "" "an empty line empties the list"

# --- what is left out, and what is not
# A task can cause this event itself, by its name. It comes in interrupts alone.
# shellcheck disable=SC2016 # the module knows $arg1
echo 't:own/tick local_timer_entry vector=$arg1:s32' >$root/dynamic_events
# A task changes the load of its CPU when it leaves that, and passes the time on to RCU.
echo 't:load/cfs pelt_cfs_tp' >>$root/dynamic_events
echo 't:load/rcu rcu_utilization' >>$root/dynamic_events
# A process still frees memory when its parent has been told of its end. This buffer has the
# last event of the process, the switch with the state X or Z.
last=$root/instances/last
echo 'last buffer_size_kb=64' >$root/instances/create
echo 'prev_comm == "dd" && prev_state & 0x30' >$last/events/sched/sched_switch/filter
echo 1 >$last/events/sched/sched_switch/enable
gone()
{
	[ "$(summed emitted $last)" -gt 0 ]
}
# busy COUNT: enables the events in both buffers while a process makes 2 * COUNT system
# calls, page faults and switches. The blocks are large if COUNT is small, so that
# interrupts hit the process. Its number is in $pid. Its events are in /tmp/all.json and
# /tmp/part.json.
busy()
{
	for buffer in $all $part; do
		echo 1 >$buffer/reset
		for system in raw_syscalls exceptions kmem irq sched timer own load; do
			echo 1 >$buffer/events/$system/enable
		done
	done
	echo 1 >$last/reset
	sh -c "echo 0 >$part/exclude_process; exec taskset 2 dd if=/dev/zero of=/dev/null bs=$((1024 * 1024 / $1)) count=$1" 2>/dev/null &
	pid=$!
	wait $pid
	ok "the process is gone" retry_until 30 gone
	for buffer in $all $part; do
		echo 0 >$buffer/events/enable
	done
	for name in all part; do
		rbmap record -q -B $name -d 0 -o /tmp/$name.dat
		rbmap report --json /tmp/$name.dat | grep "\"pid\": *$pid," >/tmp/$name.json
	done
}

# counted FILE PATTERN: prints the number of lines
counted()
{
	grep -cE "$2" /tmp/$1.json
}
# of_cpu BUFFER CPU: prints the events that are left out
of_cpu()
{
	sed -n 's/^excluded: //p' $1/per_cpu/cpu$2/stats
}
left_out_exactly()
{
	for cpu in 0 1; do
		whole=$(counted all "\"cpu\": *$cpu,")
		rest=$(counted part "\"cpu\": *$cpu,")
		is "$((rest + $(of_cpu $part $cpu)))" "$whole" "$1: CPU $cpu: recorded and excluded events are all events"
	done
	is "$(summed excluded $all)" 0 "$1: the other buffer excludes nothing"
	is "$(summed 'lost events' $all) $(summed 'lost events' $part)" "0 0" "$1: no event is lost"
}
calls=4000
[ -z "${SHORT:-}" ] || calls=400
in_interrupt='"flag_names": *\[[^]]*"(hardirq|softirq|nmi)"'
busy $calls
left_out_exactly "a process"
ok "what it did is left out" [ "$(summed excluded $part)" -gt $((2 * calls)) ]
ok "its system calls, after those that excluded it" [ "$(counted part '"system": *"raw_syscalls"')" -lt 400 ]
ok "interrupts hit the process" [ "$(counted all "$in_interrupt")" -gt 4 ]
is "$(counted part "$in_interrupt")" "$(counted all "$in_interrupt")" "each event of these interrupts is recorded"
for system in irq sched timer own load; do
	ok "the process has events of $system" [ "$(counted all "\"system\": *\"$system\"")" -gt 0 ]
	is "$(counted part "\"system\": *\"$system\"")" "$(counted all "\"system\": *\"$system\"")" "all of them are recorded: $system"
done

# --- filters
echo 'id == 0' >$all/events/raw_syscalls/filter
echo 'id == 0' >$part/events/raw_syscalls/filter
busy $((calls / 4))
left_out_exactly "with a filter"
ok "system calls that pass the filter are counted" [ "$(counted all '"event": *"sys_enter"')" -ge $((calls / 4)) ]
echo 0 >$all/events/raw_syscalls/filter
echo 0 >$part/events/raw_syscalls/filter

# --- with the other lists, and with one buffer
echo 1 >$part/events/raw_syscalls/enable
sh -c "echo \$\$ >$part/set_event_notrace_pid; echo 0 >$part/exclude_process; echo 1 >$part/reset; exec true"
is "$(summed excluded $part)" 0 "a task of set_event_notrace_pid is not counted"
echo >$part/set_event_notrace_pid
sh -c "echo 0 >$part/exclude_process; echo 1 >$part/reset; exec true"
ok "a buffer alone counts, too" [ "$(summed excluded $part)" -gt 0 ]
sh -c "echo 0 >$part/exclude_process; echo 1 >$part/reset; echo 0 >$part/tracing_on; exec true"
echo 1 >$part/tracing_on
ok "while tracing is off, events are disabled" [ "$(summed disabled $part)" -gt 5 ]
ok "and not excluded" [ "$(summed excluded $part)" -lt 20 ]
echo 0 >$part/events/enable
echo 1 >$part/reset
is "$(summed excluded $part)" 0 "a reset sets the counter to 0"
is "$(rbmap stat -B part --json | grep -c '"excluded": *0')" 2 "rbmap stat has the counter of each CPU"
for name in all part last; do
	echo $name >$root/instances/destroy
done
for event in own/tick load/cfs load/rcu; do
	echo "-:$event" >>$root/dynamic_events
done

# --- recorders
# mismatches FILE: prints the switches whose first thread is not the one that the CPU had
mismatches()
{
	rbmap report --json -e sched_switch $1 |
		sed 's/.*"cpu": *\([0-9]*\),.*"prev_pid": *\([0-9]*\),.*"next_pid": *\([0-9]*\).*/\1 \2 \3/' |
		awk '$1 in last && last[$1] != $2 { n++ } { last[$1] = $3 } END { print (NR > 100 ? n + 0 : "few") }'
}
# The threads of the recorder share a CPU, and each event wakes one of them.
taskset 1 rbmap record -b 8M -e sched_switch -e raw_syscalls -e irq -o /tmp/own.dat >/dev/null 2>/tmp/err &
pid=$!
ok "a recorder begins" retry_until 30 grep -qs 1 $root/instances/record-$pid/events/sched/sched_switch/enable
own=$root/instances/record-$pid
echo 0 >$own/buffer_percent
# Its threads must have run often, too: they read many events at once on a busy machine.
many()
{
	[ "$(summed 'read events' $own)" -gt 2000 ] &&
		[ "$(cat /proc/$pid/task/*/status | awk '$1 == "Name:" { own = $2 ~ /^rbmap-cpu/ }
			$1 == "voluntary_ctxt_switches:" && own { sum += $2 } END { print sum + 0 }')" -gt 300 ]
}
ok "it records" retry_until 30 many
kill -INT $pid
wait $pid
like "$(cat /tmp/err)" ' [1-9][0-9]* more events were left out, as rbmap itself caused them: --self records them' \
	"a recorder says how many of its events are left out"
is "$(sed -n 's/.* read, \([0-9]*\) lost/\1/p' /tmp/err)" 0 "and that no event is lost"
ok "its threads have run" [ "$(rbmap report -e sched_switch /tmp/own.dat | grep -cE '(next_comm=|==> )rbmap-cpu')" -gt 100 ]
is "$(mismatches /tmp/own.dat)" 0 "each switch begins with the thread that the CPU had"
told=$(sed -n 's/^ *\([0-9]*\) more events were left out.*/\1/p' /tmp/err)
is "$(sed -n 's/^excluded: //p' /tmp/own.dat | awk '{ n++; sum += $1 } END { print n, sum }')" "2 $told" \
	"the file has the number of each CPU"
rbmap record --self -b 64K -e raw_syscalls -o /tmp/own.dat -- true 2>/tmp/err
is "$(grep -c 'left out' /tmp/err)" 0 "with --self nothing is left out"
is "$(grep -c '^excluded: 0$' /tmp/own.dat)" 2 "and the file says so"
[ -z "${SHORT:-}" ] || rounds=1
for round in ${rounds:-1 2}; do
	rbmap record --default -e raw_syscalls -d 0.3 -o /tmp/own.dat 2>/tmp/err
	is "$(cat $root/exclude_process)" "" "recorder $round of a shared buffer leaves nothing behind"
	told=$(sed -n 's/^ *\([0-9]*\) more events were left out.*/\1/p' /tmp/err)
	is "$(sed -n 's/^excluded: //p' /tmp/own.dat | awk '{ sum += $1 } END { print sum }')" "$told" \
		"recorder $round of a shared buffer counts its own time only"
done
ok "the module unloads" rmmod rbmap
done_testing
