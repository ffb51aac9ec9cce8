#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures reading in each way, for several sizes of sub-buffers, BENCH_REPEAT times.
# Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by in_turn
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench/event
# Each event has 28 or 32 bytes and is written twice: 11 MiB, which fit into the ring.
events=200000
ring_kb=16384

# fill ENABLE: record events; the module writes each number of events twice
fill()
{
	echo 1 >"$1"
	echo $events bench_hit >$bench
	echo 0 >"$1"
}

# measure HOW WHO SUBBUF-KB ENABLE [--tracefs]: print a row. "memory" is printed as a
# case of "map", for comparison.
measure()
{
	fill "$4"
	# shellcheck disable=SC2086 # an option, or none
	/tests/read ${5:-} "$1" $(($3 * 1024)) >/tmp/read || fail "$2: $1, sub-buffers of $3 KiB" || return
	awk -v how="${1#memory}" -v who="$2" -v size="$3" '{
		if ($1 < 2000000)
			exit 1
		printf "read\tinstructions of a reader for 100 bytes\t%s, sub-buffers of %s KiB\t%s\t%.2f\n",
			how ? how : "map", size, who, 100 * $2 / $1
	}' /tmp/read | rows
	ok "$2: $1: all was read ($(cat /tmp/read))" grep -qE '^[0-9]{7,} ' /tmp/read
}

by_rbmap()
{
	measure "$how" rbmap "$size" $ours/events/bench/custom/enable
	echo 1 >$ours/reset
}

by_ftrace()
{
	measure "$how" "$ftrace" "$size" $theirs/events/bench/bench_hit/enable --tracefs
	echo >$theirs/trace
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
# Wait until the guest has finished booting: all its instructions are counted.
sleep 10
for size in 4 64 1024; do
	ok "sub-buffers of $size KiB: rbmap loads" load_module rbmap \
		subbuf_size_kb=$size buffer_size_kb=$ring_kb || done_testing
	ok "bench loads" load_module bench || done_testing
	ok "bench_probe loads" load_module bench_probe
	echo 0 >$theirs/tracing_on
	ftrace=ftrace their_size=$size
	# 512 KiB is ftrace's largest size.
	[ $size -le 512 ] || ftrace="ftrace, 512 KiB" their_size=512
	ok "ftrace has sub-buffers of $their_size KiB" \
		sh -c "echo $their_size >$theirs/buffer_subbuf_size_kb"
	echo $ring_kb >$theirs/buffer_size_kb
	echo 1 >$theirs/tracing_on
	n=0
	while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
		for how in map decode read splice; do
			in_turn by_rbmap by_ftrace
		done
		measure memory memory "$size" $ours/events/bench/custom/enable
		echo 1 >$ours/reset
		n=$((n + 1))
	done
	ok "all modules unload" rmmod bench_probe bench rbmap
done
within_budget read
done_testing
