#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A thread wakes the readers, and not the interrupt on the writer's CPU: a user may have
# any number of entries in the wait queue.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

ok "the module loads" load_module rbmap buffer_size_kb=64 || done_testing
echo wakes >$root/instances/create
echo 0 >$root/instances/wakes/events/rbmap/marker/enable
echo 1 >$root/instances/wakes/events/sched/sched_waking/enable
for round in 1 2 3; do
	head -c 1 /dev/rbmap/cpu0 >/dev/null &
	reader=$!
	retry_until 30 sleeps $reader
	taskset 1 sh -c "echo $round >/dev/rbmap/marker"
	wait $reader
	rbmap stream --no-follow -B wakes >/tmp/wakes 2>/tmp/error
	grep "sched_waking:.* pid=$reader " /tmp/wakes >/tmp/wake
	like "$(cat /tmp/wake)" "kworker/u" "wake-up $round: by a thread"
	fails "wake-up $round: not in an interrupt" grep -qE '\] ..[hHzZ]' /tmp/wake ||
		diag "$(cat /tmp/wake /tmp/error)"
done
echo 0 >$root/instances/wakes/events/sched/sched_waking/enable
echo wakes >$root/instances/destroy
ok "the module unloads" rmmod rbmap
done_testing
