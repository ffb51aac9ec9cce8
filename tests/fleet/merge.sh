#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings of several hosts become one, in the order of TAI.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"

: "${RBMAP:=build/rbmap}" "${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}" \
	"${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"
dir=$(mktemp -d)
at_exit "rm -rf '$dir'"

# counts FILE: print the events and the losses that rbmap report counts
counts()
{
	"$RBMAP" report "$1" 2>&1 >/dev/null | sed -n 's/ events, \(more than \)*\([0-9]*\) lost$/ \2/p'
}

# sum FILE...: print the sums of their events and losses
sum()
{
	for file; do
		counts "$file"
	done | awk '{ events += $1; lost += $2 } END { print events, lost }'
}

# The local clock of "b" is 1000 s ahead of that of "a": 1001 s on b is 1 s on a.
"$MAKE_EVENTS" "$dir/a.dat" "[local]" 0,1700000000000000000,37 <<'END'
0 1000000 10 waking victim 20
0 1000010 10 switch waker 10 1 victim 20
1 1000020 11 other 1
0 1000030 20 switch victim 20 1 waker 10
1 lost 7
1 3000000 11 other 3
END
"$MAKE_EVENTS" "$dir/b.dat" "[mono]" 1000000000,1700000000000000000,37 <<'END'
3 1000000 77 other 0
0 1001000005 10 waking victim 20
0 1001000015 10 switch waker 10 1 victim 20
0 1001000025 20 switch victim 20 1 waker 10
0 lost 3
2 1002000000 12 other 2
2 lost 11
quota 10000 100000 /shop
/shop/web: 12:1
END
output=$("$RBMAP" fleet merge -o "$dir/both.dat" "a=$dir/a.dat" "b=$dir/b.dat" 2>&1)
is "$?" 0 "merge two recordings" || diag "$output"
like "$output" '^a: CPUs 0-3, pids \+ 0, error of the clock: unknown' "the CPUs of a host are printed"
like "$output" '^b: CPUs 4-7, pids \+ 4194304, ' "the CPUs of the other host are printed"
like "$output" 'is not certain: an error is unknown' "the order is not claimed to be certain"
is "$(counts "$dir/both.dat")" "$(sum "$dir/a.dat" "$dir/b.dat")" "no event and no loss is lost"
is "$("$RBMAP" report --with-cgroup "$dir/both.dat" 2>/dev/null | grep -o '^/[^ ]* ([0-9]*).*-[0-9]* ' | tr -s ' ')" \
	"/b/shop/web (1) <...>-4194316 " "the cgroup of a task is below its host's name"
# Each event: the CPU, ns since 1970, the pid, the event, the pids in it
"$RBMAP" report --json "$dir/both.dat" 2>/dev/null | sed 1d | python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    if "event" in event:
        print(event["cpu"], event["ts"] - 1700000037 * 10**9, event["pid"], event["event"],
              *(value for name, value in event["fields"].items() if name.endswith("pid")))
' >"$dir/events"
is "$(cat "$dir/events")" "7 -999000000000 4194381 other
0 1000000000 10 sched_waking 20
4 1000005000 4194314 sched_waking 4194324
0 1000010000 10 sched_switch 10 20
4 1000015000 4194314 sched_switch 4194314 4194324
1 1000020000 11 other
4 1000025000 4194324 sched_switch 4194324 4194314
0 1000030000 20 sched_switch 20 10
6 2000000000 4194316 other
1 3000000000 11 other" "each event has its host's CPU, its pids, and its place in the order of TAI"
like "$("$RBMAP" latency -k runqueue "$dir/both.dat" 2>/dev/null)" 'runqueue: .*: 2
.*
a:victim-20 .* 10.0us .*
b:victim-4194324 .* 10.0us ' "rbmap latency finds the wait of each host's task"
# --- names of hosts
like "$("$RBMAP" latency -k runqueue "$dir/both.dat" 2>/dev/null)" \
	'b:victim-4194324, CPU 4 of b, .*, woken by b:waker-4194314 on CPU 4 of b' "its CPUs have the host's name, too"
