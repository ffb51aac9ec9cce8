#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare the contents of records with ftrace's.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=16384 || done_testing
# Direct interrupts to the processor whose records are compared.
for file in /proc/irq/*/smp_affinity; do
	echo 1 >"$file"
done 2>/dev/null
results "" records
ok "module unloads" rmmod rbmap
done_testing
