#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Do "exact" and the selftest find a broken ring? /modules/broken holds modules with such
# rings.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

# Succeeds if exact prints a plan and reports a failure.
# shellcheck disable=SC2317 # ok calls it
notices()
{
	exact emit 20000 overwrite-fast >/tmp/exact
	grep -q "^1\.\." /tmp/exact && grep -q "^not ok" /tmp/exact
}

# Succeeds if the selftest fails, and names the fault.
# shellcheck disable=SC2317 # ok calls it
selftest_notices()
{
	! rbmap selftest --seconds 2 -m /modules/rbmap_selftest.ko >/tmp/table 2>/tmp/fault &&
		grep -q "^rbmap: selftest: .* mode: CPU " /tmp/fault && grep -q "FAIL$" /tmp/table
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
	# The selftest discards no reservation, and that ring is wrong after one.
	if [ "$name" != stamps-kept ]; then
		ok "$name: the selftest notices" selftest_notices
		diag "$(cat /tmp/fault)"
		diag "$(grep "FAIL$" /tmp/table)"
	fi
	ok "$name: module unloads" rmmod rbmap || done_testing
done
done_testing
