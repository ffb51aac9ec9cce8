#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts the wake-ups of a reader that waits until part of the ring is full,
# BENCH_REPEAT times. Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench/event
events=1000000
ring_kb=1024

# measure CASE WHO ENABLE [--tracefs]
measure()
{
	echo 1 >"$3"
	# shellcheck disable=SC2086 # an option, or none
	/tests/wakeups ${4:-} 4096 $bench $events >/tmp/wakeups || fail "$1, $2: /tests/wakeups failed"
	echo 0 >"$3"
	awk -v what="$1" -v who="$2" '{
		printf "wake\twake-ups of a reader in a million events\t%s\t%s\t%d\n", what, who, $1
	}' /tmp/wakeups | rows
	ok "$1, $2: all was read ($(cat /tmp/wakeups))" grep -qE '^[0-9]+ [0-9]{8,}$' /tmp/wakeups
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
ok "rbmap loads" load_module rbmap buffer_size_kb=$ring_kb || done_testing
ok "bench loads" load_module bench || done_testing
ok "bench_probe loads" load_module bench_probe || done_testing
echo $ring_kb >$theirs/buffer_size_kb
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	for percent in 0 10 25 50 75; do
		echo $percent >$ours/buffer_percent
		echo $percent >$theirs/buffer_percent
		what="$percent % of 1 MiB"
		[ $percent != 0 ] || what="any event"
		measure "$what" rbmap $ours/events/bench/custom/enable
		echo 1 >$ours/reset
		measure "$what" ftrace $theirs/events/bench/bench_hit/enable --tracefs
		echo >$theirs/trace
	done
	n=$((n + 1))
done
within_budget wake
ok "all modules unload" rmmod bench_probe bench rbmap
done_testing
