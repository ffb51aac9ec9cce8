#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# splice() from /dev/rbmap/cpuN: its interface, and received + lost = emitted while
# events are written. Sub-buffers have one page, several pages or very many.
# SHORT=1 has two of the four sizes.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

number=10000 scenarios=read mapped=
[ -z "${SHORT:-}" ] || {
	number=4000 scenarios="overwrite-read-fast discard-read-end" mapped=overwrite-read-fast
}

# exactly SIZE BUFFER-KB [OPTION]...: runs exact with these sizes
exactly()
{
	local size=$1 buffer=$2

	shift 2
	with_ring "${size}K" "$size" "$buffer"
	# shellcheck disable=SC2086 # several words
	results "${size}K: " exact --splice "$@" emit $number $scenarios
	results "${size}K, mapped: " exact --splice --mapped "$@" emit $number \
		"${mapped:-read-fast}"
	without_ring "${size}K"
}

exactly 4 8
[ -n "${SHORT:-}" ] || exactly 4 128 --wait block --percent 0
exactly 64 1024 --wait block --percent 25
[ -n "${SHORT:-}" ] || exactly 1024 8192 --wait poll
done_testing
