#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs some themes of tests/abi, which test the interface: THEMES="read map".
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "the module loads" load_module rbmap buffer_size_kb=$((16 * page_kb)) ||
	done_testing
# shellcheck disable=SC2086 # split into words
results "" abi $THEMES
ok "the module unloads" rmmod rbmap
done_testing
