#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# trace and trace_pipe: the text is that of tracefs on the same moments, and that of rbmap
# stream. trace and snapshot consume nothing, trace_pipe is a reader; losses are printed;
# files of one processor, of a named buffer and of the file system rbmap; nothing keeps other
# modules.
# shellcheck disable=SC2016,SC2034,SC2086,SC2154,SC2317 # $arg2; line; words; root is control.sh's; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

dir=/tmp/mounted
tracefs=/sys/kernel/tracing
cpus=$(($(nproc) - 1))

# without_times FILE: prints the events of $tasks without their times, in the order of
# processors, kinds and times. An interrupt may come between the two that record a moment, and
# set need-resched. perf has preemption off once more than ftrace in its handlers of kprobes
# and, on some kernels, of system calls.
without_times()
{
	for task in $tasks; do
		grep -E -- "^ +sh-$task " "$1"
	done | sed -E -e '/ (opened:|sys_openat|sys_write)/s/(\] ...)1/\1./' |
		sed -e 's/\(\[[0-9]*\] .\)[.nNpPlLbB]/\1*/' -e 's/\(\[[0-9]*\] .\*\)L/\1./' \
		-e 's/^.\{16\}-[0-9]* *\(\[[0-9]*\]\) [^ ]* *[0-9]*\.[0-9]*: \([^:( ]*\)/\1\2 &/' \
		-e 's/ [0-9]*\.[0-9]*: / /' | sort -s -k 1,1
}

# in_order FILE: succeeds if no time is before that of the line above
in_order()
{
	sed -n 's/^.\{16\}-[0-9]* *\[[0-9]*\] [^ ]* *\([0-9]*\)\.\([0-9]*\): .*/\1\2/p' "$1" >/tmp/times
	sort -n /tmp/times | cmp -s - /tmp/times
}

# same_text THEIRS OURS TEXT: the files have the same lines but for the times
same_text()
{
	without_times "$1" >/tmp/theirs.text
	without_times "$2" >/tmp/ours.text
	ok "$3: there are events" test "$(wc -l </tmp/theirs.text)" -gt 20
	is "$(diff /tmp/theirs.text /tmp/ours.text | sed 's/^@/ @/' | head -n 12)" "" "$3"
	ok "$3: in the order of time" in_order "$2"
}

# markers FROM TO: writes markers
markers()
{
	markers_i=$1
	while [ "$markers_i" -le "$2" ]; do
		echo "number $markers_i" >/dev/rbmap/marker
		markers_i=$((markers_i + 1))
	done
}

# context: prints standard input without the column of irqs-off and the like, of which the
# command prints as many as the newest kernels have
context()
{
	sed 's/\(\[[0-9]*\]\) [^ ]* /\1 /'
}

numbers()
{
	sed -n 's/.*: number //p' "$@" | tr '\n' ' '
}

lost_in()
{
	sed -n 's/^CPU:[0-9]* \[LOST \([0-9]*\) EVENTS\]$/\1/p' "$@" | awk '{ n += $1 } END { print n + 0 }'
}

mount -t tracefs none $tracefs 2>/dev/null
ok "load" load_module rbmap kptr=1 || done_testing
mkdir -p $dir
ok "mount" mount -t rbmap rbmap $dir || done_testing

# --- the files
for file in trace trace_pipe; do
	ok "/dev/rbmap/$file" test -c /dev/rbmap/$file
	is "$(readlink $dir/$file)" /dev/rbmap/$file "$file of the file system"
	is "$(readlink $dir/per_cpu/cpu1/$file)" /dev/rbmap/per_cpu/1/$file "per_cpu/cpu1/$file"
done
is "$(readlink $dir/snapshot) $(readlink $dir/per_cpu/cpu1/snapshot)" \
	"/dev/rbmap/snapshot/trace /dev/rbmap/per_cpu/1/snapshot" "the files snapshot"
