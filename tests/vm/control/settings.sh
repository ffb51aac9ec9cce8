#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A short test of the control files: which values they accept, which ones they refuse
# and how, and that a setting applies to later rings, too.
# shellcheck disable=SC2016,SC2317 # for an inner shell; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events

invalid='Invalid argument'

marked()
{
	printf %s "$1" >/dev/rbmap/marker
} 2>/dev/null

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing

# Numbers
for value in -1 2 x 1x ' 1' +1 0x1 '1\n\n' 99999999999999999999 '1\00001'; do
	refused tracing_on "$value" "$invalid"
done
refused buffer_percent 101 "$invalid"
obeyed buffer_percent '100\n' 100
obeyed buffer_percent '7\0000' 7
refused reset 2 "$invalid"
refused trace_clock sundial "$invalid"
refused trace_clock 'mono\0000x' "$invalid"
put trace_clock mono
like "$(cat $root/trace_clock)" '^local \[mono\] boot' "trace_clock takes mono"
put trace_clock local

# Sizes
obeyed buffer_size_kb $((16 * page_kb + 1)) $((17 * page_kb))
refused buffer_size_kb 0 "$invalid"
refused buffer_subbuf_size_kb 3 "$invalid"
refused buffer_subbuf_size_kb 8192 "$invalid"
refused buffer_size_kb $((65534 * page_kb)) 'Cannot allocate memory'
like "$(dmesg | tail -n 5)" 'KiB are missing: choose a smaller buffer_size_kb' \
	"a size is refused before memory is allocated"
# 8192 sub-buffers are many, and 65534 the most: they become larger unless a user has set their size.
obeyed per_cpu/cpu0/buffer_size_kb $((8192 * page_kb))
is "$(cat $root/per_cpu/cpu0/buffer_subbuf_size_kb)" "$page_kb" "a ring has 8192 small sub-buffers"
obeyed per_cpu/cpu0/buffer_size_kb $((8193 * page_kb)) $((8194 * page_kb))
is "$(cat $root/per_cpu/cpu0/buffer_subbuf_size_kb)" $((2 * page_kb)) "a larger ring has larger ones"
refused buffer_size_kb $((65535 * page_kb)) 'Cannot allocate memory'
obeyed per_cpu/cpu0/buffer_size_kb $((65535 * page_kb)) $((65536 * page_kb))
is "$(cat $root/per_cpu/cpu0/buffer_subbuf_size_kb)" $((8 * page_kb)) \
	"a large ring has sub-buffers that are found in fragmented memory"
obeyed per_cpu/cpu0/buffer_size_kb 64
is "$(cat $root/per_cpu/cpu0/buffer_subbuf_size_kb)" "$page_kb" \
	"a small ring has small sub-buffers again"
# Another change waits until the large ring is free.
obeyed per_cpu/cpu0/buffer_size_kb 128
put per_cpu/cpu0/buffer_size_kb $(($(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo) * 2 / 3))
for change in 'snapshot 1' 'trace_clock mono'; do
	refused "${change% *}" "${change#* }" 'Cannot allocate memory'
	like "$(last_logged)" 'KiB are missing: choose a smaller buffer_size_kb' \
		"a second ring is refused before memory is allocated: $change"
done
like "$(cat $root/trace_clock)" '^\[local\] mono boot' "trace_clock stays"
is "$(dmesg | grep -ci 'out of memory')" 0 "no process was killed for them"
obeyed per_cpu/cpu0/buffer_size_kb 64
obeyed per_cpu/cpu0/buffer_subbuf_size_kb "$page_kb"
refused per_cpu/cpu0/buffer_size_kb $((65535 * page_kb)) "$invalid"
if [ -e $root/per_cpu/cpu1 ]; then
	# The size was set for the other CPU alone.
	obeyed per_cpu/cpu1/buffer_size_kb $((65535 * page_kb)) $((65536 * page_kb))
	obeyed per_cpu/cpu1/buffer_size_kb 64
