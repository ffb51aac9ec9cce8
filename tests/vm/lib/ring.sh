# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For shell tests in the guest that use emit.ko: . /tests/lib/ring.sh, after guest.sh

# has_measured: has the kernel measured the time-stamp counter? About a second after boot it
# changes the scale of sched_clock(). rbmap's clock follows a moment later, and tests that
# compare both to the nanosecond see that moment.
has_measured()
{
	! grep -qx tsc-early /sys/devices/system/clocksource/clocksource0/current_clocksource
}

retry_until 20 has_measured

# with_ring TEXT SUBBUF-KB BUFFER-KB: loads the modules. If a sub-buffer would be
# smaller than a page, both sizes grow, so that the number of sub-buffers stays the
# same.
with_ring()
{
	local subbuf=$2

	[ "$subbuf" -ge "$page_kb" ] || subbuf=$page_kb
	ok "$1: module loads" load_module rbmap subbuf_size_kb="$subbuf" \
		buffer_size_kb=$(($3 * subbuf / $2)) || done_testing
	ok "$1: emit loads" load_module emit || done_testing
}

# without_ring TEXT: unloads the modules
without_ring()
{
	ok "$1: emit unloads" rmmod emit
	ok "$1: module unloads" rmmod rbmap || done_testing
}
