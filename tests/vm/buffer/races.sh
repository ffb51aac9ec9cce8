#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two threads change a CPU's ring at the same moment. RACES=N: N rounds. SHORT=1: a
# quarter of the rounds.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

part=1
[ -z "${SHORT:-}" ] || part=4

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" races sizes "${RACES:-$((100 / part))}"
results "" races reset "${RACES:-$((1000 / part))}"
if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	results "" races offline "${RACES:-$((20 / part))}"
else
	skip "no CPU that can go off line" "a CPU that is offline"
fi
ok "module unloads" rmmod rbmap
done_testing
