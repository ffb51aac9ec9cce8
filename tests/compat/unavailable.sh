#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest, with a module that tests/compat/run has mangled.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

events=/sys/kernel/rbmap/events

ok "module loads" load_module rbmap || done_testing
like "$(cat $events/sched/sched_nonesuch/status)" \
	'^unavailable: this kernel has no such tracepoint$' "missing tracepoint"
like "$(cat $events/sched/sched_process_exec/status)" \
	'^unavailable: its probe does not fit this kernel' "probe left out"
is "$(cat $events/sched/sched_switch/status)" available "the others are there"

like "$(cat /sys/kernel/rbmap/lockdown)" '^unknown: this kernel does not tell modules' \
	"lockdown cannot be asked for"
like "$(dmesg | grep rbmap:)" 'does not tell modules whether it is locked down: .* can be read' \
	"the log says so"
ok "rings can be read" sh -c ': </dev/rbmap/cpu0'

for event in sched_nonesuch sched_process_exec; do
	dir=$events/sched/$event
	echo 1 | dd of=$dir/enable 2>/tmp/error
	like "$(cat /tmp/error)" "No such device" "$event: enable gives ENODEV"
	is "$(cat $dir/enable)" 0 "$event: it stays off"
	like "$(dmesg | grep rbmap: | tail -n 1)" \
		"rbmap: sched:$event is unavailable: " "$event: the log says why"
	ok "$event: can be disabled" sh -c "echo 0 >$dir/enable"
	like "$(cat $dir/id)" '^[0-9]+$' "$event: has an id"
	fails "$event: has no format" test -e $dir/format
done

ok "all of sched" sh -c "echo 1 >$events/sched/enable"
is "$(cat $events/sched/enable)" 1 "is all that is available"
ok "all" sh -c "echo 1 >$events/enable"
is "$(cat $events/enable)" 1 "is all that is available"
is "$(cat $events/sched/sched_switch/enable)" 1 "sched_switch is on"
ok "all off" sh -c "echo 0 >$events/enable"
is "$(cat $events/enable)" 0 "off"
ok "module unloads" rmmod rbmap
done_testing
