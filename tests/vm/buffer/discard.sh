#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events that are thrown away: their counters, and the command that throws them away.
# shellcheck disable=SC2317 # retry_until calls the function
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

control=/sys/kernel/rbmap

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" discard

# A recording with events of its own in a buffer that has old events.
echo 1 >$control/reset
echo 1 >$control/events/rbmap/enable
for number in 1 2 3; do
	echo "old $number" >/dev/rbmap/marker
done
before=$(summed discarded)
ok "a recording of the default buffer" rbmap record -q --default -e sched_process_exec \
	-o /tmp/discard.dat -- /bin/busybox true
is $(($(summed discarded) - before)) 3 "record discards the old events"
fails "the recording lacks the old events" \
	sh -c "rbmap report /tmp/discard.dat | grep 'old [0-9]'"
is "$(rbmap stat | awk '$1 == "sum" && NR < 8 { print $7 }')" "$(summed discarded)" \
	"rbmap stat shows the discarded events"
like "$(rbmap stat --json)" '"discarded": [1-9]' "rbmap stat --json has them"

# A flight recorder begins with its own events, too.
echo 1 >$control/events/rbmap/enable
echo "old 4" >/dev/rbmap/marker
before=$(summed discarded)
rbmap record -q --default -e sched_process_exec --flight-recorder -o /tmp/flight.dat &
pid=$!
has_discarded()
{
	[ "$(summed discarded)" -gt "$before" ]
}
ok "a flight recorder discards the old event" retry_until 20 has_discarded
kill $pid
wait $pid
ok "module unloads" rmmod rbmap
done_testing
