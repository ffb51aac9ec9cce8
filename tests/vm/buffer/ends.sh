#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Many buffers that end together wait for probes and writers once. NR_ENDS=20. From 500 on,
# others create and open buffers meanwhile, and are killed.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

grep -qw register_kprobe /proc/kallsyms || skip_all "this kernel has no kprobes"
ok "the module loads" load_module rbmap buffer_size_kb=64 || done_testing
ok "a module counts waits" load_module failing processes=1 \
	functions=synchronize_rcu,synchronize_srcu,synchronize_rcu_expedited,synchronize_rcu_tasks_trace ||
	done_testing
results "" ends "${NR_ENDS:-20}"
ok "it unloads" rmmod failing
done_testing
