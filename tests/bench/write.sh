#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures writing an event, in each way and in all rings, BENCH_REPEAT times. Prints
# "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. "${TESTS:-/tests}/lib/guest.sh"
# shellcheck source=tests/bench/lib.sh
. "${TESTS:-/tests}/lib/bench.sh"

bench=/sys/kernel/debug/bench

# measured FILE
measured()
{
	named <$bench/"$1" | awk -F '\t' -v file="$1" -v unit="$unit" '
	# Discarded events do not fill a ring, and the clock is measured once.
	$1 == "nothing" || (file != "write" && ($1 ~ /discarded/ || $1 ~ /clock/)) { next }
	file == "tsc" && $1 != "16 bytes" { next }
	{
		what = $1
		if (file == "full")
			what = what ", ring is full"
		if (file == "tsc")
			what = what ", x86-tsc"
		if (file == "fill" || file == "disabled")
			what = what ", recording is off"
		printf "write\t%s of an event, the loop included\t%s\t%s\t%.2f\n",
			unit, what, $2, $4 / $3
	}' | rows
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	for file in write full tsc; do
		echo "${BENCH_EVENTS:-100000}" >$bench/$file || fail "measure $file"
		measured $file
	done
	echo 64 >$bench/hold
	echo 0 >/sys/kernel/rbmap/instances/bench/tracing_on
	for file in fill disabled; do
		echo "${BENCH_EVENTS:-100000}" >$bench/$file || fail "$file"
		measured $file
	done
	echo 1 >$bench/let_go
	n=$((n + 1))
done
within_budget write
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