is "$(cd /dev/rbmap && stat -c %a trace trace_pipe snapshot/trace per_cpu/0/trace* per_cpu/0/snapshot | tr '\n' ' ')" \
	"600 400 600 600 400 600 " "only root opens them"
echo 0 >$tracefs/tracing_on
echo >$tracefs/trace
diff $tracefs/trace $dir/trace >/tmp/diff
is "$(cat /tmp/diff)" "" "the text without events is that of tracefs"

# --- the same moments, of tasks that sleep when both begin, and when both end
echo 'p:mine/opened do_sys_openat2 path=+0($arg2):ustring' >$tracefs/kprobe_events
events="sched:sched_switch sched:sched_waking raw_syscalls:sys_enter raw_syscalls:sys_exit
	timer:hrtimer_start kmem:rss_stat syscalls:sys_enter_openat syscalls:sys_exit_openat
	syscalls:sys_enter_write mine:opened"
cat >/tmp/task <<'END'
read -r line <"/tmp/fifo$1"
i=0
while [ $i -lt 5 ]; do
	read -r line </etc/passwd
	read -r line </nonesuch
	echo $i >/dev/null
	read -r -t 0.01 line <>/tmp/never
	i=$((i + 1))
done 2>/dev/null
echo >"/tmp/done$1"
read -r line <"/tmp/fifo$1"
END
mkfifo /tmp/fifo1 /tmp/fifo2 /tmp/never
# Printing remembers names by the remainder of the pid, which is the same for the two tasks.
tasks=
for task in 1 2; do
	while :; do
		echo $((256 * (task + 20) - 1)) >/proc/sys/kernel/ns_last_pid
		taskset $task /bin/sh /tmp/task $task &
		[ $(($! % 256)) != 0 ] || break
		kill $!
		wait $!
	done
	tasks="$tasks $!"
done
for task in $tasks; do
	retry_until 20 runs $task sh
	retry_until 20 sleeps $task
done
for buffer in $tracefs $dir; do
	echo 0 >$buffer/tracing_on
	for event in $events; do
		echo $event >>$buffer/set_event
	done
	for task in $tasks; do
		echo $task >>$buffer/set_event_pid
	done
	echo >$buffer/trace
	echo 1 >$buffer/tracing_on
done
for task in 1 2; do
	echo go >/tmp/fifo$task
done
for task in 1 2; do
	ok "task $task ends its work" retry_until 30 test -e /tmp/done$task
done
for task in $tasks; do
	retry_until 20 sleeps $task
done
for buffer in $tracefs $dir; do
	echo 0 >$buffer/tracing_on
done
cat $tracefs/trace >/tmp/theirs
cat $dir/trace >/tmp/ours
same_text /tmp/theirs /tmp/ours "trace is that of tracefs"
kinds=
for event in sched_switch sched_waking sys_enter sys_exit hrtimer_start rss_stat 'sys_openat(' \
	'sys_openat ->' 'sys_write(' opened; do
	grep -qF "$event" /tmp/ours && kinds="$kinds $event"
done
ok "there are most kinds:$kinds" test "$(echo $kinds | wc -w)" -ge 9
cpu=0
while [ $cpu -le $cpus ]; do
	cat $tracefs/per_cpu/cpu$cpu/trace >/tmp/theirs.cpu
	cat $dir/per_cpu/cpu$cpu/trace >/tmp/ours.cpu
	same_text /tmp/theirs.cpu /tmp/ours.cpu "trace of cpu$cpu is that of tracefs"
	cpu=$((cpu + 1))
done
is "$(grep '^#' /tmp/ours)" "$(grep '^#' /tmp/theirs)" "the header is the same, with the numbers of events"
cat $dir/trace >/tmp/again
is "$(cmp /tmp/ours /tmp/again 2>&1)" "" "trace consumes nothing"
# The command adds names of system calls, and prints those of the system syscalls and
# addresses in its own way.
rbmap stream --observe --no-follow 2>/dev/null | sed 's/\(NR -*[0-9]*\) ([a-z0-9_]*)/\1/' >/tmp/stream
for file in stream ours; do
	grep -E ': (sched_|sys_enter:|sys_exit:|rss_stat)' /tmp/$file | context >/tmp/$file.same