fi
refused buffer_size_kb $((65535 * page_kb)) 'Cannot allocate memory'
obeyed buffer_subbuf_size_kb "$page_kb"
refused buffer_size_kb $((65535 * page_kb)) "$invalid"
obeyed buffer_subbuf_size_kb 64
is "$(cat $root/buffer_size_kb)" 128 "a ring has at least two sub-buffers"
like "$(cat $events/header_page)" "field: char data;.*size:$((65536 - 16));" "header_page has the size of sub-buffers"
obeyed buffer_subbuf_size_kb "$page_kb"
obeyed buffer_size_kb 64
obeyed per_cpu/cpu0/buffer_size_kb 128
is "$(cat $root/buffer_size_kb)" X "the sizes of the processors differ"
obeyed buffer_size_kb 64

# The memory of a large ring is freed a moment later, and before that of the next one is counted.
large=$(($(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo) * 6 / 10 / $(grep -c ^processor /proc/cpuinfo)))
for turn in first second; do
	put instances/create "large buffer_size_kb=$large"
	ok "a $turn buffer has most of the memory" test -d $root/instances/large
	put instances/destroy large
done

# Settings apply to new rings
marked x
obeyed tracing_on 0
put buffer_size_kb 128
is "$(recorded 'marked off')" 0 "tracing_on=0: a new ring records nothing"
ok "tracing_on=0: the event is counted as disabled" test "$(summed disabled)" -gt 0
obeyed tracing_on 1
is "$(recorded 'marked on')" 1 "tracing_on=1: events are recorded again"
obeyed overwrite 0
put buffer_size_kb 64
put reset 1
long=$(printf '%2000s' x)
n=0
while [ $n -lt 200 ]; do
	marked "$long"
	n=$((n + 1))
done
is "$(summed overrun)" 0 "discard: a new ring overwrites nothing"
ok "discard: a full ring drops" test "$(summed 'dropped full')" -gt 0
obeyed overwrite 1
n=0
while [ $n -lt 100 ]; do
	marked "$long"
	n=$((n + 1))
done
ok "overwrite: a full ring overwrites" test "$(summed overrun)" -gt 0
obeyed tracing_on 0
marked off
obeyed tracing_on 1
ok "tracing_on=0: this ring has refused the event" test "$(summed disabled)" -gt 0
put reset 1
is "$(summed entries) $(summed emitted) $(summed overrun) $(summed 'lost events') $(summed 'dropped full') $(summed disabled)" \
	"0 0 0 0 0 0" "reset: all counters are 0"
marked gone
put buffer_size_kb 128
for cpu in /dev/rbmap/cpu*; do
	cat "$cpu" >/dev/null &
	retry_until 20 grep -qx 'retired rings: 0' "$root/per_cpu/${cpu##*/}/stats"
	kill $!
	wait $! 2>/dev/null
done
is "$(summed 'retired rings') $(summed emitted)" "0 1" "a ring that was read to its end is freed, and still counts"
put reset 1
is "$(summed emitted)" 0 "reset: a freed ring counts no more"
put buffer_size_kb 64
is "$(recorded 'marked one')" 1 "a new ring records an event"
is "$(summed entries)" 1 "the event is unread"
put snapshot 1
is "$(cat $root/snapshot) $(summed entries) $(summed 'snapshot events')" "1 0 1" "the snapshot has the unread event"
put snapshot 0
is "$(cat $root/snapshot)" 0 "the snapshot is freed"
put snapshot 1
put snapshot 2
is "$(cat $root/snapshot)" 0 "2 discards the snapshot, too"
refused snapshot 3 "$invalid"
put reset 1

# The device that is truncated
marked x
is "$(sed -n 1p /dev/rbmap/trace)" "# tracer: nop" "trace begins as tracefs' file does"
echo x >>/dev/rbmap/trace
is "$(summed entries)" 1 "trace: a write without O_TRUNC discards nothing"
: >/dev/rbmap/trace
is "$(summed entries) $(summed emitted)" "0 0" "trace: O_TRUNC discards all events"
echo other >$root/instances/create
echo x >/dev/rbmap/other/marker
marked x
: >/dev/rbmap/trace
is "$(summed entries) $(summed entries $root/instances/other)" "0 2" \
	"trace: O_TRUNC discards no event of another buffer"
: >/dev/rbmap/other/trace
is "$(summed entries $root/instances/other)" 0 "trace of another buffer discards its events"
echo other >$root/instances/destroy

