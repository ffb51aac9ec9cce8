#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap stream, and the short reader.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

mark()
{
	taskset "$1" sh -c "echo $2 >/dev/rbmap/marker"
}

# steps_back: prints lines whose time is before that of the line above
steps_back()
{
	awk '/^CPU:/ { next }
	{
		for (i = 1; i <= NF; i++)
			if ($i ~ /^\[[0-9]+\]$/)
				break
		t = $(i + 2) + 0
		if (t < last)
			n++
		last = t
	}
	END { print n + 0 }' "$1"
}

out=/tmp/out
err=/tmp/err

# stream ARGUMENT...: runs rbmap stream and stores its status in $status
stream()
{
	rbmap stream "$@" >$out 2>$err
	status=$?
}

stream
is "$status" 1 "without the module: status 1"
like "$(cat $err)" "not loaded" "without the module: the reason is printed"

ok "module loads" load_module rbmap || done_testing
stream --help
is "$status" 0 "--help"
stream -x
is "$status" 2 "an unknown option: status 2"
stream sched:sched_switch
is "$status" 2 "a stray word: status 2"
stream -n 0
is "$status" 2 "no number: status 2"
stream -e no:such -d 1
is "$status" 1 "an unknown event: status 1"

mark 1 one
mark 2 two
mark 1 three
stream --no-follow
is "$status" 0 "--no-follow: status 0"
is "$(sed 's/.*marker: //' $out | tr '\n' ' ')" "one two three " \
	"markers of two CPUs are printed in the order of time"
like "$(head -n 1 $out)" '^ +[^ ]+-[0-9]+ +\[000\] [^ ]{5} +[0-9]+\.[0-9]{6}: marker: one$' \
	"the format of a line is trace_pipe's"
like "$(cat $err)" '^3 events read, 0 lost$' "sums are on stderr"
stream --no-follow
is "$(cat $out)" "" "a second stream finds no events"

# Following: a marker is printed at once, and a wildcard's events are enabled meanwhile.
# The rings hold what a slow machine leaves unread.
kb=$(cat $root/buffer_size_kb)
echo 8192 >$root/buffer_size_kb
rbmap stream --default -e 'sched:*' -e 'raw_syscalls:*' >$out 2>$err &
pid=$!
ok "events are enabled" retry_until 30 \
	grep -q 1 $root/events/sched/sched_switch/enable
mark 2 now
ok "an event is printed while the stream follows" retry_until 30 \
	grep -q 'marker: now' $out
kill -INT $pid
wait $pid
is "$?" 0 "Ctrl-C: status 0"
is "$(cat $root/events/sched/enable $root/events/raw_syscalls/enable | tr -d '\n')" \
	00 "Ctrl-C: events are disabled again"
echo "$kb" >$root/buffer_size_kb
like "$(cat $err)" '^[0-9]+ events read, 0 lost$' "Ctrl-C: the sums are printed"
like "$(tail -n 1 $err)" '^  [0-9]+ more events were left out' "and how many of its own it left out"
is "$(grep -c . $out)" "$(sed -n 's/ events read.*//p' $err)" \
	"as many lines as events were read"
is "$(steps_back $out)" 0 "events are printed in the order of time"
ok "system calls have names" grep -qE 'sys_enter: NR [0-9]+ \((write|read|openat)\) \(' $out
ok "return values of system calls are printed" grep -qE 'sys_exit: NR [0-9]+ \([a-z_0-9]+\) = -?[0-9]+$' $out
ok "threads have names" grep -qE '^ +rbmap-[0-9]+ ' $out
ok "the idle thread has a name" grep -qE '^ +<idle>-0 ' $out

# Events that were enabled before stay enabled.
echo 1 >$root/events/sched/sched_waking/enable
stream -e 'sched:sched_w*' -d 0.5
is "$status" 0 "-d: status 0"
is "$(cat $root/events/sched/sched_waking/enable \
	$root/events/sched/sched_wakeup/enable | tr -d '\n')" 10 \
	"-d: enabled events stay enabled, others are disabled again"
stream -n 20
is "$(grep -c . $out)" 20 "-n 20: 20 lines"
like "$(cat $err)" '^20 events read' "-n 20: the sums count 20 events"
echo 0 >$root/events/sched/enable

rbmap stream -e 'sched:*' 2>$err | head -n 5 >$out
ok "a closed pipe ends the stream" retry_until 30 grep -q 'events read' $err
is "$(cat $root/events/sched/enable)" 0 "a closed pipe: events are disabled again"
is "$(wc -l <$out)" 5 "a closed pipe: five lines were printed"
stream -e 'sched:*' -d 0.3 -n 5
rbmap stream -e 'sched:*' -d 2 >/dev/full 2>$err
is "$?" 1 "a full disk: status 1"
is "$(cat $root/events/sched/enable)" 0 "a full disk: events are disabled again"

# The text is the same as ftrace's.
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
for event in fork exec exit; do
	echo 1 >/sys/kernel/tracing/events/sched/sched_process_$event/enable
