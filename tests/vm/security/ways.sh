#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# io_uring, userfaultfd, ptrace, vmsplice, descriptors in messages, the freezer and other ways
# of the kernel to a device: nothing changes the ring, loses an event or keeps the module.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing
mkdir -p /tmp/cgroup
mount -t cgroup2 cgroup2 /tmp/cgroup && mkdir /tmp/cgroup/ways
results "" ways
rmdir /tmp/cgroup/ways
umount /tmp/cgroup
ok "module unloads" retry_until 20 rmmod rbmap
done_testing
