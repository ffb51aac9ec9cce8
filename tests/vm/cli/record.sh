#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap record: each emitted event is in the file, or counted as lost. rbmap report and
# trace-cmd report both read the file. SHORT=1: fewer events, losses in one mode before
# the recorder begins, and no disk that becomes full.
# shellcheck disable=SC2016,SC2317 # for an inner shell; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/versions.sh
. /tests/lib/versions.sh

root=/sys/kernel/rbmap
cpus=$(grep -c '^processor' /proc/cpuinfo)
part=1 moved=3000
[ -z "${SHORT:-}" ] || part=4 moved=1500

# sum_of FILE N: prints the first number (N=1) or the second of "123 events read, 45
# lost"
sum_of()
{
	awk -v n="$2" '/events read, [0-9]+ lost/ { print n == 1 ? $1 : $4 }' "$1"
}

# own_report FILE: writes rbmap's report to $1.rbmap
own_report()
{
	rbmap report -N "$1" >"$1.rbmap" 2>"$1.err"
}

# report FILE: writes both reports to $1.rbmap and $1.trace-cmd
report()
{
	own_report "$1" || return 1
	trace_cmd_report -N "$1" >"$1.trace-cmd" 2>"$1.err2"
}

# same FILE: both reports are the same, except that rbmap also prints losses after the
# last event
same()
{
	report "$1" && [ ! -s "$1.err2" ] || return 1
	diff "$1.rbmap" "$1.trace-cmd" | grep '^[<>]' |
		grep -vE '^< CPU:[0-9]+ \[[0-9]+ EVENTS DROPPED\]$' >"$1.diff"
	[ ! -s "$1.diff" ]
}

# both TEXT FILE: both reports are the same. With SHORT trace-cmd reads the first two files
# alone.
compared=0
both()
{
	compared=$((compared + 1))
	if [ -z "${SHORT:-}" ] || [ $compared -le 2 ]; then
		ok "$1: both reports are the same" same "$2"
	else
		ok "$1: rbmap report" own_report "$2"
	fi
}

