#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What it takes to open the next sub-buffer, by its size, and whether somebody has
# mapped the ring; BENCH_REPEAT times: "row PART UNIT CASE WHO VALUE", with tabs
# between.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench
n=2000

# opened CASE N: the rows that standard input has, as "RIVAL NANOSECONDS"
opened()
{
	awk -v what="$1" -v n="$2" '{
		printf "open\tinstructions of an event that opens a sub-buffer\t%s\t%s\t%.2f\n",
			what, $1, $2 / n
	}' | rows
}

# held CASE: in the ring that is kept
held()
{
	echo $n >$bench/held || not_ok "$1"
	awk '{ print $1, $5 }' $bench/held | opened "$1" $n
}

# with_sleeper CASE
with_sleeper()
{
	mkfifo /tmp/in /tmp/out
	/tests/bench_reader sleep </tmp/in >/tmp/out &
	exec 4>/tmp/in 5</tmp/out
	read -r line <&5
	is "$line" ready "$1: the reader has mapped it"
	held "$1"
	exec 4>&- 5<&-
	wait $!
	rm /tmp/in /tmp/out
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
i=0
while [ $i -lt "${BENCH_REPEAT:-3}" ]; do
	for kb in 4 64 1024; do
		echo $n >$bench/open$kb || not_ok "$kb KiB"
		awk '{ print $1, $5 }' $bench/open$kb | opened "$kb KiB" $n
		echo $kb >$bench/hold || not_ok "$kb KiB: a ring"
		with_sleeper "$kb KiB, mapped, nobody reads"
		/tests/bench_reader follow $bench/held $n >/tmp/followed ||
			not_ok "$kb KiB: a reader follows: $(cat /tmp/followed)"
		awk '{ print "rbmap", $2 }' /tmp/followed | opened "$kb KiB, mapped, each is read" $n
		echo 1 >$bench/let_go
	done
	i=$((i + 1))
done
within_budget open
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
