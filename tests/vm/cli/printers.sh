#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The printers of `rbmap report` and `rbmap stream` print each event of the module, and
# each event of the kernel, as libtraceevent does.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap || done_testing
results "rbmap: " cli_printer /sys/kernel/rbmap/events 200
results "tracefs: " cli_printer /sys/kernel/tracing/events 8
ok "module unloads" rmmod rbmap
done_testing
