#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in the guest, with the module that tests/compat/run has changed.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

events=/sys/kernel/rbmap/events

ok "the changed module loads" load_module rbmap || done_testing
like "$(cat $events/sched/sched_nonesuch/status)" \
	'^unavailable: this kernel has no such tracepoint$' "status of an event whose tracepoint is missing"
like "$(cat $events/sched/sched_process_exec/status)" \
	'^unavailable: its probe does not fit this kernel' "status of an event whose probe was left out"
like "$(cat $events/writeback/writeback_mark_inode_dirty/status)" \
	'^unavailable: its probe does not fit this kernel' "status of an event whose header does not compile"
is "$(cat $events/sched/sched_switch/status)" available "another event is available"

if [ "${LOCKDOWN:-}" = unknown ]; then
	like "$(cat /sys/kernel/rbmap/lockdown)" '^unknown: this kernel does not tell modules' \
		"the file lockdown says that the state is unknown"
	like "$(dmesg | grep rbmap:)" 'does not tell modules whether it is locked down: .* can be read' \
		"the kernel's log says that lockdown is unknown"
fi
ok "rings can be read" sh -c ': </dev/rbmap/cpu0'

for event in sched_nonesuch sched_process_exec; do
	dir=$events/sched/$event
	echo 1 | dd of=$dir/enable 2>/tmp/error
	like "$(cat /tmp/error)" "No such device" "$event: enable gives ENODEV"
	is "$(cat $dir/enable)" 0 "$event: it stays disabled"
	like "$(dmesg | grep rbmap: | tail -n 1)" \
		"rbmap: sched:$event is unavailable: " "$event: the log names the cause"
	is "$(cat $dir/source)" "built in" "$event: it counts as built in"
	ok "$event: can be disabled" sh -c "echo 0 >$dir/enable"
	like "$(cat $dir/id)" '^[0-9]+$' "$event: has an id"
	fails "$event: has no format" test -e $dir/format
done

ok "all events of sched can be enabled" sh -c "echo 1 >$events/sched/enable"
is "$(cat $events/sched/enable)" 1 "sched/enable ignores unavailable events"
ok "all events can be enabled" sh -c "echo 1 >$events/enable"
is "$(cat $events/enable)" 1 "events/enable ignores unavailable events"
is "$(cat $events/sched/sched_switch/enable)" 1 "sched_switch is enabled"
ok "all events can be disabled" sh -c "echo 0 >$events/enable"
is "$(cat $events/enable)" 0 "all events are disabled"
ok "the changed module unloads" rmmod rbmap
done_testing