done
is "$(diff /tmp/ours.same /tmp/stream.same | sed 's/^@/ @/' | head -n 20)" "" \
	"the text is that of rbmap stream, with the times"
is "$(wc -l </tmp/stream)" "$(grep -vc '^#' /tmp/ours)" "it has as many lines"
# The names are now those that the records have.
kill $tasks
# shellcheck disable=SC2086 # numbers
wait $tasks
timeout "$(patience 20)" cat $dir/trace_pipe >/tmp/pipe
is "$?" 0 "trace_pipe ends when recording is off"
is "$(grep -v '^#' /tmp/ours | diff - /tmp/pipe | head -n 40)" "" "trace_pipe is the text of trace"
is "$(grep -vc '^#' $dir/trace)" 0 "trace_pipe consumes"
for buffer in $tracefs $dir; do
	echo >$buffer/set_event_pid
	echo 0 >$buffer/events/enable
	echo >$buffer/set_event
done
echo >$tracefs/kprobe_events


# --- trace_pipe is a reader
echo 1 >$dir/tracing_on
markers 1 3
is "$(/tests/text read $dir/trace_pipe 2>/tmp/error | numbers)" "1 2 3 " \
	"an open that does not wait reads what is there"
is "$(cat /tmp/error)" EAGAIN "and then has nothing: EAGAIN"
for each in $tracefs $dir; do
	echo 1 >$each/tracing_on
	echo number 1 >$each/trace_marker
	is "$(/tests/text stop $each/trace_pipe $each/tracing_on 2>/tmp/error | tail -n 1)" "not readable" \
		"$each: poll() finds nothing after recording has stopped"
	is "$(tr '\n' ' ' </tmp/error)" "EAGAIN EAGAIN " "$each: a read that does not wait does not end"
done
echo 1 >$dir/tracing_on
/tests/text poll $dir/trace_pipe >/tmp/polled &
pid=$!
ok "poll() waits" retry_until 20 sleeps $pid
is "$(cat /tmp/polled)" "" "it is not readable yet"
echo 0 >$root/buffer_percent
markers 3 3
ok "an event ends the poll()" retry_until 20 grep -q readable /tmp/polled
wait $pid
is "$(/tests/text read $dir/trace_pipe 2>/dev/null | numbers)" "3 " "which consumes nothing"
markers 1 50
is "$(/tests/text splice $dir/trace_pipe 2>/tmp/error | numbers)" "$(seq 50 | tr '\n' ' ')" \
	"splice() passes the text to a pipe"
is "$(cat /tmp/error)" EAGAIN "and then has nothing: EAGAIN"
is "$(/tests/text read $dir/trace_pipe 2>/dev/null)" "" "which consumes the events"
markers 1 3
sent=$(/tests/text send $dir/trace_pipe 2>/tmp/error | numbers)
case $(cat /tmp/error) in
refused) is "$(/tests/text read $dir/trace_pipe 2>/dev/null | numbers)" "1 2 3 " "sendfile() is refused" ;;
*) is "$sent" "1 2 3 " "sendfile() passes the text" ;;
esac
cat $dir/trace_pipe >/tmp/pipe &
pid=$!
ok "a reader waits" retry_until 20 sleeps $pid
markers 4 4
ok "an event wakes it" retry_until 20 grep -q 'number 4$' /tmp/pipe
ok "it waits again" retry_until 20 sleeps $pid
kill $pid
wait $pid 2>/dev/null
is "$?" 143 "a signal ends it"
is "$(/tests/text interrupt $dir/trace_pipe)" interrupted "and a handler of one does, too"
taskset 2 sh -c "echo number 5 >/dev/rbmap/marker"
taskset 1 sh -c "echo number 6 >/dev/rbmap/marker"
is "$(numbers $dir/trace)" "5 6 " "the order is that of time"
is "$(/tests/text read $dir/per_cpu/cpu0/trace_pipe 2>/dev/null | numbers)" "6 " \
	"trace_pipe of a processor"
