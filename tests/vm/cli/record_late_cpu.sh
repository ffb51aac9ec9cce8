#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU that comes online for the first time while `rbmap record` runs is in the recording
# from its first event on: events and losses are those that its ring counts. The same holds
# if its ring comes later than the CPU, and if the recorder is killed.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/cpu1.sh
. /tests/lib/cpu1.sh

if [ ! -w $online ] || [ "$(cat $online)" = 1 ]; then
	skip_all "no CPU that is off line: boot with maxcpus=1"
fi
ok "the module loads" load_module rbmap buffer_size_kb=512 || done_testing

# begin FILE: starts a recorder of the default buffer's markers
begin()
{
	rbmap record --default -e rbmap:marker -o $1 >/dev/null 2>/tmp/err &
	pid=$!
	retry_until 30 has_open $pid $1
}
# markers FILE: prints the number of markers of CPU 1
markers()
{
	rbmap report -c 1 -e rbmap:marker $1 2>/tmp/report | grep -c marker
}
told()
{
	sed -n 's/^\([0-9]*\) events read, \([0-9]*\) lost/\1 \2/p' /tmp/err
}

# --- killed: the files have the CPU, and recover finds it
ok "a recorder begins" begin /tmp/killed.dat
echo 1 >$online
ok "CPU 1 has a device" retry_until 30 test -e /dev/rbmap/cpu1
on_cpu1 50
has_markers()
{
	[ "$(markers $1)" = $2 ]
}
ok "the recorder has a file for CPU 1" retry_until 30 has_markers /tmp/killed.dat 50
kill -9 $pid
wait $pid
is "$(markers /tmp/killed.dat)" 50 "the files of a killed recorder have its events"
ok "rbmap recover" rbmap recover -q /tmp/killed.dat
is "$(markers /tmp/killed.dat)" 50 "and so has the recovered file"
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- a flight recorder's trigger observes the CPU
for condition in '' "--trigger-if common_pid>0"; do
	ok "the module loads" load_module rbmap buffer_size_kb=512
	rbmap record -f -e rbmap:marker -o /tmp/late.dat --trigger marker $condition 2>/tmp/err &
	pid=$!
	ok "a flight recorder begins" retry_until 30 grep -q "kill -USR1 $pid" /tmp/err
	echo 1 >$online
	# It looks for CPUs once a second.
	triggered()
	{
		on_cpu1 1
		grep -q '/tmp/late.dat: ' /tmp/err
	}
	ok "an event of CPU 1 triggers $condition" retry_until 30 triggered
	kill -INT $pid
	wait $pid
	rm -f /tmp/late.dat*
	ok "the module unloads" rmmod rbmap
	echo 0 >$online
done

# --- a recorder that nobody looks at is asleep for half a minute, and wakes when a CPU comes
ok "the module loads" load_module rbmap buffer_size_kb=512
rbmap record -q -e sched -o /tmp/asleep.dat &
pid=$!
ok "a recorder begins" retry_until 30 has_mapped $pid
# It looks for CPUs half a second after its begin.
sleep 2
echo 1 >$online
ok "it has a file for CPU 1 soon" retry_until 10 test -e /tmp/asleep.dat.cpu1
kill -INT $pid
wait $pid
like "$(rbmap report -c 1 /tmp/asleep.dat 2>/dev/null | tail -n 3)" '\[001\]' "the recording has its events"
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- the end comes at once
ok "the module loads" load_module rbmap buffer_size_kb=512
ok "a recorder begins" begin /tmp/late.dat
echo 1 >$online
on_cpu1 100
kill -INT $pid
wait $pid
is "$?" 0 "it ends well"
is "$(told)" "100 0" "it has all events of a CPU that came a moment before its end"
is "$(markers /tmp/late.dat)" 100 "and so has the file"
like "$(cat /tmp/report)" '^100 events, 0 lost, 0 not selected$' "the report says so"
if command -v trace-cmd >/dev/null; then
	is "$(trace-cmd report /tmp/late.dat 2>/dev/null | grep -c marker)" 100 "trace-cmd agrees"
else
	skip "no trace-cmd" "trace-cmd agrees"
