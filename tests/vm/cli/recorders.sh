#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Recorders have buffers of their own: they do not disturb one another, and nothing of
# them is left when they are killed. SHORT=1: shorter recordings, and fewer are killed.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
instances=$root/instances

ok "the module loads" load_module rbmap || done_testing

# lists_recorder: rbmap status shows the recorder of process $pid
lists_recorder()
{
	rbmap status | grep -q "^recorder .*(pid $pid)"
}

# begin SYSTEM ARGUMENT...: starts a recorder in the background and waits until events of
# SYSTEM are enabled
begin()
{
	system=$1
	shift
	rbmap "$@" >/tmp/begin.out 2>/tmp/begin.err &
	pid=$!
	retry_until 60 is_recording
}

is_recording()
{
	grep -q '[1X]' "$instances/record-$pid/events/$system/enable" 2>/dev/null
}

# left: lists what recorders have left behind
left()
{
	find /dev/rbmap $instances -mindepth 1 -maxdepth 1 | grep -E -- '/(record|comms)-'
	rbmap list | grep -w enabled | grep -v rbmap:marker
	cat $root/set_event_pid $root/set_event_notrace_pid
	[ "$(cat /sys/module/rbmap/refcnt)" = 0 ] || echo "references to the module"
}
nothing_left()
{
	[ -z "$(left)" ]
}

# ---- an ad hoc recorder beside a flight recorder
before="$(rbmap status)"
ok "a flight recorder begins" begin rbmap record -f -e rbmap:marker -o /tmp/flight.dat
flight=$pid
ok "status shows it" lists_recorder
retry_until 20 sh -c 'rbmap status | grep -q "^recorder.*: rbmap:marker$"'
like "$(rbmap status)" "^recorder +rbmap \(pid $flight\), buffer record-$flight, 0 lost: rbmap:marker$" \
	"with its buffer, losses and events"
like "$(rbmap status --json | tr -d ' \n')" \
	"\"recorders\":\[{\"buffer\":\"record-$flight\",\"command\":\"rbmap\",\"pid\":$flight,\"lost\":0,\"enabled\":\[\"rbmap:marker\"\]}\]" \
	"and in JSON"
refused=0
mark()
{
	echo "mark $1" 2>/dev/null >/dev/rbmap/marker || refused=$((refused + 1))
}
number=0 rounds="1 2" seconds=3 marks=300
[ -z "$SHORT" ] || rounds=1 seconds=0.3 marks=100
for round in $rounds; do
	rbmap record -q -e irq -e sched -d $seconds -o /tmp/adhoc.dat &
	adhoc=$!
	while [ $((number % marks)) -ne $((marks - 1)) ] || kill -0 $adhoc 2>/dev/null; do
		[ $((number % marks)) -eq $((marks - 1)) ] && sleep 0.05 && continue
		number=$((number + 1))
		mark $number
	done
	wait $adhoc || fail "the ad hoc recorder of round $round"
	number=$((number + 1))
	mark $number
	is "$(rbmap report /tmp/adhoc.dat | grep -c marker)" 0 "the ad hoc recording has no marker: round $round"
done
all=$((marks * $(echo "$rounds" | wc -w)))
is "$number $refused" "$all 0" "$all markers were written, none was refused"
like "$(rbmap unload 2>&1)" "in use by .*rbmap \(pid $flight\)" "unload is refused, and names the flight recorder"
like "$(rbmap destroy record-$flight 2>&1)" "belongs to process $flight and goes with it" "destroy is refused, and names it"
is "$( (echo record-$flight >$instances/destroy) 2>&1 | sed 's/.*: //')" "Operation not permitted" \
	"so is a write to the control file"
kill $flight
wait $flight
is "$(rbmap report /tmp/flight.dat | grep -o 'mark [0-9]*$' | uniq | md5sum)" \
	"$(seq $all | sed 's/^/mark /' | md5sum)" "the flight recorder has all $all in order"
