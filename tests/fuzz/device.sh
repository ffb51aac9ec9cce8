#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Random system calls on a kernel, for FUZZ_SECONDS: device.c says which. Then all
# is as it was. FUZZ_SEED does a round again, of as many threads and steps.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

load()
{
	load_module rbmap buffer_size_kb=64
}

# Nothing that the module keeps is left.
cycle()
{
	load && rmmod rbmap
}

cycle
settle
before=$(meminfo_kb SUnreclaim)
ok "module loads" load || done_testing
if [ -n "${FUZZ_SEED:-}" ]; then
	results "" fuzz_device --module /modules/rbmap.ko --hotplug \
		--seed "$FUZZ_SEED" --rounds "${FUZZ_ROUNDS:-1}"
else
	results "" fuzz_device --module /modules/rbmap.ko --hotplug \
		--seconds "${FUZZ_SECONDS:-60}"
fi
for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
	[ ! -e "$cpu" ] || echo 1 >"$cpu" 2>/dev/null
done
ok "module unloads" retry_until 20 rmmod rbmap
ok "no process is left" retry_until 20 sh -c '! pidof fuzz_device >/dev/null'
ok "it loads again" load
ok "events come through" lifetime check 0
ok "and unloads" rmmod rbmap
settle
after=$(meminfo_kb SUnreclaim)
at_most $((after - before)) 4096 "kilobytes of slab memory that were not there before"
is "$(vmalloc_kb rbmap)" 0 "kilobytes of vmalloc memory"
done_testing
