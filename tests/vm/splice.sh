#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# splice() from /dev/rbmap/cpuN: its interface, and received + lost = emitted while
# events are written. Sub-buffers have one page, several pages or very many.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

# exactly SIZE BUFFER-KB [OPTION]...: runs exact with these sizes
exactly()
{
	local size=$1 buffer=$2

	shift 2
	with_ring "${size}K" "$size" "$buffer"
	results "${size}K: " exact --splice "$@" emit 10000 read
	results "${size}K, mapped: " exact --splice --mapped "$@" emit 10000 \
		read-fast
	without_ring "${size}K"
}

# holds SIZE BUFFER-KB: unloads the module while a pipe has sub-buffers
holds()
{
	ok "${1}K: module loads" load_module rbmap subbuf_size_kb="$1" \
		buffer_size_kb="$2" || done_testing
	results "${1}K: " splice hold rmmod rbmap
	fails "${1}K: the module is unloaded" is_loaded rbmap
}

# passes SIZE BUFFER-KB COUNT: passes more sub-buffers than the memory could hold
passes()
{
	ok "${1}K: module loads" load_module rbmap subbuf_size_kb="$1" \
		buffer_size_kb="$2" || done_testing
	settle
	before=$(meminfo_kb MemFree)
	results "${1}K: " splice pass "$3"
	settle
	at_most "$((before - $(meminfo_kb MemFree)))" 4096 \
		"${1}K: KiB of memory that were not given back"
	ok "${1}K: module unloads" rmmod rbmap || done_testing
}

holds "$page_kb" $((16 * page_kb))
holds 1024 8192
holds 4096 16384
passes "$page_kb" $((32 * page_kb)) 2000
passes 1024 8192 800
exactly 4 8
exactly 4 128 --wait block --percent 0
exactly 64 1024 --wait block --percent 25
exactly 1024 8192 --wait poll
done_testing