# is_recording PID: the recorder has discarded the events of before, and its threads read
# the rings
is_recording()
{
	# The threads of the CPUs are started in this order.
	grep -qxs "rbmap-cpu$(($(nproc) - 1))" /proc/"$1"/task/*/comm
}

# wait_for_recorder PID
wait_for_recorder()
{
	retry_until 30 is_recording "$1"
}

# record_markers NAME COUNT [OPTION...]: records in the background until all events were
# emitted
record_markers()
{
	recorded=/tmp/$1
	emits=$2
	shift 2
	rbmap record -q -o "$recorded" -e rbmap:marker "$@" >/dev/null 2>"$recorded.log" &
	recorder=$!
	wait_for_recorder $recorder
	number_markers all 0 "$emits"
	kill -INT $recorder
	wait $recorder
}

# without_gaps REPORT COUNT: each CPU has all numbers from 0 on, without a gap
without_gaps()
{
	awk -v want="$2" '/ marker: / {
		split($NF, n, ":")
		if (n[2] != next_nr[n[1]] + 0)
			bad++
		next_nr[n[1]] = n[2] + 1
	}
	END {
		for (cpu in next_nr)
			if (next_nr[cpu] != want)
				bad++
		exit bad != 0
	}' "$1"
}

# is_complete NAME COUNT: the recording has this number of markers of each CPU
is_complete()
{
	both "$1" "/tmp/$1"
	is "$(grep -c ' marker: ' "/tmp/$1.rbmap")" $(($2 * cpus)) "$1: all events are there"
	ok "$1: all events are in order, without a gap" without_gaps "/tmp/$1.rbmap" "$2"
}

# gaps REPORT COUNT: prints how many numbers are missing
gaps()
{
	awk -v want="$2" -v cpus="$cpus" '/ marker: / {
		split($NF, n, ":")
		if (n[2] < next_nr[n[1]])
			print "step back"
		next_nr[n[1]] = n[2] + 1
		have++
	}
	END { print want * cpus - have }' "$1"
}

ok "load" rbmap load --module /modules/rbmap.ko || done_testing

# --- numbered events, no loss
record_markers all $((2000 / part))
is $? 0 "record ends with 0 after an interrupt"
is "$(cat /tmp/all.log)" "" "-q without a loss says nothing"
is_complete all $((2000 / part))

# --- the same, with a recorder that is woken often: it moves whole sub-buffers
echo 3 >$root/buffer_percent
before=$(summed "subbufs moved")
record_markers moved $moved --default
is_complete moved $moved
ok "sub-buffers were moved" [ "$(summed "subbufs moved")" -gt "$before" ]

# --- the same beside an observer: the sub-buffers must stay in its map
before=$(summed "subbufs copied")
rbmap stream --default --observe -e rbmap:marker >/tmp/observed 2>/tmp/observed.log &
observer=$!
retry_until 30 has_mapped $observer
record_markers copied $moved --default
kill -INT $observer
wait $observer
is_complete copied $moved
ok "sub-buffers were copied" [ "$(summed "subbufs copied")" -gt "$before" ]
ok "the observer has seen events" grep -q ' marker: ' /tmp/observed
echo 50 >$root/buffer_percent

# --- real events, of a command
rbmap record -o /tmp/sched -e 'sched:*' -- sh -c \
	'for i in 1 2 3 4 5 6 7 8 9; do /bin/busybox true; done; sleep 0.2' 2>/tmp/sched.log
is $? 0 "record with a command"
both "sched" /tmp/sched
like "$(cat /tmp/sched.log)" '^[1-9][0-9]* events read, 0 lost$' "the command prints the sums"
is "$(sum_of /tmp/sched.log 1)" "$(grep -c '\] .*: ' /tmp/sched.rbmap)" \
	"the sum is the same as the report's"
ok "the command's first steps are there" \
	grep -q 'sched_process_exec: .*filename=/bin/sh' /tmp/sched.rbmap
fails "the recording has only the requested events" \
	grep -v -e ' sched_' -e cpus= /tmp/sched.rbmap
is "$(grep -c '<\.\.\.>' /tmp/sched.rbmap)" 0 "every thread has a name"
is "$(cat $root/events/sched/enable)$(cat $root/events/rbmap/marker/enable)" 01 \
	"the enabled events are the same as before"
# --- all events end at the same moment: what happens while they are disabled is not recorded
dd if=/dev/zero of=/dev/null bs=1 count=100000000 2>/dev/null &
busy=$!
# If the host does not run the CPU of dd meanwhile, dd has no event, and this is repeated.
in_between()
{
	rbmap record -q -e 'raw_syscalls:*' -e sched -e irq -o /tmp/moment -- true
	grep -aq '^disabled: [1-9]' /tmp/moment
}
ok "tracing_on is 0 before the first event is disabled" retry_until 20 in_between
kill $busy

rbmap record -q -o /tmp/status -- sh -c 'exit 3' 2>/tmp/status.log
is $? 0 "record succeeds although the command fails"
like "$(cat /tmp/status.log)" 'sh ended with status 3' "record prints the command's status"
fails "a command that does not exist is refused" rbmap record -q -o /tmp/none -- /nowhere/x

# The recording ends before its command. New devices are the recorder's concern alone.
rbmap record -q -d 0.1 -e sched -o /tmp/short.dat -- \
	sh -c 'until [ -e /tmp/go ]; do sleep 0.1; done; echo done >/tmp/done' &
recorder=$!
is_finished()
{
	[ -s /tmp/short.dat ] && ! ls /tmp/short.dat.cpu* 2>/dev/null
}
ok "a recording ends before its command" retry_until 30 is_finished
ok "a buffer with devices comes" rbmap create other
ok "and goes" rbmap destroy other
touch /tmp/go
wait $recorder
is $? 0 "the recorder waits for its command"
is "$(cat /tmp/done)" "done" "which runs to its end"
fails "no process of rbmap is left" grep -qsx rbmap /proc/[0-9]*/comm

# --- threads that end before their events are read; the events do not name them
rbmap record -q -o /tmp/short -e raw_syscalls -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/busybox true; done' 2>/tmp/short.log
is $? 0 "record short-lived threads"
both "short" /tmp/short
ok "the threads have their last names" [ "$(grep -o 'busybox-[0-9]*' /tmp/short.rbmap |
	sort -u | wc -l)" -ge 9 ]
is "$(grep -c '<\.\.\.>' /tmp/short.rbmap)" 0 "every short-lived thread has a name"

# buffers_of_names: lists the buffers that recorders read names from
buffers_of_names()
{
	find /dev/rbmap -name 'comms-*' | sed 's,.*/,,'
}

rbmap record -q -o /tmp/killed -e rbmap:marker &
recorder=$!
wait_for_recorder $recorder
is "$(buffers_of_names)" comms-$recorder "a recorder has a buffer for names"
kill -KILL $recorder
wait $recorder
is "$(buffers_of_names)" "" "the buffer is gone if the recorder is killed"
rm /tmp/killed*

# --- the events in the rings: -d 0
echo one >/dev/rbmap/marker
echo two >/dev/rbmap/marker
rbmap record -d 0 -o /tmp/held 2>/tmp/held.log
is "$(sum_of /tmp/held.log 1)" 2 "-d 0 reads the events in the rings"
rbmap record -d 0 -o /tmp/held 2>/tmp/held.log
is "$(sum_of /tmp/held.log 1)" 0 "-d 0 has consumed these events"
echo three >/dev/rbmap/marker
rbmap record -q -o /tmp/fresh -e marker sh -c 'echo four >/dev/rbmap/marker'
rbmap report /tmp/fresh >/tmp/fresh.txt 2>&1
like "$(cat /tmp/fresh.txt)" four "-e records new events"
fails "-e records no earlier events" grep three /tmp/fresh.txt
ok "unload" rbmap unload

# --- other sizes and clocks
for pages in 2 16; do
	[ -z "${SHORT:-}" ] || continue
	size=$((pages * page_kb))
	ok "sub-buffers of $size KiB: load" rbmap load --module /modules/rbmap.ko \
		buffer_size_kb=$((64 * page_kb)) subbuf_size_kb=$size || done_testing
	for clock in mono x86-tsc; do
		echo "$clock" >$root/trace_clock 2>/dev/null || continue
		rbmap record -q --default -o /tmp/sizes -e sched -- sleep 0.3
		both "$size KiB, $clock" /tmp/sizes
		ok "$size KiB, $clock: events are there" grep -q sched_switch /tmp/sizes.rbmap
	done
	ok "sub-buffers of $size KiB: unload" rbmap unload
done

# --- loss, in both modes, with a small ring
most=$((750 * page_kb))
for mode in 1 0; do
	[ -z "${SHORT:-}" ] || [ $mode = 1 ] || continue
	ok "overwrite=$mode: load" rbmap load --module /modules/rbmap.ko \
		buffer_size_kb=$((4 * page_kb)) overwrite=$mode || done_testing
	number_markers all 0 $most
	rbmap record -d 0 -o /tmp/loss$mode 2>/tmp/loss$mode.log
	is $? 0 "overwrite=$mode: record"
	both "overwrite=$mode" /tmp/loss$mode
	lost=$(sum_of /tmp/loss$mode.log 2)
	is $(($(sum_of /tmp/loss$mode.log 1) + lost)) $((most * cpus)) \
		"overwrite=$mode: read + lost = emitted"
	is "$(gaps /tmp/loss$mode.rbmap $most)" "$lost" "overwrite=$mode: the gaps are the loss"
	is "$(sed -n 's/.* \([0-9]*\) lost$/\1/p' /tmp/loss$mode.err)" "$lost" \
		"overwrite=$mode: the report counts the same loss"
	like "$(cat /tmp/loss$mode.log)" \
		"$([ $mode = 1 ] && echo 'overwritten before' || echo 'the ring was full').*buffer_size_kb larger than $((4 * page_kb))" \
		"overwrite=$mode: cause and remedy are printed"

	like "$(rbmap stat | sed '1,/^LOST/d')" \
		"^sum +$([ $mode = 1 ] && echo "$lost +0" || echo "0 +$lost") +0" \
		"overwrite=$mode: stat has the cause of the loss"
	at_most "$(rbmap stat | wc -L)" 80 "overwrite=$mode: stat with a loss fits 80 columns"

	# The same while the recorder runs, which may or may not keep up.
	if [ -z "${SHORT:-}" ]; then
		record_markers run$mode 2000 --default
		own_report /tmp/run$mode
		lost=$(sum_of /tmp/run$mode.log 2)
		is "$(gaps /tmp/run$mode.rbmap 2000)" "${lost:-0}" \
			"overwrite=$mode: running, the gaps are the loss"
	fi
	is "$(summed emitted)" $(($(summed 'read events') + $(summed entries) + $(summed overrun))) \
		"overwrite=$mode: the module's counters agree"
	ok "overwrite=$mode: unload" rbmap unload
done

# --- sizes that change while it records
ok "sizes that change: load" rbmap load --module /modules/rbmap.ko \
	buffer_size_kb=512K || done_testing
is "$(cat $root/buffer_size_kb)" 512 "a size with a unit is KiB for the module"
rbmap record --default -o /tmp/resized -e rbmap:marker >/dev/null 2>/tmp/resized.log &
recorder=$!
wait_for_recorder $recorder
for n in 0 1 2 3 4 5 6 7 8 9; do
	number_markers all $((400 * n / part)) $((400 * (n + 1) / part)) && sleep 0.1
done &
emitter=$!
turns=0
while kill -0 $emitter 2>/dev/null || [ $turns -lt 4 ]; do
	for pages in 16 2 1; do
		echo $((pages * page_kb)) >$root/buffer_subbuf_size_kb || fail "$pages pages"
		sleep 0.1
	done
	turns=$((turns + 1))
done
wait $emitter
# Large sub-buffers that are full; a marker of 4080 bytes becomes two events.
echo $((16 * page_kb)) >$root/buffer_subbuf_size_kb
number_markers all 0 $((3000 / part))
awk 'BEGIN { while (i++ < 4080) printf "x" }' >/tmp/large
cat /tmp/large >/dev/rbmap/marker
echo after >/dev/rbmap/marker
kill -INT $recorder
wait $recorder
is $? 0 "sizes that change: record"
diag "turns of 16, 2 and 1 pages: $turns"
both "sizes that change" /tmp/resized
lost=$(sum_of /tmp/resized.log 2)
is $(($(sum_of /tmp/resized.log 1) + lost)) $((7000 * cpus / part + 3)) \
	"sizes that change: read + lost = emitted"
is "$(grep -c 'xxx$' /tmp/resized.rbmap)" 2 \
	"an event that fills a sub-buffer of the file is there"
is "$(sed -n 's/.* \([0-9]*\) lost$/\1/p' /tmp/resized.err)" "$lost" \
	"sizes that change: the report counts the same loss"
is "$(grep -c ' marker: ' /tmp/resized.rbmap)" "$(sum_of /tmp/resized.log 1)" \
	"sizes that change: the report has all events that were read"
awk '/ marker: [0-9]+:[0-9]+$/ {
	split($NF, n, ":")
	if (n[2] != 0 && n[2] <= last[n[1]] + 0)
		bad++
	last[n[1]] = n[2]
}
END { exit bad != 0 }' /tmp/resized.rbmap
is $? 0 "sizes that change: in order"

