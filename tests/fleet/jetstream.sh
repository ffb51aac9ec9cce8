#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The transport "nats://" on one server: its streams, a full stream, and an outage.
# shellcheck source=tests/fleet/contract.sh
. "$(dirname "$0")/contract.sh"

cluster=$(dirname "$0")/cluster
one=$dir/one

# streams [ARGUMENT...]: makes the streams
streams()
{
	"$RBMAP_FLEET" fleet setup streams "$url" "$@"
}

# raw TEXT...: sends lines of the protocol of NATS, as a client without rbmap would
raw()
{
	python3 - "${url##*:}" "$@" <<'END'
import socket
import sys

s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall("".join(line + "\r\n" for line in ('CONNECT {"headers":true}', *sys.argv[2:], "PING")).encode())
data = b""
while b"PONG" not in data:
    data += s.recv(4096)
END
}

# consumers FOLDER: prints the number of consumers on the first server
consumers()
{
	curl -s "http://127.0.0.1:$(cat "$1/s1.monitor")/jsz" | sed -n 's/.*"consumers": \([0-9]*\).*/\1/p'
}

at_exit "$cluster stop '$one'"
ok "one server starts" "$cluster" start "$one" 1 plain
url=$(cat "$one/url")
like "$(report h1 none 1 10)" "^error EAGAIN .*'rbmap fleet setup streams'" "without streams"
like "$(run collector receive 1 1500)" "^error EAGAIN .*'rbmap fleet setup streams'" \
	"a collector without streams"
is "$(streams --size 24M)" "the streams are on 1 server" "make the streams"
is "$(streams)" "the streams are on 1 server" "make them again"
like "$(streams --size 1M 2>&1)" 'a stream has at least 4M' "a stream without room for a message"
like "$(streams --replicas 3 2>&1)" 'set --replicas 1' "a server that is alone has no replicas"
contract "one server" 1
like "$(report h1 larger 1 1200000)" '^error EMSGSIZE ' "a message that is too large"
has_one_consumer()
{
	[ "$(consumers "$one")" = 1 ]
}
retry_until 30 has_one_consumer
is "$(consumers "$one")" 1 "hosts leave no consumers"

# unacknowledged FOLDER: prints the number of messages that the collector holds
unacknowledged()
{
	curl -s "http://127.0.0.1:$(cat "$1/s1.monitor")/jsz?consumers=true" |
		sed -n 's/.*"num_ack_pending": \([0-9]*\).*/\1/p'
}

report h1 many 300 100 >"$dir/safe"
: >"$dir/got"
start "$dir/got" collector receive 28 2000 slow least=28
slow=$started
await "$dir/got" many-20
sleep 1
held=$(unacknowledged "$one")
ok "a slow collector holds messages" [ "$held" -gt 0 ]
at_most "$held" 64 "and does not ask for more while it does"
wait "$slow"
drain "$dir/got" 272
ids "$dir/got" >"$dir/came"
is "$(ids "$dir/safe" | comm -23 - "$dir/came" | wc -l)" 0 "none is lost"

run host:h1 publish collector h1 twice 1 5 100 0 twice >"$dir/safe"
: >"$dir/got"
drain "$dir/got" 5
is "$(ids "$dir/safe" | wc -l),$(wc -l <"$dir/got")" 5,5 "a second message of the same id is dropped"

# The servers compare ids of all hosts: h2 claims one of h1.
raw 'HPUB rbmap.data.h2 38 43' NATS/1.0 'Nats-Msg-Id: h1/victim-1' '' hello
report h1 victim 1 100 >"$dir/safe"
: >"$dir/got"
drain "$dir/got" 2
is "$(ids "$dir/safe"),$(grep -c 'collector h1 victim-1 good' "$dir/got")" victim-1,1 \
	"a host cannot take the id of another one"
raw 'HPUB rbmap.data.h1 35 40' NATS/1.0 'Nats-Msg-Id: h1/older' '' hello
: >"$dir/got"
drain "$dir/got" 1
like "$(cat "$dir/got")" '^got collector h1 older ' "an id without a random number is valid"

report h1 full 40 1000000 >"$dir/safe"
like "$(tail -n 1 "$dir/safe")" '^error ENOSPC .*10077' "a full stream"
: >"$dir/got"
drain "$dir/got" "$(ids "$dir/safe" | wc -l)"
ok "some messages were safe before" grep -q '^safe' "$dir/safe"
ids "$dir/got" >"$dir/came"
is "$(ids "$dir/safe" | comm -23 - "$dir/came")" "" "what was safe arrives"
like "$(report h1 after 1 1000000)" '^safe after-1' "when it has room, messages are safe again"

: >"$dir/got"
drain "$dir/got" 1
raw 'PUB rbmap.data.h1 5' hello 'PUB rbmap.data.a+b 5' hello 'PUB rbmap.host.h1 5' hello
: >"$dir/got"
drain "$dir/got" 1
is "$(cat "$dir/got")" "got collector h1 invalid damaged" "what is not of rbmap has no bytes and no name"
: >"$dir/got"
drain "$dir/got"
is "$(cat "$dir/got")" "" "and does not stay"

# A host that was connected reads the commands of the time in which it was away.
start "$dir/h1" host:h1 receive 1000 300000
h1=$started
await "$dir/h1" late1-3
"$cluster" kill "$one" s1
sleep 3
"$cluster" run "$one" s1
until command_all missed 1 | grep -q '^safe'; do
	sleep 0.1
done
await "$dir/h1" missed || :
sleep 6
kill "$h1"
wait "$h1" 2>/dev/null
is "$(grep -c 'got all - missed-1 good' "$dir/h1")" 1 "a host gets the command of an outage, and once"

# A connected host while its only server is away. It may have published all before the server
# is killed: then it publishes more.
first=1
while :; do
	start "$dir/safe" host:h1 publish collector h1 outage $first 2000 1000 600
	publisher=$started
	await "$dir/safe" .
	"$cluster" kill "$one" s1
	await "$dir/safe" "^again|-$((first + 1999))\$"
	if [ "$(ids "$dir/safe" | wc -l)" != 2000 ] || [ $first -ge 10000 ]; then
		break
	fi
	"$cluster" run "$one" s1
	first=$((first + 2000))
done
stopped=$(ids "$dir/safe" | wc -l)
like "$(report h2 away 1 10)" '^error EAGAIN no server of nats://.* can be reached' "a server that is away"
sleep 1
is "$(ids "$dir/safe" | wc -l)" "$stopped" "nothing is reported as safe meanwhile"
"$cluster" run "$one" s1
wait "$publisher"
is "$(ids "$dir/safe" | wc -l)" 2000 "when it is back, messages are safe again"
: >"$dir/got"
drain "$dir/got" $((first + 1999))
ids "$dir/got" >"$dir/came"
is "$(ids "$dir/safe" | comm -23 - "$dir/came" | wc -l)" 0 "none was lost"
done_testing
