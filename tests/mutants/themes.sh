#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The interface, by some themes of tests/abi: THEMES="read map".
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb)) ||
	done_testing
# shellcheck disable=SC2086 # words
results "" abi $THEMES
ok "module unloads" rmmod rbmap
done_testing
