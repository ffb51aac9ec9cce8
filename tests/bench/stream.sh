#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the programs that print events from the ring, BENCH_REPEAT times. Both rings
# hold events of the same workload. Prints "row PART UNIT CASE WHO VALUE", separated by
# tabs.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by in_turn
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

# Print the number of events that a command prints. Text that goes to a file
# needs new pages, which the kernel clears. So the text goes to /dev/null.
printed()
{
	"$@" 2>/tmp/said | grep -c '\[000\]'
}

# measure WHO EVENTS PRINTED COMMAND...
measure()
{
	who=$1 events=$2 printed=$3
	shift 3
	ok "$who: prints all events" [ "$printed" = "$events" ] || {
		diag "$printed of $events events" "$(tail -n 3 /tmp/said)"
		return
	}
	took=$(/tests/took sh -c 'exec "$@" >/dev/null 2>/tmp/said' sh "$@")
	printf 'stream\tinstructions of an event of the ring as text\ttext\t%s\t%s\n' \
		"$who" "$((took / events))" | rows
}

by_rbmap()
{
	# An observer leaves the events in the ring.
	measure rbmap "$(summed entries)" "$(printed rbmap stream --observe --no-follow)" \
		rbmap stream --no-follow
}

by_ftrace()
{
	measure "ftrace's file trace" "$(sed -n 's/^entries: //p' $theirs/per_cpu/cpu0/stats)" \
		"$(printed cat $theirs/trace)" cat $theirs/trace
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
# The start of `rbmap stream` costs as much as 50,000 events.
make_workload $((10 * ${BENCH_EVENTS:-100000}))
ok "rbmap loads" load_module rbmap || done_testing
echo 65536 >$ours/buffer_size_kb
echo 65536 >$theirs/buffer_size_kb
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	# An observer does not see what the last reader has left in its own sub-buffer.
	echo 1 >$ours/reset
	echo >$theirs/trace
	ok "the rings are filled" run_recorded $ours && run_recorded $theirs
	in_turn by_rbmap by_ftrace
	n=$((n + 1))
done
within_budget stream
ok "rbmap unloads" rmmod rbmap
done_testing
