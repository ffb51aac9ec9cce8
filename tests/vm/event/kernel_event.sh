#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An event of the kernel, that of a module: filters, tasks, several buffers. The module comes
# and goes while its event fires, and comes again with another record. A processor goes off
# line, and events are switched under fire. LONG=1 switches ten thousand times.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
hit=/sys/module/source/parameters/hit
hits=/sys/module/source/parameters/hits

ok "module loads" load_module rbmap buffer_size_kb=2048 || done_testing

# An event of a module: filters, tasks, several buffers
refused set_event source:source_hit "Invalid argument"
ok "the module loads" load_module source || done_testing
ok "its event can be named" put set_event source:source_hit
is "$(cat $root/kernel_events)" alias "the check of the kernel's records has found nothing wrong"
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

# The text is that of the module's own function. A reader that waits does not keep the module.
cat /dev/rbmap/trace_pipe >/tmp/pipe &
reader=$!
echo '7 text' >$hit
ok "the event is printed" retry_until 20 grep -q 'source_hit: number=7 .*text=text' /tmp/pipe

# A text that is not in the record, but behind an address that is hashed
put instances/create texts
echo rcu:rcu_utilization >$root/instances/texts/set_event
printed()
{
	grep -q ' rcu_utilization: s=' /dev/rbmap/texts/trace
}
ok "the address of a text is printed as a number, and not followed" retry_until 20 printed
echo >$root/instances/texts/set_event
put instances/texts/kptr 1
ok "kptr is set while such an event is unread" grep -q ' rcu_utilization: \[UNSAFE-MEMORY\]$' \
	/dev/rbmap/texts/trace
echo rcu:rcu_utilization >$root/instances/texts/set_event
printed()
{
	grep -q ' rcu_utilization: Start context switch$' /dev/rbmap/texts/trace
}
ok "the address of a text is kept: the text is printed" retry_until 20 printed
put instances/destroy texts

# The module is unloaded while its event is on, and while it fires
ok "the module unloads while its event is on" rmmod source
kill $reader
like "$(cat /dev/rbmap/other/trace)" 'source_hit: number=7 .*text=text' "its event is printed without it"
like "$(cat $events/source/source_hit/status)" '^waiting' "the event waits for the module"
like "$(rbmap list source)" '^source:source_hit +kernel +enabled waiting for a module ' "list says so"
ok "the module loads again" load_module source
is "$(cat $events/source/source_hit/status)" available "the event has found it"
is "$(recorded "echo 10 >$hits")" 10 "one hit is one event"
rounds=20
[ -z "$SHORT" ] || rounds=2
[ -z "$LONG" ] || rounds=200
for round in $(seq $rounds); do
	(while echo 500 >$hits; do :; done) 2>/dev/null &
	retry_until 20 rmmod source 2>/dev/null
	wait $!
	load_module source || break
done
is "$(recorded "echo 10 >$hits")" 10 "after $round unloads under fire one hit is one event"
put instances/destroy other

# The module is rebuilt with another record, and comes again under its event
status=$events/source/source_hit/status
changed_hits=/sys/module/changed/parameters/hits
put set_event source:source_hit
rmmod source
ok "a later version of the module loads" load_module changed
is "$(cat $status)" "unavailable: the event's module has come again with other fields: name it again" \
	"its record is another one, and the reason says what to do"
is "$(cat $root/set_event | grep -v ^rbmap: | tr '\n' ' ')" "source:source_hit " "the event is still enabled"
ok "it can be switched off" sh -c "echo 0 >$events/source/source_hit/enable"
is "$(cat $events/source/source_hit/enable)" 0 "it is off"
fails "and not on" sh -c "echo 1 >$events/source/source_hit/enable"
rmmod changed
like "$(cat $status)" '^waiting' "without the later version the event waits again"
echo 1 >$events/source/source_hit/enable
load_module changed
ok "set_event switches all events off" put set_event ' '
is "$(cat $events/source/source_hit/enable)" 0 "and this one, too"
ok "it can be named again" put set_event source:source_hit
ok "it has the fields of the later version" grep -q ' more;' $events/source/source_hit/format
is "$(cat $status)" available "it is available"
is "$(recorded "echo 10 >$changed_hits")" 10 "and recorded"

# The kernel misses an event that happens while another one is recorded
misses()
{
	put reset 1
	for cpu in 1 2; do
		taskset $cpu sh -c 'echo "77 x" >/sys/module/changed/parameters/hit'
	done
}
missed()
{
	sed -n 's/^missed: //p' $root/per_cpu/cpu[01]/stats | xargs
}
misses
is "$(missed)" "1 1" "an event that the kernel has missed is counted"
put instances/create more
: >/dev/rbmap/more/trace
put instances/destroy more
is "$(missed)" "1 1" "O_TRUNC of the trace of another buffer changes nothing"
: >/dev/rbmap/per_cpu/1/trace
is "$(missed)" "1 0" "O_TRUNC of the trace of a processor counts those of that one from 0 again"
: >/dev/rbmap/trace
is "$(missed)" "0 0" "O_TRUNC of trace counts all of them from 0 again"
misses
is "$(missed)" "1 1" "and the next ones are counted"
put reset 1
is "$(missed)" "0 0" "a reset does the same"

# A task moves to another processor between its call and its record
uncounted="echo 1 >/sys/module/changed/parameters/uncounted"
nested="echo '77 x' >/sys/module/changed/parameters/hit"
for cpus in "1 2" "2 1"; do
	put reset 1
	taskset "${cpus% *}" sh -c "$nested"
	taskset "${cpus#* }" sh -c "$uncounted"
	is "$(missed)" "0 0" "an event of which one processor has the call and another one the record is not missed"
done
taskset 2 sh -c "$nested; $nested"
is "$(missed)" "0 2" "the others are counted"
put reset 1
rmmod changed
load_module source
like "$(cat $status)" '^unavailable: .*name it again' "the first version is another one again"
rmmod source
load_module changed
is "$(recorded "echo 10 >$changed_hits")" 10 "an event that is enabled is recorded when its version returns"
rmmod changed
load_module source
ok "the event of the first version can be named again" put set_event source:source_hit
is "$(recorded "echo 10 >$hits")" 10 "and is recorded"
put set_event ' '

# Switched under fire
(while echo 1000 >$hits; do :; done) 2>/dev/null &
fire=$!
(while :; do cat /proc/stat; done) >/dev/null &
more=$!
rounds=100
[ -z "$SHORT" ] || rounds=3
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

put set_event 'source kmem:rss_stat sched timer'
ok "rbmap unloads while events fire" rmmod rbmap
ok "the module unloads" rmmod source

# An event whose fields only its own function knows, as those of user_events
ok "rbmap loads again" load_module rbmap buffer_size_kb=2048
ok "the event's function knows its fields" load_module changed own_fields=1
ok "the event can be named" put set_event source:source_hit
is "$(cat $events/source/source_hit/source)" foreign "the kernel hands it over by perf events"
is "$(recorded "echo 10 >$changed_hits")" 10 "it is recorded"
like "$(cat /dev/rbmap/trace)" 'source_hit: number=9 odd=1' "its records are printed"
put set_event ' '
ok "rbmap unloads at last" rmmod rbmap
ok "and the module" retry_until 10 rmmod changed
done_testing
