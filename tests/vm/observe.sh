#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Who observes a ring takes nothing from it: alone, and ten beside a recorder
# under pressure, which gets what it gets without them.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

ok "module loads" load_module rbmap subbuf_size_kb=4 buffer_size_kb=64 ||
	done_testing
results "observe: " observe
ok "module unloads" rmmod rbmap || done_testing

with_ring 64K 4 64
for n in 0 10; do
	results "$n observers: " exact --observers $n emit 20000 \
		overwrite-map-fast overwrite-map-end discard-map-slow
done
without_ring 64K

# Nothing is lost here: neither by the recorder nor by those who look.
with_ring 32M 4 32768
for n in 0 10; do
	results "large ring, $n observers: " exact --observers $n --lossless \
		emit 5000 overwrite-map-fast
done
without_ring 32M

# Two slots are overwritten while they are copied.
with_ring "2 slots" 4 8
results "2 slots: " exact --observers 10 emit 20000 overwrite-map-fast
without_ring "2 slots"
done_testing
