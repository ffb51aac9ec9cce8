#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events that are thrown away: their counters.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" discard
ok "module unloads" rmmod rbmap
done_testing
