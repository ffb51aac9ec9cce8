#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Lets each allocation of each operation fail once.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

[ -e /proc/self/fail-nth ] ||
	skip_all "this kernel lets no allocation fail: boot one of flavour kasan"
results "" faults /modules/rbmap.ko ${FAULTS_OF:+"$FAULTS_OF"}
done_testing
