#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU that has never been on line before (the kernel was told maxcpus=1)
# comes while the module is loaded.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

online=/sys/devices/system/cpu/cpu1/online

if [ ! -w $online ] || [ "$(cat $online)" = 1 ]; then
	skip_all "no CPU that is off line: boot with maxcpus=1"
fi
ok "module loads" load_module rbmap buffer_size_kb=512 || done_testing
fails "CPU 1 has no device" test -e /dev/rbmap/cpu1
# libtracefs wants a file of each CPU that the machine has.
ok "rbmap tracefs-dir without CPU 1's ring" rbmap tracefs-dir /tmp/tracing
results "without CPU 1's ring: " /tests/tracefs /tmp/tracing
ok "the directory goes" rbmap tracefs-dir --remove /tmp/tracing
ok "CPU 1 comes on line" sh -c "echo 1 >$online"
ok "it has a device" retry_until 30 test -e /dev/rbmap/cpu1
ok "and stats" test -e /sys/kernel/rbmap/per_cpu/cpu1/stats
ok "events come through" lifetime check 1
results "" lifetime offline 1
ok "module unloads" rmmod rbmap
done_testing
