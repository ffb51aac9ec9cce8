#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# An event that several buffers record: each buffer has each record once, with its own
# filter, tasks and clock, while others are switched on and off, created and destroyed.
# SHORT=1: a small record joins and leaves buffers, the others only come to all of them.
# Writers have longer pauses.
# shellcheck disable=SC2016,SC2317 # $arg1 is literal; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/versions.sh
. /tests/lib/versions.sh

root=/sys/kernel/rbmap
hit=/sys/module/source/parameters/hit
hits=/sys/module/source/parameters/hits
turns=${COPIES_TURNS:-6} pause=0.02
[ -z "${SHORT:-}" ] || pause=0.1

# dir BUFFER: prints its directory; the default buffer is "-"
dir()
{
	[ "$1" = - ] && echo $root || echo "$root/instances/$1"
}

# events NUMBER BUFFER...: switches events/$event in buffers
events()
{
	local on=$1 buffer

	shift
	for buffer; do
		echo "$on" >"$(dir "$buffer")/events/$event/enable" || fail "$event $on in $buffer"
	done
}

# recorded BUFFER: prints the number of events in its rings
recorded()
{
	awk '/^entries:/ { n += $2 } END { print n + 0 }' "$(dir "$1")"/per_cpu/cpu*/stats
}

clear()
{
	local buffer

	for buffer; do
		echo 1 >"$(dir "$buffer")/reset"
	done
}

# all BUFFER...: prints the numbers of recorded events
all()
{
	local buffer

	for buffer; do
		recorded "$buffer"
	done | xargs
}

# settled [TIMES]: waits until an event that one buffer records has no more copies. Each end
# of a buffer waits for all probes.
settled()
{
	local turn=0

	while [ $turn -lt "${1:-6}" ]; do
		echo settled >$root/instances/create
		echo settled >$root/instances/destroy
		turn=$((turn + 1))
	done
}

# text BUFFER: prints and removes its events
text()
{
	if [ "$1" = - ]; then
		rbmap stream --no-follow
	else
		rbmap stream -B "$1" --no-follow
	fi 2>/dev/null
}

# last BUFFER [FROM]: prints its last event, or the part from the text FROM on
last()
{
	text "$1" | tail -n 1 | sed "s/.*\\(${2:-^}\\)/\\1/"
}

# same_text TEXT [FROM]: all buffers have the same last event
same_text()
{
	local first buffer

	first=$(last - "${2-}")
	like "$first" "$1" "$1: the record is that of the tracepoint"
	for buffer in a b c; do
		is "$(last $buffer "${2-}")" "$first" "$1: buffer $buffer has the same record"
	done
}

for module in "rbmap buffer_size_kb=4096" source copied; do
	# shellcheck disable=SC2086 # split into words
	ok "module ${module%% *} loads" load_module $module || done_testing
done
for buffer in a b c; do
	echo $buffer >$root/instances/create
done

# --- each kind of record
for kind in 'copied_words number=7 pid=[0-9]* twice=14' 'copied_bytes bytes=07 07 07 07 07' \
	"copied_large shorts=$(array_pattern '7 8 .* 107' '0x7,0x8,.*,0x6b')" 'copied_text text=some'; do
	event=copied/${kind%% *}
	events 1 - a b c
	clear - a b c
	echo '7 some' >$hit
	echo '7 some' >$hit
	is "$(all - a b c)" "2 2 2 2" "$event: four buffers have two records each"
	# Small records have the same time, too, after the first one of a ring.
	case $event in
	*_words | *_bytes) same_text "${kind#* }" ;;
	*) same_text "${kind#* }" ": ${event#*/}" ;;
	esac
	[ -z "${SHORT:-}" ] || [ "$event" = copied/copied_words ] || {
		events 0 - a b c
		continue
	}
	events 0 a b c
	clear - a b c
	echo '7 some' >$hit
	is "$(all - a b c)" "1 0 0 0" "$event: one buffer is left"
	events 1 a
	clear - a b c
	echo '7 some' >$hit
	is "$(all - a b c)" "1 1 0 0" "$event: another buffer joins"
	events 0 -
	clear - a b c
	echo '7 some' >$hit
	is "$(all - a b c)" "0 1 0 0" "$event: the first one has left"
	events 0 a
	clear - a b c
	echo '7 some' >$hit
	is "$(all - a b c)" "0 0 0 0" "$event: no buffer is left"
done

# --- a print format that pads and cuts texts
event=copied/copied_padded
events 1 -
clear -
echo '7 some' >$hit
padded='copied_padded: +\[cat   \] \[   cat\] \[ca\] \[    c\]$'
like "$(cat /dev/rbmap/trace)" "$padded" "trace has texts of the width in the format"
like "$(text -)" "$padded" "stream, too"
events 0 -
event=copied/copied_words

