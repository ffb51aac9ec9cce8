#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Records each fault of planted.c alone in a guest, and writes the recordings to a disk as a tar
# archive, each with the sentence that names its root. tests/html/pictures starts the guest. A
# fault whose sentence is another one is planted again: the host of the guest may be busy.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/faults.sh
. /tests/lib/faults.sh

dir=/tmp/pictures
: "${FAULTS:=holder inversion convoy irqs-off hrtimer irq network worker stopped fsync read rt-throttling quota thrash memory-high}"

# record FAULT
record()
{
	for _ in 1 2 3 4 5 6 7 8; do
		rbmap record --for why -q -b 8M -o "$dir/$1.dat" -- /tmp/plant "$1" >/tmp/recorded 2>&1 ||
			diag "$(cat /tmp/recorded)"
		rbmap why --worst 20 "$dir/$1.dat" 2>/dev/null | grep -v '^ ' |
			grep -E -m 1 "$(sentence_wanted "$1")" >"$dir/$1.sentence" && return
	done
	return 1
}

mkdir -p $dir
faults_begin
for fault in $FAULTS; do
	ok "$fault" record "$fault" || diag "$(rbmap why --worst 5 "$dir/$fault.dat" 2>&1 | grep -v '^ ')"
done
ok "the recordings are on the disk" tar -c -C $dir -f /dev/nvme0n1 .
sync
faults_end
done_testing
