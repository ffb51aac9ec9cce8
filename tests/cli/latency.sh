#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap latency with recordings whose events are written below, one on a line: CPU,
# time in us, pid, event and its values. cli_make_events.c explains them.
. "$(dirname "$0")/lib.sh"

# recording NAME [CLOCK] <SCRIPT
recording()
{
	ok "make the recording $1" "$MAKE_EVENTS" "$dir/$1" ${2:+"$2"}
}

# latency NAME OPTION...: output and errors are in the files of that name
latency()
{
	file=$dir/$1
	shift
	"$RBMAP" latency "$@" "$file" >"$dir/output" 2>"$dir/errors"
}

# row NAME: the numbers of a row: count, total, average, p50, p99, p99.9, max, when
row()
{
	grep -E "^$1  +[0-9]" "$dir/output" | sed "s/^$1 *//" | tr -s ' '
}

# --- a task that died: its pid comes again, and its fork was not recorded
recording dead <<'END'
0 1000 10 switch a 10 16 other 11
0 1500 11 switch other 11 1 b 12
0 2000 12 switch b 12 1 other 11
0 9000 11 switch other 11 1 namesake 10
0 9500 10 switch namesake 10 1 b 12
END
latency dead -k offcpu --by task
is "$(row namesake-10)" "" "a dead task does not sleep until its pid comes again"
is "$(row b-12)" "1 7.50ms 7.50ms 7.50ms 7.50ms 7.50ms 7.50ms 0.002000" "others sleep until they run"

# --- who woke a task: another one, or what interrupted one
recording wakers <<'END'
0 1000 10 switch a 10 1 swapper/0 0
0 2000 0/0x10 waking a 10
0 3000 0 switch swapper/0 0 0 a 10
0 4000 10 switch a 10 1 swapper/0 0
0 5500 0/0x18 waking a 10
0 6000 0 switch swapper/0 0 0 a 10
0 7000 10 switch a 10 1 b 20
0 9000 20 waking a 10
0 9500 20 switch b 20 0 a 10
END
latency wakers -k runqueue -k offcpu
is "$(sed -nE 's/.* from +(0\.00[0-9]+): a-10, .*, woken by/\1/p' "$dir/output" | sort)" \
	"0.001000 a softirq in idle on CPU 0
0.002000 a softirq in idle on CPU 0
0.004000 an interrupt of idle on CPU 0
0.005500 an interrupt of idle on CPU 0
0.007000 b-20 on CPU 0
0.009000 b-20 on CPU 0" "who woke a task"
is "$(grep -nx '' "$dir/output")" "$(($(grep -n '^offcpu: ' "$dir/output" | cut -d: -f1) - 1)):" \
	"an empty line is between two kinds alone"

# --- a switch that is not recorded: the time until the next one belongs to the task before it
recording unseen <<'END'
0 1000 5 switch x 5 1 a 10
0 5000 20 switch b 20 1 c 30
0 6000 30 switch c 30 1 x 5
END
latency unseen -k oncpu --by task
is "$(row a-10),$(row b-20)" "1 4.00ms 4.00ms 4.00ms 4.00ms 4.00ms 4.00ms 0.001000," "the task before it has run"

# --- a task that can run leaves its CPU idle: the quota of its group, or the limit of real-time tasks
recording throttled <<'END'
0 1000 10 switch busy 10 0 swapper/0 0 100 120
0 81000 0 switch swapper/0 0 0 busy 10 120 100
1 1000 11 switch rt 11 0 swapper/1 0 99 120
1 61000 0 switch swapper/1 0 0 rt 11 120 99
2 1000 12 switch boosted 12 0 swapper/2 0 120 120
2 51000 0 switch swapper/2 0 0 boosted 12 120 10
END
latency throttled -k throttled
is "$(sed -n 's/.* from .*: //p' "$dir/output")" "busy-10, CPU 0, quota
rt-11, CPU 1, real-time
boosted-12, CPU 2, real-time" "which limit has throttled a task, by the priority with which it runs again"

