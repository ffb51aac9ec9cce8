#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that wait: each event wakes them, and they interrupt the writer's CPU no
# more than they may. Booted with isolcpus=1 (tests/vm/check has a set for that)
# they do not interrupt CPU 1 at all. ROUNDS=N: that many events, one by one.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

[ "$(nproc --all)" -gt 1 ] || skip_all "wants two CPUs"

# What else interrupts a CPU in three seconds, and 1000 in a second.
case ,$(cat /sys/devices/system/cpu/isolated), in
,1,) limit=30 rounds=${ROUNDS:-150} ;;
*) limit=3500 rounds=${ROUNDS:-2000} ;;
esac
diag "isolated: '$(cat /sys/devices/system/cpu/isolated)'"

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" waits events "$rounds"
results "" waits edge
results "" waits interrupts "$limit"
ok "module unloads" rmmod rbmap
done_testing