# --- filters, tasks, clocks, and a buffer that is off
events 1 - a b c
echo 'number == 3' >"$(dir a)/events/$event/filter"
echo $$ >"$(dir b)/set_event_pid"
echo $$ >"$(dir c)/set_event_notrace_pid"
clear - a b c
echo '3 x' >$hit
echo '4 x' >$hit
sh -c "echo '5 x' >$hit"
is "$(all - a b c)" "3 1 2 1" "each buffer has its own filter and its own tasks"
events 0 - c b
clear - a b c
echo '3 x' >$hit
echo '4 x' >$hit
is "$(all - a b c)" "0 1 0 0" "the only buffer that is left keeps its filter"
for ends in 0 1 2 3; do
	events 1 c
	echo 'number == 9' >"$(dir a)/events/$event/filter"
	events 0 c
	settled $ends
	echo 'number == 3' >"$(dir a)/events/$event/filter"
	settled
	clear a
	echo '3 x' >$hit
	echo '4 x' >$hit
	is "$(all a)" 1 "it has the filter that was set $ends waits after the others left"
done
echo 'number == 4 && common_pid != 0' >"$(dir a)/events/$event/filter"
clear a
for number in 3 3 4; do
	echo "$number x" >$hit
done
is "$(all a)" 1 "the only buffer has a new filter"
echo $$ >"$(dir a)/set_event_notrace_pid"
clear a
echo '4 x' >$hit
is "$(all a)" 0 "the only buffer leaves a task out"
events 1 b
clear - a b c
echo '4 x' >$hit
is "$(all - a b c)" "0 0 1 0" "so it does beside another buffer"
echo 0 >"$(dir a)/events/$event/filter"
for buffer in a b c; do
	echo >"$(dir $buffer)/set_event_pid"
	echo >"$(dir $buffer)/set_event_notrace_pid"
done
events 1 - c
echo mono >"$(dir b)/trace_clock"
echo 0 >"$(dir c)/tracing_on"
clear - a b c
for number in 1 2 3; do
	echo "$number x" >$hit
done
is "$(all - a b c)" "3 3 3 0" "a buffer has another clock, a buffer is off"
text b >/tmp/b
is "$(grep -c 'number=' /tmp/b)" 3 "the records of the buffer with the other clock are whole"
echo 1 >"$(dir c)/tracing_on"

# --- run-time probes
echo 't:copied/dynamic source_hit n=$arg1:s32' >$root/dynamic_events
event=copied/dynamic
events 1 - a c
clear - a b c
events_before=$(all - a c)
echo '9 x' >$hit
is "$events_before, $(all - a c)" "0 0 0, 2 2 2" "a run-time probe and an event: each buffer has both"
events 0 - a c
echo '-:copied/dynamic' >$root/dynamic_events
event=copied/copied_words

# --- buffers that go and come, writers that do not stop
events 0 a b c
for buffer in a b; do
	echo 4 >"$(dir $buffer)/buffer_size_kb"
done
clear -
for writer in 0 1; do
	(
		round=0
		while [ ! -e /tmp/stop ]; do
			echo 100 >$hits
			round=$((round + 1))
			echo $round >/tmp/new.$writer
			mv /tmp/new.$writer /tmp/rounds.$writer
			sleep $pause
		done
	) &
done
# The turns may be faster than the writers: go on until these have written in most of them.
rounds()
{
	echo $(($(cat /tmp/rounds.0 2>/dev/null || echo 0) + $(cat /tmp/rounds.1 2>/dev/null || echo 0)))
}
turn=0
while [ $turn -lt "$turns" ] || [ "$(rounds)" -le "$turns" ]; do
	events 1 a b
	case $((turn % 3)) in
	0) events 0 a b ;;
	1) echo b >$root/instances/destroy && events 0 a && echo "b buffer_size_kb=64" >$root/instances/create ;;
	2) echo a >$root/instances/destroy && echo "a buffer_size_kb=64" >$root/instances/create ;;
	esac
	turn=$((turn + 1))
done
echo >/tmp/stop
wait
rounds=$(rounds)
ok "events were written meanwhile ($((rounds * 100)))" [ "$rounds" -gt "$turns" ]
is "$(all -)" $((rounds * 100)) "the buffer that stays has each event"
text - | sed -n 's/.*number=\([0-9]*\) .*/\1/p' | sort -n | uniq -c |
	awk -v each="$rounds" '$1 != each { bad = 1 } END { exit bad || NR != 100 }'
ok "it has each event once" [ $? = 0 ]

# --- modules and buffers that go while the event is on
events 1 a b c
ok "the tracepoint's module unloads" rmmod source
ok "the tracepoint's module loads again" load_module source
clear - a b c
echo '7 x' >$hit
is "$(all - a b c)" "1 1 1 1" "all buffers have the event of the new tracepoint"
echo a >$root/instances/destroy
echo c >$root/instances/destroy
clear - b
echo '7 x' >$hit
is "$(all - b)" "1 1" "two buffers were destroyed while the event was on"
ok "the modules of the test unload" rmmod copied source
ok "rbmap unloads" rmmod rbmap
done_testing