# --- threads without work, and rbmap's own, need --all
recording idle <<'END'
0 1000 10 switch kworker/0:1 10 128 rbmap-comms 11
0 1500 11 switch rbmap-comms 11 1 other 12
0 2000 12 switch other 12 1 kworker/0:1 10
0 4000 10 switch kworker/0:1 10 1 rbmap-comms 11
0 5000 11 switch rbmap-comms 11 1 rbmapper 13
0 6000 13 switch rbmapper 13 1 other 12
0 7000 12 switch other 12 1 rbmapper 13
END
latency idle -k offcpu --by task
is "$(grep -oE '^[a-z0-9:/-]+-1[0-9] ' "$dir/output" | sort | xargs)" "other-12 rbmapper-13" \
	"idle sleeps and those of rbmap's threads are left out"
like "$(head -n 1 "$dir/output")" ": 2; 2 of idle kernel threads and of rbmap are not shown \(--all\)$" \
	"and counted"
for choice in --all "-p 10,11" "--comm kworker* --comm rbmap-*" "--name sleeping --name idle*"; do
	# shellcheck disable=SC2086 # words
	latency idle -k offcpu --by task $choice
	is "$(grep -oE '^[a-z0-9:/-]+-1[01] ' "$dir/output" | sort | xargs)" \
		"kworker/0:1-10 rbmap-comms-11" "$choice shows them"
	is "$(grep -c 'not shown' "$dir/output")" 0 "and counts nothing"
done
is "$("$RBMAP" latency --json "$dir/idle" 2>/dev/null | grep -o '"idle": *2' | tr -d ' ')" '"idle":2' \
	"JSON has their number"

# --- cgroups, and the numbers that tasks have in containers
recording groups <<'END'
/: 11
/web: 10:7 12
0 100 10 switch server 10 1 other 11
0 1500 11 waking server 10
0 2000 11 switch other 11 0 server 10
0 4000 10 switch server 10 1 child 12
0 4500 12 switch child 12 1 stranger 13
0 5500 13 switch stranger 13 1 server 10
0 6000 10 switch server 10 1 child 12
0 6500 12 switch child 12 1 stranger 13
END
latency groups -k offcpu --by cgroup
like "$(cat "$dir/output")" "^/web  +3  4.90ms " "a row has all tasks of a cgroup"
like "$(cat "$dir/output")" "^\(unknown\)  +1 " "and one those whose cgroup is not known"
latency groups -k offcpu --by task
like "$(cat "$dir/output")" "^server-10:7  +2 " "a row has the number of the container, too"
like "$(cat "$dir/output")" "from .*: server-10:7, CPU 0, sleeping, woken by other-11 on CPU 0$" \
	"and so have the longest intervals"
latency groups --json -k offcpu
ok "JSON is as its schema says" \
	python3 tests/cli/json_object.py docs/rbmap-latency.schema.json "$dir/output"
like "$(tr -d '\n ' <"$dir/output")" '"pid":10,"comm":"server","ns_pid":7,"cgroup":"/web"' "and has both"
latency groups --json --by cgroup -k offcpu
ok "also with rows of cgroups" \
	python3 tests/cli/json_object.py docs/rbmap-latency.schema.json "$dir/output"
like "$("$RBMAP" why --at 0.0017 -p server "$dir/groups" 2>/dev/null)" "^server-10:7 " "why has both numbers"
like "$("$RBMAP" why --json -p server "$dir/groups" 2>/dev/null | tr -d '\n ')" \
	'"pid":10,"comm":"server","ns_pid":7,"cgroup":"/web"' "and its JSON"

"$RBMAP" report --with-cgroup "$dir/groups" >"$dir/output" 2>"$dir/errors"
is "$(tail -n +2 "$dir/output" | cut -c 1-44 | sed "s, *$,,")" "/web (7)                           server-10
/                                   other-11
/                                   other-11
/web (7)                           server-10
/web                                child-12
-                                stranger-13
/web (7)                           server-10
/web                                child-12" "a report has a column of cgroups, if it is asked for"
is "$(cut -c 26- "$dir/output" | tail -n +2)" "$("$RBMAP" report "$dir/groups" 2>/dev/null | tail -n +2)" \
	"and its other columns unchanged"
is "$("$RBMAP" report --with-cgroup --threads 3 "$dir/groups" 2>/dev/null | cmp - "$dir/output")" "" \
	"also with threads"
says 2 "--with-cgroup is for text: leave out --json and --html" report --with-cgroup --json "$dir/groups"
says 1 "--with-cgroup: $dir/idle does not have the cgroups of its tasks: 'rbmap record' stores them" \
	report --with-cgroup "$dir/idle"

