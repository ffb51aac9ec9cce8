#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A load fails in each of its steps, while somebody opens all devices and mounts the file
# system. Nothing can be opened before the load can no longer fail, because the kernel
# frees a module whose load failed, whoever uses it. SHORT=1: each third step.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

grep -qw register_kprobe /proc/kallsyms ||
	skip_all "this kernel has no kprobes"
ok "a module lets functions fail" load_module failing functions="alloc_workqueue,alloc_workqueue_noprof,\
__cpuhp_setup_state,__cpuhp_state_add_instance,alloc_chrdev_region,class_create,__class_create,\
device_create_with_groups,cdev_add,register_filesystem,register_tracepoint_module_notifier" ||
	done_testing
results "" load_fails /modules/rbmap.ko
ok "it unloads" rmmod failing
done_testing