# --- recordings are compressed, unless that is switched off
version_of()
{
	head -c 11 "$1" | tail -c 1
}

record_markers packed $((1500 / part))
is $? 0 "a compressed recording: record"
is "$(version_of /tmp/packed)" 7 "a compressed recording has version 7"
is_complete packed $((1500 / part))
record_markers plain $((1500 / part)) --no-compress
is $? 0 "--no-compress: record"
is "$(version_of /tmp/plain)" 6 "--no-compress: the file has version 6"
is_complete plain $((1500 / part))
ok "a compressed recording is smaller" [ "$(wc -c </tmp/packed)" -lt "$(wc -c </tmp/plain)" ]
rbmap record -o /tmp/brief -e rbmap:marker -d 0.1 2>/tmp/brief.log
like "$(cat /tmp/brief.log)" '/tmp/brief: .* in the file' "record prints the size of the file"
is "$(find /tmp -name 'packed*.cpu*' -o -name 'plain*.cpu*' -o -name 'brief*.cpu*' -o -name 'brief.??????')" "" \
	"record leaves no other files"

# --- a clock that changes while it records
rbmap record --default -q -o /tmp/clock -e rbmap:marker >/dev/null 2>/tmp/clock.log &
recorder=$!
wait_for_recorder $recorder
number_markers all 0 500
echo mono >$root/trace_clock
number_markers all 0 10
wait $recorder
is $? 1 "a change of the clock ends a recording with status 1"
like "$(cat /tmp/clock.log)" 'trace_clock was changed to mono, .* the recording ends at the change' \
	"record prints that the clock has changed"
