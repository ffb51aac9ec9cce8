#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A recording of the clock boot has the right times of day before and after a sleep of the
# machine. Those of the local clock are wrong by the length of the sleep on one side of it, as
# rbmap-record(1) says.
# shellcheck disable=SC2046,SC2086,SC2317 # numbers; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

alarm=/sys/class/rtc/rtc0/wakealarm
# The machine must be asleep when the alarm comes, or it sleeps for ever.
length=$(patience 16)
if ! [ -w $alarm ] || ! grep -qw mem /sys/power/state; then
	skip_all "this kernel does not sleep"
fi
ok "the module loads" load_module rbmap buffer_size_kb=512 || done_testing

# records: whether two recorders' buffers record markers
records()
{
	[ "$(cat /sys/kernel/rbmap/instances/*/events/rbmap/marker/enable | grep -c 1)" = 2 ]
}
# mark: writes a marker with the time of day
mark()
{
	date +%s >/dev/rbmap/marker
}
# sleeps: lets the machine sleep, until its clock wakes it up
sleeps()
{
	echo 0 >$alarm
	echo +$length >$alarm
	echo mem >/sys/power/state
}
# errors CLOCK: prints by how many seconds the markers' times of day are wrong. The clock of
# the wall was read just before each marker.
errors()
{
	TZ=UTC rbmap report --wall /tmp/$1.dat 2>/dev/null | sed -n \
		's/.*\] \([-0-9]* [0-9:]*\)\.[0-9]*: .*marker: *\([0-9]*\).*/\1 \2/p' |
		while read -r day time said; do
			echo $(($(date -u -d "$day $time" +%s) - said))
		done | xargs
}
# near FIRST SECOND: whether the numbers differ by less than half a sleep
near()
{
	[ $((2 * ($1 - $2))) -lt $length ] && [ $((2 * ($2 - $1))) -lt $length ]
}

pids=
for clock in boot local; do
	rbmap record -C $clock -e rbmap:marker -o /tmp/$clock.dat >/dev/null 2>&1 &
	pids="$pids $!"
done
ok "the markers are recorded with two clocks" retry_until 30 records
mark
begin=$(date +%s)
ok "the machine sleeps, and wakes up" sleeps
slept=$(($(date +%s) - begin))
ok "it has slept for $slept s" test $slept -ge $((length - 2))
length=$slept
mark
kill -INT $pids
wait
set -- $(errors boot) none none
ok "boot: the time of day before the sleep is wrong by $1 s" near "$1" 0
ok "boot: the time of day after it is wrong by $2 s" near "$2" 0
set -- $(errors local) none none
ok "local: the times of day are wrong by $1 s and $2 s" near $(($1 - $2)) $length
ok "the module unloads" rmmod rbmap
rm -f /tmp/boot.dat /tmp/local.dat
done_testing
