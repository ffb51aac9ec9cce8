#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The control files in a few seconds: what is obeyed, what is refused and how, and
# that it holds for the rings that come.
# shellcheck disable=SC2016,SC2317 # for another shell; called by ok
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
	"before any memory is taken"
refused buffer_size_kb $((65535 * page_kb)) "$invalid"
obeyed buffer_subbuf_size_kb 64
is "$(cat $root/buffer_size_kb)" 128 "a ring has two sub-buffers and more"
like "$(cat $events/header_page)" "field: char data;.*size:$((65536 - 16));" "header_page says so"
obeyed buffer_subbuf_size_kb "$page_kb"
obeyed buffer_size_kb 64
obeyed per_cpu/cpu0/buffer_size_kb 128
is "$(cat $root/buffer_size_kb)" X "the processors' differ"
obeyed buffer_size_kb 64

# They hold for rings to come
marked x
obeyed tracing_on 0
put buffer_size_kb 128
is "$(recorded 'marked off')" 0 "off: a new ring is off, too"
ok "which is counted" test "$(summed disabled)" -gt 0
obeyed tracing_on 1
is "$(recorded 'marked on')" 1 "on again"
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
ok "it drops" test "$(summed 'dropped full')" -gt 0
obeyed overwrite 1
n=0
while [ $n -lt 100 ]; do
	marked "$long"
	n=$((n + 1))
done
ok "overwrite: it overwrites" test "$(summed overrun)" -gt 0
obeyed tracing_on 0
marked off
obeyed tracing_on 1
ok "off: this ring has refused it" test "$(summed disabled)" -gt 0
put reset 1
is "$(summed entries) $(summed emitted) $(summed overrun) $(summed 'lost events') $(summed 'dropped full') $(summed disabled)" \
	"0 0 0 0 0 0" "reset: all counters"
marked gone
put buffer_size_kb 128
for cpu in /dev/rbmap/cpu*; do
	timeout 1 cat "$cpu" >/dev/null
done
is "$(summed 'retired rings') $(summed emitted)" "0 1" "a ring that was read to its end is gone, and still counts"
put reset 1
is "$(summed emitted)" 0 "reset: it counts no more"
put buffer_size_kb 64
is "$(recorded 'marked one')" 1 "it counts on"
is "$(summed entries)" 1 "what is unread"
put snapshot 1
is "$(cat $root/snapshot) $(summed entries) $(summed 'snapshot events')" "1 0 1" "a snapshot has it"
put snapshot 0
is "$(cat $root/snapshot)" 0 "no snapshot"
put reset 1

# What is on
is "$(cat $events/enable) $(cat $events/sched/enable) $(cat $events/rbmap/marker/enable)" "0 0 1" \
	"the marker alone is on"
put events/enable 0
is "$(recorded 'marked x')" 1 "and not switched off with the others"
# Not of the commands that count.
put events/sched/sched_process_exec/filter 'filename == "/bin/busybox"'
put events/sched/sched_process_exec/enable 1
is "$(cat $events/sched/enable)" X "some are on"
is "$(recorded '/bin/busybox true')" 1 "one event"
put events/sched/sched_process_exec/filter 'common_pid > 1 && filename == "/bin/busybox"'
is "$(recorded '/bin/busybox true')" 1 "a filter of what all records have"
put events/sched/sched_process_exec/enable 0
is "$(recorded '/bin/busybox true')" 0 "off"
refused events/sched/sched_process_exec/enable 2 "$invalid"
put events/sched/enable 1
is "$(cat $events/sched/*/enable | sort -u)" 1 "all of a system"
put events/sched/enable 0

# Filters
filter=events/rbmap/marker/filter
is "$(cat $root/$filter)" none "no filter"
obeyed $filter 'buf ~ "yes*"\n' 'buf ~ "yes*"'
is "$(recorded 'marked yes; marked no; marked yes.')" 2 "those that it wants"
put $filter "buf ~ 'y" && not_ok "a filter that is none"
like "$(cat $root/$filter)" 'parse_error: Missing matching quote' "the file says what is wrong"
is "$(recorded 'marked yes; marked no')" 2 "after an error all are recorded"
obeyed $filter 'common_pid == 1' 'common_pid == 1'
is "$(recorded 'marked yes')" 0 "what all records have"
obeyed $filter "common_pid != 1 && COMM == 'settings.sh'"
is "$(recorded 'marked yes')" 1 "and the task's name"
obeyed $filter 'common_pid > 1' 'common_pid > 1'
is "$(recorded 'marked yes')" 1 "the number of the task that writes"
obeyed $filter 0 none
is "$(recorded 'marked yes')" 1 "all again"
put events/sched/filter 'prev_pid == 7'
is "$(cat $events/sched/sched_switch/filter)" 'prev_pid == 7' "a system's: an event that has the field"
like "$(cat $events/sched/sched_waking/filter)" "Couldn't find or set field" "one that has not"
ok "an expression that suits none is refused" sh -c "! echo 'foo == 1' >$events/sched/filter" 2>/dev/null
is "$(cat $events/sched/sched_switch/filter)" 'prev_pid == 7' "which changes nothing"
put events/sched/filter 0
is "$(cat $events/sched/*/filter | sort -u)" none "all are cleared"

