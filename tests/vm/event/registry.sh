#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A short test of the registry of events: numbers, names, tracepoints of modules that
# are loaded and unloaded, refused events, lines of dynamic_events.
# shellcheck disable=SC2016,SC2317 # $arg1 is literal; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/versions.sh
. /tests/lib/versions.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
hit=/sys/module/source/parameters/hit

ids()
{
	cat $events/kinds/*/id | sort -n
}

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing

# Numbers
is "$(cat $events/*/*/id | sort -n | uniq -d)" "" "no two events have a number"
ok "events of a module" load_module kinds || done_testing
last=$(ids | tail -n 1)
rmmod kinds
ok "the module with events loads again" load_module kinds
ok "the number of a removed event is not used again at once" test "$(ids | head -n 1)" -gt "$last"
is "$(sed -n 's/^ID: //p' $events/kinds/kinds_hit/format)" "$(cat $events/kinds/kinds_hit/id)" \
	"the event's format has its number"

# A tracepoint's module is loaded and unloaded
is "$(cat $events/kinds/kinds_hit/status)" \
	"waiting: for a module that has the tracepoint source_hit" "an event waits for its tracepoint"
echo 1 >$events/kinds/kinds_hit/enable
ok "the tracepoint's module loads" load_module source || done_testing
is "$(cat $events/kinds/kinds_hit/status)" available "the event has found its tracepoint"
is "$(recorded "echo '1 x' >$hit")" 1 "an event that was enabled while it waited is recorded"
put events/kinds/kinds_hit/filter 'common_preempt_count == 0'
is "$(recorded "echo '1 x' >$hit")" 1 "the record's preemption count excludes the tracepoint's own share"
put events/kinds/kinds_hit/filter 0
echo 0 >$events/kinds/kinds_hit/enable
is "$(recorded "echo '1 x' >$hit")" 0 "a disabled event is not recorded"
echo 1 >$events/kinds/kinds_hit/enable
ok "the tracepoint's module unloads while the event is on" rmmod source
like "$(cat $events/kinds/kinds_hit/status)" '^waiting' "the event waits again"
ok "the tracepoint's module loads again" load_module source
is "$(recorded "echo '1 x' >$hit")" 1 "one hit is one event"
is "$(cat $events/kinds/enable)" X "the system's enable file shows that some events are on"
echo 0 >$events/kinds/kinds_hit/enable
is "$(cat $events/kinds/enable)" 0 "the system's enable file shows that no event is on"

# Formats
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
sed -e 's/kinds_hit/source_hit/; s/^ID: .*/ID: N/' $events/kinds/kinds_hit/format >/tmp/ours
sed -e 's/^ID: .*/ID: N/' /sys/kernel/tracing/events/source/source_hit/format >/tmp/theirs
ok "a format is ftrace's" diff /tmp/theirs /tmp/ours
echo 1 >$events/kinds/kinds_hit/enable
like "$(reported kinds:kinds_hit "echo '3 hello' >$hit")" \
	"kinds_hit: +number=3 odd=1 parity=odd negative=-3 fixed=fixed shorts=$(array_pattern '3 4 5' 0x3,0x4,0x5) text=hello words=$(array_pattern '0 3 6' 0x0,0x3,0x6) " \
	"a record has what its fields say"
echo 0 >$events/kinds/kinds_hit/enable

# Refused events
for dir in "$events"/*/*/; do
	! grep -q '^unavailable' "$dir/status" || break
done
if grep -q '^unavailable' "$dir/status"; then
	refused "${dir#"$root"/}enable" 1 'No such device'
	is "$(cat "$dir/enable")" 0 "an event that is not available stays off"
else
	skip "this kernel has all" "an event that is not available"
	skip "this kernel has all" "an event that is not available stays off"
fi
ok "a name of 64 characters is accepted" load_module refused
cases=$(dmesg | sed -n 's/.*refused: \([0-9]*\) events$/\1/p' | tail -n 1)
rmmod refused
listed=$(ls $events $events/*)
n=0 loaded=
while [ $n -lt "${cases:-0}" ]; do
	if load_module refused number=$n 2>/dev/null; then
		loaded="$loaded $n"
		rmmod refused
	fi
	n=$((n + 1))
done
like "$n" '^[1-9]' "bad events: $n"
is "$loaded" "" "each bad event is refused"
is "$(ls $events $events/*)" "$listed" "no directory of a bad event is left"

# Lines of dynamic_events
refused dynamic_events 't:sched/sched_switch sched_switch' 'File exists'
refused dynamic_events '-:sched/sched_switch' 'No such file'
refused dynamic_events 't:enable/e tp' 'Invalid argument'
refused dynamic_events "t:g/e tp$(printf '%4090s' ' ')" 'Argument list too long'
refused dynamic_events 't:g/e tp\0x' 'Invalid argument'
ok "a line may end in a newline and a 0" put dynamic_events 't:g/one source_hit a=$arg1:s32\n\0'
ok "a line may end in a 0" put dynamic_events 't:g/two source_hit a=$arg1:x64\0'
printf '%s\n' 't:g/three tp' '-:g/three' 't:g/three source_hit s=$arg2:string' >/tmp/text
ok "several lines are accepted in one write" sh -c "cat /tmp/text >$root/dynamic_events"
cat >/tmp/wanted <<'LINES'
t:g/one source_hit a=$arg1:s32
t:g/two source_hit a=$arg1:x64
t:g/three source_hit s=$arg2:string
LINES
is "$(cat $root/dynamic_events)" "$(cat /tmp/wanted)" "the file lists the events"
is "$(dd if=$root/dynamic_events bs=7 2>/dev/null)" "$(cat /tmp/wanted)" "the file lists the events to small reads, too"
echo 1 >$events/g/enable
is "$(recorded "echo '5 text' >$hit")" 3 "all three events are recorded"
id=$(cat $events/g/two/id)
ok "an event is removed while it is enabled" put dynamic_events '-:g/two'
is "$(recorded "echo '5 text' >$hit")" 2 "the other events stay on"
fails "the removed event's directory is gone" test -e $events/g/two
put dynamic_events 't:g/two source_hit'
ok "an event that is created again has another number" test "$(cat $events/g/two/id)" -gt "$id"
is "$(cat $events/g/two/enable)" 0 "an event that is created again is off"
like "$(reported g:three "echo '5 text' >$hit")" 'three: +s=text' "an event's text is printed"

ok "modules go with their events on" rmmod kinds source
ok "module unloads with dynamic events" rmmod rbmap
done_testing
