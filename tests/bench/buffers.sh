#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Enables the event of a tracepoint in 1, 2, 4 and 8 buffers, and measures what it costs to
# hit the tracepoint. Repeats that BENCH_REPEAT times. Prints "row PART UNIT CASE WHO
# VALUE", separated by tabs.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by in_turn
# shellcheck source=tests/vm/lib/guest.sh
. "${TESTS:-/tests}/lib/guest.sh"
# shellcheck source=tests/bench/lib.sh
. "${TESTS:-/tests}/lib/bench.sh"

bench=/sys/kernel/debug/bench/event
events=${BENCH_EVENTS:-100000}

# buffer_dir TOP NUMBER: print the directory of the first buffer, or of an instance
buffer_dir()
{
	[ "$2" = 1 ] && echo "$1" || echo "$1/instances/b$2"
}

# set_events TOP EVENT NUMBER VALUE: write VALUE to the event's file in NUMBER buffers
set_events()
{
	i=1
	while [ $i -le "$3" ]; do
		echo "$4" >"$(buffer_dir "$1" $i)/events/$2/enable" || return
		i=$((i + 1))
	done
}

# recorded DIRECTORY: print the number of events that a buffer has recorded
recorded()
{
	cat "$1"/per_cpu/cpu*/stats | awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }'
}

# measure WHO TOP EVENT NUMBER
measure()
{
	last=$(buffer_dir "$2" "$4")
	before=$(recorded "$last")
	set_events "$2" "$3" "$4" 1 && echo "$events bench_hit" >$bench &&
		set_events "$2" "$3" "$4" 0
	ok "$1: the last of $4 buffers has all events" \
		[ "$(($(recorded "$last") - before))" -ge $((2 * events)) ]
	awk -v buffers="$4" -v who="$1" -v unit="$unit" '{
		printf "buffers\t%s of an event, from the tracepoint on, the loop included\t%s\t%s\t%.2f\n",
			unit, buffers == 1 ? "1 buffer" : buffers " buffers", who, $3 / $2
	}' $bench | rows
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
ok "bench_probe loads" load_module bench_probe || done_testing
echo 1408 >$theirs/buffer_size_kb
i=2
while [ $i -le 8 ]; do
	echo b$i >$ours/instances/create
	mkdir $theirs/instances/b$i
	echo 1408 >$theirs/instances/b$i/buffer_size_kb
	i=$((i + 1))
done
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	for number in 1 2 4 8; do
		in_turn "measure rbmap $ours bench/custom $number" \
			"measure ftrace $theirs bench/bench_hit $number"
	done
	n=$((n + 1))
done
within_budget buffers
for i in 2 3 4 5 6 7 8; do
	echo b$i >$ours/instances/destroy
	rmdir $theirs/instances/b$i
done
ok "all modules unload" rmmod bench_probe bench rbmap
done_testing