"$RBMAP" report "$dir/both.dat" >"$dir/text" 2>/dev/null
is "$(grep -c '^ *b:victim-4194324 *\[b:004\]' "$dir/text") $(grep -c '^ *a:victim-20 *\[a:000\]' "$dir/text")" "1 1" \
	"rbmap report has the hosts of tasks and CPUs"
"$RBMAP" report --json "$dir/both.dat" >"$dir/json" 2>/dev/null
is "$(grep -c '"cpu": [0-3],.*"comm".*"host": "a"' "$dir/json") $(grep -c '"cpu": [4-7],.*"comm".*"host": "b"' "$dir/json")" "5 5" \
	"JSON has the host of each event"
is "$(grep -c '"cpu": [0-7], "host": "[ab]", "lost"' "$dir/json")" 3 "so has each loss"
is "$(grep -c '"host"' "$dir/json")" 14 "and its head has that of the recording"
events()
{
	"$RBMAP" report "$@" "$dir/both.dat" 2>/dev/null | grep -c ' \[[ab]:00[0-7]\] '
}
is "$(events --comm 'b:*')" 5 "a pattern selects a host"
is "$(events -p victim) $(events -p b:victim)" "6 3" "a name selects the tasks of all hosts, or of one"
is "$(events -e sched_switch --filter 'COMM == "victim"')" 2 "a filter has the names without hosts"
"$MAKE_EVENTS" "$dir/long.dat" "[mono]" 1000000000,1700000000000000000,37 <<'END'
0 1000900000 20 switch victim 20 2 waker 10
0 1001000005 10 waking victim 20
0 1001030015 10 switch waker 10 1 victim 20
0 1001050025 20 switch victim 20 1 waker 10
END
"$RBMAP" fleet merge -o "$dir/waits.dat" "a=$dir/a.dat" "b=$dir/long.dat" 2>/dev/null
like "$("$RBMAP" why "$dir/waits.dat" 2>/dev/null)" \
	'b:victim-4194324 was runnable 30.0 ms on CPU 4 of b, where b:waker-4194314 ran' "rbmap why has the hosts, too"
like "$("$RBMAP" why --json "$dir/waits.dat" 2>/dev/null | tr -d '\n ')" \
	'"pid":4194324,"comm":"b:victim","host":"b"' "and so has its JSON"
"$RBMAP" report --html -o "$dir/hosts.html" "$dir/both.dat" 2>/dev/null
like "$(grep -o '"hosts": *\[.*' "$dir/hosts.html" | tr -d ' ' | head -c 60)" '"hosts":\[\["a",0,4\],\["b",4,4\]\]' "the page has the hosts"
"$RBMAP" convert --perfetto -o "$dir/hosts.pf" "$dir/both.dat" 2>/dev/null
ok "Perfetto has the names of tasks with their hosts" grep -aq 'b:victim' "$dir/hosts.pf"
is "$(trace-cmd report "$dir/both.dat" 2>/dev/null | grep -c '\[00[0-7]\]')" 10 \
	"trace-cmd reads the same events"
like "$("$RBMAP" report "$dir/both.dat" 2>&1 >/dev/null)" 'merged: a \+-\? b \+-\?' \
	"the file says how wrong the clocks may be"

"$RBMAP" fleet merge -o "$dir/views.dat" --html --perfetto "a=$dir/a.dat" "b=$dir/b.dat" 2>/dev/null
ok "a page is made, too" grep -q '</html>' "$dir/views.html"
ok "a trace for Perfetto is made, too" test -s "$dir/views.dat.perfetto-trace"

# A clock that gains a second in ten
"$MAKE_EVENTS" "$dir/fast.dat" "[local]" 0,1700000000000000000,37 10000000,1700000009000000000,37 <<'END'
0 5000000 10 other 1
0 10000000 10 other 2
END
"$RBMAP" fleet merge -o "$dir/slow.dat" "f=$dir/fast.dat" 2>/dev/null
like "$("$RBMAP" report --utc "$dir/slow.dat" 2>/dev/null)" '22:13:24.500000: .*
.*22:13:2[89]\.' "the drift of a clock is taken out"

