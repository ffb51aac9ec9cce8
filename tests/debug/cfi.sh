#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel with control-flow integrity refuses events that are made at run time,
# and says why; whatever was there stays.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

ok "module loads" load_module rbmap || done_testing
is "$(cat $root/dynamic_events)" "" "there are no dynamic events"
before=$(ls $root/events)
echo 't:mine/e sched_switch' >/tmp/line
like "$(dd if=/tmp/line of=$root/dynamic_events conv=notrunc 2>&1)" \
	"Operation not supported" "one is refused"
like "$(dmesg | grep 'rbmap: dynamic_events' | tail -n 1)" \
	'control-flow integrity \(CONFIG_CFI\).*: use a probe module' "and the log says why, and what to do"
rbmap probe add --btf /tests/types.btf sched_switch >/tmp/out 2>/tmp/err
is "$?" 1 "rbmap probe add fails"
like "$(cat /tmp/err)" '^rbmap: .*control-flow integrity .*: use a probe module' "with the same reason"
is "$(wc -l </tmp/err)" 1 "in a line"
is "$(cat /tmp/out)$(rbmap probe list)" "" "and nothing is added"
is "$(ls $root/events)" "$before" "nor listed"
like "$(rbmap list sched)" sched_switch "those that are built in are there"
ok "module unloads" rmmod rbmap
done_testing