# --- a task waits for a CPU, and for another task
recording sched <<'END'
0 1000 10 switch holder 10 0 other 11
# holder was preempted at 1000 by other, and runs again at 1500.
0 1500 11 switch other 11 1 holder 10
# waiter sleeps from 2000 on, is woken at 42000, and gets CPU 1 at 45000.
1 2000 20 enter 202
1 2000 20 switch waiter 20 1 hog 30
0 42000 10 waking waiter 20
0 42010 10 wakeup waiter 20
1 44000 30 switch hog 30 0 helper 31
1 45000 31 switch helper 31 1 waiter 20
1 45100 20 exit 202
# A wake-up of a task that runs begins nothing.
0 46000 10 waking waiter 20
0 46010 10 wakeup waiter 20
# A new task
0 47000 10 new child 40
0 47200 10 switch holder 10 2 child 40
# A second wake-up of a task that waits: it has run meanwhile, and that was not recorded.
1 47300 20 waking hidden 50
1 47310 20 wakeup hidden 50
1 47500 20 waking hidden 50
1 47510 20 wakeup hidden 50
1 47600 20 switch waiter 20 1 hidden 50
# It dies: another task of this pid has not left a CPU.
0 48000 40 switch child 40 32 other 11
0 49000 11 new namesake 40
0 49100 11 switch other 11 1 namesake 40
END
latency sched
is $? 0 "status 0"
is "$(cat "$dir/errors")" "21 events, 0 lost" "the sums"
is "$(row waiter-20)" "1 3.00ms 3.00ms 3.00ms 3.00ms 3.00ms 3.00ms 0.042000" "a wait after a wake-up"
is "$(row holder-10)" "1 500us 500us 500us 500us 500us 500us 0.001000" "a wait after a preemption"
is "$(row namesake-40)" "2 300us 150us 99.3us 200us 200us 200us 0.047000" \
	"a new task waits, and another one of its pid"
is "$(row hidden-50)" "1 100us 100us 100us 100us 100us 100us 0.047500" "a wait whose beginning was not recorded"
is "$(row 'sleeping in futex')" "1 43.0ms 43.0ms 43.0ms 43.0ms 43.0ms 43.0ms 0.002000" \
	"a task's sleep has the name of its system call"
is "$(row preempted)" "1 500us 500us 500us 500us 500us 500us 0.001000" "preempted tasks do not run"
is "$(row sleeping)" "1 46.5ms 46.5ms 46.5ms 46.5ms 46.5ms 46.5ms 0.001500" \
	"a dead task has not left its CPU for its namesake"
is "$(row futex)" "1 43.1ms 43.1ms 43.1ms 43.1ms 43.1ms 43.1ms 0.002000" "a system call"
like "$(cat "$dir/output")" ' 3.00ms from +0.042000: waiter-20, CPU 1, woken, woken by holder-10 on CPU 0' \
	"who woke the task"
like "$(cat "$dir/output")" '^ +CPU 1 ran hog-30 for 2.00ms, helper-31 for 1.00ms$' "who ran instead"
like "$(cat "$dir/output")" ' 43.0ms from +0.002000: waiter-20, CPU 1, sleeping in futex, woken by holder-10 on CPU 0' \
	"who ended the sleep"
like "$(cat "$dir/output")" ' 5.10ms from +0.044000: hog-30, CPU 1, preempted; it has not ended$' \
	"a wait that has not ended lasts until the last switch" || diag "$(cat "$dir/output")"
unfinished=$(sed -n 's/^runqueue: .*CPU: //p' "$dir/output")
is "$unfinished" "5, and 1 that have not ended" "the number of waits"