# Formats with the same id, and ids that are the other's
"$MAKE_RECORDING" "$dir/x.dat" 24 odd
"$RBMAP" fleet merge -o "$dir/all.dat" "x=$dir/x.dat" "a=$dir/a.dat" "y=$dir/x.dat" 2>/dev/null
is "$(counts "$dir/all.dat")" "$(sum "$dir/x.dat" "$dir/a.dat" "$dir/x.dat")" \
	"recordings with other formats are merged"
is "$("$RBMAP" report "$dir/all.dat" 2>/dev/null | grep -c ' odd:number: .*odd=1$')" 2 \
	"an event keeps its format"

"$MAKE_RECORDING" "$dir/old.dat" 4
like "$("$RBMAP" fleet merge -o "$dir/no.dat" "a=$dir/old.dat" 2>&1)" 'does not say when it was made' \
	"a recording without times is refused"
for version in 6 7; do
	tests/cli/trace_dat.py buffers_moments $version "$dir/foreign.dat"
	output=$("$RBMAP" fleet merge -o "$dir/part.dat" "f=$dir/foreign.dat" "a=$dir/a.dat" 2>&1)
	is "$?" 3 "version $version: a recording with several buffers is left out"
	like "$output" 'foreign.dat has the events of 2 named buffers: merge' "version $version: the message says so"
	tests/cli/trace_dat.py offset_moments $version "$dir/foreign.dat"
	like "$("$RBMAP" fleet merge -o "$dir/part.dat" "f=$dir/foreign.dat" "a=$dir/a.dat" 2>&1)" \
		'has corrections of its times, which merge does not apply' \
		"version $version: a recording with corrections of its times is left out"
done
"$MAKE_EVENTS" "$dir/tsc.dat" "[x86-tsc]" 0,1700000000000000000,37 </dev/null
like "$("$RBMAP" fleet merge -o "$dir/no.dat" "a=$dir/tsc.dat" 2>&1)" 'does not count nanoseconds' \
	"a clock that counts cycles is refused"
like "$("$RBMAP" fleet merge -o "$dir/no.dat" "a=$0" 2>&1)" 'is not a recording' \
	"another file is refused"
like "$("$RBMAP" fleet merge -o "$dir/no.dat" "a.b=$dir/a.dat" 2>&1)" "invalid host name 'a.b'" \
	"an invalid host name is refused"
like "$("$RBMAP" fleet merge -o "$dir/no.dat" 2>&1)" 'name recordings' "no recording is refused"
output=$("$RBMAP" fleet merge -o "$dir/rest.dat" "old=$dir/old.dat" "a=$dir/a.dat" "t=$dir/tsc.dat" \
	"$0" "b=$dir/b.dat" 2>&1)
is "$?" 3 "recordings that cannot be merged are skipped" || diag "$output"
is "$(echo "$output" | grep -c 'is left out$')" 3 "each of them is reported"
is "$(counts "$dir/rest.dat")" "$(sum "$dir/a.dat" "$dir/b.dat")" "all others are merged"
like "$("$RBMAP" report "$dir/rest.dat" 2>&1 >/dev/null)" 'merged: a \+-\? b \+-\?$' \
	"the file names those that it has"
# shellcheck disable=SC3045 # bash, dash and busybox have it
frozen()
{
	"$RBMAP" report "$1" 2>&1 >/dev/null | sed -n 's/^\(frozen at [^:]*:[^:]*:[^:]*\).*/\1/p'
}
is "$(frozen "$dir/rest.dat")" "$(frozen "$dir/both.dat")" "the time is that of the first one that is merged"
# shellcheck disable=SC3045 # dash, bash and busybox have it
output=$(ulimit -n 40; "$RBMAP" fleet merge -o "$dir/rest.dat" "a=$dir/a.dat" "b=$dir/b.dat" "x=$dir/x.dat" 2>&1)
is "$? $(echo "$output" | grep -c 'raise .ulimit -n., or merge fewer hosts$')" "3 1" \
	"a host with too many CPUs is skipped" || diag "$output"
