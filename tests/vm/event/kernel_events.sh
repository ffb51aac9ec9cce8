#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events of the kernel: each can be named, has ftrace's format and contents, and is
# counted under load.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
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
is "$(grep -v -e '^rbmap[:_]' $theirs/available_events | sort)" \
	"$(grep -v -e '^rbmap[:_]' $root/available_events | sort)" \
	"available_events has the names that tracefs has"
ok "available_events takes a name" put available_events sched:sched_stat_runtime
is "$(cat $events/sched/sched_stat_runtime/enable)" 0 "the event exists then, and is off"
refused_names=$(cat $root/set_event)
fails "available_events refuses an unknown name" put available_events sched:no_such
is "$(cat $root/set_event)" "$refused_names" "names do not enable events"

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
for _ in 1 2 3; do
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

put set_event '*:*'
ok "rbmap unloads while all events fire" rmmod rbmap

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