# Enabled events
is "$(cat $events/enable) $(cat $events/sched/enable) $(cat $events/rbmap/marker/enable)" "0 0 1" \
	"only the marker is enabled"
put events/enable 0
is "$(recorded 'marked x')" 1 "the marker stays enabled when all events are disabled"
# The filter excludes the commands of this test itself.
put events/sched/sched_process_exec/filter 'filename == "/bin/busybox"'
put events/sched/sched_process_exec/enable 1
is "$(cat $events/sched/enable)" X "the system's enable file shows that some events are on"
is "$(recorded '/bin/busybox true')" 1 "an enabled event is recorded"
put events/sched/sched_process_exec/filter 'common_pid > 1 && filename == "/bin/busybox"'
is "$(recorded '/bin/busybox true')" 1 "a filter of a common field accepts a record"
put events/sched/sched_process_exec/enable 0
is "$(recorded '/bin/busybox true')" 0 "a disabled event is not recorded"
refused events/sched/sched_process_exec/enable 2 "$invalid"
put events/sched/enable 1
# A kernel without CONFIG_SCHEDSTATS has fewer.
is "$(for event in "$events"/sched/*; do
	[ ! -e "$event/status" ] || grep -q '^unavailable' "$event/status" || cat "$event/enable"
done | sort -u)" 1 "all events of a system are enabled"
put events/sched/enable 0

# Events by name
ok "events are enabled by name" put set_event 'sched:sched_switch irq:irq_handler_entry\n'
is "$(sort $root/set_event | xargs)" "irq:irq_handler_entry rbmap:marker rbmap:marker_raw sched:sched_switch" \
	"set_event lists the enabled events"
ok "a system is enabled by name" sh -c "echo signal >>$root/set_event"
is "$(cat $events/signal/enable) $(cat $events/sched/sched_switch/enable)" "1 1" "set_event: >> adds events"
ok "an event is disabled by name" sh -c "echo '!*:sched_switch' >>$root/set_event"
is "$(cat $events/signal/enable) $(cat $events/sched/enable)" "1 0" "set_event: ! disables events"
ok "an event that the buffer does not have yet can be disabled" \
	sh -c "echo '!initcall:*' >>$root/set_event"
ok "and the words behind it are obeyed" \
	sh -c "echo '!initcall:initcall_start sched:sched_switch' >>$root/set_event"
is "$(cat $events/sched/sched_switch/enable)" 1 "an event that follows is enabled"
fails "the buffer does not get the event for that" test -e $events/initcall
fails "an event that does not exist cannot be disabled" \
	sh -c "echo '!initcall:nothing' >>$root/set_event"
ok "an event is enabled without its system" put set_event sched_switch
is "$(sort $root/set_event | xargs)" "rbmap:marker rbmap:marker_raw sched:sched_switch" "set_event: > replaces the events"
ok "an empty line disables all events" put set_event '\n'
is "$(sort $root/set_event | xargs)" "rbmap:marker rbmap:marker_raw" "set_event: the markers stay enabled"
refused set_event sched:nothing "$invalid"
refused set_event nothing "$invalid"
echo 1 >$events/enable
sort $root/set_event >/tmp/named
put set_event '\n'
ok "each of $(wc -l </tmp/named) events is enabled by its whole name" \
	sh -c "grep -v ^rbmap:marker /tmp/named | cat >>$root/set_event"
sort $root/set_event >/tmp/enabled
ok "and no other is" diff /tmp/named /tmp/enabled
ok "each is disabled by its whole name" \
	sh -c "grep -v ^rbmap:marker /tmp/named | sed 's/^/!/' | cat >>$root/set_event"
is "$(grep -v ^rbmap:marker $root/set_event)" "" "and no one is left"
ok "available_events lists an event that is off" grep -qx sched:sched_switch $root/available_events