# --- interrupts
recording irq <<'END'
0 1000 10 irq 24 disk0-queue
0 1020 10/8 waking waiter 20
0 6000 10 irq_exit 24
0 6100 10 softirq 3
# An interrupt within a softirq
0 6200 10 irq 25 net
0 6300 10 irq_exit 25
0 6400 10 softirq_exit 3
0 7000 10 vector 236
0 7050 10 vector_exit 236
# An exit without an entry, and an entry without its exit
1 7000 0 irq_exit 24
1 7100 0 irq 24 disk0-queue
1 7200 0 irq 25 net
1 7300 0 irq_exit 25
# This one does not end.
2 7000 0 softirq 9
0 8000 0 softirq 12
0 8100 0 softirq_exit 12
END
latency irq --by name
is "$(row '24 disk0-queue')" "1 5.00ms 5.00ms 5.00ms 5.00ms 5.00ms 5.00ms 0.001000" "a handler"
is "$(row '25 net')" "2 200us 100us 99.3us 100us 100us 100us 0.006200" "handlers of two CPUs"
is "$(row 'vector local_timer')" "1 50.0us 50.0us 50.0us 50.0us 50.0us 50.0us 0.007000" "a vector"
is "$(row NET_RX)" "1 300us 300us 300us 300us 300us 300us 0.006100" "a softirq"
is "$(row 'softirq 12')" "1 100us 100us 100us 100us 100us 100us 0.008000" "a softirq of no known name"
like "$(cat "$dir/output")" ' 1.10ms from +0.007000: idle, CPU 2, RCU; it has not ended' "a softirq that goes on"
latency irq -k irq --by cpu
is "$(row 'CPU 1')" "1 100us 100us 100us 100us 100us 100us 0.007200" "a row for each CPU"
latency irq -k irq -n 'vector*' --by task
is "$(row '<...>-10')" "1 50.0us 50.0us 50.0us 50.0us 50.0us 50.0us 0.007000" \
	"a row for the task that was interrupted, and only intervals of a name"
like "$(cat "$dir/output")" "^irq: .*: 1$" "no other interval counts"
SYSTEM=irq_vectors "$MAKE_EVENTS" "$dir/vectors" <<'END'
0 7000 10 vector 236
0 7050 10 vector_exit 236
END
latency vectors -k irq
is "$(row 'vector local_timer')" "1 50.0us 50.0us 50.0us 50.0us 50.0us 50.0us 0.007000" \
	"a recording that has vectors alone"
latency irq -k irq -c 1
like "$(cat "$dir/output")" "^irq: .*: 1$" "only intervals of a CPU"
latency irq -k irq -p 0
like "$(cat "$dir/output")" "^irq: .*: 1$" "only intervals of a task"

# --- requests of block devices
recording block <<'END'
0 1000 10 insert 266338304 2048 8 WS
0 21000 99 issue 266338304 2048 8 WS
1 61000 0 complete 266338304 2048 8 WS
# A device without a scheduler inserts nothing. The request is completed in two parts.
0 70000 10 issue 266338304 4096 16 R
1 71000 0 complete 266338304 4096 8 R
1 72000 0 complete 266338304 4104 8 R
# The driver gives a request back.
0 80000 10 issue 266338304 8192 8 R
0 80500 99 requeue 266338304 8192 8 R
0 81500 99 issue 266338304 8192 8 R
1 82000 0 complete 266338304 8192 8 R
# A flush has no sectors, and a request of which nothing is known ends.
0 83000 10 issue 266338304 0 0 FF
1 83500 0 complete 266338304 0 0 FF
1 84000 0 complete 266338304 9999 8 R
# Another device has the same sector.
0 85000 10 issue 8388608 2048 8 R
0 85500 10 issue 266338304 2048 8 R
1 86000 0 complete 8388608 2048 8 R
# This one does not end.
1 87000 0 complete 8388608 2048 8 R
END
latency block -k block-queue -k block-device
is "$(row '254,0 WS' | head -n 1)" "1 20.0ms 20.0ms 20.0ms 20.0ms 20.0ms 20.0ms 0.001000" "time in the queue"
is "$(row '254,0 WS' | tail -n 1)" "1 40.0ms 40.0ms 40.0ms 40.0ms 40.0ms 40.0ms 0.021000" "time in the device"
is "$(row '254,0 R' | head -n 1)" "1 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 0.080500" \
	"a request that was given back waits in the queue"
is "$(row '254,0 R' | tail -n 1)" "2 2.50ms 1.25ms 503us 2.00ms 2.00ms 2.00ms 0.070000" \
	"a request that is completed in parts"
is "$(row '8,0 R')" "1 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 0.085000" "another device"
like "$(cat "$dir/output")" ' 1.50ms from +0.085500: <...>-10, 254,0 R; it has not ended' \
	"a request that is not complete"
like "$(cat "$dir/output")" ' 20.0ms from +0.001000: <...>-10, CPU 0, 254,0 WS' \
	"the task that made the request, and not the one that issued it"

