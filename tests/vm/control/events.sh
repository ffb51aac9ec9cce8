#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# /sys/kernel/rbmap: each file is readable, and accepts a value or refuses it with a
# reason. SHORT=1: fewer bad values, and one event of each system.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

rb=$root
events=$rb/events

busy()
{
	n=0
	while [ $n -lt 8 ]; do
		/bin/true
		n=$((n + 1))
	done
}

# shellcheck disable=SC2317 # called by ok
logged()
{
	dmesg | grep 'rbmap: ' | tail -n 5 | grep -q "rbmap: .*$1"
}

ok "module loads" load_module rbmap || done_testing

# Contents after the module was loaded

like "$(cat $rb/version)" '^[0-9]+\.[0-9]+' "version"
is "$(cat $rb/tracing_on)" 1 "tracing is on"
is "$(cat $events/enable)" 0 "events/enable is 0; the marker does not count"
is "$(cat $events/rbmap/marker/enable)" 1 "the marker is on"
is "$(cat $events/sched/enable)" 0 "sched/enable is 0"
is "$(cat $events/*/*/id | sort -n | uniq | wc -l)" \
	"$(cat $events/*/*/id | wc -l)" "ids are different"
is "$(cat $events/*/*/id | sort -n | head -n 1)" 32 "ids begin behind those of ftrace's own records"
# One process looks at all events: a process is slow in a virtual machine.
# shellcheck disable=SC2046 # several words
awk 'FILENAME ~ /\/format$/ { if ($1 == "ID:") wanted = $2; next }
	{ print substr(FILENAME, 1, length(FILENAME) - 3), wanted, $1; wanted = "" }' \
	$(for format in "$events"/*/*/format; do echo "$format ${format%format}id"; done) >/tmp/ids
while read -r dir wanted id; do
	is "$id" "$wanted" "${dir#"$events"/}: format and id agree"
done </tmp/ids
is "$(grep -c . /tmp/ids)" "$(find "$events" -name format | grep -c .)" "each event has both"
grep -l '^unavailable' $events/*/*/status | while read -r status; do
	cat "${status%status}source"
done >/tmp/sources
is "$(sort -u /tmp/sources)" "$([ ! -s /tmp/sources ] || echo built in)" \
	"an event whose probe is unavailable counts as built in"
# formats.sh checks that ftrace lacks the tracepoints, too, and why these probes do not fit.
unfit='kmem_cache_alloc|kmem_cache_free'
[ -e /sys/block ] || unfit="$unfit|block"
[ -e /proc/net ] || unfit="$unfit|net"
is "$(grep -LxE 'available|unavailable: this kernel (has no such|was built without the) tracepoint' $events/*/*/status |
	grep -vE "/($unfit)/")" "" \
	"all other events are available on this kernel"

# Modes

is "$(stat -c %a $rb/tracing_on $rb/version $rb/reset | xargs)" \
	"640 440 200" "modes of control files"
is "$(find $rb -type f -exec stat -c '%a %n' {} + | grep -v '^[0-7]*0 ')" "" \
	"other users have no access to any control file"
for file in version events/header_page \
	events/header_event events/sched/sched_switch/format \
	events/sched/sched_switch/id events/sched/sched_switch/status; do
	refused $file 1 "Permission denied"
done
fails "per_cpu/cpu0/stats can't be written" put per_cpu/cpu0/stats 1
fails "reset can't be read" cat $rb/reset 2>/dev/null
fails "an unknown event can't be enabled" \
	put events/sched/no_such_event/enable 1
fails "an unknown system can't be enabled" put events/no_such/enable 1

# Enable and disable

