#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events on, processes that come and go, two readers on each CPU, and every
# switch turned at random for 10 seconds (STORM_SECONDS, RBMAP_TEST_SEED). SHORT=1: for
# 2 seconds, with seed 1.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

seconds=${STORM_SECONDS:-${SHORT:+2}}
ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
# shellcheck disable=SC2086 # no seed, no word
results "" storm "${seconds:-10}" ${RBMAP_TEST_SEED:-$SHORT}
echo 1 >/sys/kernel/rbmap/events/rbmap/enable
# A reset begins a sub-buffer: the events of the check must not continue in the next
# one.
echo 1 >/sys/kernel/rbmap/reset
ok "events still come through" lifetime check 0
ok "module unloads" rmmod rbmap
done_testing
