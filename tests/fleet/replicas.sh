#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The transport "nats://" on three servers, which are killed while messages are published.
# shellcheck source=tests/fleet/contract.sh
. "$(dirname "$0")/contract.sh"

cluster=$(dirname "$0")/cluster
three=$dir/three
at_exit "$cluster stop '$three'"
ok "three servers start" "$cluster" start "$three" 3 plain
url=$(cat "$three/url")
is "$("$cluster" streams "$three" --size 512M)" "the streams are on 3 servers" "make the streams on three" || done_testing
contract "three servers" 2

# kill_leader: kills the leader of the stream, and starts it again a little later
# shellcheck disable=SC2317 # called by ok
kill_leader()
{
	name=$("$cluster" leader "$three")
	"$cluster" kill "$three" "$name" || return
	sleep 2
	"$cluster" run "$three" "$name"
}

# Until the publisher has ended, the collector receives, with interruptions.
collect()
{
	while [ ! -e "$dir/published" ]; do
		DRAIN_MS=500 drain "$1"
	done
}

: >"$dir/safe"
: >"$dir/got"
start "$dir/safe" host:h1 publish collector h1 killed 1 4000 20000 600
publisher=$started
collect "$dir/got" &
collector=$!
background="$background $collector"
await "$dir/safe" .
for round in 1 2; do
	ok "kill the leader, round $round" kill_leader
	sleep 1
done
await "$dir/safe" 'killed-3[0-9][0-9][0-9]$'
wait "$publisher"
is "$(ids "$dir/safe" | wc -l)" 4000 "all messages are reported as safe"
touch "$dir/published"
wait "$collector"
# A message that the collector held while the leader ended comes again after 60 s.
tries=0
while waiting=$("$cluster" waiting "$three"); [ "$waiting" != 0 ] && [ $tries -lt 200 ]; do
	tries=$((tries + 1))
	DRAIN_MS=2000 drain "$dir/got"
done
is "$waiting" 0 "the stream becomes empty"
ids "$dir/got" >"$dir/came"
is "$(ids "$dir/safe" | comm -23 - "$dir/came" | wc -l)" 0 "kill -9 of leaders loses none of them"
is "$(grep -c damaged "$dir/got")" 0 "and damages none"

"$cluster" kill "$three" s1
"$cluster" kill "$three" s2
like "$(report h1 alone 1 100)" '^error EAGAIN ' "one server of three reports nothing as safe"
"$cluster" run "$three" s1
like "$(report h1 back 1 100 1 300)" '^safe back-1' "two of three do"
done_testing
