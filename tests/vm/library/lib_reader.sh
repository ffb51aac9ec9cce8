#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# librbmap, on rbmap's ring and on the kernel's own.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

results "" lib_reader --not-loaded
ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" lib_reader
ok "module unloads" rmmod rbmap

mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
echo 64 >/sys/kernel/tracing/buffer_size_kb
results "the kernel's: " lib_reader --tracefs
done_testing
