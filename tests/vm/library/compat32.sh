#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs of 32 bits read the rings of a 64-bit kernel: with the header alone, with
# librbmap, and as the walkthrough's reader. Programs of 64 bits must find the same
# events.
# shellcheck disable=SC2317 # called by retry_until
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

[ -x /tests/compat32-m32 ] || skip_all "this architecture has no programs of 32 bits here"

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "64 bits: " compat32
results "32 bits: " compat32-m32

nine_lines()
{
	[ "$(wc -l </tmp/reader)" = 9 ]
}

echo 1 >/sys/kernel/rbmap/reset
for i in 1 2 3 4 5 6 7 8 9; do
	echo "mark $i" | taskset 1 tee /dev/rbmap/marker >/dev/null
done
/tests/reader-m32 /dev/rbmap/cpu0 >/tmp/reader &
pid=$!
retry_until 10 nine_lines
kill $pid
is "$(wc -l </tmp/reader)" 9 "the walkthrough's reader, with 32 bits, prints nine events"
is "$(grep -cE '^[0-9]+ cpu0 type [1-9][0-9]* size (16|20)$' /tmp/reader)" 9 "the reader's lines have the events' sizes" ||
	diag "$(cat /tmp/reader)"
ok "module unloads" rmmod rbmap
done_testing
