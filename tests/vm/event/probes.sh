#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Events of other modules: each kind of field, tracepoints of modules that are loaded
# and unloaded, and refused events. LONG=1 unloads a module ten thousand times while its
# event fires. SHORT=1: five to eight times, and a third of the refused events.
# shellcheck disable=SC2217,SC2317 # files that are only held open; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/versions.sh
. /tests/lib/versions.sh

events=/sys/kernel/rbmap/events
cpus=$(grep -c '^processor' /proc/cpuinfo)
hit=/sys/module/source/parameters/hit

emitted()
{
	cat /sys/kernel/rbmap/per_cpu/cpu*/stats |
		awk '/^emitted:/ { sum += $2 } END { print sum }'
}

dropped()
{
	cat /sys/kernel/rbmap/per_cpu/cpu*/stats |
		awk '/^dropped too large:/ { sum += $4 } END { print sum }'
}

ok "module loads" load_module rbmap || done_testing

# The module with the tracepoint is loaded and unloaded

ok "a module with events loads before the one with the tracepoint" load_module kinds ||
	done_testing
is "$(cat $events/kinds/kinds_hit/status)" \
	"waiting: for a module that has the tracepoint source_hit" "the event on the module's tracepoint waits"
is "$(cat $events/kinds/kinds_enter/status)" available "the event on the kernel's tracepoint does not wait"
for time in first second; do
	echo 1 >$events/kinds/kinds_hit/enable
	ok "the module with the tracepoint loads for the $time time" load_module source ||
		done_testing
	is "$(cat $events/kinds/kinds_hit/status $events/kinds/kinds_hit/enable | xargs)" \
		"available 1" "the event has found the tracepoint, and is on"
	before=$(emitted)
	echo '1 x' >$hit
	after=$(emitted)
	is $((after - before)) 1 "one hit is one event"
	[ $time = second ] || ok "the module with the tracepoint unloads, the event on" rmmod source
done
echo '4 hello' >$hit
echo 0 >$events/kinds/kinds_hit/enable
like "$(grep kinds_hit /dev/rbmap/trace | tail -n 1)" 'kinds_hit: number=4 .*text=hello' \
	"/dev/rbmap/trace prints it by its fields" || grep kinds_hit /dev/rbmap/trace | tail -n 2 | diag

# Each kind of field

theirs=/sys/kernel/tracing/events/source/source_hit/format
sed -e 's/kinds_hit/source_hit/; s/^ID: .*/ID: N/' $events/kinds/kinds_hit/format >/tmp/ours
sed -e 's/^ID: .*/ID: N/' $theirs >/tmp/theirs
ok "the event's format is the same as ftrace's" diff /tmp/theirs /tmp/ours

out=$(reported kinds:kinds_hit "echo '3 hello' >$hit; echo '0 NULL' >$hit")
ones=00000000,00000001,00000000,0000000
like "$out" "kinds_hit: +number=3 odd=1 parity=odd negative=-3 fixed=fixed shorts=$(array_pattern '3 4 5' 0x3,0x4,0x5) text=hello words=$(array_pattern '0 3 6' 0x0,0x3,0x6) bits=${ones}8 end=end\$" \
	"values of all fields" || diag "$out" "$(cat /tmp/error)"
like "$out" "kinds_hit: +number=0 odd=0 parity=even .* text=\(null\) words=$(array_pattern '' '') bits=${ones}1 end=end\$" \
	"no text, no array" || diag "$out"
# Only recordings that are not compressed can be searched.
rbmap record --no-compress -e kinds:kinds_hit -o /tmp/recorded.dat -- \
	sh -c "echo '3 hello' >$hit" >/dev/null 2>&1
ok "a structure is recorded" grep -qa PAIRPAIR /tmp/recorded.dat

before=$(dropped)
out=$(reported kinds:kinds_hit "echo '2 LONG' >$hit; echo '9000 x' >$hit; echo '$((150 * page_kb)) y' >$hit")
like "$out" "text=x{3800,4050} words=$(array_pattern '0 3' 0x0,0x3) bits" "a text that is too long is cut" || diag "$out"
is $(($(dropped) - before)) 2 "arrays that are too long are dropped and counted"
is "$(echo "$out" | grep -c kinds_hit:)" 1 "a dropped record is not in the recording"

out=$(reported kinds:kinds_more "echo '1 hello' >$hit")
like "$out" 'kinds_more: +some=some whole=less hidden=0 .* few=[0,]*5 cpus=[0,]*2' \
	"a part of a string, an array without its 0, a mask of processors, an array of nothing" ||
	diag "$out" "$(cat /tmp/error)"
