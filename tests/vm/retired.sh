#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Rings that were replaced: calls return at their end, they take no more memory
# than retired_size_kb while nobody reads them, and they go while others look.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=256 retired_size_kb=1024 ||
	done_testing
is "$(cat /sys/kernel/rbmap/retired_size_kb)" 1024 "retired_size_kb is the parameter's"
results "limit: " retired limit
results "observers: " retired observers "${RETIRED_SECONDS:-10}"
results "ends: " retired ends
ok "module unloads" rmmod rbmap
done_testing