is "$(numbers $dir/trace)" "5 " "it consumes events of that processor alone"
is "$(numbers $dir/per_cpu/cpu0/trace)$(numbers $dir/per_cpu/cpu1/trace)" "5 " "so says trace of each one"

# --- several readers
: >$dir/trace
for reader in 1 2; do
	cat $dir/trace_pipe >/tmp/pipe$reader &
	eval "pid$reader=$!"
done
ok "both wait" retry_until 20 sleeps $pid1
ok "both wait" retry_until 20 sleeps $pid2
markers 1 200
emptied()
{
	! grep -qv '^#' $dir/trace
}
ok "the buffer is empty" retry_until 20 emptied
has_all()
{
	[ "$(cat /tmp/pipe1 /tmp/pipe2 | wc -l)" = 200 ]
}
ok "two readers have all events" retry_until 20 has_all
kill $pid1 $pid2
is "$(cat /tmp/pipe1 /tmp/pipe2 | numbers | tr ' ' '\n' | sort -n | uniq | wc -l)" 200 "each event once"
like "$(rbmap stat 2>/dev/null; cat $root/per_cpu/cpu0/stats)" 'emitted' "the counters are there"
is "$(summed emitted)" "$(summed 'read events')" "all count as read"

# --- what a program of the marker writes
: >$dir/trace
printf 'no newline' >/dev/rbmap/marker
printf '\1\2\3\4\5\6' >/dev/rbmap/marker_raw
printf 'no newline' >$tracefs/trace_marker
printf '\1\2\3\4\5\6' >$tracefs/trace_marker_raw
echo 1 >$tracefs/tracing_on
: >$tracefs/trace
printf 'no newline' >$tracefs/trace_marker
printf '\1\2\3\4\5\6\7\10' >$tracefs/trace_marker_raw
is "$(sed -n 's/.*: tracing/tracing/p' $dir/trace)" "$(sed -n 's/.*: tracing/tracing/p' $tracefs/trace)" \
	"the text of a marker is that of tracefs"
is "$(sed -n 's/.*: # 4/# 4/p' $dir/trace)" "# 4030201 buf: 05 06 00 00" "and that of a raw marker, in whole words"
like "$(sed -n 's/.*: # 4/# 4/p' $tracefs/trace)" "^# 4030201 buf: 05 06 07 08" "as in tracefs"

# --- losses
echo 8 >$dir/buffer_size_kb
echo 1 >$dir/tracing_on
: >$dir/trace
many=$((250 * page_kb))
# All on one CPU: one with a few events would have no loss.
mask=$(taskset -p $$ | sed 's/.*: //')
taskset -p 1 $$ >/dev/null
markers 1 $many
taskset -p "$mask" $$ >/dev/null
total=$(summed emitted)
unread=$(grep -c ': number ' $dir/trace)
head -n 3 $dir/trace | tail -n 1 >/tmp/counts
like "$(cat /tmp/counts)" "^# entries-in-buffer/entries-written: $unread/$many   #P:$(nproc)\$" \
	"trace counts what is there, and what was written"
is "$(lost_in $dir/trace)" 0 "trace tells no loss before its first event, as in tracefs"
/tests/text read $dir/trace_pipe >/tmp/pipe 2>/dev/null
is "$(($(lost_in /tmp/pipe) + $(grep -c ': number ' /tmp/pipe)))" "$total" "printed and lost are all"
ok "there are losses" test "$(lost_in /tmp/pipe)" -gt 0
is "$(head -n 1 /tmp/pipe | cut -c 1-4)" "CPU:" "a loss is told before the events that follow it"
echo 0 >$root/overwrite
: >$dir/trace
markers 1 $many 2>/dev/null
kept=$(grep -c ': number ' $dir/trace)
/tests/text read $dir/trace_pipe >/tmp/pipe 2>/dev/null
is "$(numbers /tmp/pipe | wc -w)" "$kept" "the ring was full: the oldest are read"
is "$(($(lost_in /tmp/pipe) + kept))" $many "and the rest is lost"
is "$(tail -n 1 /tmp/pipe | cut -c 1-4)" "CPU:" "which is told behind them"

