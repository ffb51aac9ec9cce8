#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A recorder of a shared buffer restores it after each signal that it can catch. If it is
# killed, rbmap tells of the lists of threads and of the filters that are left, and of CPUs
# that are left out. SHORT=1 has one of the four signals.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
switch=$root/events/sched/sched_switch

ok "the module loads" load_module rbmap || done_testing
selection()
{
	rbmap status | sed -n 's/^selection  *//p'
}
settings()
{
	cat $root/set_event_pid $root/set_event_notrace_pid $root/options/event-fork \
		$switch/filter $switch/enable $root/events/rbmap/marker/enable | xargs
}
before=$(settings)
is "$(selection)" "" "nothing restricts the buffer"
like "$(rbmap doctor)" 'ok +selection +all CPUs and threads, and no filters' "rbmap doctor says so"

# shared COMMAND [ARGUMENT]...: starts a recorder of the default buffer
shared()
{
	rbmap "$@" --default -e sched_switch --filter 'prev_pid == 1' -p 1 >/tmp/out 2>/tmp/err &
	pid=$!
	retry_until 30 grep -q 1 $switch/enable
}
signals="INT TERM HUP QUIT"
[ -z "${SHORT:-}" ] || signals=TERM
for signal in $signals; do
	ok "SIG$signal: a recorder begins" shared record -q -o /tmp/x.dat
	kill -$signal $pid
	wait $pid
	is "$(settings)" "$before" "SIG$signal: the recorder restores the settings"
	ok "SIG$signal: a stream begins" shared stream
	kill -$signal $pid
	wait $pid
	is "$(settings)" "$before" "SIG$signal: the stream restores the settings"
done

ok "a recorder begins" shared record -q -o /tmp/x.dat
kill -9 $pid
wait $pid
# The kernel has removed the recorder's own threads from set_event_notrace_pid.
wanted='only events of 1 thread \(set_event_pid\), 1 event has a filter'
like "$(selection)" "^$wanted$" "rbmap status tells what a killed recorder has left"
like "$(rbmap status --json)" "\"selection\": ?\"$wanted\"" "and so in JSON"
like "$(rbmap doctor)" "note +selection +the default buffer records a part only: $wanted" "so does rbmap doctor"
rbmap record --default -e irq -d 0.1 -o /tmp/y.dat 2>/tmp/err
like "$(cat /tmp/err)" "note: this buffer records a part only: $wanted" "and the next recorder"
rbmap stream -d 0.1 >/dev/null 2>/tmp/err
like "$(cat /tmp/err)" "note: this buffer records a part only: $wanted" "and the next stream"
all=$(cat $root/tracing_cpumask)
echo 1 >$root/tracing_cpumask
like "$(selection)" "^only events of 1 CPU \(tracing_cpumask\), $wanted$" "status tells of CPUs that are left out"
echo "$all" >$root/tracing_cpumask
rbmap top --default --batch -n 1 -i 0.1 >/dev/null 2>/tmp/err
like "$(cat /tmp/err)" "note: this buffer records a part only: $wanted" "and top"
rbmap latency --live --default -d 0.1 >/dev/null 2>/tmp/err
like "$(cat /tmp/err)" "note: this buffer records a part only: $wanted" "and latency"
rbmap record -e irq -d 0.1 -o /tmp/y.dat 2>/tmp/err
is "$(grep -c 'a part only' /tmp/err)" 0 "a buffer of its own is not restricted"
rm -f /tmp/x.dat* /tmp/y.dat*
ok "the module unloads" rmmod rbmap
done_testing
