#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The memory of sub-buffers that splice() has moved to pipes: it outlives the module, it is
# given back, and the ring uses it again once no pipe has it. Sub-buffers have one page,
# several pages or very many. SHORT=1 passes fewer of them.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

# holds SIZE BUFFER-KB: unloads the module while a pipe has sub-buffers
holds()
{
	ok "${1}K: module loads" load_module rbmap subbuf_size_kb="$1" \
		buffer_size_kb="$2" || done_testing
	results "${1}K: " splice hold rmmod rbmap
	fails "${1}K: the module is unloaded" is_loaded rbmap
}

# passes COMMAND SIZE BUFFER-KB COUNT: passes sub-buffers of at least 7 MiB, of which
# 4 MiB may stay in use. $most is another limit, in KiB.
most=4096
passes()
{
	local command=$1

	shift
	ok "${1}K: module loads" load_module rbmap subbuf_size_kb="$1" \
		buffer_size_kb="$2" || done_testing
	ok "${1}K: the rings are there" sh -c ": </dev/rbmap/cpu0"
	measured $most $most results "${1}K: " splice "$command" "$3"
	# shellcheck disable=SC2046 # split into words
	set -- "$1" $(grown)
	at_most "$2" $most "${1}K: KiB of memory that were not given back"
	ok "${1}K: module unloads" rmmod rbmap || done_testing
}

# reuses SIZE BUFFER-KB COUNT
reuses()
{
	ok "${1}K: module loads" load_module rbmap subbuf_size_kb="$1" \
		buffer_size_kb="$2" || done_testing
	results "${1}K: " splice reuse "$3"
	ok "${1}K: module unloads" rmmod rbmap || done_testing
}

retired=20
[ -z "${SHORT:-}" ] || retired=8
holds "$page_kb" $((16 * page_kb))
[ -n "${SHORT:-}" ] || holds 1024 8192
holds 4096 16384
if [ -z "${SHORT:-}" ]; then
	passes pass "$page_kb" $((32 * page_kb)) 2000
else
	most=2048
	passes pass "$page_kb" $((32 * page_kb)) 1000
	most=4096
fi
[ -n "${SHORT:-}" ] || passes pass 1024 8192 100
# Each replaced ring has passed on a sub-buffer of 1 MiB, and the pipe is closed.
passes retire 1024 8192 $retired
# 600 sub-buffers of a page are more than a ring keeps for use, and 60 of 64 KiB
reuses "$page_kb" $((32 * page_kb)) 600
[ -n "${SHORT:-}" ] || reuses 64 1024 60
[ -n "${SHORT:-}" ] || reuses 1024 8192 20
done_testing
