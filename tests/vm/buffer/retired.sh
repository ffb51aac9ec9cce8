#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Replaced rings: calls at their end return, unread rings take no more memory than
# retired_size_kb, and rings are freed while others observe them. SHORT=1: for
# a second.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

seconds=${RETIRED_SECONDS:-${SHORT:+1}}
ok "module loads" load_module rbmap buffer_size_kb=256 retired_size_kb=1024 ||
	done_testing
is "$(cat /sys/kernel/rbmap/retired_size_kb)" 1024 "retired_size_kb is the parameter's"
results "limit: " retired limit
results "observers: " retired observers "${seconds:-10}"
results "ends: " retired ends
ok "module unloads" rmmod rbmap
done_testing
