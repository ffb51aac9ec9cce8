#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures on a machine of so many CPUs, BENCH_REPEAT times. Loading the module, creating and
# destroying a buffer are in milliseconds with all sleeps. A write of 16 bytes, while each CPU
# writes, is in instructions. Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench
cpus=$(grep -c '^processor' /proc/cpuinfo)
name="$cpus CPUs"
[ "$cpus" != 1 ] || name="1 CPU"

# measure CASE WHO COMMAND: print the row for a command of the shell
measure()
{
	took=$(/tests/took sh -c "$3" 2>/tmp/said)
	ok "$2: $1, $name" [ -n "$took" ] || {
		diag </tmp/said
		return
	}
	awk -v OFS='\t' -v what="$1, $name" -v who="$2" -v took="$took" 'BEGIN {
		print "cpus", "milliseconds, with all sleeps", what, who, took / 1e6 }' | rows
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
i=0
while [ $i -lt "${BENCH_REPEAT:-3}" ]; do
	measure insmod rbmap "insmod /modules/rbmap.ko"
	measure create rbmap "echo small >$ours/instances/create"
	ok "the buffer has each CPU" [ -e /dev/rbmap/small/cpu$((cpus - 1)) ]
	measure destroy rbmap "echo small >$ours/instances/destroy"
	measure create ftrace "mkdir $theirs/instances/small"
	measure destroy ftrace "rmdir $theirs/instances/small"
	ok "bench loads" load_module bench || done_testing
	echo "${BENCH_EVENTS:-100000}" >$bench/scale || fail "write on all CPUs"
	awk -v OFS='\t' -v name="$name" '{
		printf "cpus write\tinstructions of an event of 16 bytes, all CPUs of a machine together\t%s\t%s\t%.2f\n",
			name, $1, $5 / $4 }' $bench/scale | rows
	ok "bench unloads" rmmod bench
	ok "rbmap unloads" rmmod rbmap
	i=$((i + 1))
done
done_testing