done
rbmap stream --default -e sched_process_fork,sched_process_exec,sched_process_exit >$out 2>$err &
pid=$!
retry_until 30 grep -q 1 $root/events/sched/sched_process_exit/enable
for i in 1 2 3 4 5; do
	ls / >/dev/null
done
mark 1 end-of-it
retry_until 30 grep -q end-of-it $out
kill $pid
wait $pid
for event in fork exec exit; do
	echo 0 >/sys/kernel/tracing/events/sched/sched_process_$event/enable
done
# Only events of "ls" are compared: both were recording when ls ran last.
bodies()
{
	sed -n 's/.*\(sched_process_[a-z]*: .*\)/\1/p' "$1" | grep 'ls' | sort
}
bodies /sys/kernel/tracing/trace >/tmp/ftrace
bodies $out >/tmp/ours
ok "at least five events can be compared" test "$(wc -l </tmp/ours)" -ge 5
ok "the text of an event is ftrace's" cmp /tmp/ftrace /tmp/ours || {
	diff /tmp/ftrace /tmp/ours | sed 's/^/# /'
}

# A CPU that goes offline keeps its ring.
if echo 0 >/sys/devices/system/cpu/cpu1/online 2>/dev/null; then
	echo 1 >/sys/devices/system/cpu/cpu1/online
	mark 2 before-offline
	rbmap stream >$out 2>$err &
	pid=$!
	ok "the stream reads CPU 1" retry_until 30 grep -q before-offline $out
	mark 2 offline-soon
	echo 0 >/sys/devices/system/cpu/cpu1/online
	mark 1 other-cpu
	ok "events of an offline CPU are printed" retry_until 30 grep -q offline-soon $out
	ok "events of the other CPU are printed" retry_until 30 grep -q other-cpu $out
	echo 1 >/sys/devices/system/cpu/cpu1/online
	mark 2 online-again
	ok "events of a CPU that is online again are printed" retry_until 30 grep -q online-again $out
	kill $pid
	wait $pid

	# Its last events are written after it has stopped taking interrupts.
	cat /dev/rbmap/cpu1 >/dev/null &
	pid=$!
	echo 1 >$root/events/sched/enable
	echo 0 >/sys/devices/system/cpu/cpu1/online
	ok "a waiting reader gets the last event of a CPU that went offline" \
		retry_until 30 grep -qx 'entries: 0' $root/per_cpu/cpu1/stats
	echo 1 >/sys/devices/system/cpu/cpu1/online
	echo 0 >$root/events/sched/enable
	kill $pid
	wait $pid
else
	skip "no CPU can go offline here" "an offline CPU keeps its ring"
fi

# The time-stamp counter as a clock.
if echo x86-tsc >$root/trace_clock 2>/dev/null; then
	rbmap stream >$out 2>$err &
	pid=$!
	sleep 0.3
	mark 1 tick
	mark 2 tock
	ok "x86-tsc: events come" retry_until 30 grep -q tock $out
	kill $pid
	wait $pid
	like "$(tail -n 1 $out)" ' [0-9]{6,}: marker: tock$' "x86-tsc: times are cycles"
	echo local >$root/trace_clock
fi
ok "module unloads" rmmod rbmap

# A loss is reported at its place, with cause and remedy.
ring=$((4 * page_kb)) more=$((150 * page_kb))
ok "module loads with a small ring" load_module rbmap buffer_size_kb=$ring

# fill COUNT: writes COUNT markers
fill()
{
	i=0
	while [ $i -lt "$1" ]; do
		echo "marker number $i, some text to fill the ring" \
			>/dev/rbmap/marker
		i=$((i + 1))
	done
}

# read_sums: sets $read and $lost from the line of sums
read_sums()
{
	lost=$(sed -n 's/.* events read, \([0-9]*\) lost$/\1/p' $err)
	read=$(sed -n 's/ events read.*//p' $err)
}

# sums TEXT: reads the sums; the printed lines must agree
sums()
{
	read_sums
	is "$(grep -c marker: $out)" "$read" "$1: as many lines as events were read"
	is "$(sed -n 's/^CPU:[0-9]* \[\(LOST \)\{0,1\}\([0-9]*\) EVENTS\( DROPPED\)\{0,1\}\]$/\2/p' $out |
		awk '{ n += $1 } END { print n + 0 }')" "$lost" \
		"$1: lines report each loss at its place"
}

# sums_of_losses TEXT: the same, where the ring was too small
sums_of_losses()
{
	sums "$1"
	ok "$1: some events were lost" test "$lost" -gt 0
}

# All events come from one CPU, whose ring has room for a mark later.
taskset -p 1 $$ >/dev/null
fill $more
stream --no-follow
sums_of_losses "before it began"
is $((read + lost)) $more "read + lost = written"
like "$(cat $err)" 'before this began, .*buffer_size_kb' \
	"the sums have cause and remedy"

