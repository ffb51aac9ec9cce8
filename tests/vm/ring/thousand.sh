#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A thousand resizes, from 8 KiB for each CPU to 64 MiB and back, and a thousand
# snapshots, while all contexts write and readers map the rings. received + lost =
# emitted, and the memory is given back at the end.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

# shellcheck disable=SC2317 # measured calls it
# often OPTION TIMES: runs exact with an option and checks its results
often()
{
	results "$2 $1: " exact "--$1" "$2" emit 10000 \
		overwrite-map-fast discard-map-fast discard-read-fast >/tmp/often
	cat /tmp/often
	fails "$2 $1: each size was given" grep -q ENOMEM /tmp/often
	echo 8 >/sys/kernel/rbmap/buffer_size_kb
}

# given_back OPTION: after a thousand of these, memory is the same as before
given_back()
{
	# The first runs fill caches; there are enough of them for each size.
	results "first $1: " exact "--$1" 50 emit 10000 discard-map-fast
	echo 8 >/sys/kernel/rbmap/buffer_size_kb
	measured 4096 1024 often "$1" 1000
	# shellcheck disable=SC2046 # split into words
	set -- "$1" $(grown)
	at_most "$2" 4096 "1000 $1: KiB less free"
	at_most "$3" 1024 "1000 $1: KiB more slab"
	at_most "$4" 0 "1000 $1: KiB more vmalloc"
	at_most "$5" 64 "1000 $1: KiB more per-CPU memory"
}

with_ring "8K" 4 8
given_back resize
given_back snapshot
without_ring "8K"
done_testing
