#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Does "exact" find a broken ring? /modules/broken holds modules with such rings.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

# Succeeds if exact prints a plan and reports a failure.
# shellcheck disable=SC2317 # ok calls it
notices()
{
	exact emit 20000 overwrite-fast >/tmp/exact
	grep -q "^1\.\." /tmp/exact && grep -q "^not ok" /tmp/exact
}

for module in /modules/broken/*.ko; do
	name=${module##*/}
	name=${name%.ko}
	ok "$name: module loads" insmod "$module" buffer_size_kb=64 || done_testing
	ok "$name: emit loads" load_module emit || done_testing
	ok "$name: exact notices" notices
	diag "$(grep -c "^not ok" /tmp/exact) of $(grep -c "ok " /tmp/exact) failed:"
	diag "$(grep "^not ok" /tmp/exact)"
	ok "$name: emit unloads" rmmod emit
	ok "$name: module unloads" rmmod rbmap || done_testing
done
done_testing
