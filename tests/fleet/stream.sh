#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Streams from rings to recordings: an agent and a collector that are killed again and again,
# and a spool that is too small. For each ring: events that came + lost = written.
# shellcheck source=/dev/null
# shellcheck disable=SC2317 # functions are arguments of ok
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/fleet/wait.sh
. "$(dirname "$0")/wait.sh"

: "${RBMAP_FLEET:=build/fleet/rbmap-fleet}" "${RBMAP:=build/rbmap}" \
	"${STREAM_HOST:=build/tests/fleet/asan/fleet_stream_host}"
dir=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
collector='' host='' url=dir:$dir/t
cluster=$(dirname "$0")/cluster
at_exit "[ -z \"\$collector\" ] || kill -9 \"\$collector\" 2>/dev/null; [ -z \"\$host\" ] || kill \"\$host\" 2>/dev/null; wait; '$cluster' stop '$dir/servers' 2>/dev/null; rm -rf '$dir'"
RBMAP_FLEET=$(realpath "$RBMAP_FLEET") STREAM_HOST=$(realpath "$STREAM_HOST")

# fresh: begins with an empty transport, an empty collection and an empty spool
fresh()
{
	rm -rf "$dir/t" "$dir/c" "$dir/h" "$dir/out" "$dir/part" "$dir/emitted"
	mkdir -p "$dir/t/collector" "$dir/t/host" "$dir/t/all" "$dir/h"
}

start_collector()
{
	"$RBMAP_FLEET" collect -t "$url" -d "$dir/c" >"$dir/collector.out" 2>&1 &
	collector=$!
}

# start_host SECONDS SEED SIZE_MB EVENTS: it ends when there is $dir/enough, too
start_host()
{
	(cd "$dir/h" && exec "$STREAM_HOST" "$url" "$dir/h/spool" "$@" "$dir/enough") \
		>"$dir/emitted" 2>"$dir/host.err" &
	host=$!
}

stop()
{
	kill "$host" 2>/dev/null
	wait "$host"
	host_status=$?
	host=
	kill "$collector" 2>/dev/null
	wait "$collector"
	collector=
}

sql()
{
	sqlite3 -cmd '.timeout 5000' -separator ' ' "$dir/c/index.sqlite" "$1" 2>/dev/null
}

# counted: "CPU GENERATION SUM" of each ring, as the collector counts
counted()
{
	sql "SELECT cpu, generation, sum(events) + sum(lost) FROM stream_source WHERE cpu >= 0
		GROUP BY cpu, generation ORDER BY cpu, generation"
}

# settle SECONDS: waits until the host has printed, and the collector has counted the same. It
# gives up when the collector counts nothing more for so long.
settle()
{
	tries=0 before=
	until [ -s "$dir/emitted" ]; do
		sleep 0.2
	done
	until now=$(counted); [ "$now" = "$(cat "$dir/emitted")" ]; do
		[ "$now" = "$before" ] || tries=0
		before=$now
		tries=$((tries + 1))
		[ "$tries" -le $(($1 * 5)) ] || break
		sleep 0.2
	done
}

# check_recording CPU0 CPU1: each event comes once, and is in order
check_recording()
{
	"$RBMAP" report --json "$1" 2>/dev/null | python3 -c '
import json, sys
last, count = {}, 0
for line in sys.stdin:
    event = json.loads(line)
    if "event" not in event:
        continue
    number = event["fields"]["number"]
    if number <= last.get(event["cpu"], -1):
        sys.exit("event %d of CPU %d comes again" % (number, event["cpu"]))
    last[event["cpu"]] = number
    count += 1
print(count)
'
}

fresh
: >"$dir/enough"
start_host 14 "${SEED:-1}" 64 20
start_collector
# The collector is killed meanwhile, too.
for pause in 1.3 0.7 2.1 0.4 3.2 1.9 2.6; do
	sleep "$pause"
	kill -9 "$collector"
	wait "$collector" 2>/dev/null
	start_collector
done
settle 60
is "$(counted)" "$(cat "$dir/emitted")" "events that came + events that were lost = events that were written"
is "$(sql "SELECT count(*) FROM stream_ahead")" 0 "no message is missing"
is "$(sql "SELECT sum(unknown) + sum(gaps) FROM stream_source WHERE cpu >= 0")" 0 "each loss has a number"
stop
is "$host_status" 0 "the sanitizers found nothing" || diag <"$dir/host.err"
came=$(sql "SELECT sum(events) FROM stream_source")
lost=$(sql "SELECT sum(lost) FROM stream_source")
diag "$came events came, $lost were lost, $(sql "SELECT count(DISTINCT source) FROM stream_source WHERE cpu >= 0") sources"
ok "events came" test "$came" -gt 10000
output=$("$RBMAP_FLEET" fleet stream -d "$dir/c" -o "$dir/out" 2>&1)
is "$?" 0 "a recording is made of all" || diag "$output"
is "$(check_recording "$dir/out/h1.dat")" "$came" "it has each event once, and in order"
like "$("$RBMAP" report "$dir/out/h1.dat" 2>&1 >/dev/null)" "^.*$came events, $lost lost" \
	"it has each loss"
