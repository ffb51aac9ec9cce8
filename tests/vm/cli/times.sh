#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# When a recording was made: the time of day of its events, with each clock of the ring.
# SHORT=1: one of the clocks, compressed recordings alone, and a flight recorder with one
# clock.
# shellcheck disable=SC2016,SC2094,SC2317 # sh expands it; times.dat is only read; ok calls between
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

control=/sys/kernel/rbmap
cd /tmp || exit 1
ok "module loads" load_module rbmap || done_testing

# seconds_of FILE TEXT: prints the seconds since 1970 of the event with TEXT
seconds_of()
{
	date -u +%s -d "$(rbmap report --utc "$1" 2>errors |
		sed -n "/$2/s/.*\] \(....-..-.. ..:..:..\)[.]......Z: .*/\1/p")"
}

# between FROM NUMBER TO
between()
{
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

for clock in local mono boot x86-tsc; do
	case ${SHORT:+$clock} in
	mono | boot | x86-tsc) continue ;;
	esac
	for option in '' --no-compress; do
		[ -z "${SHORT:-}" ] || [ -z "$option" ] || continue
		from=$(date +%s)
		# shellcheck disable=SC2086 # an empty option must not be an argument
		rbmap record -q $option -C $clock -e rbmap:marker -o times.dat -- \
			sh -c 'sleep 0.5; echo now >/dev/rbmap/marker; sleep 0.5'
		to=$(date +%s)
		# A second begins before it is over.
		ok "$clock $option: the time of the event" \
			between "$from" "$(seconds_of times.dat now)" "$to"
	done
	ok "$clock: the event is in the last minute" \
		sh -c "rbmap report --since -60 times.dat | grep -q now"
	fails "$clock: the event is not in the last tenth of a second" \
		sh -c "rbmap report --since -0.1 times.dat | grep now"
	ok "$clock: the event was until now" \
		sh -c "rbmap report --until '$(date -u '+%F %TZ' -d "@$((to + 1))")' times.dat | grep -q now"
	fails "$clock: the event was not before the recording" \
		sh -c "rbmap report --until '$(date -u '+%F %TZ' -d "@$((from - 1))")' times.dat | grep now"
	trace-cmd report times.dat >report 2>errors
	ok "$clock: trace-cmd report prints the event" grep -q now report
	is "$(grep -v '^cpus=' errors)" "" "$clock: trace-cmd report prints no error"
	like "$(trace-cmd report --stat times.dat 2>&1)" \
		'begin: ring [0-9]+ real [0-9]+ boot [0-9]+ tai [0-9]+ error [0-9]+' \
		"$clock: trace-cmd report --stat prints the moments"
done

# Somebody sets the clock: the times are those of the clock at the end.
rbmap record -q -e rbmap:marker -o times.dat -- \
	sh -c 'echo now >/dev/rbmap/marker; date -s "@$(($(date +%s) + 7200))" >/dev/null'
to=$(date +%s)
ok "the clock is set: the time of the event" \
	between $((to - $(patience 60))) "$(seconds_of times.dat now)" "$to"

# A flight recorder: its files say when the rings were frozen.
for clock in local x86-tsc; do
	[ -z "${SHORT:-}" ] || [ $clock = local ] || continue
	# A machine that is slow needs a longer pause between the events.
	for pause in 1 5 25; do
		rm -f flight.dat*
		rbmap record -f -C $clock -e rbmap:marker -o flight.dat 2>log &
		pid=$!
		ok "$clock: a flight recorder begins" retry_until 30 grep -q "kill -USR1 $pid'" log
		from=$(date +%s)
		echo first >/dev/rbmap/marker
		after_first=$(hundredths)
		sleep $pause
		before_second=$(hundredths)
		echo second >/dev/rbmap/marker
		kill -USR1 $pid
		ok "$clock: the flight recorder writes a file" retry_until 30 grep -q '^flight.dat: ' log
		after_file=$(hundredths)
		kill -INT $pid
		wait $pid
		[ $((after_file - before_second)) -ge $((before_second - after_first)) ] || break
	done
	to=$(date +%s)
	ok "$clock: the time of the first event" \
		between "$from" "$(seconds_of flight.dat first)" "$to"
	# The rings were frozen after the second event, and before the file was there.
	since=$(awk -v sum=$((after_file - after_first)) 'BEGIN { print sum / 200 }')
	is "$(rbmap report --since "-$since" flight.dat 2>errors | grep -c 'first\|second')" 1 \
		"$clock: one event came in the last $since s"
	like "$(trace-cmd report --stat flight.dat 2>&1)" 'trigger: ring [1-9]' \
		"$clock: the file has the moment of the trigger"
done

# A recorder that was killed has written when it began.
rbmap record -q -e rbmap:marker -o killed.dat &
pid=$!
ok "a recorder begins" retry_until 30 test -e killed.dat.cpu0
from=$(date +%s)
ok "a marker is written" retry_until 30 sh -c 'echo now >/dev/rbmap/marker'
ok "the event is in the file" \
	retry_until 30 sh -c 'rbmap report killed.dat 2>errors | grep -q now'
kill -9 $pid
wait $pid 2>/dev/null
to=$(date +%s)
ok "a killed recorder: the time of the event" \
	between "$from" "$(seconds_of killed.dat now)" "$to"
ok "recover" rbmap recover killed.dat
ok "a recovered recording says when it was made" rbmap report --wall killed.dat

# The default buffer, and its snapshot
echo 1 >$control/events/rbmap/enable
from=$(date +%s)
echo frozen >/dev/rbmap/marker
ok "snapshot" rbmap snapshot -q -o snapshot.dat
to=$(date +%s)
ok "a snapshot: the time of the event" \
	between "$from" "$(seconds_of snapshot.dat frozen)" "$to"

ok "module unloads" rmmod rbmap
done_testing
