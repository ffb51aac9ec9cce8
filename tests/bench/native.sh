#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures in nanoseconds the cost of writing an event, without the loop, and the speed
# of reading. Prints "row PART UNIT CASE WHO VALUE", separated by tabs. The machine may
# be slow at any time, because others use it. So only a tenth of the rounds counts: the
# rounds in which the reference loop was fastest.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

bench=/sys/kernel/debug/bench
# Each measurement takes less than a millisecond, so an interruption spoils only one.
events=10000
rounds=200

mount -t debugfs none /sys/kernel/debug 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
i=0
while [ $i -lt $rounds ]; do
	echo $events >$bench/write || break
	cat $bench/write
	i=$((i + 1))
done | named >/tmp/all
sort -t '	' -n -k 5 /tmp/all | awk -F '\t' -v most=$((rounds / 10)) '
n[$1, $2]++ < most { print }' >/tmp/fast
full=$(cut -f 5 /tmp/fast | sed -n 10p)
slowest=$(cut -f 5 /tmp/fast | tail -n 1)
ok "all ways were measured at full speed (reference: $full ns, at worst $slowest ns)" \
	[ $((slowest * 100)) -le $((full * 110)) ]
awk -F '\t' '
$1 == "nothing" {
	if (!loop || $4 / $3 < loop)
		loop = $4 / $3
	next
}
{ line[++n] = $0; took[n] = $4 / $3 }
END {
	for (i = 1; i <= n; i++) {
		split(line[i], part)
		printf "native\tnanoseconds of an event, the loop taken off\t%s\t%s\t%.3f\n",
			part[1], part[2], took[i] - loop
	}
}' /tmp/fast | sort -t '	' -k 3,3n -k 4,4 | rows

# read_all KB HOW: fill 8 sub-buffers of KB KiB and read them in this way
read_all()
{
	echo $(($1 << 10)) >$bench/fill
	/tests/read --device /dev/rbmap/bench/cpu%d "$2" $(($1 << 10)) | sed "s/^/$2 /"
}

for kb in 4 64 1024 4096; do
	echo $kb >$bench/hold || fail "make a ring with sub-buffers of $kb KiB"
	i=0
	while [ $i -lt $((rounds / 2)) ]; do
		for how in map memory called read splice; do
			read_all $kb $how
		done
		i=$((i + 1))
	done >/tmp/all
	echo 1 >$bench/let_go
	# Bytes per nanosecond; the fastest tenth of the rounds counts.
	awk '$3 > 0 { print $1, $2 / $3 }' /tmp/all | sort -k 2,2nr | awk -v kb=$kb -v most=$((rounds / 20)) '
	n[$1]++ < most {
		printf "native read\tgigabytes a second\tsub-buffers of %d KiB\t%s\t%.3f\n", kb, $1, $2
	}' >/tmp/fast
	for how in map memory called read splice; do
		grep "	$how	" /tmp/fast
	done | sed 's/	called	/	memory and calls	/' | rows
done
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