fi
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- streams, and programs that use librbmap
ok "the module loads" load_module rbmap buffer_size_kb=512
/tests/merge_late >/tmp/merged 2>&1 &
merge=$!
ok "a program waits for events" retry_until 30 has_open $merge /dev/rbmap/cpu0
echo 1 >$online
on_cpu1 20
merged()
{
	[ "$(grep -c cpu1 /tmp/merged)" = 20 ]
}
ok "it reads the CPU although no other has events" retry_until 30 merged
kill $merge
wait $merge
ok "the module unloads" rmmod rbmap
echo 0 >$online
ok "the module loads" load_module rbmap buffer_size_kb=512
rbmap stream --default >/tmp/streamed 2>/tmp/err &
pid=$!
ok "a stream begins" retry_until 30 has_open $pid /dev/rbmap/cpu0
echo 1 >$online
on_cpu1 30
kill -INT $pid
wait $pid
is "$(told)" "30 0" "a stream has all events of a CPU that came a moment before its end"
is "$(grep -c marker /tmp/streamed)" 30 "and prints them"
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- an observer, whose first look at the CPU comes too late for some events
ok "the module loads with small rings" load_module rbmap buffer_size_kb=16
rbmap stream --default --observe >/tmp/streamed 2>/tmp/err &
pid=$!
ok "an observer begins" retry_until 30 has_open $pid /dev/rbmap/cpu0
kill -STOP $pid
echo 1 >$online
ok "CPU 1 has a device" retry_until 30 test -e /dev/rbmap/cpu1
on_cpu1 2000
kill -CONT $pid
kill -INT $pid
wait $pid
is "$(sed -n 's/^\([0-9]*\) events seen, \([0-9]*\) missed/\1 \2/p' /tmp/err | awk '{ print $1 + $2, ($2 > 0) }')" \
	"2000 1" "it sees or misses each event of the CPU"
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- a picture of what is written
ok "the module loads" load_module rbmap buffer_size_kb=512
rbmap top --default --by cpu --json -i 0.5 >/tmp/pictures 2>/tmp/err &
pid=$!
# Events of before the first interval do not count.
ok "rbmap top begins" retry_until 30 grep -q rbmap_top /tmp/pictures
echo 1 >$online
on_cpu1 40
# All pictures together
counted()
{
	[ "$(grep -o '"events_read": [0-9]*' /tmp/pictures |
		awk '{ sum += $2 } END { print sum + 0 }')" = 40 ]
}
ok "it counts each event of a CPU that came later" retry_until 30 counted || diag </tmp/pictures
kill -INT $pid
wait $pid
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- no memory for the ring at first
ok "the module loads with a ring that takes most of the memory" \
	load_module rbmap buffer_size_kb="$(share 6)"
ok "a recorder begins" begin /tmp/short.dat
echo 1 >$online
is "$(cat $rb/cpus_lacking)" 1 "CPU 1 lacks its ring"
on_cpu1 10
echo 64 >$rb/buffer_size_kb
ok "CPU 1 has a ring now" retry_until 10 sh -c "[ -z \"\$(cat $rb/cpus_lacking)\" ]"
on_cpu1 20
kill -INT $pid
wait $pid
is "$?" 0 "it ends well"
is "$(told)" "20 10" "events without a ring are lost, and counted"
is "$(markers /tmp/short.dat)" 20 "the later ones are in the file"
like "$(cat /tmp/report)" '^20 events, 10 lost, 0 not selected$' "which has the loss, too"
ok "the module unloads" rmmod rbmap
echo 0 >$online

# --- no memory until the end
ok "the module loads with a ring that takes most of the memory" \
	load_module rbmap buffer_size_kb="$(share 6)"
ok "a recorder begins" begin /tmp/never.dat
echo 1 >$online
on_cpu1 10
kill -INT $pid
wait $pid
is "$?" 1 "a recording without the CPU is a failure"
like "$(cat /tmp/err)" 'CPU 1 came online, and the recording has no events of it: ' "which names the CPU"
is "$(told)" "0 10" "the events of the CPU are lost"
markers /tmp/never.dat >/dev/null
like "$(cat /tmp/report)" '^0 events, 10 lost, 0 not selected$' "the file says so, too"
ok "the module unloads" rmmod rbmap
echo 0 >$online
ok "the module loads with a ring that takes most of the memory" \
	load_module rbmap buffer_size_kb="$(share 6)"
rbmap stream --default >/dev/null 2>/tmp/err &
pid=$!
ok "a stream begins" retry_until 30 has_open $pid /dev/rbmap/cpu0
echo 1 >$online
on_cpu1 10
kill -INT $pid
wait $pid
is "$?" 1 "a stream without the CPU is a failure"
is "$(told)" "0 10" "the events of the CPU are lost"
like "$(cat /tmp/err)" 'CPU 1 came online, and none of its events were read: ' "which names the CPU"
ok "the module unloads" rmmod rbmap
echo 0 >$online
rm -f /tmp/*.dat /tmp/*.dat.cpu*
done_testing