both "a recording that a new clock ended" /tmp/clock
ok "a recording that a new clock ended has all earlier events" without_gaps /tmp/clock.rbmap 500
rbmap record -q -d 0 -o /tmp/clock 2>/dev/null
number_markers all 0 20
echo local >$root/trace_clock
number_markers all 0 30
rbmap record -d 0 -o /tmp/clock 2>/tmp/clock.log
is $? 0 "rings with unread events of another clock: record succeeds"
like "$(cat /tmp/clock.log)" "^  $((20 * cpus)) more events were discarded: their trace_clock" \
	"rings with unread events of another clock: record skips them"
is "$(sum_of /tmp/clock.log 1) $(sum_of /tmp/clock.log 2)" "$((30 * cpus)) 0" \
	"rings with unread events of another clock: record has all others"
both "rings with unread events of another clock" /tmp/clock
ok "sizes that change: unload" rbmap unload

# has_markers FILE N: rbmap report finds N markers in a file that is being recorded
has_markers()
{
	rbmap report -N "$1" 2>/tmp/busy.err | grep -c ' marker: ' >/tmp/busy.nr
	[ "$(cat /tmp/busy.nr)" = "$2" ]
}

# size_of FILE: the size of a recording with the files of its CPUs
size_of()
{
	cat "$1" "$1".cpu* | wc -c
}