# A reader sees the loss behind the events of one CPU, and ends after an event of another one.
: >$dir/trace
taskset -p 2 $$ >/dev/null
markers 1 $many 2>/dev/null
taskset -p 1 $$ >/dev/null
markers 1 5
taskset -p "$mask" $$ >/dev/null
kept=$(grep -c '\[001\].*: number ' $dir/trace)
bytes=$(grep -v '^#' $dir/trace | sed '/\[000\]/,$d' | wc -c)
dd if=$dir/trace_pipe bs=1 count=$((bytes + 10)) 2>/dev/null >/tmp/part
is "$(grep -c '\[001\].*: number ' /tmp/part) $(lost_in /tmp/part)" "$kept 0" "it has printed no loss"
/tests/text read $dir/trace_pipe >/tmp/pipe 2>/dev/null
is "$(lost_in /tmp/pipe)" $((many - kept)) "the next reader prints it"
echo 1 >$root/overwrite

# A reader finds the loss of a CPU, prints an event of the other one, and the rings expire.
: >$dir/trace
taskset -p 1 $$ >/dev/null
markers 1 5
taskset -p 2 $$ >/dev/null
markers 1 $many
taskset -p "$mask" $$ >/dev/null
dd if=$dir/trace_pipe bs=1 count=10 2>/dev/null >/tmp/part
retired=$(cat $root/retired_size_kb) size=$(cat $root/buffer_size_kb)
echo 0 >$root/retired_size_kb
for kb in $((size + 64)) $((size + 128)) "$size"; do
	echo "$kb" >$root/buffer_size_kb
done
echo "$retired" >$root/retired_size_kb
/tests/text read $dir/trace_pipe >/tmp/pipe 2>/dev/null
is $(($(lost_in /tmp/pipe) + $(grep -c ': number ' /tmp/pipe))) $((many + 5 - 1)) \
	"a loss that was found only is told by the rings behind it"

if echo x86-tsc >$root/trace_clock 2>/dev/null; then
	echo cycles >/dev/rbmap/marker
	like "$(tail -n 1 $dir/trace)" '\] [^ ]+ +[0-9]{6,}: tracing_mark_write: cycles$' \
		"times of x86-tsc are cycles"
	echo local >$root/trace_clock
fi

# The writer is some 80 sub-buffers beyond the beginning of a lap of 128: trace looks for 64
# one after the other.
echo $((128 * page_kb)) >$dir/buffer_size_kb
: >$dir/trace
pad=$(printf '%0500d' 0)
taskset 1 sh -c 'for i in $(seq "$0"); do
	echo "number $i $1"
done >/dev/rbmap/marker' $((375 * page_kb)) "$pad"
unread=$(grep -c ': number ' $dir/trace)
is "$(awk '/^entries: / { sum += $2 } END { print sum }' $dir/per_cpu/cpu*/stats)" "$unread" \
	"trace prints all events of a ring that was overwritten"
ok "these are many" test "$unread" -gt 500
echo 8 >$dir/buffer_size_kb
: >$dir/trace

