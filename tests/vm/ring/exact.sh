#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# received + lost = emitted: with events from the marker, and with events from all
# contexts under load, in rings of several sizes. SHORT=1 runs each mode, reader and pace
# once with fewer events.
# shellcheck disable=SC2086 # $once is several words, or none
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

# nmi_events: the number of events from NMIs on the CPU with the fewest
nmi_events()
{
	awk '{ print $17 }' /sys/module/emit/parameters/attempts | sort -n | head -n 1
}

# nmis_wrote: have NMIs written on each CPU since $before?
nmis_wrote()
{
	[ "$(nmi_events)" -gt "$before" ]
}

# write_until_nmis: if NMIs have not written, writers run once more, with results of their
# own. A busy host can send its first NMI after the writers have ended.
write_until_nmis()
{
	nmis_wrote && return
	results "emit with NMIs, again: " exact emit $number overwrite-map-fast
	nmis_wrote
}

lapped()
{
	cat /sys/kernel/rbmap/per_cpu/cpu*/stats |
		awk -F: '$1 == "dropped lapped" { sum += $2 } END { print sum }'
}

# SHORT chooses scenarios: of the first ring, and of the others
once='' fast='' end='' number=30000
[ -z "${SHORT:-}" ] || {
	once="overwrite-map-fast discard-read-fast overwrite-read-slow discard-map-slow
		overwrite-map-end discard-read-end"
	fast=overwrite-map-fast end=discard-read-end number=8000
}

with_ring 64K 4 64
results "marker: " exact marker $((number / 5)) $once
results "emit: " exact emit $number $once
# Use NMIs of the machine instead of those that CPUs send to each other.
if has_nmis; then
	echo N >/sys/module/emit/parameters/nmis
	before=$(nmi_events)
	nmis 20000 5
	results "emit with NMIs: " exact emit $((2 * number)) ${fast:-overwrite-fast discard-fast}
	retry_until 20 write_until_nmis
	ok "NMIs have written on each CPU" nmis_wrote
	nmis 0
else
	skip "this kernel has no NMIs" "emit with NMIs"
fi
without_ring 64K

# Interrupts lap the whole ring while a task is inside a reservation.
with_ring "2 slots" 4 8
results "2 slots: " exact emit $number "${fast:-fast}" "${end:-end}"
echo 100 >/sys/module/emit/parameters/burst
results "2 slots, lapped: " exact emit $number "${fast:-overwrite-fast}"
ok "2 slots, lapped: some events were dropped as lapped" test "$(lapped)" -gt 0
without_ring "2 slots"

with_ring 16K 16 128
results "16K: " exact emit $number "${fast:-fast}" "${end:-end}"
without_ring 16K
done_testing
