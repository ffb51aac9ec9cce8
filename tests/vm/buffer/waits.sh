#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that wait: each event wakes them, and they do not interrupt the writer's CPU
# more often than allowed. If the kernel was booted with isolcpus=1 (the set `isolated` of
# tests/vm/sets.toml), they do not interrupt CPU 1 at all. ROUNDS=N: N events, one by one.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

[ "$(nproc --all)" -gt 1 ] || skip_all "wants two CPUs"

# The limit covers other interrupts of a CPU in three seconds, and on a CPU that is not
# isolated 1000 a second.
case ,$(cat /sys/devices/system/cpu/isolated), in
,1,) limit=30 rounds=${ROUNDS:-150} ;;
*) limit=3500 rounds=${ROUNDS:-500} ;;
esac
diag "isolated: '$(cat /sys/devices/system/cpu/isolated)'"

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" waits events "$rounds"
results "" waits edge
results "" waits interrupts "$limit"
ok "module unloads" rmmod rbmap
done_testing
