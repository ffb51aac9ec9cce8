#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bug-16: a ring whose size in bytes exceeds 32 bits. The machine has one CPU.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

size=$((4300 * 1024))

if [ "$(meminfo_kb MemAvailable)" -lt $((size + 200000)) ]; then
	skip_all "the host has no 8 GiB to spare"
fi
ok "module loads with a ring of $size KiB" load_module rbmap subbuf_size_kb=1024 \
	buffer_size_kb=$size || done_testing
results "" abi large
ok "module unloads" rmmod rbmap
done_testing
