#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The printers of `rbmap report` and `rbmap stream` print each event of the module, and
# each event of the kernel, as libtraceevent does. SHORT=1: fewer records, and
# of the kernel's events those of some systems.
# shellcheck disable=SC2086 # no seed, no word
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

tracefs=/sys/kernel/tracing/events
many=200
if [ -n "${SHORT:-}" ]; then
	many=40
	mkdir /tmp/systems
	for system in block kmem net sched signal sock timer workqueue writeback; do
		[ ! -d $tracefs/$system ] || ln -s $tracefs/$system /tmp/systems/
	done
	tracefs=/tmp/systems
fi
ok "module loads" load_module rbmap || done_testing
results "rbmap: " cli_printer /sys/kernel/rbmap/events $many $SHORT
results "tracefs: " cli_printer $tracefs 8 $SHORT
ok "module unloads" rmmod rbmap
done_testing
