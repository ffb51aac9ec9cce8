#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the records hold, compared with ftrace's.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=16384 || done_testing
# The interrupts that it makes are to come on the processor that it looks at.
for file in /proc/irq/*/smp_affinity; do
	echo 1 >"$file"
done 2>/dev/null
results "" records
ok "module unloads" rmmod rbmap
done_testing
