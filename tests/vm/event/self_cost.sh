#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# self_cost measures each event once, and nothing while it is off. SHORT=1 switches it fewer
# times.
# shellcheck disable=SC2034,SC2086,SC2317 # unused loop variable; a path without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

# measured: prints the sum over all CPUs and contexts: measured events, and measurements
# that were dropped
measured()
{
	cat $root/per_cpu/cpu*/self_cost | awk '{ sum += $2 + $3 } END { print sum + 0 }'
}

busy()
{
	for round in 1 2 3 4 5 6 7 8; do
		/bin/busybox true
		sleep 0.01
	done
}

# sane: the values of each line are in ascending order, and each event is in a matching
# bucket
sane()
{
	cat $root/per_cpu/cpu*/self_cost | awk '
		$2 && ($4 > $5 || NF < 6) { print; exit 1 }
		{
			sum = 0
			for (i = 6; i <= NF; i++) {
				split($i, part, ":")
				sum += part[2]
				if (part[1] > $5 || (i > 6 && part[1] <= last)) { print; exit 1 }
				last = part[1]
			}
			if (sum != $2) { print; exit 1 }
		}' &&
		awk '/^self cost/ && $4 && ($7 > $9 || $9 > $11 || $11 > $13) { print; exit 1 }' \
			$root/per_cpu/cpu*/stats
}

ok "module loads" load_module rbmap buffer_size_kb=4096 || done_testing
is "$(cat $root/self_cost)" 0 "self_cost is off at first"
is "$(cat $root/per_cpu/cpu*/self_cost $root/per_cpu/cpu*/stats | grep -c -e astray -e task)" 0 "no file shows a measurement while self_cost is off"
like "$(rbmap stat --self-cost 2>&1)" "self_cost is off: echo 1 >$root/self_cost" "rbmap stat --self-cost says so"
is "$( (echo 2 >$root/self_cost) 2>&1 | sed 's/.*: //')" "Invalid argument" "a bad value is refused"

ok "self_cost is switched on" sh -c "echo 1 >$root/self_cost"
echo 1 >$root/events/enable
busy
like "$(rbmap stat --self-cost)" '^task +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+' "rbmap stat --self-cost, while events come"
echo 0 >$root/events/enable
is "$(measured)" "$(summed emitted)" "each event was measured"
ok "more than 100 events were measured" test "$(measured)" -gt 100
ok "events of tasks and of interrupts were measured" test "$(cat $root/per_cpu/cpu*/self_cost | awk '$2 { print $1 }' |
	grep -c -x -e task -e irq)" -ge 2
ok "minimum, percentiles, maximum and buckets are consistent" sane
like "$(rbmap stat --self-cost --json | tr -d ' \n')" '"context":"task","events":[0-9]+,"astray":[0-9]+,"min":' \
	"rbmap stat --self-cost --json"
diag "$(rbmap stat --self-cost)"

# A recorder's buffer leaves out the recorder's own tasks. Names of tasks come in another one.
echo 1 >$root/self_cost
rbmap record -q -e raw_syscalls -o /tmp/own.dat -- dd if=/dev/zero of=/dev/null bs=1 count=500 2>/dev/null
events=$(rbmap report /tmp/own.dat 2>/dev/null | grep -c ': sys_')
ok "events of a recorder's buffer were measured: $(measured) of $events" \
	test "$(measured)" -ge "$events" -a "$events" -ge 1000

ok "self_cost is switched off" sh -c "echo 0 >$root/self_cost"
before=$(measured)
echo 1 >$root/events/enable
busy
is "$(measured)" "$before" "the measurements stay, and none is added"
is "$(cat $root/per_cpu/cpu*/stats | grep -c 'self cost')" 0 "stats no longer has the self cost"
rounds="1 2 3 4 5 6 7 8 9 10"
[ -z "${SHORT:-}" ] || rounds="1 2 3"
for round in $rounds; do
	echo 1 >$root/self_cost
	busy
	echo 0 >$root/self_cost
done
echo 0 >$root/events/enable
ok "self_cost is switched while events are recorded: values are consistent" sane
ok "self_cost is switched on again" sh -c "echo 1 >$root/self_cost"
is "$(measured)" 0 "the measurements begin from 0 again"
ok "module unloads" rmmod rbmap

ok "module loads with self_cost=1" load_module rbmap self_cost=1 || done_testing
is "$(cat $root/self_cost /sys/module/rbmap/parameters/self_cost | xargs)" "1 Y" "self_cost is on"
ok "module unloads" rmmod rbmap
done_testing
