#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU comes online for the first time while the class Live of the Python package reads.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

export PYTHONHOME=/usr
ok "module loads" load_module rbmap || done_testing
results "" python3 -B /tests/python/run test_late_cpu
ok "module unloads" rmmod rbmap
done_testing
