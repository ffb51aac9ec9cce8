#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Test /dev/rbmap/marker from a shell and from C.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "module loads" load_module rbmap || done_testing
is "$(stat -c %a /dev/rbmap/marker)" 220 "mode of the marker's device"
ok "a shell can write to the marker" sh -c 'echo hello >/dev/rbmap/marker'
is "$(summed emitted)" 1 "one event was written"
results "" marker
ok "module unloads" rmmod rbmap
done_testing
