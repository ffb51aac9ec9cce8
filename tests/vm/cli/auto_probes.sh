#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap record -e and rbmap stream -e make an event that is not built in. The event goes
# with the last recorder that uses it, also with one that is killed. SHORT=1 leaves out the
# names that change nothing.
# shellcheck disable=SC2086,SC2317 # names without blanks; retry_until and ok call the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
# A tracepoint without an event in the kernel, and which the scheduler always hits
system=sched name=pelt_cfs_tp
event=$system:$name
made='^rbmap: note: event [a-z]+:[a-z_]+ is not built in: made it from the tracepoint'

cd /tmp || exit 1
ok "module loads" load_module rbmap || done_testing
[ -e /sys/kernel/btf/vmlinux ] || {
	skip "this kernel does not describe its types" "rbmap record makes events"
	ok "module unloads" rmmod rbmap
	done_testing
}

has_event()
{
	test -e $root/events/$system/$name
}
gone()
{
	! has_event && [ -z "$(rbmap probe list)" ] && [ -z "$(ls /run/rbmap)" ]
}
is_enabled()
{
	grep -q 1 "$root/instances/record-$1/events/$system/$name/enable" 2>/dev/null
}

# begin NAME ARGUMENT...: starts a recorder in the background, and sets $pid
begin()
{
	file=$1
	shift
	rbmap record -e "$event" -o "$file.dat" "$@" 2>"$file.err" &
	pid=$!
	retry_until 60 is_enabled $pid
}

fails "the event is not built in" has_event
rbmap record -e "$event" -o one.dat -- /bin/true 2>errors
is "$?" 0 "record succeeds"
is "$(grep -cE "$made" errors)" 1 "and says in a line what it made"
ok "the recording has the event" sh -c "rbmap report one.dat | grep -q ' $name: '"
ok "the event is gone" gone
rbmap stream -e "$name" -d 0.2 >out 2>errors
like "$? $(cat errors)" "^0 .*event tracepoints:$name is not built in" \
	"stream makes it, too, and without a system it is in tracepoints"
ok "the event is gone" gone

if [ -z "${SHORT:-}" ]; then
	rbmap record -e "$event" -e "$event" -o one.dat -- /bin/true 2>errors
	is "$? $(grep -cE "$made" errors)" "0 1" "an event that is named twice is made once"
	ok "the event is gone" gone
fi

# Two recorders: the event goes with the last one.
ok "a recorder begins" begin first
first=$pid
ok "another one, which names it twice, begins" begin second -e "$system:pelt_*"
is "$(grep -cE "$made" second.err)" 0 "it uses the event that is there"
kill $first
wait $first
ok "the event stays for the other one" has_event
/bin/true
kill $pid
wait $pid
ok "the other one has events until then" test "$(rbmap report second.dat | grep -c " $name: ")" -gt 0
ok "the event goes with the last recorder" gone

# kill -9
ok "a recorder begins" begin killed
kill -9 $pid
wait $pid 2>/dev/null
ok "kill -9: the event goes" retry_until 30 gone
rm -f killed.dat*

# Its helper is killed, too: the next recorder takes the event over.
ok "a recorder begins" begin killed
helper=$(grep -lx "PPid:	$pid" /proc/[0-9]*/status | sed 's/[^0-9]//g' | head -n 1)
kill -9 "$helper" $pid
wait $pid 2>/dev/null
rm -f killed.dat*
ok "its helper was killed, too: the event is left" has_event
like "$(rbmap status)" "  left over     $event, which a killed recorder made" "rbmap status names it"
like "$(rbmap status --json | tr -d ' \n')" "\"left_over\":\[\"$event\"\]" "and in JSON"
rbmap record -q -e "$event" -d 0.2 -o one.dat 2>errors
is "$? $(cat errors)" "0 " "record -q says nothing"
ok "the next recorder takes it over" gone
ok "rbmap status names nothing" sh -c '! rbmap status | grep -q "left over"'

# An event of a user stays.
rbmap probe add -g "$system" "$name"
rbmap record -q -e "$event" -d 0.2 -o one.dat
ok "an event that a user made stays" has_event
rbmap probe remove --all

# Names that make nothing
for pattern in "$name*" "$system:${name}x" "wrong:sched_switch"; do
	[ -z "${SHORT:-}" ] || [ "$pattern" = "$name*" ] || continue
	rbmap stream -e "$pattern" -d 0.1 >out 2>errors
	like "$? $(cat errors)" "^1 rbmap: no event '.*'" "$pattern makes nothing"
done
is "$(rbmap probe list)" "" "no event is left"
ok "module unloads" rmmod rbmap
done_testing
