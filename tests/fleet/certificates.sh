#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Certificates, permissions and NKEYs: each party does what its certificate says, and
# nothing else.
# shellcheck source=tests/fleet/contract.sh
. "$(dirname "$0")/contract.sh"

cluster=$(dirname "$0")/cluster
servers=$dir/servers keyed=$dir/keyed
at_exit "$cluster stop '$servers'; $cluster stop '$keyed'"

ok "three servers with TLS start" "$cluster" start "$servers" 3 tls h1,h2
url=$(cat "$servers/url")
setup=$servers/setup
certificates=$setup
admin=$setup/administrator
check "the administrator makes the streams" "$cluster" streams "$servers" \
	--certificate "$admin/client.crt" --key "$admin/client.key" --ca "$admin/ca.crt" --size 64M
contract TLS 1

# as FOLDER ROLE ACTION...: uses the certificate of another role
as()
{
	folder=$1
	shift
	role=$1
	shift
	timeout 900 "$CONTRACT" "$url" "$role" "$folder" "$@"
}

# quiet COMMAND...: runs it without its output
# shellcheck disable=SC2317 # called by ok and fails
quiet()
{
	"$@" >/dev/null 2>&1
}

h1=$setup/hosts/h1
refused='^error EACCES '
like "$(as "$h1" host:h1 publish collector h2 forged 1 1 100 0)" "$refused" "h1 cannot publish as h2"
like "$(as "$h1" host:h1 publish all - forged 1 1 100 0)" "$refused" "h1 cannot publish commands"
like "$(as "$h1" host:h1 publish host h2 forged 1 1 100 0)" "$refused" "h1 cannot publish to h2"
like "$(as "$h1" host:h2 receive 1 500 least=1)" "$refused" "h1 cannot receive what is for h2"
like "$(as "$h1" collector receive 1 500 least=1)" "$refused" "h1 cannot receive as the collector"
like "$(as "$h1" admin publish all - forged 1 1 100 0)" "$refused" "h1 is not the administrator"
like "$(as "$setup/collector" collector publish all - forged 1 1 100 0)" "$refused" \
	"the collector cannot publish commands"
like "$(as "$admin" admin publish collector h1 forged 1 1 100 0)" "$refused" \
	"the administrator cannot publish as a host"
like "$(as - host:h1 publish collector h1 forged 1 1 100 0)" "$refused" "nobody comes without a certificate"
run collector receive 10 1500 >"$dir/got"
run host:h2 receive 100 1500 >>"$dir/got"
is "$(grep -c forged "$dir/got")" 0 "nothing that was refused arrives"

check "another authority" "$RBMAP_FLEET" fleet setup nats --directory "$dir/other" \
	--servers a=127.0.0.1 --hosts h1,h2
cp -r "$dir/other/hosts/h1" "$dir/unknown"
cp "$h1/ca.crt" "$dir/unknown/"
like "$(as "$dir/unknown" host:h1 publish collector h1 forged 1 1 100 0)" "$refused" \
	"a certificate of another authority is refused"
cp -r "$h1" "$dir/careful"
cp "$dir/other/ca.crt" "$dir/careful/"
like "$(as "$dir/careful" host:h1 publish collector h1 forged 1 1 100 0)" "$refused" \
	"a server of another authority is refused"
fails "a host cannot be a server of the cluster" quiet openssl verify \
	-CAfile "$setup/routes-ca.crt" "$h1/client.crt"
ok "a server can" quiet openssl verify -purpose sslclient -CAfile "$setup/routes-ca.crt" \
	"$setup/servers/s1/route.crt"
fails "a host is no server for clients" quiet openssl verify -purpose sslserver \
	-CAfile "$setup/ca.crt" "$h1/client.crt"

# resident: prints the resident memory of the agent in kB
resident()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$agent/status"
}

# An agent that waits says HELLO once in these seconds.
mkdir "$dir/incidents"
"$RBMAP_FLEET" ship --transport "$url" --host h1 --incidents "$dir/incidents" \
	--spool "$dir/spool" --certificate "$h1/client.crt" --key "$h1/client.key" \
	--ca "$h1/ca.crt" 2>/dev/null &
agent=$!
background="$background $agent"
sleep 5
started=$(resident)
sleep 10
most=0
for _ in $(seq 65); do
	now=$(resident)
	[ "$now" -le "$most" ] || most=$now
	sleep 1