like "$(cat /tmp/begin.err)" "^$all events read, 0 lost\$" "and says so"
is "$(left)" "" "nothing is left"
is "$(rbmap stream --no-follow --observe 2>/dev/null | grep -c 'mark ')" $all "the default buffer has them, too"
# The first use of an event has checked the kernel's records.
is "$(rbmap status | grep -v '^cpu' | grep -v '^kernel events')" \
	"$(echo "$before" | grep -v '^cpu' | grep -v '^kernel events')" "its settings and events are as before"

# ---- two recorders at full speed
for output in one two; do
	rbmap record -b 16M -e raw_syscalls -o /tmp/$output.dat 2>/tmp/$output.err &
	eval "$output=\$!"
done
# shellcheck disable=SC2154 # set by eval
recorders="$one $two"
system=raw_syscalls
for pid in $recorders; do
	ok "a recorder begins" retry_until 60 is_recording
done
count=6000
[ -z "$SHORT" ] || count=300
dd if=/dev/zero of=/dev/null bs=1 count=$count 2>/dev/null &
dd=$!
wait $dd
kill $recorders
wait $recorders
for output in one two; do
	like "$(cat /tmp/$output.err)" ' events read, 0 lost$' "recorder $output lost nothing"
	rbmap report /tmp/$output.dat | grep -E -- "-$dd .* NR [0-9]+ \((read|write)[,)]" |
		sed 's/.*: sys_/sys_/' >/tmp/$output.txt
	rm /tmp/$output.dat
done
ok "the recordings have the system calls of dd" test "$(wc -l </tmp/one.txt)" -ge $((4 * count))
is "$(md5sum </tmp/one.txt)" "$(md5sum </tmp/two.txt)" "both have the same ones"

if [ -z "${SHORT:-}" ]; then
	# ---- own threads
	ok "an idle machine is recorded" rbmap record -q -e raw_syscalls -d 1 -o /tmp/idle.dat
	is "$(rbmap report /tmp/idle.dat | grep -cE '^ *rbmap')" 0 "without events of rbmap"
	ok "it is recorded with --self" rbmap record -q --self -e raw_syscalls -d 0.2 -o /tmp/idle.dat
	ok "with events of rbmap" test "$(rbmap report /tmp/idle.dat | grep -cE '^ *rbmap')" -ge 10
	rbmap stream -e raw_syscalls -d 1 >/tmp/idle.txt 2>/tmp/idle.err
	is "$(grep -cE '^ *rbmap-' /tmp/idle.txt)" 0 "rbmap stream leaves itself out"
	is "$(grep -vc ' sys_' /tmp/idle.txt)" 0 "and prints only the events that it was asked for"
	rm -f /tmp/idle.*
fi

# ---- the options of a buffer of its own
ok "a recorder has sizes, a clock and CPUs" begin sched record -e sched,irq -b 1M --subbuf 16 -C mono --cpus 0 -o /tmp/set.dat
is "$(cd $instances/record-$pid && cat buffer_size_kb buffer_subbuf_size_kb tracing_cpumask | xargs)" \
	"1024 16 1" "its buffer has the sizes and the CPUs"
