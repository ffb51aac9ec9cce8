#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# No call and no control file has preemption or interrupts off for longer than a constant. The
# machine's clock counts instructions, and the kernel is preemptible.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing
results "" windows
ok "module unloads" rmmod rbmap
done_testing