# --- requests that do not end: the driver has given one back, and two began together. The minor
# number of a device may have 20 bits.
recording pending <<'END'
0 1000 30 issue 266338305 8192 8 R
0 2000 99 requeue 266338305 8192 8 R
0 3000 20 issue 266338604 4096 8 R
0 3000 10 issue 266338604 2048 8 R
0 8000 10 issue 8388608 4096 8 R
1 9000 10 complete 8388608 4096 8 R
END
latency pending -k block-queue -k block-device
is "$(sed -n 's/; it has not ended$//; s/^ *\(.*ms\) from *[+]*\(.*\): <...>-\([0-9]*\), \([0-9,]* R\)$/\1 \2 \3 \4/p' "$dir/output")" \
	"6.00ms 0.002000 30 254,1 R
6.00ms 0.003000 10 254,300 R
6.00ms 0.003000 20 254,300 R" "requests that have not ended: in the queue and in the device, in the order of sectors"

# --- devices have names, if the recording has them
esc=$(printf '\033')
recording named <<END
device 254:1 vda1
device 8:0 disk with "a${esc}b
device 8388608:2 nothing
0 1000 10 issue 266338305 2048 8 WS
1 61000 0 complete 266338305 2048 8 WS
0 70000 10 issue 8388608 4096 8 R
1 72000 0 complete 8388608 4096 8 R
0 80000 10 issue 8388609 4096 8 R
1 82000 0 complete 8388609 4096 8 R
END
latency named -k block-device
like "$(cat "$dir/output")" '^254,1 WS \(vda1\)  +1  60.0ms ' "a row has the name of its device"
like "$(cat "$dir/output")" '^8,0 R \(disk with "a\\x1bb\)  +1 ' "whatever that is"
like "$(cat "$dir/output")" '^8,1 R  +1 ' "or none"
like "$(cat "$dir/output")" 'CPU 1, 254,1 WS \(vda1\)$' "and so have the longest intervals"
latency named --json -k block-device
ok "JSON with names is as its schema says" \
	python3 tests/cli/json_object.py docs/rbmap-latency.schema.json "$dir/output"
is "$(grep -c '"device": *"vda1"' "$dir/output")" 2 "JSON has the name in rows and in the longest intervals"
like "$(tr -d '\n ' <"$dir/output")" '"name":"254,1WS","device":"vda1"' "beside the number"
latency named -k block-device --by task
is "$(grep -c '^[^ ].*vda1' "$dir/output")" 0 "rows of tasks have no device"

# --- system calls, of both systems of events
recording calls <<'END'
0 1000 10 enter 0
0 1100 10 exit 0
0 1200 10 enter_openat 257
0 1500 10 exit_openat 257
# The exit of another call, and a call whose number has no name
0 2000 10 enter 1
0 2100 10 exit 0
0 3000 900 enter 100000
0 3050 900 exit 100000
END
latency calls
is "$(row read)" "1 100us 100us 100us 100us 100us 100us 0.001000" "read"
is "$(row openat)" "1 300us 300us 300us 300us 300us 300us 0.001200" "openat, by an event of its own"
is "$(row 'system call 100000')" "1 50.0us 50.0us 50.0us 50.0us 50.0us 50.0us 0.003000" \
	"a call without a name"
like "$(cat "$dir/output")" "^syscall: .*: 3$" "the exit of another call ends nothing"
like "$(cat "$dir/output")" " from_the_table-900, " "a name out of the table of names"
is "$(grep -c '^[a-z-]*: a' "$dir/output")" 1 "without --kind, kinds without intervals are not shown"

# --- calls that had not ended: task 10's state is not known, 20 sleeps, 30 waits for a disk, 40
# could run, and 50 and 60 have called exit_group
recording hang <<'END'
0 1000 10 enter 0
0 1100 20 enter 1
0 1110 20 switch b 20 1 c 30
0 1200 30 enter 0
0 1210 30 switch c 30 2 d 40
0 1300 40 enter 0
0 1310 40 switch d 40 0 e 50
0 1400 50 enter 231
0 1410 50 switch e 50 16 f 60
0 1500 60 enter 231
1 9000 70 enter 1
1 9100 70 exit 1
END
latency hang -k syscall
like "$(cat "$dir/output")" \
	'^syscall: .*: 1, and 3 that have not ended; 1 of sleeping tasks and of rbmap are not shown' \
	"calls that had not ended"
like "$(cat "$dir/output")" '^ *8.10ms from *0.001000: .*-10, CPU 0, read; it has not ended' \
	"they are among the longest"
is "$(grep -c 'has not ended' "$dir/output")" 3 "each of them"
latency hang -k syscall -p 20
like "$(cat "$dir/output")" '^ *8.00ms from *0.001100: b-20, CPU 0, write; it has not ended' \
	"also one of a task that sleeps, if that is chosen"