done
diag "memory of an agent with TLS: $started kB after its start, then at most $most kB"
at_most "$most" 8192 "kB of memory while it waits"
kill "$agent"
wait "$agent"
is "$?" 0 "SIGTERM ends it with 0"

# sums: prints sums of all keys and certificates, without those of h3
sums()
{
	find "$setup" \( -name '*.key' -o -name '*.crt' \) ! -path '*/h3/*' -exec sha256sum {} + | sort
}

sums >"$dir/before"
echo "# changed here" >>"$setup/servers/s1/nats-server.conf"
printf 'h3\t# a comment\n\n' >"$dir/names"
check "add a host" "$RBMAP_FLEET" fleet setup nats --directory "$setup" --hosts "$dir/names"
sums >"$dir/after"
ok "keys and certificates stay" cmp "$dir/before" "$dir/after"
ok "a configuration stays" grep -q '^# changed here' "$setup/servers/s1/nats-server.conf"
is "$(find "$setup" -name '*.key' ! -perm 0600)" "" "only the owner reads keys"
like "$(report h3 new 1 10)" "$refused" "the servers do not know the new host yet"
for name in s1 s2 s3; do
	kill -HUP "$(cat "$servers/$name.pid")"
	await "$servers/$name.log" 'Reloaded server configuration'
done
like "$(report h3 new 1 10 1 100)" '^safe new-1' "after a reload they do"
like "$(report h1 old 1 10 1 100)" '^safe old-1' "and still know the others"
rm "$setup/hosts/h3/client.crt"
sha256sum "$setup/hosts/h3/client.key" >"$dir/sum"
check "make a certificate anew" "$RBMAP_FLEET" fleet setup nats --directory "$setup" \
	--hosts h3 --days 1
ok "its key stays" sha256sum -c --status "$dir/sum"
fails "it is valid for the days that are wanted" quiet openssl x509 -noout -checkend 90000 \
	-in "$setup/hosts/h3/client.crt"
ok "and not shorter" quiet openssl x509 -noout -checkend 80000 -in "$setup/hosts/h3/client.crt"
like "$(report h3 new 1 10 2 100)" '^safe new-2' "it works"
for bad in 'a=1.2.3.4:0' 'a' 'a=' 'a=x;y' 'a=[::1' 'a=1.2.3.4,b=1.2.3.5' 'a=x,a=y,b=z' '../a=x'; do
	"$RBMAP_FLEET" fleet setup nats --directory "$dir/bad" --servers "$bad" 2>"$dir/said"
	is "$?,$(grep -c 'invalid servers' "$dir/said"),$(ls "$dir/bad" 2>/dev/null)" 2,1, \
		"invalid servers: $bad"
done
"$RBMAP_FLEET" fleet setup nats --directory "$dir/other" --hosts ../evil 2>"$dir/said"
is "$?" 1 "an invalid name of a host"
"$cluster" stop "$servers"

# public_key SEED: prints the public key of a seed, by openssl
public_key()
{
	python3 - "$1" <<'END'
import base64
import binascii
import subprocess
import sys

raw = base64.b32decode(sys.argv[1] + "======")
der = bytes.fromhex("302e020100300506032b657004220420") + raw[2:34]
key = subprocess.run(["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"],
                     input=der, stdout=subprocess.PIPE, check=True).stdout[-32:]
key = bytes([20 << 3]) + key
key += binascii.crc_hqx(key, 0).to_bytes(2, "little")
print(base64.b32encode(key).decode())
END
}

seed=SUAMK2FG4MI6UE3ACF3FK3OIQBCEIEZV7NSWFFEW63UXMRLFM2XLAXK4GY
printf '%s\n' "$seed" >"$dir/seed"
printf '%s\n' "${seed%XK4GY}XL4GY" >"$dir/damaged"
EXTRA="authorization { users: [ { nkey: $(public_key "$seed") } ] }"
export EXTRA
ok "a server with NKEYs starts" "$cluster" start "$keyed" 1 plain
unset EXTRA
url=$(cat "$keyed/url")
like "$(as - host:h1 receive 1 100)" "$refused" "nobody comes without a key"
like "$(as "$dir/damaged" host:h1 receive 1 100)" '^error EINVAL .*seed' "a damaged seed"
check "a key makes the streams" "$RBMAP_FLEET" fleet setup streams "$url" --credentials "$dir/seed"
like "$(as "$dir/seed" host:h1 publish collector h1 key 1 1 100 0)" '^safe key-1' "a key is let in"
done_testing
