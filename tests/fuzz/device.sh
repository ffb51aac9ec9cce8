#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Random system calls on a kernel, for FUZZ_SECONDS; device.c describes them. Afterwards
# the state must be the same as before. RBMAP_TEST_SEED repeats a round; the number of threads
# and steps must be the same. SHORT=1: the same few rounds each time.
# shellcheck disable=SC2086,SC2317 # split into words; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

load()
{
	load_module rbmap buffer_size_kb=64
}

# Load and unload the module; the test compares memory after this with memory at the
# end.
cycle()
{
	load && rmmod rbmap
}

# The part of kmemleak's code that allocates memory: FIRST LAST
kmemleak_text()
{
	awk '$3 ~ /^kmemleak_(alloc|vmalloc|scan_area|free|free_part)$/ { print $1 }' /proc/kallsyms |
		sort | sed -n '1p; $p' | xargs
}

# Select the allocations that have a function of a module on the stack. The addresses
# are those of modules on a kernel without address randomization. kmemleak's own
# allocations are excluded: kmemleak reports a failed one under a lock of its own, and
# lockdep warns of that. In one process of eight any selected allocation may fail by
# chance. In every process a thread lets one allocation of a step fail now and then.
fail_allocations()
{
	[ -e /proc/self/fail-nth ] || return 1
	# shellcheck disable=SC2046 # two arguments
	set -- $(kmemleak_text)
	diag "no allocation of kmemleak fails: $1 to $2"
	for kind in failslab fail_page_alloc; do
		dir=/sys/kernel/debug/$kind
		echo N >$dir/ignore-gfp-wait
		echo 0 >$dir/verbose
		echo 32 >$dir/stacktrace-depth
		echo 0xffffffffa0000000 >$dir/require-start
		echo 0xffffffffff000000 >$dir/require-end
		echo "0x${1:-0}" >$dir/reject-start
		printf '0x%x' "$((0x${2:-0} + 0x1000))" >$dir/reject-end
		echo Y >$dir/task-filter
		echo -1 >$dir/times
		echo 2 >$dir/probability
	done
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
}

# Remove the buffers, events and modules that the fuzzer has left.
clean_up()
{
	echo - >/sys/module/emit/parameters/hold
	for name in /sys/kernel/rbmap/instances/fuzz*; do
		[ ! -d "$name" ] || echo "${name##*/}" >/sys/kernel/rbmap/instances/destroy
	done
	for name in my_fork kinds source driver_ring emit; do
		! is_loaded $name || rmmod $name
	done
	rmmod rbmap
}

options="--module /modules/rbmap.ko --modules /modules --hotplug"
! fail_allocations || options="$options --faults"
cycle
settle
before=$(meminfo_kb SUnreclaim)
ok "module loads" load || done_testing
if [ -n "${RBMAP_TEST_SEED:-}" ]; then
	results "" fuzz_device $options \
		--seed "$RBMAP_TEST_SEED" --rounds "${FUZZ_ROUNDS:-1}"
elif [ -n "${SHORT:-}" ] && [ -z "${FUZZ_SECONDS:-}" ]; then
	results "" fuzz_device $options --seed 1 --rounds 5
else
	results "" fuzz_device $options --seconds "${FUZZ_SECONDS:-20}"
	# Each kind of step must succeed alone, because among others that is chance.
	results "alone: " fuzz_device $options --rounds 0
fi
for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
	[ ! -e "$cpu" ] || echo 1 >"$cpu" 2>/dev/null
done
ok "modules unload" retry_until 20 clean_up
ok "no process is left" retry_until 20 sh -c '! pidof fuzz_device >/dev/null'
ok "the module loads again" load
ok "events come through" lifetime check 0
ok "the module unloads again" rmmod rbmap
settle
after=$(meminfo_kb SUnreclaim)
# KASAN keeps freed memory in its quarantine. A kernel with KASAN has kmemleak, which
# finds leaks itself.
limit=4096
[ ! -e /sys/kernel/debug/kmemleak ] || limit=65536
at_most $((after - before)) $limit "kilobytes of slab memory that were not there before"
is "$(vmalloc_kb rbmap)" 0 "kilobytes of vmalloc memory"
done_testing
