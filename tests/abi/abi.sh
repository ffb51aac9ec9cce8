#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the interface case by case, with sub-buffers of one page and of several. Run the
# same cases on the kernel's own ring, if that ring can be mapped. ./differences must
# list each difference. ABI_ALONE=1 tests rbmap alone. SHORT=1: where memory is in
# small pieces, only the cases that depend on it, and with several pages rbmap alone.
# shellcheck disable=SC2317 # functions that "ok" calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

tracing=/sys/kernel/tracing
kernel=$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')

# bug-12: a ring gets memory that another process has used. Its old contents must not be
# visible.
dirty()
{
	# 128 MB; tr would take seconds for all of it.
	head -c 1048576 /dev/zero | tr '\0' '\245' >/tmp/dirt.1
	yes /tmp/dirt.1 | head -n 128 | xargs cat >/tmp/dirt
	rm /tmp/dirt /tmp/dirt.1
}

# own_ring SUBBUF-KB BUFFER-KB: allocate the kernel's ring anew with these sizes
own_ring()
{
	echo 4 >"$tracing"/buffer_size_kb &&
		echo "$1" >"$tracing"/buffer_subbuf_size_kb &&
		echo "$2" >"$tracing"/buffer_size_kb &&
		echo 1 >"$tracing"/tracing_on
}

# ended FILE: succeeds if FILE holds the output of a complete run
ended()
{
	tail -n 1 "$1" | grep -q '^1\.\.' || ! diag "$(tail -n 5 "$1")"
}

# rings SUBBUF-KB BUFFER-KB: run the cases on rbmap's ring and on the kernel's
rings()
{
	dirty
	ok "$1K: module loads" load_module rbmap subbuf_size_kb="$1" buffer_size_kb="$2" ||
		done_testing
	abi >/tmp/ours
	results "$1K: " cat /tmp/ours
	ok "$1K: module unloads" rmmod rbmap || done_testing

	if [ -n "${SHORT:-}" ] && [ "$1" != "$page_kb" ]; then
		diag "$1K: compared with the kernel's ring only with sub-buffers of a page"
		return
	fi
	# The kernel's ring can be mapped since 6.10, and has this file since 6.9.
	if [ -n "${ABI_ALONE:-}" ] || [ ! -e "$tracing"/buffer_subbuf_size_kb ]; then
		diag "$1K: not compared with a ring of $kernel"
		return
	fi
	dirty
	ok "$1K: the kernel's own ring has these sizes" own_ring "$1" "$2"
	abi --tracefs >/tmp/theirs
	ok "$1K: the cases of the kernel's own ring run to the end" ended /tmp/theirs
	results "$1K: " /tests/compare /tests/differences "$kernel" "$1K" \
		"$(($1 / page_kb))p" /tmp/ours /tmp/theirs
}

# bug-7: sub-buffers of which the pages are not contiguous. The kernel's ring has no
# such sub-buffers.
scattered()
{
	# The kernel may kill "fragment" to get memory. The module loads in that case,
	# too, but not always early enough to find only small pieces of memory.
	for try in 1 2 3 4 5; do
		# The first open allocates the rings.
		fragment sh -c "insmod /modules/rbmap.ko subbuf_size_kb=$((16 * page_kb)) \
			buffer_size_kb=24576 && true </dev/rbmap/cpu0"
		retry_until 20 test -e /dev/rbmap/cpu0 || continue
		# The first of the two rings may be contiguous in part; more than half
		# of both must not be.
		vmalloc=$(vmalloc_kb rbmap)
		if [ "$vmalloc" -gt 25000 ] || [ "$try" -eq 5 ]; then
			break
		fi
		diag "bug-7: try $try: $vmalloc KiB"
		rmmod rbmap
	done
	ok "bug-7: module loads where free memory is in small pieces" \
		test -e /dev/rbmap/cpu0 || return
	ok "bug-7: sub-buffers are vmalloc memory ($vmalloc KiB)" test "$vmalloc" -gt 25000
	themes="reader map vma splice life bugs"
	[ -z "${SHORT:-}" ] || themes="map vma splice"
	# shellcheck disable=SC2086 # several words
	results "bug-7: " abi $themes
	ok "bug-7: module unloads" rmmod rbmap
}

# This test runs first: each use of memory makes it harder to fragment memory.
scattered
rings "$page_kb" $((16 * page_kb))
rings $((4 * page_kb)) $((64 * page_kb))
done_testing