system=
for dir in "$events"/*/*/; do
	[ -z "${SHORT:-}" ] || [ "$system" != "${dir%/*/}" ] || continue
	grep -qx available "$dir/status" || continue
	system=${dir%/*/}
	file=${dir#"$rb"/}enable
	obeyed "$file" '1\n' 1
	obeyed "$file" '0\n' 0
done
is "$(cat $events/enable)" 0 "events: none is on"
obeyed events/sched/sched_switch/enable 1 1
is "$(cat $events/sched/enable)" X "sched: some are on"
is "$(cat $events/irq/enable)" 0 "irq: none is on"
obeyed events/sched/enable 1 1
is "$(grep -lx 0 $events/sched/*/enable | wc -l)" \
	"$(grep -L '^available$' $events/sched/*/status | wc -l)" \
	"sched: each that is available is on"
is "$(cat $events/enable)" X "events: some are on"
obeyed events/enable 1 1
is "$(cat $events/rbmap/marker/enable)" 0 "events: the marker is left alone"
obeyed events/rbmap/enable 1 1
is "$(grep -lx 0 $events/*/*/enable | wc -l)" \
	"$(grep -L '^available$' $events/*/*/status | wc -l)" \
	"events: each that is available is on"
obeyed events/enable 1 1
busy
before=$(summed emitted)
busy
ok "events come" test "$(summed emitted)" -gt "$before"
obeyed events/enable 0 0
before=$(summed emitted)
busy
is "$(summed emitted)" "$before" "no event comes after the write of 0"
obeyed events/enable 0 0
is "$(cat $events/rbmap/marker/enable)" 1 "the marker stays on"

obeyed tracing_on 0 0
put events/sched/enable 1
before=$(summed emitted) disabled=$(summed disabled)
busy
is "$(summed emitted)" "$before" "tracing off: nothing is emitted"
ok "tracing off: it is counted" test "$(summed disabled)" -gt "$disabled"
obeyed tracing_on 1 1
put events/sched/enable 0

# Bad writes

for file in tracing_on overwrite events/enable events/sched/enable \
	events/sched/sched_switch/enable; do
	for value in -1 2 x 1x '1 1' ' 1' +1 0x1 '1\n\n' 99999999999999999999 \
		'1\00001'; do
		# SHORT has all values for one file.
		[ -z "${SHORT:-}" ] || [ $file = tracing_on ] || [ "$value" = 2 ] || continue
		refused $file "$value" "Invalid argument"
	done
	ok "$file: an empty write changes nothing" put $file ''
	obeyed $file '1\0000' 1
	put $file 0
done
put tracing_on 1
put overwrite 1
for value in -1 101 x 50% 99999999999999999999; do
	refused buffer_percent "$value" "Invalid argument"
done
obeyed buffer_percent 0 0
obeyed buffer_percent 100 100
obeyed buffer_percent 50 50
for value in 0 2 -1 x; do
	refused reset "$value" "Invalid argument"
done

dmesg -c >/dev/null
sleep 6 # until the rate limit of the log is over
put tracing_on 7
ok "the log says what to write" logged 'tracing_on: "7" refused: write 0 or 1'
put buffer_percent 101
ok "the log names the range" \
	logged 'buffer_percent: "101" refused: write a number from 0 to 100'
put trace_clock sundial
ok "the log names the clocks" \
	logged 'trace_clock: "sundial" refused: write one of: local mono boot'
put tracing_on '\0033[2J'
fails "the log shows no control characters" \
	sh -c "dmesg | grep -q \"\$(printf '\\033')\""

# Clocks

clocks=$(cat $rb/trace_clock)
like "$clocks" '^\[local\] mono boot( x86-tsc)?$' "clocks"
for clock in $(echo "$clocks" | tr -d '[]'); do
	put trace_clock "$clock\n"
	like "$(cat $rb/trace_clock)" "\[$clock\]" "clock $clock is taken"
	like "$(grep '^now ts:' $rb/per_cpu/cpu0/stats)" ': +[0-9]+(\.[0-9]{6})?$' \
		"clock $clock runs"
done
refused trace_clock sundial "Invalid argument"
refused trace_clock 'local mono' "Invalid argument"
obeyed trace_clock 'local\n' "$clocks"

# Statistics