# Pids
put events/sched/sched_process_exec/filter 'filename == "/bin/busybox"'
put events/sched/sched_process_exec/enable 1
refused set_event_pid '1 x' "$invalid"
refused set_event_pid 0 "$invalid"
refused set_event_pid 123456789 "$invalid"
put set_event_pid '1\n'
is "$(cat $root/set_event_pid)" 1 "set_event_pid"
is "$(recorded '/bin/busybox true')" 0 "others are not recorded"
is "$(recorded 'marked x')" 1 "but for markers, which have a switch of their own"
is "$(recorded "sh -c 'echo \$\$ >$root/set_event_pid; exec /bin/busybox true'")" 1 \
	"a task that is chosen is"
echo 1 >$root/set_event_pid
echo $$ >>$root/set_event_pid
is "$(sort -n $root/set_event_pid | xargs)" "1 $$" "one more"
is "$(recorded '/bin/busybox true')" 0 "its children are not"
obeyed options/event-fork 1
is "$(recorded '/bin/busybox true')" 1 "followed they are"
sh -c 'echo $$ >/tmp/ended'
not_chosen()
{
	! grep -qx "$(cat /tmp/ended)" "$root/set_event_pid"
}
ok "and chosen no more when they have ended" retry_until 20 not_chosen
obeyed options/event-fork 0
is "$(recorded '/bin/busybox true')" 0 "followed no more"
put events/sched/sched_process_exec/enable 0
# A task that is switched to, which is not the current one then.
sleep 1000 &
other=$!
echo $other >$root/set_event_pid
put events/sched/sched_switch/filter "next_pid == $other"
put events/sched/sched_switch/enable 1
ok "a switch to a chosen task is recorded" \
	test "$(recorded "kill -STOP $other; kill -CONT $other; sleep 0.2")" -gt 0
put events/sched/sched_switch/enable 0
put events/sched/sched_switch/filter 0
kill $other
echo >$root/set_event_pid
is "$(cat $root/set_event_pid)" "" "no pids"
put events/sched/sched_process_exec/enable 1
is "$(recorded "sh -c 'echo \$\$ >$root/set_event_notrace_pid; exec /bin/busybox true'")" 0 \
	"set_event_notrace_pid: a task that is named is not recorded"
is "$(recorded '/bin/busybox true')" 1 "others are"
: >$root/set_event_notrace_pid
put events/sched/sched_process_exec/enable 0
is "$(recorded 'marked x')" 1 "all tasks again"

# Buffers
for name in a A.b-c_9 cpux abcdefghijklmnopqrstuvwxyz012345; do
	ok "a buffer may be called $name" put instances/create "$name"
	ok "$name goes" put instances/destroy "$name"
done
for name in '' . .x a/b cpu0 marker snapshot create 'x=1' 'a\tb' \
	abcdefghijklmnopqrstuvwxyz0123456; do
	refused instances/create "$name\n" "$invalid"
done
ok "with settings" put instances/create \
	"b buffer_size_kb=128 subbuf_size_kb=16 overwrite=0 clock=mono\n"
is "$(cd $root/instances/b && cat buffer_size_kb buffer_subbuf_size_kb overwrite | xargs)" \
	"128 16 0" "which it has"
like "$(cat $root/instances/b/trace_clock)" '\[mono\]' "and its clock"
refused instances/create b 'File exists'
refused instances/create 'c size=1' "$invalid"
refused instances/create 'c overwrite=2' "$invalid"
refused instances/destroy c 'No such file'
fails "nothing is left" test -e $root/instances/c
ok "its events are its own" put instances/b/events/sched/sched_process_exec/enable 1
is "$(recorded '/bin/busybox true')" 0 "the other buffer has none"
ok "its own has" test "$(summed emitted $root/instances/b)" -gt 0
ok "it goes with events on" put instances/destroy b

# Modes
is "$(find $root -type f -perm -0002)" "" "nothing is writable for everybody"
is "$(stat -c %a /dev/rbmap/cpu0 /dev/rbmap/snapshot/cpu0 /dev/rbmap/marker | xargs)" \
	"440 440 220" "devices are root's"
ok "module unloads" rmmod rbmap
done_testing
