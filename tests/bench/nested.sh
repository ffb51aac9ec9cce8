#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures an event that an interrupt writes between reserve and commit of another
# event, and the event that follows, BENCH_REPEAT times. Prints "row PART UNIT CASE WHO
# VALUE", separated by tabs.
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
	# So few events that a run ends between two ticks.
	echo 200 >$bench/nested || fail "measure nested events"
	# All three times include the interrupt itself.
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