# The tracer, lists of functions, options, names of threads
obeyed current_tracer nop
refused current_tracer function "$invalid"
ok "functions: an empty line is accepted" put set_ftrace_filter '\n'
refused set_ftrace_filter schedule "$invalid"
refused set_graph_notrace schedule "$invalid"
ok "an option is turned off" put trace_options 'nooverwrite\n'
is "$(cat $root/overwrite) $(sed -n 1p $root/trace_options)" "0 nooverwrite" "trace_options turns an option off"
put trace_options overwrite
put trace_options event-fork
is "$(cat $root/overwrite) $(cat $root/options/event-fork)" "1 1" "trace_options turns options on"
put trace_options noevent-fork
put trace_options nocopy_trace_marker
is "$(cat $root/options/copy_trace_marker $root/options/event-fork | xargs)" "0 0" "trace_options turns them off"
put trace_options copy_trace_marker
refused trace_options nosuch "$invalid"
ok "saved_cmdlines has the name of this script" grep -qx "$$ settings.sh" /dev/rbmap/saved_cmdlines
# The first process of a session ends, and its number goes on being that of the session.
setsid sh -c 'echo $$ >/tmp/session; sleep 1000 & echo $! >/tmp/member'
session=$(cat /tmp/session) member=$(cat /tmp/member)
ok "the first process of a session has ended" retry_until 20 test ! -e "/proc/$session"
ok "another one has its name" retry_until 20 runs "$member" sleep
dd if=/dev/rbmap/saved_cmdlines bs=5 2>/dev/null >/tmp/names
is "$(grep -c "^$session " /tmp/names) $(grep -cx "$member sleep" /tmp/names)" "0 1" \
	"saved_cmdlines has the other processes of the session"
ok "it has each number once, in their order" \
	awk '$1 <= last { wrong = 1 } { last = $1 } END { exit wrong || !NR }' /tmp/names
kill "$member"

# Filters
filter=events/rbmap/marker/filter
is "$(cat $root/$filter)" none "the marker has no filter"
obeyed $filter 'buf ~ "yes*"\n' 'buf ~ "yes*"'
is "$(recorded 'marked yes; marked no; marked yes.')" 2 "the filter accepts two of three markers"
put $filter "buf ~ 'y" && fail "an invalid filter was accepted"
like "$(cat $root/$filter)" 'parse_error: Missing matching quote' "the filter file has the error"
is "$(recorded 'marked yes; marked no')" 2 "after an error all markers are recorded"
obeyed $filter 'common_pid == 1' 'common_pid == 1'
is "$(recorded 'marked yes')" 0 "a filter of a common field refuses a marker"
obeyed $filter "common_pid != 1 && COMM == 'settings.sh'"
is "$(recorded 'marked yes')" 1 "a filter of the task's name accepts a marker"
obeyed $filter 'common_pid > 1' 'common_pid > 1'
is "$(recorded 'marked yes')" 1 "a filter of the task's number accepts a marker"
obeyed $filter 0 none
is "$(recorded 'marked yes')" 1 "without a filter all markers are recorded"
put events/sched/filter 'prev_pid == 7'
is "$(cat $events/sched/sched_switch/filter)" 'prev_pid == 7' "a system's filter: an event with the field has it"
like "$(cat $events/sched/sched_waking/filter)" "Couldn't find or set field" "a system's filter: an event without the field has an error"
ok "a system's filter that suits no event is refused" sh -c "! echo 'foo == 1' >$events/sched/filter" 2>/dev/null
is "$(cat $events/sched/sched_switch/filter)" 'prev_pid == 7' "a refused system filter changes nothing"
put events/sched/filter 0
is "$(cat $events/sched/*/filter | sort -u)" none "0 clears all filters of the system"

# Pids
put events/sched/sched_process_exec/filter 'filename == "/bin/busybox"'
put events/sched/sched_process_exec/enable 1
refused set_event_pid '1 x' "$invalid"
refused set_event_pid 0 "$invalid"
refused set_event_pid 123456789 "$invalid"
put set_event_pid '1\n'
is "$(cat $root/set_event_pid)" 1 "set_event_pid lists the task"
is "$(recorded '/bin/busybox true')" 0 "set_event_pid: other tasks are not recorded"
is "$(recorded 'marked x')" 1 "set_event_pid: markers are recorded nevertheless"
is "$(recorded "sh -c 'echo \$\$ >$root/set_event_pid; exec /bin/busybox true'")" 1 \
	"set_event_pid: a listed task is recorded"