# --- kill -9: the file stays readable, and the ring accepts another reader
ok "load" rbmap load --module /modules/rbmap.ko || done_testing
rbmap record -q -o /tmp/killed -e rbmap:marker 2>/dev/null &
recorder=$!
wait_for_recorder $recorder
killed=$((3000 / part))
number_markers 0 0 $killed
# The events of an open sub-buffer follow after half a second.
ok "the file can be read while it is written" retry_until 20 \
	has_markers /tmp/killed $killed
like "$(cat /tmp/busy.err)" '/tmp/killed is still being recorded' "report says that the file is being written"
rbmap record -d 0 -o /tmp/killed 2>/tmp/second.err
is $? 1 "a second recorder of the same file is refused"
like "$(cat /tmp/second.err)" 'another process records to it' "the second recorder says why"
rbmap recover /tmp/killed 2>/tmp/second.err
is $? 1 "recover refuses a file that is being recorded"
like "$(cat /tmp/second.err)" 'is still being written' "recover says why"
kill -9 $recorder
wait $recorder 2>/dev/null
rbmap report -N /tmp/killed >/tmp/killed.txt 2>/tmp/killed.err
is $? 3 "report of a killed recorder's file: status 3"
like "$(cat /tmp/killed.err)" 'its recorder was killed' "report says that the recorder was killed"
is "$(grep -c ' marker: ' /tmp/killed.txt)" $killed "the killed recorder's file has all events"
# The headers take 3 MiB, and an event 40 bytes at most.
at_most "$(size_of /tmp/killed)" $(((3 << 20) + killed * 40 + cpus * 4096)) \
	"the killed recorder's files are as large as their data"
ok "recover completes the killed recorder's file" rbmap recover -q /tmp/killed
rbmap report -N /tmp/killed >/tmp/recovered.txt 2>/tmp/recovered.err
is $? 0 "report of a recovered file: status 0"
ok "a recovered file has the same events" cmp /tmp/killed.txt /tmp/recovered.txt
both "a recovered file" /tmp/killed
is "$(find /tmp -name 'killed.cpu*')" "" "recover removes the files of the CPUs"
record_markers after $((2000 / part))
own_report /tmp/after
ok "the next reader continues after the killed one" without_gaps /tmp/after.rbmap $((2000 / part))
ok "unload after a kill" rbmap unload

# --- signals that the caller ignores or that come early
ok "load" rbmap load --module /modules/rbmap.ko || done_testing
ok "SIGCHLD is ignored: the recording ends with its command" \
	timeout "$(patience 30)" sh -c "trap '' CHLD; exec rbmap record -q -o /tmp/signals -e rbmap:marker -- true"
