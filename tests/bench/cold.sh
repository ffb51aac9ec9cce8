#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures an event of 16 bytes that finds its ring outside of the nearest caches: 8 MiB
# of memory are written before each. Prints "row PART UNIT CASE WHO VALUE", separated by
# tabs.
# shellcheck source=tests/vm/lib/guest.sh
. "${TESTS:-/tests}/lib/guest.sh"
# shellcheck source=tests/bench/lib.sh
. "${TESTS:-/tests}/lib/bench.sh"

bench=/sys/kernel/debug/bench

mount -t debugfs none /sys/kernel/debug 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	ok "events are measured" sh -c "echo ${BENCH_COLD_EVENTS:-300} >$bench/cold" ||
		done_testing
	# The median of a pair of clock readings without an event is taken off.
	awk -v unit="$unit" '
	$1 == "loop" { loop = $5 / $4; next }
	{ who[++n] = $1; took[n] = $5 / $4 }
	END {
		for (i = 1; i <= n; i++)
			printf "cold\t%s of an event, the clock readings taken off\t16 bytes\t%s\t%.2f\n",
				unit, who[i], took[i] - loop
	}' $bench/cold | rows
	n=$((n + 1))
done
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
