#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers that wait: each event wakes them, and they do not interrupt the writer's CPU
# more often than allowed. If the kernel was booted with isolcpus=1 (the set `isolated` of
# tests/vm/sets.toml), they do not interrupt CPU 1 at all. ROUNDS=N: N events, one by one.
# SHORT=1: a third of them, and less time.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

[ "$(nproc --all)" -gt 1 ] || skip_all "wants two CPUs"

# The limit covers other interrupts of a CPU, and on a CPU that is not isolated what
# docs/isolation.md allows.
case ,$(cat /sys/devices/system/cpu/isolated), in
,1,) limit=30 rounds=150 milliseconds=1000 ;;
*) limit=3500 rounds=500 milliseconds=1000 ;;
esac
# The limit of an isolated CPU is near to what an interrupt for each event would cause.
[ -z "${SHORT:-}" ] || {
	rounds=$((rounds / 3)) milliseconds=150
	[ $limit != 30 ] || limit=8 milliseconds=300
}
diag "isolated: '$(cat /sys/devices/system/cpu/isolated)'"

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" waits events "${ROUNDS:-$rounds}"
results "" waits edge
results "" waits interrupts "$limit" $milliseconds
ok "module unloads" rmmod rbmap
done_testing
