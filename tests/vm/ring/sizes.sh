#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# received + lost = emitted with sub-buffers of 4 KiB, 64 KiB and 1 MiB, events up to
# their size, each clock, and readers that wait in each way. LONG=1 runs all
# combinations of these. SHORT=1 runs each size, clock and way to wait, and each way to
# replace rings, in one or two of the modes.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

# waits TEXT EVENTS: all ways to wait, with all watermarks, in all modes
waits()
{
	local percent

	for percent in 0 50 100; do
		results "$1, poll at $percent %: " \
			exact --wait poll --percent $percent emit "$2"
		results "$1, wait for $percent %: " \
			exact --wait block --percent $percent emit "$2" fast slow
	done
}

clocks()
{
	local clock

	for clock in $(tr -d '[]' </sys/kernel/rbmap/trace_clock); do
		results "$1, $clock: " exact --clock "$clock" emit "$2" fast end
	done
}

everything()
{
	local size buffer ring

	for size in 4 64 1024; do
		for buffer in $((2 * size)) $((20 * size)); do
			ring="$size of $buffer KiB"
			with_ring "$ring" $size $buffer
			waits "$ring" 10000
			clocks "$ring" 10000
			results "$ring, deep: " exact --depth 8 emit 10000 fast end
			without_ring "$ring"
		done
	done
}

each_once()
{
	# The writer's sub-buffer alone is half of the ring, even when it is empty.
	with_ring "2 slots" 4 8
	results "2 slots, poll: " exact --wait poll --percent 50 emit 4000 fast
	without_ring "2 slots"

	with_ring 4K 4 512
	results "4K, poll: " exact --wait poll --percent 0 emit 4000 fast
	results "4K, wait: " exact --wait block --percent 25 emit 4000 fast
	without_ring 4K

	with_ring resized 4 512
	results "resized: " exact --resize 40 emit 4000
	results "resized, poll: " exact --wait poll --percent 25 --resize 20 \
		emit 4000 fast
	results "resized, splice: " exact --splice --resize 20 emit 4000 \
		overwrite-read-fast discard-read-slow
	results "snapshots: " exact --snapshot 20 emit 4000
	results "resized, wait: " exact --wait block --percent 50 --resize 20 \
		emit 4000 overwrite-map-fast discard-read-fast
	without_ring resized

	with_ring 64K 64 1024
	results "64K, poll: " exact --wait poll --percent 50 emit 4000 fast
	results "64K, mono: " exact --clock mono emit 4000 overwrite-map-fast
	results "64K, boot: " exact --clock boot emit 4000 discard-read-fast
	# The processor's own clock, if it has one.
	for clock in $(tr -d '[]' </sys/kernel/rbmap/trace_clock | xargs -n 1 | grep -e -); do
		results "64K, $clock: " exact --clock "$clock" emit 4000 \
			overwrite-read-fast discard-map-end
	done
	results "64K, deep: " exact --depth 8 emit 4000 overwrite-map-fast \
		discard-read-fast
	without_ring 64K

	with_ring 1M 1024 8192
	results "1M, poll: " exact --wait poll --percent 100 emit 10000 fast
	results "1M, wait: " exact --wait block --percent 1 emit 4000 \
		overwrite-map-slow discard-read-slow
	results "1M: " exact emit 6000 overwrite-read-end discard-map-end
	without_ring 1M
}

# Eight resizes have each of their four sizes twice.
choice()
{
	with_ring "2 slots" 4 8
	results "2 slots, poll: " exact --wait poll --percent 50 emit 3000 \
		overwrite-map-fast discard-read-fast
	without_ring "2 slots"

	with_ring 4K 4 512
	results "4K, wait: " exact --wait block --percent 25 emit 3000 \
		overwrite-read-fast discard-map-fast
	# Fast readers may leave rings of 64 MiB, and readers that are late keep all of them.
	results "snapshots: " exact --snapshot 8 emit 3000 overwrite-map-fast discard-read-end
	results "resized: " exact --resize 8 emit 3000 overwrite-map-slow discard-read-fast
	results "resized, splice: " exact --splice --resize 8 emit 3000 \
		overwrite-read-fast
	results "resized, wait: " exact --wait block --percent 50 --resize 8 \
		emit 3000 overwrite-map-fast
	without_ring 4K

	with_ring 64K 64 1024
	results "64K, mono: " exact --clock mono emit 3000 overwrite-map-fast
	results "64K, boot: " exact --clock boot emit 3000 discard-read-fast
	for clock in $(tr -d '[]' </sys/kernel/rbmap/trace_clock | xargs -n 1 | grep -e -); do
		results "64K, $clock: " exact --clock "$clock" emit 3000 discard-map-end
	done
	results "64K, deep: " exact --depth 8 emit 10000 overwrite-map-fast
	without_ring 64K

	with_ring 1M 1024 8192
	results "1M, poll: " exact --wait poll --percent 25 emit 6000 discard-map-fast
	results "1M: " exact emit 6000 overwrite-read-end
	without_ring 1M
}

if [ -n "${LONG:-}" ]; then
	everything
elif [ -n "${SHORT:-}" ]; then
	choice
else
	each_once
fi
done_testing
