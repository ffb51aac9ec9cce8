#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# No part of the module has preemption off for longer if a user opens many files, maps many
# rings, or has many threads, or if a ring has many sub-buffers. The machine's clock counts
# instructions.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=256 retired_size_kb=1024 || done_testing
results "" retired delays
ok "module unloads" rmmod rbmap
done_testing
