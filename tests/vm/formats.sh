#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What rbmap says of an event is what tracefs of the same kernel says, but for
# the id: tools and habits carry over. What it does not have, tracefs has not.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ours=/sys/kernel/rbmap/events
theirs=/sys/kernel/tracing/events

ok "module loads" load_module rbmap || done_testing

# same FILE [SED-EXPRESSION]: the one of ours is the one of theirs
same()
{
	sed -e "${2:-}" "$ours/$1" >/tmp/ours
	sed -e "${2:-}" "$theirs/$1" >/tmp/theirs
	if diff /tmp/theirs /tmp/ours >/tmp/diff; then
		pass "$1"
	else
		not_ok "$1"
		diag "$(cat /tmp/diff)"
	fi
}

# Structures that other kernels have in a header, the kernel's own ones here.
unfit="kmem/kmem_cache_alloc kmem/kmem_cache_free"
# Headers that nobody can include where there is no block layer.
[ -e /sys/block ] || unfit="$unfit block/block_rq_complete block/block_rq_issue"

for dir in "$ours"/*/*/; do
	event=${dir#"$ours"/}
	event=${event%/}
	[ "$event" != rbmap/marker ] || continue
	status=$(cat "$dir/status")
	case $status in
	available) same "$event/format" 's/^ID: .*/ID: N/' ;;
	"unavailable: this kernel "*)
		fails "$event: ftrace does not have it either" test -e "$theirs/$event"
		;;
	*)
		like " $unfit " " $event " "$event: it is known that it does not fit all kernels"
		diag "$event: $status"
		;;
	esac
done
same header_event
# Of what overwrite looks like nobody makes anything, and kernels differ.
same header_page '/data/s/size:[0-9]*/size:N/; /overwrite/d'

size=$(cat /sys/kernel/rbmap/buffer_subbuf_size_kb)
like "$(grep data $ours/header_page)" "offset:16;	size:$((size * 1024 - 16));" \
	"header_page has the size of a sub-buffer's data"

marker=$(cat $ours/rbmap/marker/format)
like "$marker" '^	field:char buf\[\];	offset:[0-9]*;	size:0;	signed:[01];$' \
	"marker has a text"
like "$marker" '^print fmt: "%s", REC->buf$' "marker prints its text"

ok "module unloads" rmmod rbmap
done_testing
