#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap snapshot and rbmap record --flight-recorder: the events of the rings are in the
# file, or counted as lost, and the rings continue. SHORT=1 has fewer events, one
# of two equal turns, and no storm of triggers.
# shellcheck disable=SC2016,SC2317 # for an inner shell; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/versions.sh
. /tests/lib/versions.sh

root=/sys/kernel/rbmap
cpus=$(grep -c '^processor' /proc/cpuinfo)

# sum_of FILE N: adds up the first numbers (N=1) or the second ones of the lines "123
# events read, 45 lost"
sum_of()
{
	awk -v n="$2" '/events read, [0-9]+ lost/ { sum += n == 1 ? $1 : $4 }
		END { print sum + 0 }' "$1"
}

# own_report FILE: writes rbmap's report to $1.rbmap
own_report()
{
	rbmap report -N "$1" >"$1.rbmap" 2>"$1.err"
}

# same FILE: both reports are the same; $1.rbmap has rbmap's. Only rbmap's prints losses
# after the last event.
same()
{
	own_report "$1" || return 1
	trace_cmd_report -N "$1" >"$1.trace-cmd" 2>"$1.err2"
	[ ! -s "$1.err2" ] || return 1
	diff "$1.rbmap" "$1.trace-cmd" | grep '^[<>]' |
		grep -vE '^< CPU:[0-9]+ \[[0-9]+ EVENTS DROPPED\]$' >"$1.diff"
	[ ! -s "$1.diff" ]
}

# both TEXT FILE: both reports are the same. With SHORT trace-cmd reads the first file
# alone.
compared=0
both()
{
	compared=$((compared + 1))
	if [ -z "${SHORT:-}" ] || [ $compared -le 1 ]; then
		ok "$1: both reports are the same" same "$2"
	else
		ok "$1: rbmap report" own_report "$2"
	fi
}

markers()
{
	grep -c ' marker: ' "$1"
}

# numbers FIRST COUNT FILE...: each CPU has all numbers, in order, once
numbers()
{
	first=$1 count=$2
	shift 2
	cat "$@" | awk -v first="$first" -v count="$count" -v cpus="$cpus" '
	/ marker: / {
		split($NF, n, ":")
		if (n[2] != first + have[n[1]]++)
			bad++
	}
	END {
		for (cpu = 0; cpu < cpus; cpu++)
			if (have[cpu] != count)
				bad++
		exit bad != 0
	}'
}

# has_written N FILE: the flight recorder has written its Nth file
has_written()
{
	[ "$(grep -c ' in the file$' /tmp/flight.log)" = "$1" ] &&
		grep -q "^/tmp/$2: " /tmp/flight.log && [ "$(cat "$root/snapshot")" = 0 ]
}

# up_to REPORT LAST: CPU 0 has the numbers up to the last one, without a gap
up_to()
{
	awk -v last="$2" '/ marker: / {
		split($NF, n, ":")
		if (have++ && n[2] != before + 1)
			bad++
		before = n[2]
	}
	END { exit bad || !have || before != last }' "$1"
}

# slept PID: prints how often the first thread of a process has waited
slept()
{
	sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"
}

# has_slept PID NUMBER
has_slept()
{
	[ "$(slept "$1")" -ge "$2" ]
}

