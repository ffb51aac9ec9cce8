#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Replaced rings, and snapshots of them.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb)) ||
	done_testing
results "rings: " rings
results "${page_kb}K: " snapshot
echo 64 >/sys/kernel/rbmap/buffer_subbuf_size_kb
results "64K: " snapshot
ok "module unloads" rmmod rbmap
done_testing
