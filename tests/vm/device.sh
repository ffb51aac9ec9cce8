#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The device's interface, with sub-buffers of one page and of several.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

for sizes in "4 64" "16 256"; do
	subbuf=${sizes% *}
	ok "${subbuf}K: module loads" load_module rbmap \
		subbuf_size_kb="$subbuf" buffer_size_kb="${sizes#* }" ||
		done_testing
	results "${subbuf}K: " device
	ok "${subbuf}K: module unloads" rmmod rbmap || break
done
done_testing