echo 1 >$root/set_event_pid
echo $$ >>$root/set_event_pid
is "$(sort -n $root/set_event_pid | xargs)" "1 $$" "set_event_pid: >> adds a task"
is "$(recorded '/bin/busybox true')" 0 "set_event_pid: children of a listed task are not recorded"
obeyed options/event-fork 1
is "$(recorded '/bin/busybox true')" 1 "event-fork: children of a listed task are recorded"
sh -c 'echo $$ >/tmp/ended'
not_chosen()
{
	! grep -qx "$(cat /tmp/ended)" "$root/set_event_pid"
}
ok "event-fork: children that have ended are removed from the list" retry_until 20 not_chosen
obeyed options/event-fork 0
is "$(recorded '/bin/busybox true')" 0 "without event-fork: children are not recorded"
put events/sched/sched_process_exec/enable 0
# A task that is switched to: at that time it is not the current task.
sleep 1000 &
other=$!
echo $other >$root/set_event_pid
put events/sched/sched_switch/filter "next_pid == $other"
put events/sched/sched_switch/enable 1
before=$(summed emitted)
switched()
{
	kill -STOP $other
	kill -CONT $other
	[ "$(summed emitted)" -gt "$before" ]
}
ok "set_event_pid: a switch to a listed task is recorded" retry_until 20 switched
put events/sched/sched_switch/enable 0
put events/sched/sched_switch/filter 0
kill $other
echo >$root/set_event_pid
is "$(cat $root/set_event_pid)" "" "an empty line empties set_event_pid"
put events/sched/sched_process_exec/enable 1
is "$(recorded "sh -c 'echo \$\$ >$root/set_event_notrace_pid; exec /bin/busybox true'")" 0 \
	"set_event_notrace_pid: a task that is named is not recorded"
is "$(recorded '/bin/busybox true')" 1 "set_event_notrace_pid: other tasks are recorded"
: >$root/set_event_notrace_pid
put events/sched/sched_process_exec/enable 0
is "$(recorded 'marked x')" 1 "without lists all tasks are recorded"

# Buffers
for name in a A.b-c_9 cpux abcdefghijklmnopqrstuvwxyz012345; do
	ok "a buffer may be called $name" put instances/create "$name"
	ok "buffer $name is destroyed" put instances/destroy "$name"
done
for name in '' . .x a/b cpu0 cpu0-x marker marker_raw trace error_log saved_cmdlines snapshot create 'x=1' 'a\tb' \
	abcdefghijklmnopqrstuvwxyz0123456; do
	refused instances/create "$name\n" "$invalid"
done
ok "a buffer is created with settings" put instances/create \
	"b buffer_size_kb=128 subbuf_size_kb=16 overwrite=0 clock=mono\n"
is "$(cd $root/instances/b && cat buffer_size_kb buffer_subbuf_size_kb overwrite | xargs)" \
	"128 16 0" "the buffer has its settings"
like "$(cat $root/instances/b/trace_clock)" '\[mono\]' "the buffer has its clock"
refused instances/create b 'File exists'
refused instances/create 'c size=1' "$invalid"
refused instances/create 'c overwrite=2' "$invalid"
refused instances/destroy c 'No such file'
fails "no directory of a refused buffer is left" test -e $root/instances/c
ok "an event is enabled in the new buffer alone" put instances/b/events/sched/sched_process_exec/enable 1
is "$(recorded '/bin/busybox true')" 0 "the default buffer has no event"
ok "the new buffer has events" test "$(summed emitted $root/instances/b)" -gt 0
ok "a buffer with enabled events is destroyed" put instances/destroy b

# Modes
is "$(find $root -type f -perm -0002)" "" "no control file is writable for everybody"
is "$(stat -c %a /dev/rbmap/cpu0 /dev/rbmap/snapshot/cpu0 /dev/rbmap/marker /dev/rbmap/marker_raw /dev/rbmap/trace /dev/rbmap/error_log \
	/dev/rbmap/saved_cmdlines | xargs)" \
	"440 440 220 220 600 600 400" "modes of the devices"
ok "module unloads" rmmod rbmap
done_testing