pointers=$(array_pattern '[0-9]{1,10} 0' '0x[0-9a-f]{1,8},0x0')
like "$out" "pointer=[0-9a-f]{1,8} pointers=$pointers few" \
	"pointers are hashed"

# Refused events

ok "a name of 64 characters is accepted" load_module refused
cases=$(dmesg | sed -n 's/.*refused: \([0-9]*\) events$/\1/p' | tail -n 1)
like "$cases" '^[0-9]+$' "there are $cases bad events"
rmmod refused
loaded=0 unexplained=0 n=0 step=1
[ -z "${SHORT:-}" ] || step=3
listed=$(ls $events $events/*)
# refused N: loading fails, and the log says why, unless the kernel limits its log lines
refused()
{
	for try in 1 2; do
		dmesg -c >/dev/null
		if load_module refused "number=$1" 2>/dev/null; then
			loaded=$((loaded + 1))
			rmmod refused
			return 1
		fi
		! dmesg | grep -q 'rbmap: event .* refused: ' || return 0
		[ $try = 2 ] || sleep 5.5
	done
	unexplained=$((unexplained + 1))
	return 1
}

while [ $n -lt "${cases:-0}" ]; do
	refused $n || diag "number $n: $(dmesg)"
	n=$((n + step))
done
is $loaded 0 "each bad event is refused"
is $unexplained 0 "the log has the reason for each bad event"
is "$(ls $events $events/*)" "$listed" "no directory of a bad event is left"

# The tracepoint's module is loaded and unloaded while its event is enabled and
# disabled, in all buffers

instances=/sys/kernel/rbmap/instances
rmmod source
echo 1 >/sys/kernel/rcu_expedited
for n in 1 2 3 4 5 6; do
	echo "toggled$n" >$instances/create
	echo 1 >"$instances/toggled$n/events/kinds/kinds_hit/enable"
done
toggle()
{
	while :; do
		echo 1 >"$1"
		echo 0 >"$1"
	done
}

togglers=
for file in $events/enable $events/kinds/kinds_hit/enable \
	$instances/toggled3/events/kinds/enable $instances/toggled6/events/kinds/kinds_hit/enable; do
	toggle "$file" &
	togglers="$togglers $!"
done
turns=20
[ -z "${SHORT:-}" ] || turns=5
n=0
while [ $n -lt $turns ]; do
	load_module source || break
	echo '1 x' >$hit
	rmmod source || break
	n=$((n + 1))
done
# shellcheck disable=SC2086 # several
kill $togglers
wait
is $n $turns "a tracepoint's module is loaded and unloaded $turns times while its event is enabled and disabled"
ok "the tracepoint's module loads once more" load_module source
echo 0 >$events/enable
echo 1 >$events/kinds/kinds_hit/enable
before=$(emitted)
echo '1 x' >$hit
after=$(emitted)
is $((after - before)) 1 "one hit is one event"
before=$(summed emitted $instances/toggled1)
echo '1 x' >$hit
is $(($(summed emitted $instances/toggled1) - before)) 1 "one hit is one event in a buffer whose files did not change, too"
echo 0 >$events/enable
for n in 1 2 3 4 5 6; do
	echo "toggled$n" >$instances/destroy
done
echo 0 >/sys/kernel/rcu_expedited

# The module is unloaded while its event fires

fails "rbmap can't be unloaded with the modules loaded" rmmod rbmap 2>/dev/null
ok "the modules unload" rmmod kinds source
times=30
[ -z "${LONG:-}" ] || times=10000
[ -z "${SHORT:-}" ] || times=8
n=0
while [ $n -lt "$cpus" ]; do
	# The load gets the processor time that the module leaves.
	nice -n 19 dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	load="${load:-} $!"
	n=$((n + 1))
done
# The event has fired since $before was read.
fires()
{
	[ "$(emitted)" -gt "$before" ]
}
n=0 silent=0
while [ $n -lt $times ]; do
	load_module kinds || break
	echo 1 >$events/kinds/kinds_enter/enable
	before=$(emitted)
	[ $((n % 10)) -gt 0 ] || retry_until 20 fires || silent=$((silent + 1))
	rmmod kinds || break
	n=$((n + 1))
done
# shellcheck disable=SC2086 # several
kill $load
is $n $times "a module unloads $times times while its event fires on $cpus processors"
is $silent 0 "the event fired in each round"

ok "module unloads" rmmod rbmap
done_testing