ok "and each event of a list" retry_until 20 grep -qx 1 "$instances/record-$pid/events/irq/enable"
like "$(cat $instances/record-$pid/trace_clock)" '\[mono\]' "and the clock"
taskset 1 true
taskset 2 true
kill $pid
wait $pid
is "$(rbmap report /tmp/set.dat | sed -n 's/.*\[\([0-9]*\)\] .*/\1/p' | sort -u | xargs)" 000 "all events are of CPU 0"
refuses()
{
	text=$1
	shift
	like "$(rbmap "$@" 2>&1)" "$text" "refused: $*"
}
refuses "invalid size '0'" record -e sched -b 0
refuses "invalid size '8X'" record -e sched -b 8X
refuses "invalid size '18014398509481984K" stream -e sched -b 18014398509481984K0
refuses "invalid size '18014398509481984G'" stream -e sched -b 18014398509481984G
refuses "invalid list of CPUs '0-'" record -e sched --cpus 0-
refuses "invalid list of CPUs '3-1'" record -e sched --cpus 3-1
refuses "does not have all CPUs of the list 0,1000" record -e sched --cpus 0,1000 -d 1 -o /tmp/no.dat
refuses "the kernel refused the buffer's settings: .*clock" record -e sched -C sun -d 1 -o /tmp/no.dat
refuses "not enough memory for the rings: .* use a smaller size with -b" record -e sched -b 64G -d 1 -o /tmp/no.dat
refuses "are for a buffer of the command's own" record --default -e sched -b 1M
refuses "are for a buffer of the command's own" record -C mono
refuses "name two buffers" record --default -B x -e sched
is "$(left)" "" "nothing is left of the refused ones"
is "$( (su nobody -c 'rbmap record -e sched -d 1 -o /tmp/no.dat') 2>&1 | grep -c 'as root')" 1 \
	"a user without rights is told what he needs"

# ---- two readers of one buffer
rbmap stream >/tmp/first.out 2>/tmp/first.err &
first=$!
has_reader()
{
	grep -q '^readers: [1-9]' $root/per_cpu/cpu0/stats
}
ok "the default buffer has a reader" retry_until 30 has_reader
rbmap record --default -e rbmap:marker -o /tmp/shared.dat 2>/tmp/second.err &
second=$!
told()
{
	grep -q 'also reads this buffer: each event goes to one reader only' "$1"
}
ok "the first reader is told of the second one" retry_until 30 told /tmp/first.err
ok "the second one of the first one" retry_until 30 told /tmp/second.err
sleep 2
is "$(grep -c 'also reads' /tmp/first.err) $(grep -c 'also reads' /tmp/second.err)" "1 1" "once each"
like "$(cat /tmp/second.err)" "rbmap \(pid $first\) also reads" "with the name of the other one"
kill $second
wait $second
rbmap stream -d 1 >/tmp/third.out 2>/tmp/third.err
like "$(cat /tmp/third.err)" 'another process reads this buffer: this command observes' \
	"rbmap stream without events observes a buffer that has a reader"
kill -INT $first
wait $first

# ---- killed at any moment
state=${RBMAP_TEST_SEED:-${SHORT:-$$}}
diag "RBMAP_TEST_SEED=$state"
# pick N: stores a random number below N in $picked
pick()
{
	state=$(((state * 1103515245 + 12345) % 2147483648))
	picked=$((state / 65536 % $1))
}
killed=0
rounds=5
[ -z "$LONG" ] || rounds=50
[ -z "$SHORT" ] || rounds=2
while [ $killed -lt $rounds ]; do
	pick 4
	case $picked in
	0) set -- record -q -e sched -e raw_syscalls -o /tmp/killed.dat ;;
	1) set -- record -q -f -e sched -o /tmp/killed.dat ;;
	2) set -- stream -e sched ;;
	3) set -- record -q -f -e sched -t sched_switch -o /tmp/killed.dat ;;
	esac
	rbmap "$@" >/dev/null 2>&1 &
	pid=$!
	pick 60
	sleep "0.$(printf %02d $picked)"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	rm -f /tmp/killed.dat*
	retry_until 30 nothing_left || {
		fail "kill -9 in round $killed leaves something: rbmap $*"
		diag "$(left)"
		break
	}
	killed=$((killed + 1))
done
is $killed $rounds "recorders were killed at random moments, and left nothing"
ok "the next recorder starts" rbmap record -q -e sched -o /tmp/next.dat -- true
ok "and has events" test "$(rbmap report /tmp/next.dat | wc -l)" -ge 1
ok "the module unloads" rmmod rbmap
done_testing