ok "no file is left after errors" sh -c "! ls '$dir'/no.dat* 2>/dev/null"
like "$("$RBMAP" fleet merge -o "$dir/own.dat" "$dir/a.dat" 2>&1)" '^host: CPUs 0-3' \
	"the recording names its host"

# --- a recording that lacks its end
size=$(stat -c %s "$dir/x.dat")
head -c $((size * 3 / 4)) "$dir/x.dat" >"$dir/short.dat"
output=$("$RBMAP" fleet merge -o "$dir/out.dat" "a=$dir/a.dat" "s=$dir/short.dat" 2>&1)
is "$?" 3 "a truncated recording is merged, with status 3"
like "$output" '/short.dat of s is truncated, [0-9]+ bytes of events are missing: the remaining events are merged' \
	"the message names the host and the file"
is "$(counts "$dir/out.dat")" "$(sum "$dir/a.dat" "$dir/short.dat")" "all of its events are merged"
like "$("$RBMAP" report "$dir/out.dat" 2>&1 >/dev/null)" ' events, more than [0-9]+ lost' \
	"the merged recording has lost an unknown number"
like "$("$RBMAP" report -c 0-3 "$dir/out.dat" 2>&1 >/dev/null)" ' events, 7 lost' \
	"but not those of the other host"

# damage SEED: change some bytes of a recording
damage()
{
	awk -v seed="$1" -v size="$(stat -c %s "$dir/all.dat")" 'BEGIN { srand(seed)
		for (i = 0; i < 20; i++) print int(rand() * size), int(rand() * 256) }' |
		while read -r at byte; do
			# shellcheck disable=SC2059 # an octal number
			printf "\\$(printf %o "$byte")" |
				dd of="$dir/damaged.dat" bs=1 seek="$at" conv=notrunc status=none
		done
}

bad=''
for seed in $(seq 30); do
	cp "$dir/all.dat" "$dir/damaged.dat"
	damage "$seed"
	"$RBMAP" fleet merge -o "$dir/out.dat" "a=$dir/a.dat" "d=$dir/damaged.dat" >/dev/null 2>&1
	case $? in 0 | 3) ;; *) bad="$bad $seed" ;; esac
	# The CPUs of "a" are the first four.
	[ "$("$RBMAP" report "$dir/out.dat" 2>/dev/null | grep -c ' \[a:00[0-3]\] ')" = 5 ] || bad="$bad $seed"
done
is "$bad" '' "a damaged recording takes no event from another one"

# --- A recording of all hosts has no more CPUs than a reader takes.
python3 - "$dir/a.dat" "$dir/many.dat" 8191 <<'END'
import struct
import sys

# Give the table of the file more CPUs, which have no data.
data, nr = open(sys.argv[1], "rb").read(), int(sys.argv[3])
count = data.rindex(b"options  \0") - 4
old, = struct.unpack_from("<I", data, count)
table = data.index(b"flyrecord\0", count) + 10
more = bytes(16 * (nr - old))
places = struct.unpack_from(f"<{2 * old}Q", data, table)
places = [p + len(more) * (not i % 2) for i, p in enumerate(places)]
end = table + 16 * old
open(sys.argv[2], "wb").write(data[:count] + struct.pack("<I", nr) + data[count + 4:table] +
                              struct.pack(f"<{2 * old}Q", *places) + more + data[end:])
END
is "$(sum "$dir/many.dat")" "$(sum "$dir/a.dat")" "a recording of 8191 CPUs"
output=$("$RBMAP" fleet merge -o "$dir/most.dat" "m=$dir/many.dat" "f=$dir/a.dat" 2>&1)
is "$? $(echo "$output" | grep -c "a.dat has 4 CPUs, and all hosts can have ")" "3 1" \
	"merge leaves out a host with too many CPUs" || diag "$output"
is "$(sum "$dir/most.dat")" "$(sum "$dir/many.dat")" "and the others can be read"
done_testing
