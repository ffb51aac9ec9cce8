#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: swarm.sh [HOSTS dir|nats...]
#
# Many hosts take a snapshot at the same time. Each must answer or be named, and each
# incident must be stored without being sent twice, in a bounded memory.
# shellcheck source=/dev/null
# shellcheck disable=SC2317 # functions are arguments
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/fleet/wait.sh
. "$(dirname "$0")/wait.sh"

: "${RBMAP_FLEET:=build/fleet/rbmap-fleet}" "${FLEET_SWARM:=build/tests/fleet/fleet_swarm}"
export RBMAP_FLEET
[ $# -gt 0 ] || set -- 200 dir
hosts=$1
shift
cluster=$(dirname "$0")/cluster
MEMORY_KB=524288
# The swarm gives up when no host gets further for so long, on a busy machine, too.
seconds=$((300 + hosts / 20))
dir=$(mktemp -d)
collector=
swarm=
at_exit "rm -rf '$dir'"
at_exit "$cluster stop '$dir/servers' 2>/dev/null"
# shellcheck disable=SC2016 # the values at the end
at_exit 'for pid in $collector $swarm; do kill "$pid" 2>/dev/null; done'

sql()
{
	sqlite3 -cmd '.timeout 10000' "$dir/c/index.sqlite" "$1"
}

all_are_known()
{
	[ -s "$dir/c/index.sqlite" ] && [ "$(sql 'SELECT count(*) FROM host WHERE hello' 2>/dev/null)" = "$hosts" ]
}

has_connected()
{
	grep -q connected "$dir/swarm.err"
}

# value NAME: prints a number of the swarm
value()
{
	sed -n "s/^$1 = //p" "$dir/swarm.out"
}

# seconds_since TIME: prints the seconds since a time in ns, with a digit
seconds_since()
{
	echo $((($(date +%s%N) - $1) / 100000000)) | sed 's/\(.\)$/.\1/; s/^\./0./'
}

# stop_here: prints what the programs have said, and ends the test
stop_here()
{
	diag <"$dir/swarm.err"
	diag <"$dir/collect.err"
	done_testing
}

begin_dir()
{
	url=dir:$dir/t
	mkdir "$dir/t"
	check "$1: the directory is made" "$RBMAP_FLEET" fleet setup "$url"
}

begin_nats()
{
	ok "$1: three servers start" "$cluster" start "$dir/servers" 3 plain
	url=$(cat "$dir/servers/url")
	check "$1: the streams are made" "$cluster" streams "$dir/servers" --size 4G
}

# answers: prints the numbers of known hosts, answers, failures and stored incidents, and of
# hosts without an answer. Then it prints percentiles of the time until hosts had the command.
answers()
{
	"$RBMAP_FLEET" fleet show -d "$dir/c" --json "$(sql 'SELECT name FROM command')" >"$dir/json"
	python3 - "$dir/json" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    shown = json.load(file)
rows = shown["answers"]
silent = [row["host"] for row in rows if not row["state"]]
named = all(row["last-seen"] for row in rows) and all(int(name[-2:]) == 5 for name in silent)
late = sorted((row["received-real"] - shown["time"]) / 1e6 for row in rows if row["received-real"])
print(shown["known"], shown["answered"], shown["failed"], shown["stored"], len(silent), named)
print("command received after, ms: median %.0f, 99 %%: %.0f, last: %.0f" % (
    late[len(late) // 2], late[len(late) * 99 // 100], late[-1]))
END
}

play()
{
	: >"$dir/swarm.err"
	"$RBMAP_FLEET" collect -t "$url" -d "$dir/c" >"$dir/collect.out" 2>"$dir/collect.err" &
	collector=$!
	begun=$(date +%s%N)
	"$FLEET_SWARM" run "$url" "$hosts" "$seconds" >"$dir/swarm.out" 2>"$dir/swarm.err" &
	swarm=$!
	ok "$1: $hosts hosts are connected" retry_until $seconds has_connected || stop_here
	ok "$1: the collector knows all of them" retry_until $seconds all_are_known || stop_here
	diag "known after $(seconds_since "$begun") s"
	begun=$(date +%s%N)
	"$RBMAP_FLEET" fleet snapshot -t "$url" -d "$dir/c" --reason swarm --wait 1 >"$dir/snapshot" 2>&1
	wait "$swarm"
	is $? 0 "$1: all is stored in time" || diag <"$dir/swarm.err"
	swarm=
	spent=$(($(date +%s%N) - begun))
}

# swarm NAME: plays it with the transport
play_and_check()
{
	"begin_$1" "$1"
	play "$1"
	memory=$(sed -n 's/VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$collector/status")
	kill "$collector"
	wait "$collector"
	is $? 0 "$1: the collector ends"
	collector=
	answers >"$dir/answers"
	is "$(head -n 1 "$dir/answers")" \
		"$hosts $((hosts - $(value sleep))) $(value fail) $(value take) $(value sleep) True" \
		"$1: each host has answered, or is listed without an answer"
	check "$1: each file is the same" "$FLEET_SWARM" verify "$dir/c" "$hosts"
	is "$(sql "SELECT count(*) FROM incident WHERE state = 'stored'"),$(sql 'SELECT count(*) FROM incident')" \
		"$(value take),$(value take)" "$1: each incident is stored once"
	# Only a machine on which a permit can end makes a host send again.
	sent=$(($(value take) + $(value expired)))
	is "$(value parts),$(value manifests),$(value missing)" "$sent,$sent,0" "$1: nothing is sent twice"
	is "$(value unanswered),$(value refused)" 0,0 "$1: the transport takes each message"
	is "$(sql 'SELECT count(*) FROM refused')" 0 "$1: the collector refuses no message"
	at_most "$memory" "$MEMORY_KB" "$1: memory of the collector in KiB"
	diag "$1: $(sed 1d "$dir/answers")"
	diag "$1: connected in $(value connect-seconds) s; all stored $((spent / 1000000)) ms after the command:" \
		"$(value take) incidents, $(($(sql "SELECT sum(size) FROM incident WHERE state = 'stored'") / 1024)) KiB," \
		"$(($(value take) * 1000000000 / spent)) incidents/s; $(value hellos) HELLOs, $(value bytes) bytes sent; slowest answer $(value slowest-answer-seconds) s"
	"$cluster" stop "$dir/servers"
	rm -rf "$dir/c"
}

[ "$hosts" -gt 0 ] || exit 2
for transport; do
	play_and_check "$transport"
done
done_testing