# The stream begins, and is stopped while the ring overflows.
rbmap stream >$out 2>$err &
pid=$!
mark 1 it-reads
retry_until 30 grep -q it-reads $out
kill -STOP $pid
fill $more
kill -CONT $pid
mark 1 the-last
mark 2 the-last
retry_until 30 grep -q the-last $out
sleep 0.3
kill $pid
wait $pid
sums_of_losses "overwritten"
is $((read + lost)) $((more + 3)) "read + lost = written"
like "$(cat $err)" "overwritten before they were read.*buffer_size_kb.*$ring" \
	"the sums have cause and remedy"

echo 0 >$root/overwrite
rbmap stream >$out 2>$err &
pid=$!
mark 1 it-reads
retry_until 30 grep -q it-reads $out
kill -STOP $pid
fill $more 2>/dev/null
kill -CONT $pid
# A sub-buffer reports the events lost before it, once the ring has room for it. A mark
# must be longer than the lost events: a shorter one could fit into the sub-buffer
# before.
# shellcheck disable=SC2317 # retry_until calls it
marked()
{
	mark 1 "the-last, and longer than all those that the full ring has refused" 2>/dev/null
	sleep 0.2
	grep -q the-last "$out"
}
retry_until 30 marked
sleep 0.3
kill $pid
wait $pid
sums_of_losses "discarded"
like "$(cat $err)" "ring was full.*buffer_size_kb.*$ring" \
	"the sums have cause and remedy"

# No event comes after the loss that could report it.
fill $more 2>/dev/null
stream --no-follow
sums_of_losses "behind the last event"
is $((read + lost)) $more "what no event reports is counted, too"
like "$(cat $err)" '^ +[1-9][0-9]* before this began, ' "and it is older than the stream"
stream --no-follow --json
read_sums
like "$read $lost" '^0 [1-9]' "the next stream reads it, too, if there is no event"
is "$(grep -o '"lost": [0-9]*' $out)" "\"lost\": $lost" "and JSON has a line for it"
echo 1 >$root/overwrite

# The short reader.
taskset 1 reader >$out 2>&1 &
pid=$!
mark 1 for-the-reader
ok "the short reader prints an event" retry_until 30 \
	grep -qE '^[0-9]+ cpu0 type [0-9]+ size [0-9]+$' $out
kill $pid

# The example of the library.
merge >$out 2>&1 &
pid=$!
mark 2 for-the-merge
ok "the merged reader prints an event" retry_until 30 \
	grep -qE '^[0-9]+ cpu1 size [0-9]+ lost 0$' $out
kill $pid
# --- any event ends the wait of a stream in a buffer of its own; under load the watermark does
percent_is()
{
	[ "$(cat "$own"/buffer_percent)" = "$1" ]
}

rbmap stream -e rbmap:marker >$out 2>$err &
pid=$!
own=$root/instances/record-$pid
ok "the stream has a buffer of its own" retry_until 30 has_mapped $pid
retry_until 30 grep -q 1 "$own"/events/rbmap/marker/enable
is "$(cat "$own"/buffer_percent)" 0 "any event wakes it"
mark 2 now
ok "the line comes" retry_until 20 grep -q 'marker: now' $out
while :; do
	echo loaded
done >/dev/rbmap/marker &
load=$!
ok "the watermark wakes it under load" retry_until 30 percent_is 50
kill $load
wait $load 2>/dev/null
ok "any event wakes it after the load" retry_until 30 percent_is 0
mark 1 later
ok "the line after the load comes" retry_until 20 grep -q 'marker: later' $out
kill $pid
wait $pid
is $? 0 "it ends"
is "$(steps_back $out)" 0 "lines are in the order of time"
# The load may be faster than the reader on a busy machine.
sums "under load"

# writes_to_pipe: succeeds if the stream waits for room in its output: in a call with descriptor 1.
# wchan has no function before Linux 5.16.
writes_to_pipe()
{
	grep -q '^[0-9]* 0x1 ' /proc/$pid/syscall
}

# --- the end reads all that is in the rings, however slowly the lines are taken
# The signal comes while it waits for events, or during a write.
for when in wait write; do
	mkfifo /tmp/slow
	while dd bs=32k count=1 of=/tmp/part 2>/dev/null && [ -s /tmp/part ]; do
		cat /tmp/part
		retry_until 60 test -e /tmp/ending
		sleep 0.2
	done </tmp/slow >$out &
	slow=$!
	rbmap stream -e rbmap:marker -b 4M >/tmp/slow 2>$err &
	pid=$!
	own=$root/instances/record-$pid
	ok "$when: the stream has a buffer of its own" retry_until 30 has_mapped $pid
	retry_until 30 grep -q 1 "$own"/events/rbmap/marker/enable
	[ $when = write ] || kill -STOP $pid
	# More than the pipe has room for
	fill 5000
	[ $when = wait ] || ok "write: it waits until more is taken" retry_until 30 writes_to_pipe
	kill -INT $pid
	: >/tmp/ending
	[ $when = write ] || kill -CONT $pid
	wait $pid
	is $? 0 "$when: it ends"
	wait $slow
	sums "$when: a slow output"
	is "$read + $lost" "5000 + 0" "$when: all events of the rings are printed" || diag <$err
	rm -f /tmp/slow /tmp/part /tmp/ending
done
ok "module unloads" retry_until 30 rmmod rbmap
done_testing
