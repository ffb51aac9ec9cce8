#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap describes an event as tracefs of the same kernel does, except for the id, so
# that existing tools work. An event that rbmap lacks must be absent in tracefs, too.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ours=/sys/kernel/rbmap/events
theirs=/sys/kernel/tracing/events

ok "module loads" load_module rbmap || done_testing

# same FILE [SED-EXPRESSION]: FILE is the same in rbmap and in tracefs
same()
{
	sed -e "${2:-}" "$ours/$1" >/tmp/ours
	sed -e "${2:-}" "$theirs/$1" >/tmp/theirs
	if diff /tmp/theirs /tmp/ours >/tmp/diff; then
		pass "$1"
	else
		fail "$1"
		diag "$(cat /tmp/diff)"
	fi
}

# These use structures that are in a public header of other kernels, but not of this
# one.
unfit="kmem/kmem_cache_alloc kmem/kmem_cache_free"
# These need headers that do not compile without a block layer.
[ -e /sys/block ] || unfit="$unfit block/block_rq_complete block/block_rq_insert block/block_rq_issue block/block_rq_requeue"

for dir in "$ours"/*/*/; do
	event=${dir#"$ours"/}
	event=${event%/}
	case $event in
	rbmap/* | rbmap_task/*) continue ;;
	esac
	status=$(cat "$dir/status")
	case $status in
	available) same "$event/format" 's/^ID: .*/ID: N/' ;;
	"unavailable: this kernel "*)
		fails "$event: ftrace does not have it either" test -e "$theirs/$event"
		;;
	*)
		like " $unfit " " $event " "$event: is a known event that does not fit all kernels"
		diag "$event: $status"
		;;
	esac
done
same header_event
# No tool reads the line for overwrite, and kernels differ there.
same header_page '/data/s/size:[0-9]*/size:N/; /overwrite/d'

size=$(cat /sys/kernel/rbmap/buffer_subbuf_size_kb)
like "$(grep data $ours/header_page)" "offset:16;	size:$((size * 1024 - 16));" \
	"header_page has the size of a sub-buffer's data"

marker=$(cat $ours/rbmap/marker/format)
like "$marker" '^	field:char buf\[\];	offset:[0-9]*;	size:0;	signed:[01];$' \
	"marker has a text"
like "$marker" '^print fmt: "%s", REC->buf$' "marker prints its text"

is "$(sed 1,2d $ours/rbmap/marker_raw/format)" "$(sed 1,2d $theirs/ftrace/raw_data/format)" \
	"marker_raw has the format of ftrace's raw_data"

ok "module unloads" rmmod rbmap
done_testing
