#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What an event takes that an interrupt writes while another is being written, and
# the one that comes after both; BENCH_REPEAT times: "row PART UNIT CASE WHO VALUE",
# with tabs between.
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
	# Few: between two ticks.
	echo 200 >$bench/nested || not_ok "nested"
	# The interrupt itself is in all three.
	awk '
	function put(what, value)
	{
		printf "nested\tinstructions of an event of 16 bytes\t%s\t%s\t%.2f\n", what, $1, value
	}
	{ took[$2] = $5 / $4 }
	$2 == "nested" { put("in an interrupt of another", took["nested"] - took["nothing"]) }
	$2 == "next" { put("the next one", took["next"] - took["nested"]) }
	' $bench/nested | rows
	i=$((i + 1))
done
within_budget nested
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