is "$(trace-cmd report "$dir/out/h1.dat" 2>/dev/null | grep -c 'live: ')" "$came" "trace-cmd reads it"
like "$(cat "$dir/out/manifest.txt")" "^ring = 0 2 [0-9]* [0-9]* 0 0 $(awk '$1 == 0 && $2 == 2 { print $3 }' "$dir/emitted")$" \
	"the manifest has the sums of each ring"
output=$("$RBMAP_FLEET" fleet merge -o "$dir/merged.dat" "$dir/out/h1.dat" "b=$dir/out/h1.dat" 2>&1)
is "$?" 0 "rbmap fleet merge reads it" || diag "$output"

# A part of the time, which begins with one of the files in the middle
begin=$(sql "SELECT begin / 1000000000 FROM stream_file WHERE begin < 9e18 ORDER BY begin
	LIMIT 1 OFFSET (SELECT count(*) / 2 FROM stream_file WHERE begin < 9e18)")
"$RBMAP_FLEET" fleet stream -d "$dir/c" --since "@$begin" --until "@$((begin + 4))" -o "$dir/part" \
	>/dev/null 2>&1
part=$(check_recording "$dir/part/h1.dat")
ok "a part of the time has a part of the events ($part)" test "$part" -gt 100 -a "$part" -lt "$came"
"$RBMAP" report --json "$dir/part/h1.dat" 2>/dev/null | python3 -c '
import json, sys
times = [e["ts"] for e in map(json.loads, sys.stdin) if "event" in e]
print(max(times) - min(times) <= 4 * 10**9 + 10**6)' >"$dir/within"
is "$(cat "$dir/within")" True "all of them are in that time"
like "$("$RBMAP_FLEET" fleet stream -d "$dir/c" --until @1000 -o "$dir/none" 2>&1)" \
	'no host has streamed' "a time without events is an error"

# A collector that is away for too long: the oldest segments become gaps.
fresh
is_over()
{
	"$RBMAP_FLEET" ship status --spool "$dir/h/spool" 2>/dev/null | grep -q 'events were removed'
}
rm "$dir/enough"
start_host 12 "${SEED:-2}" 8 150
retry_until 600 is_over
: >"$dir/enough"
while [ ! -s "$dir/emitted" ]; do sleep 0.2; done
at_most "$(du -sk "$dir/h/spool/stream" | cut -f1)" 9000 "the spool has its size"
like "$("$RBMAP_FLEET" ship status --spool "$dir/h/spool")" \
	'streams: [5-9][.][0-9]* MiB in the spool; [0-9]+ events were removed' "status says so"
start_collector
settle 60
is "$(counted)" "$(cat "$dir/emitted")" "after gaps, too: came + lost = written"
ok "messages were removed" test "$(sql "SELECT sum(gaps) FROM stream_source WHERE cpu >= 0")" -gt 0
is "$(sql "SELECT count(*) FROM stream_ahead")" 0 "the gaps explain what is missing"
is_freed()
{
	segments=$(find "$dir/h/spool/stream" -name '0*' | wc -l)
	[ "$segments" = 1 ]
}
retry_until 60 is_freed
is "$segments" 1 "the spool is freed"
stop
is "$host_status" 0 "the sanitizers found nothing" || diag <"$dir/host.err"
came=$(sql "SELECT sum(events) FROM stream_source")
"$RBMAP_FLEET" fleet stream -d "$dir/c" -o "$dir/out" >/dev/null 2>&1
is "$(check_recording "$dir/out/h1.dat")" "$came" "the recording has what came"

# Retention, and a share for each host
"$RBMAP_FLEET" collect -t "$url" -d "$dir/c" --once 1 --max-stream 1K >/dev/null 2>&1
is "$(sql "SELECT count(*) FROM stream_file")" 0 "a host has its share of the disk"
is "$(find "$dir/c/streams" -type f ! -name 'head.*' | wc -l)" 0 "the files are removed"

# The same over three servers of NATS; the one that leads is killed, too.
fresh
ok "three servers start" "$cluster" start "$dir/servers" 3 plain
url=$(cat "$dir/servers/url")
output=$("$cluster" streams "$dir/servers" --size 1G 2>&1)
is "$?" 0 "the streams are made" || diag "$output"
start_host 12 "${SEED:-3}" 64 20
start_collector
sleep 2
leader=$("$cluster" leader "$dir/servers")
"$cluster" kill "$dir/servers" "$leader"
sleep 2
kill -9 "$collector"
wait "$collector" 2>/dev/null
start_collector
sleep 1
"$cluster" run "$dir/servers" "$leader"
settle 120
ok "over NATS: the host has written events" test -s "$dir/emitted"
is "$(counted)" "$(cat "$dir/emitted")" "over NATS: came + lost = written"
is "$(sql "SELECT count(*) FROM stream_ahead")" 0 "no message is missing"
stop
is "$host_status" 0 "the sanitizers found nothing" || diag <"$dir/host.err"
came=$(sql "SELECT sum(events) FROM stream_source")
"$RBMAP_FLEET" fleet stream -d "$dir/c" -o "$dir/out" >/dev/null 2>&1
is "$(check_recording "$dir/out/h1.dat")" "$came" "the recording has each event once, and in order"
diag "over NATS: $came events came, $(sql "SELECT sum(lost) FROM stream_source") were lost"
done_testing
