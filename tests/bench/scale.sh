#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures an event while 1, 2 and 4 CPUs write, BENCH_REPEAT times. Prints "row PART
# UNIT CASE WHO VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench

mount -t debugfs none /sys/kernel/debug 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
i=0
while [ $i -lt "${BENCH_REPEAT:-3}" ]; do
	for cpus in 1 2 4; do
		echo "${BENCH_EVENTS:-100000}" >$bench/scale$cpus || fail "write on $cpus CPUs"
		awk -v cpus=$cpus '{
			printf "scale\tinstructions of an event of 16 bytes, all CPUs together\t%s\t%s\t%.2f\n",
				cpus == 1 ? "1 CPU" : cpus " CPUs", $1, $5 / $4
		}' $bench/scale$cpus | rows
	done
	i=$((i + 1))
done
within_budget scale
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
