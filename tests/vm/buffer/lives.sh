#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The lifetimes of open files, rings and buffers: each reference is released, also when
# an operation fails.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

ok "module loads" load_module rbmap subbuf_size_kb=64 buffer_size_kb=256 ||
	done_testing
# Kernels with debugging checks need memory for the checks.
noise=1
[ ! -e /sys/kernel/debug/kmemleak ] || noise=10
gives_back "files" $((1024 * noise)) $((512 * noise)) lives churn
ok "module unloads" rmmod rbmap
ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" lives
ok "module unloads" rmmod rbmap
done_testing