is "$(cut -d : -f 1 $rb/per_cpu/cpu0/stats | xargs)" \
	"entries overrun commit overrun bytes oldest event ts now ts dropped events read events emitted discarded dropped full dropped lapped dropped nested dropped too large dropped no ring missed disabled excluded expired lost events lost reported subbufs touched subbufs lost subbufs moved subbufs copied slots subbuf size generation snapshot events retired rings retired bytes readers" \
	"statistics"
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
lines()
{
	head -n 8 "$1/per_cpu/cpu0/stats" | sed -E 's/[0-9]+/N/g; s/  +/ /g'
}
theirs=$(lines /sys/kernel/tracing)
like "$theirs" '^commit overrun: N$' "tracefs is there"
is "$(lines $rb)" "$theirs" "the statistics begin with those of tracefs, line by line"

# moments: prints the times of the oldest event and of now, in microseconds
moments()
{
	sed -nE 's/^(oldest event|now) ts: *([0-9]+)\.([0-9]+)$/\2\3/p' $rb/per_cpu/cpu0/stats | xargs
}

put reset 1
like "$(moments)" '^0+ [0-9]+$' "no unread event: the oldest time is 0"
taskset 1 sh -c 'echo x >/dev/rbmap/marker'
# shellcheck disable=SC2046 # two
set -- $(moments)
ok "the oldest event is not later than now" test "$1" -gt 0 -a "$1" -le "$2"
taskset 1 sh -c 'sleep 0.1; echo x >/dev/rbmap/marker'
is "$(moments | cut -d ' ' -f 1)" "$1" "the oldest time stays when another event follows"
put buffer_size_kb 64
is "$(moments | cut -d ' ' -f 1)" "$1" "the oldest event may be in a replaced ring"
taskset 1 rbmap record -q -d 0 -o /tmp/oldest.dat 2>/dev/null
like "$(moments)" '^0+ [0-9]+$' "the oldest time is 0 after all was read"
put trace_clock x86-tsc 2>/dev/null && {
	taskset 1 sh -c 'echo x >/dev/rbmap/marker'
	like "$(grep '^oldest' $rb/per_cpu/cpu0/stats)" '^oldest event ts: [1-9][0-9]*$' "trace_clock x86-tsc: the oldest time is a plain number"
	put trace_clock local
}
put buffer_size_kb 1408
put reset 1
put events/sched/enable 1
busy
put events/sched/enable 0
ok "entries are counted" test "$(summed entries)" -gt 0
ok "bytes are counted" test "$(summed bytes)" -gt 0
is "$(summed emitted)" $(($(summed entries) + $(summed overrun) + $(summed 'read events'))) \
	"emitted is entries, overrun and read events"
ok "reset is obeyed" put reset 1
is "$(summed entries) $(summed emitted) $(summed bytes)" "0 0 0" "entries, emitted and bytes are 0 after a reset"

# A string that is longer than a record can be

put reset 1
put events/sched/sched_process_exec/enable 1
long=$(printf '/.%.0s' $(seq 2040))/bin/true
ok "a program with a name of ${#long} bytes runs" "$long"
put events/sched/sched_process_exec/enable 0
ok "the long name is recorded" test "$(summed bytes)" -gt 4000
is "$(summed 'dropped too large')" 0 "the long name is cut, not dropped"
put reset 1

# Unloading

put events/enable 1
(while :; do /bin/true; done) &
load=$!
ok "module unloads with all events on" rmmod rbmap
i=0 loads=2
# SHORT has unloaded once under load.
[ -z "${SHORT:-}" ] || loads=0
while [ $i -lt $loads ]; do
	load_module rbmap || break
	put events/enable 1
	busy
	rmmod rbmap || break
	i=$((i + 1))
done
[ $loads = 0 ] || is $i $loads "loads and unloads under load"
kill $load
fails "nothing is left in sysfs" test -e $rb
fails "nothing is left in /dev" test -e /dev/rbmap
done_testing
