#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The class Live of the Python package, on the module's rings.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

export PYTHONHOME=/usr
ok "module loads" load_module rbmap || done_testing
results "" python3 -B /tests/python/run test_live
ok "no buffer is left" test ! -e "$(echo /sys/kernel/rbmap/instances/python-*)"
ok "module unloads" rmmod rbmap
done_testing