ok "SIGCHLD is ignored: report prints the file" \
	timeout "$(patience 30)" sh -c "trap '' CHLD; exec rbmap report /tmp/signals >/dev/null"
sh -c "trap '' HUP; exec rbmap record -o /tmp/signals -e rbmap:marker" 2>/tmp/signals.log &
pid=$!
wait_for_recorder $pid
kill -HUP $pid
sleep 0.5
echo after >/dev/rbmap/marker
kill -INT $pid
wait $pid
is $? 0 "SIGHUP is ignored: the recording goes on until SIGINT"
like "$(rbmap report /tmp/signals 2>&1)" 'after' "SIGHUP is ignored: the event after it is in the file"
if [ -z "${SHORT:-}" ]; then
	sh -c "trap '' HUP; exec rbmap stream" >/tmp/signals.out 2>&1 &
	pid=$!
	ok "a stream begins" retry_until 30 has_mapped $pid
	kill -HUP $pid
	echo after-hangup >/dev/rbmap/marker
	ok "SIGHUP is ignored: the stream goes on" retry_until 30 grep -q after-hangup /tmp/signals.out
	kill -INT $pid
	wait $pid
	is $? 0 "SIGHUP is ignored: it ends at SIGINT"
fi
rbmap record -q -f -o /tmp/signals -e rbmap:marker &
pid=$!
# It blocks the signal first; later it waits for it, which looks as if it did not block it.
expects_usr1()
{
	awk '/^SigBlk/ { exit substr($2, 14, 1) !~ /[2367abef]/ }' /proc/$pid/status ||
		grep -qs 1 $root/instances/record-$pid/events/rbmap/marker/enable
}
ok "the flight recorder begins" retry_until 20 expects_usr1
kill -USR1 $pid
sleep 1
ok "an early SIGUSR1 does not end the flight recorder" kill -INT $pid
wait $pid
is $? 0 "the flight recorder ends without an error"
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts 2>/dev/null
ctrl_c rbmap record -q -o /tmp/signals -e rbmap:marker -- ctrl_c count >/tmp/tty 2>&1
is "$(grep -o '[0-9]* times' /tmp/tty)" "1 times" "Ctrl-C reaches the command once" ||
	diag "$(cat /tmp/tty)"
ok "unload after the signals" rbmap unload

# --- a full disk
ok "load" rbmap load --module /modules/rbmap.ko || done_testing
mkdir -p /tmp/small
mount -t tmpfs -o size=3m tmpfs /tmp/small
if [ -z "${SHORT:-}" ]; then
	timeout "$(patience 50)" rbmap record -o /tmp/small/full -e rbmap:marker -- sh -c \
		'i=0; while [ $i -lt 200000 ]; do echo $i; i=$((i + 1)); done >/dev/rbmap/marker' \
		2>/tmp/full.log
	is $? 1 "a full disk: status 1"
	like "$(cat /tmp/full.log)" '/tmp/small/full: no space is left' "a full disk: record prints the reason"
	read_events=$(sum_of /tmp/full.log 1)
	cp /tmp/small/full /tmp/full
	both "a full disk" /tmp/full
	is "$(grep -c ' marker: ' /tmp/full.rbmap)" "$read_events" "a full disk: the file has all events that were read"
	ok "a full disk: the file has many events" [ "$read_events" -gt 1000 ]
	is "$(find /tmp/small -type f)" /tmp/small/full "a full disk: one file is left"
fi
rm -f /tmp/small/*
dd if=/dev/zero of=/tmp/small/fill bs=1k count=2900 2>/dev/null
rbmap record -d 0 -o /tmp/small/none 2>/tmp/none.log
is $? 1 "no space from the start: status 1"
like "$(cat /tmp/none.log)" 'no space is left;' "no space from the start: record prints the reason"
umount /tmp/small
is "$(cat $root/events/rbmap/marker/enable)" 1 "the marker is enabled as before"
ok "unload at the end" rbmap unload
# Other tests need the memory.
rm -f /tmp/*.rbmap /tmp/*.trace-cmd
done_testing