latency hang -k syscall --all
like "$(cat "$dir/output")" '^syscall: .*: 1, and 4 that have not ended$' "and with --all"

# --- lost events
recording lost <<'END'
0 1000 10 enter 0
1 1000 20 enter 0
0 1500 10 softirq 1
1 1500 20 softirq 1
0 lost 5
0 2000 10 exit 0
1 2000 20 exit 0
0 2500 10 softirq_exit 1
1 2500 20 softirq_exit 1
1 3000 20 enter 0
1 3100 20 exit 0
END
latency lost
is "$(cat "$dir/errors")" "10 events, 5 lost" "the sum of lost events"
like "$(cat "$dir/output")" '^syscall: .*: 1; 2 with lost events are left out$' \
	"an interval of a task in which any CPU lost events is left out"
like "$(cat "$dir/output")" '^softirq: .*: 1; 1 with lost events are left out$' \
	"an interval of a CPU in which this CPU lost events is left out"

# A loss begins behind the last event of its CPU, and not with the next one.
recording gap <<'END'
0 1000 10 enter 0
1 1000 20 enter 0
0 1100 10 exit 0
1 1200 20 exit 0
1 1300 20 softirq 1
1 1400 20 softirq_exit 1
1 1500 20 enter 0
1 1600 20 exit 0
0 lost 5
0 2000 10 enter 0
1 2100 20 enter 0
1 2200 20 exit 0
0 2300 10 exit 0
END
latency gap
like "$(cat "$dir/output")" '^syscall: .*: 3; 2 with lost events are left out$' \
	"an interval that ends while another CPU loses events is left out"
like "$(cat "$dir/output")" '^softirq: .*: 1$' "the other CPU's softirq is not"
latency gap --until 0.0013
is "$(cat "$dir/errors")" "5 events, more than 0 lost" "a loss that may have begun before --until"
like "$(cat "$dir/output")" '^syscall: .*: 1; 1 with lost events are left out$' "is in the intervals"
latency gap --since 0.0012
like "$(cat "$dir/output")" '^syscall: .*: 2; 1 with lost events are left out$' \
	"and so is one that began before --since"
recording first <<'END'
0 lost 5
0 2000 10 enter 0
0 2100 10 exit 0
1 1000 20 enter 0
1 1100 20 exit 0
END
latency first
like "$(cat "$dir/output")" '^syscall: .*: 2$' "events lost before the first one of a CPU"
recording tail <<'END'
0 1000 10 enter 0
0 1100 10 exit 0
1 1150 20 enter 0
1 1200 20 exit 0
0 1300 10 softirq 1
1 1300 20 softirq 1
2 1300 30 softirq 1
2 1400 30 softirq_exit 1
3 1300 40 switch d 40 2 e 50
3 1400 50 switch e 50 1 f 60
0 lost 7
END
latency tail
like "$(cat "$dir/output")" '^offcpu: .*: 0; 1 with lost events are left out$' \
	"an interval that had not ended when a CPU lost its last events"
like "$(cat "$dir/output")" '^syscall: .*: 2$' "intervals that had ended before are shown"
like "$(cat "$dir/output")" '^softirq: .*: 1, and 1 that have not ended; 1 with lost events are left out$' \
	"a softirq that had not ended on the CPU that lost events"

# --- options
latency calls --since 0.0015 --until 0.003
is "$(cat "$dir/errors")" "4 events, 0 lost" "--since and --until"
latency calls --relative
like "$(row read)" ' 0.000000$' "--relative"
latency calls --rows 1
like "$(cat "$dir/output")" '^\(2 more rows: --rows 0 prints all\)$' "--rows"
latency calls --rows 1 --json
is "$(python3 -c 'import json, sys
kind = {k["kind"]: k for k in json.load(sys.stdin)["kinds"]}["syscall"]
print(len(kind["rows"]), kind["more_rows"])' <"$dir/output" 2>&1)" "1 2" "--rows in JSON"
latency calls --rows 0 --json
is "$(grep -o '"more_rows": *[1-9]' "$dir/output")" "" "--rows 0 in JSON"
latency calls --rows 0 --worst 0
is "$(grep -cE 'more rows|longest' "$dir/output")" 0 "--rows 0 --worst 0"
latency calls --rows 1 --sort count
like "$(sed -n 3p "$dir/output")" '^read ' "--sort"
latency calls --histogram
is "$(grep -E '^ *from' "$dir/output" | tr -s ' ' | sed 's/ #*$//' | tr '\n' ';')" \
	" from 32.7us 1; from 65.5us 1; from 131us 0; from 262us 1;" "--histogram"
