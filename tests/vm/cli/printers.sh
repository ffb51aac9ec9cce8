#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The printers of `rbmap report` and `rbmap stream` print each event of the module, and
# each event of the kernel, as libtraceevent does. SHORT=1: fewer records of each.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

many=200 some=8
[ -z "${SHORT:-}" ] || many=40 some=1
ok "module loads" load_module rbmap || done_testing
results "rbmap: " cli_printer /sys/kernel/rbmap/events $many
results "tracefs: " cli_printer /sys/kernel/tracing/events $some
ok "module unloads" rmmod rbmap
done_testing
