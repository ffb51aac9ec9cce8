#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Rings that others take the place of.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap subbuf_size_kb=4 buffer_size_kb=64 ||
	done_testing
results "rings: " rings
ok "module unloads" rmmod rbmap
done_testing