# --- the same under load, while the writer overwrites what is read
for percent in 0 50; do
	echo 1 >$dir/tracing_on
	: >$dir/trace
	echo $percent >$root/buffer_percent
	cat $dir/trace_pipe >/tmp/pipe &
	pid=$!
	retry_until 20 sleeps $pid
	echo 1 >$root/events/raw_syscalls/enable
	dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null &
	busy=$!
	for i in 1 2 3 4 5; do
		cat $dir/trace
	done >/tmp/texts
	wait $busy
	echo 0 >$root/events/raw_syscalls/enable
	echo number 1 >/dev/rbmap/marker
	retry_until 30 grep -q 'number 1$' /tmp/pipe
	echo 0 >$root/tracing_on
	wait $pid
	is "$?" 0 "buffer_percent $percent: trace_pipe ends when recording stops"
	is "$(($(lost_in /tmp/pipe) + $(grep -c '^ .*\] .*: [a-z]' /tmp/pipe)))" "$(summed emitted)" \
		"printed and lost are all events"
	is "$(grep -vcE '^(CPU:| +[^ ].*-[0-9]+ +\[[0-9]+\] .*: (sys_|tracing))' /tmp/pipe)" 0 "each line is one"
	is "$(grep -vcE '^(#|CPU:| +[^ ].*-[0-9]+ +\[[0-9]+\] .*: (sys_|tracing))' /tmp/texts)" 0 \
		"each line of trace is one, too"
	is "$(grep -c '^# tracer: nop$' /tmp/texts)" 5 "and each trace has an end"
done
echo 1 >$dir/tracing_on

# --- a named buffer
mkdir $dir/instances/b
echo 1 >$dir/instances/b/events/rbmap/marker/enable
echo number 7 >$dir/instances/b/trace_marker
is "$(numbers $dir/instances/b/trace)" "7 " "trace of a named buffer"
is "$(numbers $dir/trace)" "" "is its own"
fails "the buffer is in use while its text is read" sh -c "exec 3<$dir/instances/b/trace_pipe && rmdir $dir/instances/b"
is "$(/tests/text read /dev/rbmap/b/trace_pipe 2>/dev/null | numbers)" "7 " "trace_pipe of it"
is "$(numbers /dev/rbmap/b/per_cpu/0/trace /dev/rbmap/b/per_cpu/1/trace)" "" "the files of its processors"
rmdir $dir/instances/b
for name in trace_pipe per_cpu; do
	fails "a buffer cannot have the name $name" mkdir $dir/instances/$name
done

# --- O_TRUNC, seek
markers 1 4
echo >>$dir/trace
is "$(numbers $dir/trace)" "1 2 3 4 " "a write changes nothing"
is "$(/tests/text seek $dir/trace 2>/tmp/error | numbers)" "1 2 3 4 1 2 3 4 " "the beginning can be sought"
is "$(tr '\n' ' ' </tmp/error)" "EOF EOF " "each text has an end"
echo number 1 >$tracefs/trace_marker
for each in $tracefs $dir; do
	is "$(/tests/text at $each/trace 2>&1)" same "$each: a read at an offset has the text from there on"
	is "$(/tests/text append $each/trace $each/error_log 2>&1 | tr '\n' ' ')" "0 0 " \
		"$each: programs may append"
done
is "$(/tests/text append $dir/snapshot 2>&1)" 0 "also to a snapshot"
sh -c "echo >$dir/per_cpu/cpu0/trace; echo >$dir/per_cpu/cpu1/trace"
is "$(numbers $dir/trace)" "" "O_TRUNC of the files of processors empties their rings"
markers 1 4
: >$dir/trace
is "$(numbers $dir/trace)" "" "O_TRUNC empties all"

# --- the text of a snapshot
markers 1 6
taskset 2 sh -c 'echo number 7 >/dev/rbmap/marker'
cat $dir/trace >/tmp/trace
cat $dir/per_cpu/cpu1/trace >/tmp/trace1
echo 1 >$dir/snapshot
is "$(cat $root/snapshot)" 1 "snapshot takes a snapshot"
for nr in first second; do
	is "$(diff /tmp/trace $dir/snapshot)" "" "its text is that of trace before, the $nr time"
done
is "$(diff /tmp/trace1 $dir/per_cpu/cpu1/snapshot)" "" "and that of a processor"
is "$(/tests/text seek $dir/snapshot 2>/dev/null | numbers)" "$(numbers /tmp/trace /tmp/trace)" \
	"the beginning of the text can be sought"
