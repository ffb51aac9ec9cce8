#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# rbmap selftest passes on a stock kernel, with all CPUs and with one. It does not disturb a
# flight recorder, and leaves nothing, even if it is killed. broken.sh shows that it fails
# with a broken ring. SHORT=1: fewer seconds, killed once, and without
# rbmap doctor.
# shellcheck disable=SC2086,SC2317 # numbers; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

device=/dev/rbmap_selftest
seconds=5 moments="0 0.3"
[ -z "${SHORT:-}" ] || seconds=1 moments=0.3
install_module || done_testing

# prints STATUS PATTERN COMMAND...: the command ends with STATUS, and prints a line that
# matches PATTERN
prints()
{
	local wanted=$1 pattern=$2

	shift 2
	said "$@"
	is "$status" "$wanted" "$*: the exit status"
	like "$output" "$pattern" "$*: /$pattern/"
}

# left: lists what a selftest has left
left()
{
	find /dev/rbmap /sys/kernel/rbmap/instances -mindepth 1 -maxdepth 1 -name 'selftest-*'
	! is_loaded rbmap_selftest || echo rbmap_selftest
	[ ! -e $device ] || echo $device
}

# begin ARGUMENT...: starts a selftest in the background, and waits until its writers run
begin()
{
	rbmap selftest "$@" >/tmp/out 2>/tmp/err &
	pid=$!
	retry_until 30 writes
}

# Do the writers fill the rings of the selftest's buffer?
writes()
{
	local stats=/sys/kernel/rbmap/instances/selftest-$pid/per_cpu/cpu0/stats

	[ "$(sed -n 's/^emitted: //p' "$stats" 2>/dev/null || echo 0)" -gt 100 ]
}

# adds_up FILE: each row of the table has events of all contexts but NMIs, and their sum
# is received + lost
adds_up()
{
	awk 'NR > 1 && NF == 9 {
			rows++
			good += $3 && $4 && $5 && $3 + $4 + $5 + $6 == $7 + $8 && $9 == "ok"
		} END { exit rows != 10 || good != 10 }' "$1"
}

# sum_of COLUMN FILE
sum_of()
{
	awk -v column="$1" 'NF == 9 { sum += $column } END { print sum + 0 }' "$2"
}

# ---- what it needs
prints 1 'rbmap: .*not loaded.*rbmap load' rbmap selftest
ok "the module loads" rbmap load || done_testing
prints 1 'cannot read /nowhere' rbmap selftest -m /nowhere
is "$(left)" "" "nothing is left"

# ---- all ways, beside a flight recorder
rbmap record -f -e rbmap:marker -o /tmp/flight.dat 2>/tmp/flight.err &
flight=$!
ok "a flight recorder begins" retry_until 30 grep -q "kill -USR1 $flight" /tmp/flight.err
# If a machine is so busy that a context has written nothing, the test advises more time.
wants_more()
{
	grep -q 'give more --seconds' "$1"
}
number=0
for times in 1 5 25; do
	rbmap selftest --seconds $(($(patience $seconds) * times)) >/tmp/table 2>/tmp/err &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		number=$((number + 1))
		echo "mark $number" >/dev/rbmap/marker
		sleep 0.05
	done
	wait $pid
	status=$?
	wants_more /tmp/err || break
done
is "$status" 0 "it passes"
is "$(cat /tmp/err)" "" "without a message"
ok "received + lost = emitted, in each row" adds_up /tmp/table || diag "$(cat /tmp/table)"
ok "some events were lost" test "$(sum_of 8 /tmp/table)" -gt 0
if [ "$(uname -m)" = x86_64 ]; then
	ok "NMIs wrote events" test "$(sum_of 6 /tmp/table)" -gt 0
else
	is "$(tail -n 1 /tmp/table)" "No NMI was tested: this machine offers none to a module." \
		"it says that NMIs were not tested"
fi
kill $flight
wait $flight
is "$(rbmap report /tmp/flight.dat | grep -o 'mark [0-9]*$' | uniq | md5sum)" \
	"$(seq $number | sed 's/^/mark /' | md5sum)" "the flight recorder has all $number marks"
is "$(left)" "" "nothing is left"

# ---- one CPU, and JSON
for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
	[ ! -e "$cpu/online" ] || echo 0 >"$cpu/online"
done
for times in 1 5 25; do
	rbmap selftest -s $(($(patience 1) * times)) --json >/tmp/json
	status=$?
	wants_more /tmp/json || break
done
is "$status" 0 "one CPU: it passes"
for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
	[ ! -e "$cpu/online" ] || echo 1 >"$cpu/online"
done
is "$(grep -c '"error": null' /tmp/json)" 10 "one CPU: all scenarios are in the JSON"
like "$(tr -d ' \n' </tmp/json)" '^\{"passed":true,"nmi":(true|false),"scenarios":\[\{"way":"mmap","mode":"overwrite","emitted":\{"task":[1-9]' \
	"one CPU: the JSON has the numbers"

# ---- one at a time, by root alone
ok "a selftest begins" begin -s 60
is "$(stat -c '%a %U' $device)" "600 root" "only root can open the device"
prints 1 'another selftest is running: wait until it ends' rbmap selftest
like "$(rbmap unload 2>&1)" 'the module is in use by' "the module cannot be unloaded meanwhile"
kill -INT $pid
wait $pid
is "$?" 1 "SIGINT ends it"
is "$(cat /tmp/err)" "rbmap: interrupted" "it says so"
is "$(left)" "" "nothing is left"

# ---- kill -9 at different moments
for moment in $moments; do
	ok "a selftest begins" begin -s 60
	sleep "$moment"
	kill -9 $pid
	wait $pid 2>/dev/null
	is "$(left)" "rbmap_selftest
$device" "$moment s later, killed: its buffer is gone"
	is "$(cat /sys/module/rbmap_selftest/refcnt)" 0 "nobody uses the module, so no writer runs"
done
if [ -z "${SHORT:-}" ]; then
	like "$(rbmap doctor --thorough)" '^ok +selftest +10 of 10 scenarios: [1-9][0-9]* events received, [0-9]+ lost and counted' \
		"the next one passes: rbmap doctor --thorough"
	is "$(left)" "" "and removes the module"
	is "$(rbmap doctor | grep -c selftest)" 0 "rbmap doctor alone does not test"
fi
ok "a selftest begins" begin -s 60
kill -9 $pid
wait $pid 2>/dev/null
ok "rbmap unload removes both modules" rbmap unload
is "$(grep -c '^rbmap' /proc/modules)" 0 "both are gone"
done_testing
