#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events of the kernel: each can be named, has ftrace's format, and is counted under
# load. Filters, tasks and several buffers; modules that come and go while their events
# fire; processors that go off line; events that are switched under fire. LONG=1 switches
# ten thousand times.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
hit=/sys/module/source/parameters/hit
hits=/sys/module/source/parameters/hits
[ -e $theirs/events ] || mount -t tracefs none $theirs

ok "module loads" load_module rbmap buffer_size_kb=8192 || done_testing

# Names
fails "there is no directory of an event before somebody names it" test -e $events/kmem/rss_stat
refused set_event no_such:event "Invalid argument"
refused set_event kmem:no_such "Invalid argument"
# The marker is on from the beginning.
ok "an event of the kernel can be named" put set_event kmem:rss_stat
is "$(grep -v ^rbmap: $root/set_event)" kmem:rss_stat "set_event lists the event"
is "$(cat $events/kmem/rss_stat/status) $(cat $events/kmem/rss_stat/source)" "available kernel" \
	"status and source of an event of the kernel"
is "$(cat $events/sched/sched_switch/source)" "built in" "source of a built-in event"
ok "a system can be named" put set_event writeback
is "$(find $events/writeback -name format | wc -l)" "$(find $theirs/events/writeback -name format | wc -l)" \
	"all events of the system exist"
put set_event ' '