is "$(numbers $dir/trace)" "" "trace goes on without these events"
exec 3<$dir/snapshot
read -r line <&3
echo 1 >$dir/snapshot
is "$(cat <&3 | numbers)" "$(numbers /tmp/trace)" "a text that was begun goes on with its snapshot"
exec 3<&-
is "$(sed -n 4p $dir/snapshot)" "# * Snapshot is allocated *" "an empty snapshot"
echo 2 >$dir/snapshot
is "$(cat $root/snapshot)" 0 "2 discards the snapshot"
echo 1 >$dir/per_cpu/cpu1/snapshot
is "$(cat $root/per_cpu/cpu0/snapshot $root/per_cpu/cpu1/snapshot | tr '\n' ' ')" "0 1 " "that of a processor"
for bad in 0 x '1 1' -1 "$(seq 20 | tr -d '\n')"; do
	fails "the snapshot of a processor refuses '$bad'" sh -c "echo '$bad' >$dir/per_cpu/cpu1/snapshot"
done
like "$(cat $dir/error_log)" 'snapshot: error: write 1 or 2' "error_log has the refusal"
echo 0 >$dir/snapshot
is "$(cat $root/snapshot)" 0 "0 discards it"
size=$(cat $root/buffer_size_kb)
echo 8 >$root/buffer_size_kb
i=0
while [ $i -lt 1500 ]; do
	echo "number $i"
	i=$((i + 1))
done | while read -r line; do echo "$line"; done >/dev/rbmap/marker
cat $dir/trace >/tmp/trace
echo 1 >$dir/snapshot
is "$(diff /tmp/trace $dir/snapshot)" "" "the same where events were overwritten"
echo 0 >$dir/snapshot
echo "$size" >$root/buffer_size_kb
: >$dir/trace
is "$(cat $root/per_cpu/cpu*/stats | grep -c 'retired rings: [1-9]')" 0 "no text keeps a ring"
if [ -e $tracefs/snapshot ]; then
	# Many kernels take no snapshot of one processor, and say so.
	echo >$tracefs/trace
	for take in 0 1; do
		echo $take >$dir/snapshot
		echo $take >$tracefs/snapshot
		is "$(diff $tracefs/snapshot $dir/snapshot)" "" "after $take the text is that of tracefs"
		for each in $tracefs $dir; do
			grep -v -e 'echo 1 >' -e '^#   *[TM][a-z]* .*main ' $each/per_cpu/cpu1/snapshot
		done >/tmp/both
		is "$(sort /tmp/both | uniq -u)" "" "and so is that of a processor"
	done
	echo 0 >$tracefs/snapshot
	echo 0 >$dir/snapshot
else
	skip "this kernel's tracefs has no snapshots" "the text of tracefs"
fi

# --- events made at run time, and those of other modules
echo 't:mine/one sys_exit ret=$arg2:s64 byte=$arg2:u8 small=$arg2:s16 hex=$arg2:x32 none=+0($arg2):u32 text=+0($arg2):string' \
	>$root/dynamic_events
echo $$ >$root/set_event_pid
echo 1 >$root/events/mine/one/enable
read -r line </nonesuch 2>/dev/null
echo 0 >$root/events/mine/one/enable
echo >$root/set_event_pid
cat $dir/trace >/tmp/ours
rbmap stream --observe --no-follow 2>/dev/null >/tmp/stream
ok "an event made at run time is printed" \
	grep -qE ' one: ret=-2 byte=254 small=-2 hex=0xfffffffe none=0\(fault\) text=' /tmp/ours
for file in stream ours; do
	grep -v '^#' /tmp/$file | context >/tmp/$file.same
done
is "$(diff /tmp/ours.same /tmp/stream.same | sed 's/^@/ @/' | head -n 6)" "" "as rbmap stream prints it"
echo '-:mine/one' >$root/dynamic_events

# --- who keeps whom
cat $dir/trace_pipe >/tmp/pipe &
pid=$!
ok "a reader waits" retry_until 20 sleeps $pid
umount $dir
fails "a reader keeps the module" rmmod rbmap
kill $pid
wait $pid
ok "unload" retry_until 10 rmmod rbmap
done_testing