latency irq --json
is "$(python3 -c 'import json, sys
report = json.load(sys.stdin)
kind = {k["kind"]: k for k in report["kinds"]}
row = {r["name"]: r for r in kind["irq"]["rows"]}["24 disk0-queue"]
print(report["rbmap_latency"], report["clock"], report["unit"], report["events"], report["lost"],
      kind["irq"]["by"], kind["irq"]["count"], row["count"], row["max"], row["p99.9"], row["when"],
      kind["softirq"]["unfinished"], kind["softirq"]["worst"][0]["unfinished"])' <"$dir/output" 2>&1)" \
	"1 local ns 16 0 name 4 1 5000000 5000000 1000000 1 True" "--json" || diag "$(cat "$dir/output")"
latency sched --json
is "$(python3 -c 'import json, sys
worst = json.load(sys.stdin)["kinds"][0]["worst"][1]
print(worst["comm"], worst["length"], worst["waker"]["comm"], worst["ran"][0]["comm"],
      worst["ran"][0]["time"])' <"$dir/output" 2>&1)" "waiter 3000000 holder hog 2000000" \
	"JSON names the waker, and who ran"
"$RBMAP" latency - <"$dir/calls" >"$dir/standard" 2>"$dir/errors"
latency calls
ok "standard input" cmp "$dir/output" "$dir/standard"
recording cycles 'local mono boot [x86-tsc]' <<'END'
0 1000 10 softirq 1
0 2000 10 softirq_exit 1
END
latency cycles
like "$(row TIMER)" '^1 1000000 1000000 ' "cycles whose rate is not known stay cycles"
latency cycles --json
like "$(cat "$dir/output")" '"unit": "cycles"' "JSON says so"

# --- handlers take their time from the task in whose name they run
recording handled <<'END'
0 1000 10 switch waits 10 0 other 11
0 2000 11/8 irq 24 slow
0 2100 11/8 hrtimer 64 4660 0
0 2400 11/8 hrtimer_exit 64
0 5000 11/8 irq_exit 24
0 6000 11 softirq 3
0 6500 11 softirq_exit 3
0 9000 11 switch other 11 1 waits 10
END
latency handled -k runqueue -k hrtimer
ok "the time of interrupts is not the task's" grep -qx '          CPU 0 ran other-11 for 4.50ms, and interrupts for 3.50ms' "$dir/output" ||
	diag "$(cat "$dir/output")"
is "$(row 0000000000001234)" "1 300us 300us 300us 300us 300us 300us 0.002100" "the function of an hrtimer"

# The same while the other task still runs
recording waits <<'END'
0 1000 10 switch waits 10 0 other 11
0 2000 11/8 irq 24 slow
0 5000 11/8 irq_exit 24
1 9000 50 switch e 50 1 f 60
END
latency waits -k runqueue
ok "nor while the wait goes on" grep -qx '          CPU 0 ran other-11 for 5.00ms, and interrupts for 3.00ms' "$dir/output" ||
	diag "$(cat "$dir/output")"

# --- an hrtimer of a softirq, which another one interrupts
recording soft <<'END'
0 1000 20/16 hrtimer 512 777 0
0 1200 20/24 hrtimer 64 4660 0
0 1300 20/24 hrtimer_exit 64
0 2000 20/16 hrtimer_exit 512
END
latency soft -k hrtimer
is "$(row 0000000000000309), $(row 0000000000001234)" \
	"1 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 0.001000, 1 100us 100us 100us 100us 100us 100us 0.001200" \
	"both functions"

# --- two timers that are late at once: interrupts were off once. The second time, nobody has
# said when the timer should come.
recording late <<'END'
1 900 5 hrtimer_start 64 1000000
1 910 5 hrtimer_start 65 1500000
1 50000 77/8 hrtimer 64 128 41000000
1 50010 77/8 hrtimer_exit 64
1 50020 77/8 hrtimer 65 128 41500000
1 50030 77/8 hrtimer_exit 65
1 90000 77/8 hrtimer 64 128 81000000
1 90010 77/8 hrtimer_exit 64
END
latency late -k irqs-off
like "$(cat "$dir/output")" '^irqs-off: .*: 1$' "timers that are late at once" || diag "$(cat "$dir/output")"

