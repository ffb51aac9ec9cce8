#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel with control-flow integrity refuses dynamic events and gives the reason. The
# rest of the module stays usable.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

ok "module loads" load_module rbmap || done_testing
is "$(cat $root/dynamic_events)" "" "there are no dynamic events"
before=$(ls $root/events)
echo 't:mine/e sched_switch' >/tmp/line
like "$(dd if=/tmp/line of=$root/dynamic_events conv=notrunc 2>&1)" \
	"Operation not supported" "adding a dynamic event is refused"
like "$(dmesg | grep 'rbmap: dynamic_events' | tail -n 1)" \
	'control-flow integrity \(CONFIG_CFI\).*: use a probe module' "the log has the reason and the remedy"
rbmap probe add --btf /tests/types.btf sched_switch >/tmp/out 2>/tmp/err
is "$?" 1 "rbmap probe add fails"
like "$(cat /tmp/err)" '^rbmap: .*control-flow integrity .*: use a probe module' "rbmap probe add prints the same reason"
is "$(wc -l </tmp/err)" 1 "rbmap probe add prints one line"
is "$(cat /tmp/out)$(rbmap probe list)" "" "no dynamic event was added"
is "$(ls $root/events)" "$before" "no event directory was added"
like "$(rbmap list sched)" sched_switch "built-in events are listed"
ok "module unloads" rmmod rbmap
done_testing
