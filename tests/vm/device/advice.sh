#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# madvise() on a map does not change the ring, whatever the size of a sub-buffer.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

for pages in 1 4 64; do
	size=$((pages * page_kb))
	ok "sub-buffers of $size KiB: load" load_module rbmap \
		subbuf_size_kb=$size buffer_size_kb=$((256 * page_kb)) || done_testing
	results "$size KiB: " advice
	ok "sub-buffers of $size KiB: unload" rmmod rbmap
done
done_testing