# --- the kinds that came later
recording stages <<'END'
0 1000 10 work 64 4660
0 1500 10 lock 128 32
0 1550 10 lock_end 256 0
0 1600 10 lock_end 128 0
0 2000 10 work_end 64 4660
0 3000 11 enter 0
0 3100 11 reclaim 0
0 3400 11 reclaim_end 1
0 3500 11 memcg 0
0 3900 11 memcg_end 1
0 4000 11 exit 0
0 5000 11 fault 4096
0 5100 11 switch user 11 2 idle 0
0 9000 0 switch idle 0 0 user 11
0 10000 11 switch user 11 0 idle 0
0 12000 0 switch idle 0 0 user 11
0 12500 11 timer 64 4660
0 12700 11 timer_exit 64
END
latency stages
is "$(row 0000000000001234 | head -n 1)" "1 200us 200us 200us 200us 200us 200us 0.012500" "a timer"
is "$(row 0000000000001234 | tail -n 1)" "1 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 1.00ms 0.001000" "a work item"
is "$(row 'mutex 0000000000000080')" "1 100us 100us 100us 100us 100us 100us 0.001500" "a lock"
like "$(cat "$dir/output")" '^ *300us from *0.003100: user-11, CPU 0, direct reclaim$' "direct reclaim"
like "$(cat "$dir/output")" '^ *400us from *0.003500: user-11, CPU 0, reclaim of the cgroup$' "reclaim of a cgroup"
like "$(cat "$dir/output")" '^ *4.00ms from *0.005000: user-11, CPU 0, page fault$' "a page fault"
like "$(cat "$dir/output")" '^ *2.00ms from *0.010000: user-11, CPU 0, quota$' "a task whose group has no time left"
is "$(grep -c '^oncpu' "$dir/output")" 0 "oncpu is not shown"
latency stages -k oncpu
is "$(row user-11)" "2 3.10ms 1.55ms 1.00ms 2.10ms 2.10ms 2.10ms 0.003000" "unless it is chosen"

# --- the schema
python=$(python_with jsonschema)
if [ -n "$python" ]; then
	for name in sched irq block calls lost cycles; do
		# Python takes long: with RBMAP_TEST_SHORT each recording has one kind of rows.
		for by in task cpu name; do
			case ${RBMAP_TEST_SHORT:+$name $by} in
			'' | 'sched task' | 'irq cpu' | 'block name' | 'calls task' | 'lost cpu' | 'cycles name') ;;
			*) continue ;;
			esac
			latency $name --by $by --json
			$python tests/cli/json_object.py docs/rbmap-latency.schema.json "$dir/output" 2>"$dir/errors"
			is $? 0 "the JSON of $name by $by is as the schema says"
			diag <"$dir/errors"
		done
	done
else
	skip "python3-jsonschema is not installed" "JSON is as the schema says"
fi

# --- errors
says 2 "no kind 'cpu': runqueue, offcpu, irq, softirq, syscall, block-queue, block-device, hrtimer, timer, workqueue, lock, reclaim, fault, throttled, irqs-off or oncpu" \
	latency -k cpu
says 2 "invalid --by 'kind': task, cpu, name or cgroup" latency --by kind
says 2 "invalid --sort 'min': max, total, average, p99 or count" latency --sort min
says 2 "invalid number of intervals '1001': 0 to 1000" latency --worst 1001
says 2 "invalid number of rows '-1'" latency --rows -1
says 2 "invalid list of CPUs 'x'" latency -c x
says 2 '--wall, --utc and --relative exclude each other' latency --wall --utc "$dir/calls"
says 2 "unexpected argument 'b': latency reads one recording" latency "$dir/calls" b
says 1 "$dir/nosuch does not exist" latency "$dir/nosuch"
"$MAKE_RECORDING" "$dir/other" 4
says 1 "$dir/other has no events for the kind irq: record -e irq:irq_handler_entry -e irq:irq_handler_exit" \
	latency -k irq "$dir/other"
says 1 "does not say when it was made" latency --utc "$dir/calls"
head -c 3000 "$dir/sched" >"$dir/cut"
"$RBMAP" latency "$dir/cut" >/dev/null 2>"$dir/errors"
is $? 3 "a part of a recording: status 3"
done_testing
