#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# On a real-time kernel, measures how long a task of the highest priority waits for a
# loaded CPU, with all scheduler events recorded and with none. Times of an emulated
# machine are only comparable with each other.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

rings=/sys/kernel/rbmap
rounds=3

# latency: print a line of cyclictest, "min avg max" in us
latency()
{
	hackbench -s 64 -g 1 -f 5 -l 100000 >/dev/null 2>&1 &
	load=$!
	cyclictest -q -m -p 95 -a 0 -t 1 -i 2000 -l 2000 2>/dev/null |
		sed -n 's/.*Min: *\([0-9]*\).*Avg: *\([0-9]*\) Max: *\([0-9]*\).*/\1 \2 \3/p'
	kill "$load" 2>/dev/null
	wait "$load" 2>/dev/null
}

ok "the module loads" load_module rbmap
round=0
while [ $round -lt $rounds ]; do
	round=$((round + 1))
	echo 0 >$rings/events/sched/enable
	off=$(latency)
	echo 1 >$rings/events/sched/enable
	on=$(latency)
	like "$off" '^[0-9]+ [0-9]+ [0-9]+$' "round $round: latency measured without events"
	like "$on" '^[0-9]+ [0-9]+ [0-9]+$' "round $round: latency measured with all scheduler events"
	diag "latency (min avg max, us): without events $off, with $on"
done
echo 0 >$rings/events/sched/enable
ok "events were recorded during the measurements" [ "$(summed emitted)" -gt 1000 ]
ok "the module unloads" rmmod rbmap
done_testing
