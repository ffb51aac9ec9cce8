#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions of an event, in a machine that counts them.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

with_ring "4K" 4 256
results "" instructions 200000
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
results "filter: " instructions filtered
without_ring "4K"
done_testing
