#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures an event that opens the next sub-buffer, for several sizes, with and without
# a reader that maps the ring, BENCH_REPEAT times. Prints "row PART UNIT CASE WHO
# VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench
n=2000

# opened CASE N: print rows for lines "RIVAL NANOSECONDS" of standard input
opened()
{
	awk -v what="$1" -v n="$2" '{
		printf "open\tinstructions of an event that opens a sub-buffer\t%s\t%s\t%.2f\n",
			what, $1, $2 / n
	}' | rows
}

# held CASE: measure in the held ring
held()
{
	echo $n >$bench/held || fail "$1: write into the held ring"
	awk '{ print $1, $5 }' $bench/held | opened "$1" $n
}

# with_sleeper CASE
with_sleeper()
{
	mkfifo /tmp/in /tmp/out
	/tests/bench_reader sleep </tmp/in >/tmp/out &
	exec 4>/tmp/in 5</tmp/out
	read -r line <&5
	is "$line" ready "$1: the reader has mapped the ring"
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
		echo $n >$bench/open$kb || fail "$kb KiB: open sub-buffers"
		awk '{ print $1, $5 }' $bench/open$kb | opened "$kb KiB" $n
		echo $kb >$bench/hold || fail "$kb KiB: make a ring"
		with_sleeper "$kb KiB, mapped, nobody reads"
		/tests/bench_reader follow $bench/held $n >/tmp/followed ||
			fail "$kb KiB: a reader follows: $(cat /tmp/followed)"
		awk '{ print "rbmap", $2 }' /tmp/followed | opened "$kb KiB, mapped, each is read" $n
		echo 1 >$bench/let_go
	done
	i=$((i + 1))
done
within_budget open
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
