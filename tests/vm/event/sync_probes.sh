#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Filters, pids and events are freed only after the last probe has stopped using them.
# They are replaced while an event fires all the time on another processor. A kernel
# with memory checks reports an object that is freed too early. SHORT=1: for
# a second each.
# shellcheck disable=SC2016,SC2317 # $arg1 is literal; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
event=$root/events/sync/hot
cpus=$(grep -c '^processor' /proc/cpuinfo)
seconds=3
[ -z "${SHORT:-}" ] || seconds=1

firing()
{
	while :; do
		echo 1000 >/sys/module/emit/parameters/fetch
	done 2>/dev/null
}

# replaced TEXT FILE ONE OTHER: writes ONE and OTHER to FILE in turn
replaced()
{
	times=$(taskset 1 sync_probes "$2" $seconds "$3" "$4" 2>&1)
	like "$times" '^[1-9][0-9]*$' "$1 are replaced while probes look at them"
}

add()
{
	echo 't:sync/hot emit_fetch number=$arg4:u64' >$root/dynamic_events
}

removed()
{
	end=$(($(date +%s) + seconds))
	while [ "$(date +%s)" -lt "$end" ]; do
		echo 1 >"$event"/enable && echo "number != 1$long" >"$event"/filter &&
			echo '-:sync/hot' >"$root"/dynamic_events && add || return 1
	done
}

[ "$cpus" -gt 1 ] || skip_all "one processor"
ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
ok "the emitter loads" load_module emit || done_testing
# Each replacement waits for a grace period: expedite it.
echo 1 >/sys/kernel/rcu_expedited
add
# A filter takes longest if every comparison must run before the record is accepted.
long=
n=100000000
while [ ${#long} -lt 3900 ]; do
	long="$long&&number!=$n"
	n=$((n + 1))
done
echo 1 >$event/enable
firing &
firer=$!
taskset -p 2 $firer >/dev/null
echo 1 >$root/reset
replaced "filters" $event/filter "number!=1$long" "number!=2$long"
ok "the event fired" test "$(summed emitted)" -gt 0
echo 0 >$event/filter
replaced "pids" $root/set_event_pid $firer "$firer 1"
: | dd of=$root/set_event_pid 2>/dev/null
ok "events are removed while they fire" removed
kill $firer
wait $firer 2>/dev/null
ok "the emitter unloads" rmmod emit
ok "module unloads" rmmod rbmap
done_testing
