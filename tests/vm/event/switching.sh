#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Nobody waits for probes who switches events off, or replaces filters and lists of tasks.
# An event that is off and on again is recorded by the buffers that have it on, and once.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
hit=/sys/module/source/parameters/hit
failing=/sys/module/failing/parameters
event=events/copied/copied_words
turns=40

# waits COMMAND...: runs it, and prints how often a process waited for a grace period in rbmap
waits()
{
	echo 0 >$failing/nth
	"$@" >&2 || echo "failed: $*"
	wc -l <$failing/calls
}

# switch NUMBER FILE...
switch()
{
	local number=$1 file

	shift
	for file; do
		echo "$number" >"$file" || return 1
	done
}

# nobody_waits TEXT COMMAND...
nobody_waits()
{
	local text=$1

	shift
	is "$(waits "$@")" 0 "$text: nobody waits"
}

to()
{
	echo "$2" >"$1"
}

truncated()
{
	: >"$1"
}

# replaced FILE TEXT...: writes all texts to the file
replaced()
{
	local file=$1 text

	shift
	for text; do
		echo "$text" >"$file" || return 1
	done
}

# on_and_off: the event goes from buffer to buffer
on_and_off()
{
	local turn=0

	while [ $turn -lt $turns ]; do
		echo 1 >$root/$event/enable
		echo '1 x' >$hit
		echo 0 >$root/$event/enable
		echo '2 x' >$hit
		echo 1 >"$a/$event/enable"
		echo '3 x' >$hit
		[ $((turn % 3)) != 0 ] || {
			echo "number != 1 && number != 9$turn" >"$a/$event/filter"
			echo 1 >$root/$event/enable
			echo '1 x' >$hit
			echo 0 >$root/$event/enable
			echo '3 x' >$hit
		}
		echo 0 >"$a/$event/enable"
		echo 1 >"$a/$event/enable"
		echo '3 x' >$hit
		echo 0 >"$a/$event/enable"
		echo '4 x' >$hit
		turn=$((turn + 1))
	done
}

recorded()
{
	awk '/^entries:/ { n += $2 } END { print n + 0 }' "$1"/per_cpu/cpu*/stats
}

grep -qw register_kprobe /proc/kallsyms || skip_all "this kernel has no kprobes"
ok "rbmap loads" load_module rbmap buffer_size_kb=64 || done_testing
for module in source copied; do
	ok "module $module loads" load_module $module || done_testing
done
ok "a module watches waits" load_module failing processes=1 \
	functions=synchronize_rcu,synchronize_srcu,synchronize_rcu_expedited,synchronize_rcu_tasks_trace ||
	done_testing
a=$root/instances/a
echo a >$root/instances/create
enables=$(sed 's|\(.*\):\(.*\)|events/\1/\2/enable|' $root/available_events |
	while read -r file; do
		[ ! -e "$root/$file" ] || echo "$root/$file"
	done)
echo 1 >$root/events/enable
# shellcheck disable=SC2086 # split into words
nobody_waits "all events are switched off one by one" switch 0 $enables
is "$(cat $root/events/enable)" 0 "all events are off"
echo 1 >$root/events/sched/enable
nobody_waits "a system is switched off" to $root/events/sched/enable 0
echo 1 >$root/events/enable
nobody_waits "events are switched off by set_event" to $root/set_event '!sched:*'
nobody_waits "all events are switched off" to $root/events/enable 0
echo 1 >$root/$event/enable
nobody_waits "a filter is replaced" replaced $root/$event/filter 'number == 1' 'number == 2' 0
nobody_waits "a list of tasks is replaced" replaced $root/set_event_pid 1 $$
ok "pids are removed" to $root/set_event_pid ''
echo 0 >$root/$event/enable
echo 1 >$root/reset
nobody_waits "an event goes from buffer to buffer" on_and_off
is "$(recorded $root)" $((turns + (turns + 2) / 3)) \
	"the buffer has each event that happened while it had the event on"
is "$(recorded $a)" $((2 * turns + (turns + 2) / 3)) "so has the other buffer"
like "$(waits replaced $root/set_event_pid 1 2 3 4 5 6 7 8 9 10 11 12)" '^[1-9]' \
	"somebody who replaces lists without a pause waits, and memory has a limit"
echo 1 >$a/events/enable
# The wait for a grace period, and the one or two waits for tracepoints
like "$(waits to $root/instances/destroy a)" '^[1-3]$' "the end of a buffer waits once"
like "$(waits rmmod copied)" '^[1-9]' "a module with probes waits for them"
ok "the modules of the test unload" rmmod failing source
ok "rbmap unloads" rmmod rbmap
done_testing