# All of them, with ftrace's formats
ok "all events can be named at once" put set_event '*:*'
put set_event ' '
different=0 made=0
for file in "$theirs"/events/*/*/format; do
	event=${file#"$theirs"/events/}
	case $event in
	syscalls/* | ftrace/*) continue ;;
	esac
	made=$((made + 1))
	sed 's/^ID: .*/ID: N/' "$file" >/tmp/theirs
	sed 's/^ID: .*/ID: N/' "$events/$event" >/tmp/ours
	if ! cmp -s /tmp/theirs /tmp/ours; then
		different=$((different + 1))
		diag "$event" "$(diff /tmp/theirs /tmp/ours | head -n 4)"
	fi
done
is "$different" 0 "all $made formats are ftrace's"

# Under load: each call is received or missed, and each received one is in a ring or counted
grep -l '^kernel$' $events/*/*/source | sed 's|.*/events/||; s|/source$||; s|/|:|' >/tmp/names
put set_event "$(cat /tmp/names)"
is "$(grep -vc ^rbmap: $root/set_event)" "$(wc -l </tmp/names)" \
	"a list of names that is longer than a page enables each of them"
put set_event ' '
sums()
{
	awk -F ': *' -v key="$1" '$1 == key { sum += $2 } END { print sum + 0 }' \
		$events/*/*/counts
}
received_before=$(sums received)
missed_before=$(sums missed)
put reset 1
put set_event "$(cat /tmp/names)"
for number in 1 2 3; do
	find /proc /sys/kernel/rbmap -type f -name 'stat*' -exec cat {} + >/dev/null 2>&1 &
done
wait
put set_event ' '
calls=$(sums calls) received=$(sums received) missed=$(sums missed)
ok "events were recorded under load" test "$((received - received_before))" -gt 1000
is "$((received + missed))" "$calls" "$calls calls = $received received + $missed missed"
is "$(($(summed emitted) + $(summed 'dropped events')))" $((received - received_before)) \
	"each record that was received is in a ring, or counted as dropped"
is "$(summed missed)" $((missed - missed_before)) "stats count what was missed"
put reset 1
is "$(summed missed)" 0 "a reset clears the number of missed events"

# An event of a module: filters, tasks, several buffers
put set_event ' '
refused set_event source:source_hit "Invalid argument"
ok "the module loads" load_module source || done_testing
ok "its event can be named" put set_event source:source_hit
is "$(recorded "echo '1 x' >$hit")" 1 "its event is recorded"
put events/source/source_hit/filter 'number == 2 && text == "abc"'
is "$(recorded "echo '2 abc' >$hit; echo '2 abd' >$hit; echo '3 abc' >$hit")" 1 \
	"a filter compares numbers and strings"
put events/source/source_hit/filter 'common_pid == 1'
is "$(recorded "echo '2 abc' >$hit")" 0 "a filter compares common fields"
put events/source/source_hit/filter 'common_preempt_count == 0'
is "$(recorded "echo '2 abc' >$hit")" 1 "the preemption count is that of the event"
put events/source/source_hit/filter 0
put set_event_pid 1
is "$(recorded "echo '2 abc' >$hit")" 0 "an event of another task is not recorded"
put set_event_pid ' '
put instances/create other
other=$root/instances/other
fails "another buffer does not have the event" test -e $other/events/source
ok "it can be named there" put instances/other/set_event source:source_hit
before=$(summed emitted $other)
is "$(recorded "echo 100 >$hits")" 100 "both buffers record the event: the first"
is "$(($(summed emitted $other) - before))" 100 "both buffers record the event: the second"
is "$(sed -n 's/^calls: //p' $events/source/source_hit/counts)" \
	"$(sed -n 's/^received: //p' $events/source/source_hit/counts)" "no call was missed"

# The module is unloaded while its event is on, and while it fires
ok "the module unloads while its event is on" rmmod source
like "$(cat $events/source/source_hit/status)" '^waiting' "the event waits for the module"
ok "the module loads again" load_module source
is "$(cat $events/source/source_hit/status)" available "the event has found it"
is "$(recorded "echo 10 >$hits")" 10 "one hit is one event"
rounds=20
[ -z "$SHORT" ] || rounds=5
[ -z "$LONG" ] || rounds=200
for round in $(seq $rounds); do
	(while echo 500 >$hits; do :; done) 2>/dev/null &
	rmmod source 2>/dev/null || { sleep 0.1; rmmod source; }
	wait $!
	load_module source || break
done
is "$(recorded "echo 10 >$hits")" 10 "after $round unloads under fire one hit is one event"
put instances/destroy other

# Switched under fire
(while echo 1000 >$hits; do :; done) 2>/dev/null &
fire=$!
(while :; do cat /proc/stat; done) >/dev/null &
more=$!
rounds=100
[ -z "$SHORT" ] || rounds=30
[ -z "$LONG" ] || rounds=10000
for round in $(seq $rounds); do
	put set_event 'source kmem:rss_stat vmscan'
	put set_event ' '
done
kill $fire $more
wait $fire $more 2>/dev/null
for name in source/source_hit kmem/rss_stat; do
	is "$(awk '{ n[$1] = $2 } END { print n["calls:"] - n["received:"] - n["missed:"] }' $events/$name/counts)" \
		0 "$name: calls = received + missed after $round switches"
done

# A processor goes and comes
cpu=/sys/devices/system/cpu/cpu1
if [ -e $cpu/online ]; then
	put set_event source:source_hit
	echo 0 >$cpu/online
	echo 1 >$cpu/online
	on_cpu1()
	{
		before=$(sed -n 's/^emitted: //p' $root/per_cpu/cpu1/stats)
		taskset 2 sh -c "echo 10 >$hits"
		test $(($(sed -n 's/^emitted: //p' $root/per_cpu/cpu1/stats) - before)) = 10
	}
	ok "events of a processor that came back are recorded" retry_until 10 on_cpu1
	is "$(awk '{ n[$1] = $2 } END { print n["calls:"] - n["received:"] - n["missed:"] }' $events/source/source_hit/counts)" \
		0 "meanwhile none was lost without being counted"
fi

put set_event '*:*'
ok "rbmap unloads while all events fire" rmmod rbmap
ok "the module unloads" rmmod source

# The same moments as ftrace
ok "module loads to compare contents" load_module rbmap buffer_size_kb=16384 kptr=1 || done_testing
for file in /proc/irq/*/smp_affinity; do
	echo 1 >"$file"
done 2>/dev/null
results "" records all
ok "module unloads" rmmod rbmap
ok "module loads with hashed addresses" load_module rbmap buffer_size_kb=16384 || done_testing
results "" records addresses
ok "module unloads" rmmod rbmap
done_testing
