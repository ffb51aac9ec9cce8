#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# received + lost = emitted while CPUs go offline and come back, and while CPUs are
# offline when their rings are read. LONG=1: in all modes, and for longer.
# SHORT=1: each kind once, with fewer events.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

# hotplugged RING EVENTS [MODE-READER-PACE]...
hotplugged()
{
	local ring=$1 events=$2

	shift 2
	results "$ring: " exact --hotplug emit "$events" "$@"
	results "$ring: " exact --hotplug --wait poll --percent 0 emit "$events" "$@"
	results "$ring: " exact --offline emit 20000 end
}

if [ -n "${LONG:-}" ]; then
	for size in 4 64 1024; do
		with_ring "$size" $size $((10 * size))
		hotplugged "$size" 100000 fast slow
		without_ring "$size"
	done
elif [ -n "${SHORT:-}" ]; then
	with_ring 4K 4 256
	results "4K: " exact --hotplug emit 15000 discard-read-fast
	results "4K: " exact --hotplug --wait poll --percent 0 emit 15000 overwrite-map-fast
	results "4K: " exact --offline emit 8000 overwrite-map-end discard-read-end
	without_ring 4K
else
	with_ring 4K 4 256
	hotplugged 4K 40000 overwrite-map-fast discard-read-fast
	without_ring 4K
fi
done_testing