settings()
{
	cat $root/overwrite $root/events/*/enable $root/events/rbmap/marker/enable \
		$root/tracing_on $root/snapshot
}

# KiB of a ring, more events than it holds, and triggers one after the other
size=256 many=16000 triggers=3000
[ -z "${SHORT:-}" ] || size=128 many=8000 triggers=600
ok "load" rbmap load --module /modules/rbmap.ko buffer_size_kb=$size ||
	done_testing

# --- rbmap snapshot
echo 1 >$root/events/rbmap/marker/enable
number_markers all 0 500
rbmap snapshot -o /tmp/first 2>/tmp/first.log
is $? 0 "snapshot"
is "$(cat $root/snapshot)" 0 "the snapshot is freed after rbmap snapshot"
both "first" /tmp/first
ok "the file has all events of the rings" numbers 0 500 /tmp/first.rbmap
is "$(sum_of /tmp/first.log 1) $(sum_of /tmp/first.log 2)" "$((500 * cpus)) 0" "the command prints the sums"
number_markers all 500 800
rbmap snapshot -q -o /tmp/second 2>/tmp/second.log
is "$?$(cat /tmp/second.log)" 0 "-q without a loss says nothing"
both "second" /tmp/second
ok "the next snapshot begins where the first one ended" numbers 500 300 /tmp/second.rbmap
rbmap snapshot -o /tmp/empty 2>/tmp/empty.log
is "$? $(sum_of /tmp/empty.log 1)" "0 0" "a snapshot of empty rings succeeds"
both "empty" /tmp/empty

# --- --keep and --read-existing
number_markers all 0 200
rbmap snapshot --keep -q -o /tmp/kept
is "$?$(cat $root/snapshot)" 01 "--keep leaves the snapshot in memory"
number_markers all 200 300
rbmap snapshot -o /tmp/refused 2>/tmp/refused.log
is $? 1 "a snapshot in memory is not replaced"
like "$(cat /tmp/refused.log)" 'snapshot exists already: .*--read-existing' "the error names --read-existing"
for i in 1 2; do
	[ -z "${SHORT:-}" ] || [ $i = 1 ] || continue
	rbmap snapshot --read-existing -o /tmp/again$i 2>/tmp/again$i.log
	is $? 0 "--read-existing, $i"
	both "again$i" /tmp/again$i
	ok "--read-existing, $i: the file has all events" numbers 0 200 /tmp/again$i.rbmap
	is "$(sum_of /tmp/again$i.log 1)" $((200 * cpus)) "the command prints the sums"
done
is "$(cat $root/snapshot)" 1 "--read-existing leaves the snapshot in memory"
rbmap record -f --default -e rbmap:marker -o /tmp/refused 2>/tmp/refused.log
is $? 1 "a flight recorder refuses to begin over a snapshot"
like "$(cat /tmp/refused.log)" 'snapshot exists already' "the flight recorder prints the reason"
echo 0 >$root/snapshot
rbmap snapshot -r -o /tmp/none 2>/tmp/none.log
is $? 1 "--read-existing without a snapshot fails"
like "$(cat /tmp/none.log)" 'no snapshot exists' "--read-existing without a snapshot prints the reason"
is "$(grep -c 'remains in memory' /tmp/none.log)" 0 "and does not say that there is one"
fails "--read-existing without a snapshot creates no file" test -e /tmp/none
rbmap snapshot -q -o /tmp/rest
both "events after the kept snapshot" /tmp/rest
ok "events after the kept snapshot are all in the next one" numbers 200 100 /tmp/rest.rbmap

# --- the clock is the one of the rings
number_markers all 0 50
rbmap snapshot -k -q -o /tmp/kept
echo mono >$root/trace_clock
rbmap snapshot -r -o /tmp/clock 2>/tmp/clock.log
is "$? $(sum_of /tmp/clock.log 1)" "0 $((50 * cpus))" "--read-existing after a change of the clock"
echo 0 >$root/snapshot
rbmap report -N /tmp/clock 2>&1 >/tmp/clock.rbmap | grep -v '^frozen at' >>/tmp/clock.rbmap
rbmap report -N /tmp/kept 2>&1 >/tmp/kept.rbmap | grep -v '^frozen at' >>/tmp/kept.rbmap
ok "a later clock does not change the snapshot" cmp /tmp/clock.rbmap /tmp/kept.rbmap
echo local >$root/trace_clock
echo 1 >$root/reset

# --- without space on the disk, the snapshot is kept
mkdir -p /tmp/small
mount -t tmpfs -o size=1m tmpfs /tmp/small
dd if=/dev/zero of=/tmp/small/fill bs=1k count=1000 2>/dev/null
number_markers all 0 100
rbmap snapshot -o /tmp/small/full 2>/tmp/full.log
is $? 1 "a full disk: status 1"
like "$(cat /tmp/full.log)" 'snapshot remains in memory: .*--read-existing' "a full disk: the error says that the snapshot is in memory"
rbmap snapshot -r -q -o /tmp/saved
is $? 0 "a full disk: the snapshot can be saved elsewhere"
echo 0 >$root/snapshot
both "saved" /tmp/saved
ok "a full disk: the saved file has all events" numbers 0 100 /tmp/saved.rbmap
umount /tmp/small

# --- loss: the file has only the events that a ring holds
number_markers all 0 $many
rbmap snapshot -o /tmp/loss 2>/tmp/loss.log
both "loss" /tmp/loss
lost=$(sum_of /tmp/loss.log 2)
ok "loss: some events are lost" [ "$lost" -gt 0 ]
is $(($(sum_of /tmp/loss.log 1) + lost)) $((many * cpus)) "read + lost = emitted"
is "$(markers /tmp/loss.rbmap)" "$(sum_of /tmp/loss.log 1)" "the report has all events that were read"
is "$(sed -n 's/.* \([0-9]*\) lost$/\1/p' /tmp/loss.err)" "$lost" "the report counts the same loss"
like "$(cat /tmp/loss.log)" 'overwritten before' "cause and remedy are printed"

# --- a flight recorder: each file begins where the file before ended, from SIGUSR1 to
# SIGUSR1
echo 0 >$root/overwrite
echo 1 >$root/events/sched/sched_process_exec/enable
settings >/tmp/before
rbmap record --flight-recorder --default -o /tmp/flight -e rbmap:marker 2>/tmp/flight.log &
recorder=$!
ok "the flight recorder begins" retry_until 20 grep -q "kill -USR1 $recorder" /tmp/flight.log
is "$(cat $root/overwrite)" 1 "the flight recorder sets overwrite to 1"
number_markers all 0 700 &
emitter=$!
written=0
for next in flight flight.1 flight.2; do
	sleep 0.2
	kill -USR1 $recorder
	written=$((written + 1))
	ok "SIGUSR1 writes $next" retry_until 30 has_written $written $next
done
wait $emitter
number_markers all 700 800
kill -TERM $recorder
wait $recorder
is $? 0 "SIGTERM ends the flight recorder with status 0"
for next in flight flight.1 flight.2 flight.3; do
	both "$next" /tmp/$next
done
ok "all events are there, once, in order" numbers 0 800 \
	/tmp/flight.rbmap /tmp/flight.1.rbmap /tmp/flight.2.rbmap /tmp/flight.3.rbmap
is "$(sum_of /tmp/flight.log 1) $(sum_of /tmp/flight.log 2)" "$((800 * cpus)) 0" "the command prints the sums"
fails "the flight recorder wrote no other file" test -e /tmp/flight.4
settings >/tmp/after
ok "the settings are the same as before" cmp /tmp/before /tmp/after
is "$(summed 'retired rings')" 0 "no old ring is left"

# --- a flight recorder of a command that causes more events than the rings hold
rbmap record -f -q -o /tmp/command -e rbmap:marker -- \
	number_markers 0 0 $many 2>/tmp/command.log
is $? 0 "a flight recorder of a command succeeds"
both "command" /tmp/command
lost=$(sum_of /tmp/command.log 2)
ok "the first events were overwritten" [ "$lost" -gt 0 ]
is $(($(sum_of /tmp/command.log 1) + lost)) $many "read + lost = emitted"
ok "the file has the last events" up_to /tmp/command.rbmap $((many - 1))
# --- a trigger: its event starts the snapshot, and stays in it
echo 0 >$root/events/sched/sched_process_exec/enable
rbmap record -f -e rbmap:marker -e sched:sched_process_fork -o /tmp/trigger \
	--trigger rbmap:marker --holdoff 0 2>/tmp/flight.log &
recorder=$!
ok "a flight recorder with a trigger begins" retry_until 20 grep -q "kill -USR1 $recorder" /tmp/flight.log
number_markers 0 0 1
ok "the first trigger writes a file" retry_until 30 has_written 1 trigger
number_markers 0 1 2
ok "the second trigger writes another file" retry_until 30 has_written 2 trigger.1
number_markers 0 2 $((2 + triggers))
ok "many triggers write further files" retry_until 30 grep -q '/tmp/trigger.2: ' \
	/tmp/flight.log
sleep 1
kill -INT $recorder
wait $recorder
is $? 0 "a flight recorder with a trigger ends with status 0"
files=$(grep -c 'B of events$' /tmp/flight.log)
diag "files: $files"
both "trigger" /tmp/trigger
like "$(cat /tmp/trigger.rbmap)" 'sched_process_fork: ' "trigger: the file has the other recorded events, too"
cp /tmp/trigger.rbmap /tmp/triggers.rbmap
next=1
while [ $next -lt "$files" ]; do
	both "trigger.$next" /tmp/trigger.$next
	cat /tmp/trigger.$next.rbmap >>/tmp/triggers.rbmap
	next=$((next + 1))
done
is "$(markers /tmp/trigger.rbmap)$(markers /tmp/trigger.1.rbmap)" 11 "each trigger is in its own file"
ok "the files together have every marker" up_to /tmp/triggers.rbmap $((triggers + 1))
is "$(markers /tmp/triggers.rbmap)" $((triggers + 2)) "the files together have each marker once"
is "$(summed 'retired rings')" 0 "no old ring is left behind a trigger"
like "$(rbmap report /tmp/trigger 2>&1 >/dev/null)" \
	'^frozen at ....-..-.. ..:..:.. .*: event rbmap:marker of CPU 0 at [0-9]+$' \
	"the file has the event that triggered it"

# --- a storm of triggers: one file, and a count
if [ -z "${SHORT:-}" ]; then
	rbmap record -f -e rbmap:marker -o /tmp/storm --trigger rbmap:marker --holdoff 1000 \
		2>/tmp/storm.log &
	recorder=$!
	ok "a flight recorder that holds triggers off begins" \
		retry_until 20 grep -q "kill -USR1 $recorder" /tmp/storm.log
	number_markers 0 0 1
	ok "the first trigger of a storm writes a file" retry_until 30 grep -q '/tmp/storm: ' /tmp/storm.log
	number_markers 0 1 1001
	# The recorder has looked at all events when it waits again.
	slept=$(slept $recorder)
	ok "the recorder looks at the storm" retry_until 30 has_slept $recorder $((slept + 3))
	kill -USR1 $recorder
	ok "SIGUSR1 writes a file nevertheless" retry_until 30 grep -q '/tmp/storm.1: ' /tmp/storm.log
	kill -INT $recorder
	wait $recorder
	is $? 0 "the flight recorder ends with status 0"
	is "$(grep -c 'B of events$' /tmp/storm.log)" 3 "one file of a trigger, of the signal, and of the end"
	like "$(cat /tmp/storm.log)" 'note: 1000 events of --trigger were held off' "the others are counted"
	like "$(rbmap report /tmp/storm.1 2>&1 >/dev/null)" "^frozen at .*: SIGUSR1 of process $$\$" \
		"the file has the signal's sender"
fi

if [ -z "${SHORT:-}" ]; then
	# --- a trigger at the value of a field, of events that the recording has
	rbmap record -f -e sched:sched_process_exit --filter 'comm != "x9.left"' -o /tmp/value \
		--trigger sched_process_exit --trigger-if 'comm ~ "x9*"' --holdoff 0 2>/tmp/value.log &
	recorder=$!
	ok "a flight recorder with --trigger-if begins" \
		retry_until 20 grep -q "kill -USR1 $recorder" /tmp/value.log
	is "$(echo /sys/kernel/rbmap/instances/trigger-*)" "/sys/kernel/rbmap/instances/trigger-$recorder" \
		"the events of the trigger have a buffer"
	# named NAME: a process of that name comes and goes
	named()
	{
		sh -c "printf %s $1 >/proc/self/comm"
	}
	named x8
	named x9.left
	sleep 1
	is "$(grep -c 'B of events$' /tmp/value.log)" 0 "events of other values do not trigger"
	named x9
	ok "an event of the value writes a file" retry_until 30 grep -q '/tmp/value: ' /tmp/value.log
	like "$(rbmap report /tmp/value 2>/tmp/value.sum)" 'sched_process_exit: .*comm=x8 ' "the file has the other events"
	like "$(rbmap report /tmp/value 2>/dev/null)" 'sched_process_exit: .*comm=x9 ' "the file has the event that triggered"
	like "$(cat /tmp/value.sum)" '^frozen at .*: event sched:sched_process_exit of CPU [0-9]+ at [0-9]+$' \
		"the file has the reason"
	kill -INT $recorder
	wait $recorder
	is $? 0 "the flight recorder ends with status 0"
	fails "the buffer is gone" test -e /sys/kernel/rbmap/instances/trigger-$recorder
	said rbmap record -f -e rbmap:marker -o /tmp/none --trigger marker --trigger-if 'nosuch == 1'
	is "$status" 1 "a filter of --trigger-if that the kernel refuses"
	like "$output" "rbmap:marker refuses the filter .*format lists its fields" "the error names the event"
	fails "nothing is left behind" sh -c 'ls -d /sys/kernel/rbmap/instances/*-[0-9]* 2>/dev/null'
fi

# --- a snapshot with a reason, and one that is left behind
ok "snapshot --reason" rbmap snapshot -q --reason 'ticket 4711' -o /tmp/reason
like "$(rbmap report /tmp/reason 2>&1 >/dev/null)" '^frozen at .*: ticket 4711$' "report prints the reason"
is "$(rbmap snapshot --reason "$(printf 'a\nb')" 2>&1)" \
	"rbmap: snapshot: the reason must be one line of at most 255 bytes (see 'rbmap snapshot --help')" \
	"a reason of two lines is refused"
ok "snapshot --keep" rbmap snapshot -q --keep -o /tmp/keep
is "$(cat $root/snapshot)" 1 "the snapshot is in memory"
like "$(rbmap snapshot -o /tmp/another 2>&1)" "or free it with 'rbmap snapshot --free'" \
	"the error says how to free it"
ok "snapshot --free" rbmap snapshot --free
is "$(cat $root/snapshot)" 0 "the snapshot is free"
is "$(rbmap snapshot --free --keep 2>&1 | cut -c 1-70)" \
	"rbmap: snapshot: --keep, --read-existing and --free exclude each other" \
	"--free and --keep exclude each other"

rbmap record -f -e rbmap:marker -o /tmp/none --trigger sched_switch 2>/tmp/none.log
is $? 1 "a trigger that is not recorded is refused"
like "$(cat /tmp/none.log)" '--trigger sched_switch names no recorded event' "a trigger that is not recorded: the reason is printed"
echo 1 >$root/events/sched/sched_process_exec/enable
settings >/tmp/after
ok "the settings are the same as before" cmp /tmp/before /tmp/after

echo 1 >$root/reset
number_markers all 0 10
rbmap record -f -q -d 0 -o /tmp/held
both "a flight recorder without -e" /tmp/held
ok "a flight recorder without -e writes the events in the rings" numbers 0 10 /tmp/held.rbmap
fails "a flight recorder of a command that does not exist fails" rbmap record -f -q -o /tmp/none -- /nowhere/x
fails "a flight recorder that failed leaves no file" test -e /tmp/none
settings >/tmp/after
ok "the settings are the same as before" cmp /tmp/before /tmp/after
ok "unload" rbmap unload
done_testing
