#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the services of rbmap-fleet in a Debian machine booted by systemd, as the section
# "As services" of docs/walkthroughs/fleet.md sets them up. tests/packages/machine runs it.
# One machine is a host, the server of NATS and the collector.
# shellcheck disable=SC2317 # `said` calls the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

agent=rbmap-ship.service
collector=rbmap-collect.service
recorder=rbmap-flight-recorder.service

# setting NAME VALUE FILE: sets it in place of all settings of this name
setting()
{
	sed -i "/^$1 = /d" "/etc/rbmap/$3"
	echo "$1 = $2" >>"/etc/rbmap/$3"
}

# drop_in SERVICE: stores stdin as `systemctl edit` would, and starts the service again
drop_in()
{
	mkdir -p "/etc/systemd/system/$1.d"
	{ echo '[Service]' && cat; } >"/etc/systemd/system/$1.d/override.conf"
	systemctl daemon-reload
	systemctl restart "$1"
}

# journal SERVICE: prints what the service has said, for a test that failed
journal()
{
	journalctl -q -n 20 -o cat -u "$1" | diag
}

# runs TEXT SERVICE: fail unless the service runs
runs()
{
	ok "$1: $2 runs" retry_until 60 systemctl -q is-active "$2" || journal "$2"
}

# server: starts the server of NATS
server()
{
	systemd-run -q --collect -u nats nats-server -c /etc/nats-server/nats-server.conf
}

# comes_back SERVICE SIGNAL TEXT: fail unless systemd starts a service again that got SIGNAL
comes_back()
{
	pid=$(systemctl show -P MainPID "$1")
	kill -s "$2" "$pid"
	again()
	{
		main=$(systemctl show -P MainPID "$1")
		[ "$main" -gt 0 ] && [ "$main" != "$pid" ] && systemctl -q is-active "$1"
	}
	ok "$3: $1 comes back" retry_until 90 again "$1" || journal "$1"
}

# answered TEXT: fail unless the host answers a command, and its file comes as it is
answered()
{
	said rbmap fleet snapshot --reason "$1" --wait 120
	is "$status" 0 "$1: the host answers, and its file is stored" || {
		diag "$output"
		journal $agent
		journal $collector
	}
	id=$(echo "$output" | grep -o 'snapshot-[^ ]*' | head -n 1)
	rm -rf /tmp/fetched
	said rbmap fleet fetch -o /tmp/fetched "$id"
	is "$status" 0 "$1: it is fetched" || diag "$output"
	fetched=$(find /tmp/fetched -name '*.dat' | head -n 1)
	# shellcheck disable=SC2012 # the names have no special characters
	ok "$1: it is the local file, byte for byte" \
		cmp "$fetched" "$(ls -t /var/lib/rbmap/*.dat | head -n 1)"
	like "$(rbmap report "$fetched" 2>/dev/null | grep -m 1 sched_switch)" 'sched_switch: ' \
		"$1: rbmap report reads it"
}

waits()
{
	rbmap ship status | grep -q "^waiting: $1 "
}

like "$(systemctl is-system-running --wait)" 'running|degraded' "systemd has started the machine"
for service in $agent $collector; do
	like "$(systemctl is-enabled "$service")" disabled "$service is not enabled"
done

# --- as the walkthrough says
cd /root || exit
ok "keys and certificates" rbmap fleet setup nats --directory setup --hosts web1 \
	--servers n1=127.0.0.1
cp -r setup/collector setup/administrator /etc/rbmap/
chown -R root:rbmap-collect /etc/rbmap/collector
chmod -R u=rwX,g=rX,o= /etc/rbmap/collector
mkdir /etc/nats-server
cp setup/servers/n1/* /etc/nats-server/
server
cp setup/hosts/web1/client.crt /etc/rbmap/host.crt
cp setup/hosts/web1/client.key /etc/rbmap/host.key
cp setup/hosts/web1/ca.crt /etc/rbmap/ca.crt
for file in collect fleet ship; do
	setting transport nats://127.0.0.1 $file.conf
done
for party in collector:collect administrator:fleet; do
	folder=/etc/rbmap/${party%:*}
	setting certificate "$folder/client.crt" "${party#*:}.conf"
	setting key "$folder/client.key" "${party#*:}.conf"
	setting ca "$folder/ca.crt" "${party#*:}.conf"
done
setting host web1 ship.conf
setting certificate /etc/rbmap/host.crt ship.conf
setting key /etc/rbmap/host.key ship.conf
setting ca /etc/rbmap/ca.crt ship.conf
ok "the administrator makes the streams" retry_until 60 rbmap fleet setup streams --size 256M
said systemctl enable --now $collector $recorder $agent
is "$status" 0 "systemctl enable --now" || diag "$output"
for service in $collector $recorder $agent; do
	runs "enabled" "$service"
done
ok "the collector knows the host" retry_until 60 sh -c "rbmap fleet hosts | grep -q web1"
answered "enabled"
# status_is SERVICE PATTERN: succeeds if systemctl status has a line that matches
status_is()
{
	systemctl show -P StatusText "$1" | grep -qE "$2"
}
ok "systemctl status has what waits" retry_until 30 status_is $agent '^0 incidents wait, 0 KiB$'
ok "systemctl status has what was stored" \
	retry_until 30 status_is $collector '[1-9][0-9]* incidents stored'

# --- the watchdog, which need not take three minutes here
for service in $agent $collector; do
	echo 'WatchdogSec=5s' | drop_in "$service"
done
sleep 15
for service in $agent $collector; do
	is "$(systemctl show -P NRestarts "$service")" 0 "$service answers the watchdog"
	comes_back "$service" STOP "without an answer"
	rm -r /etc/systemd/system/"$service".d
done
systemctl daemon-reload
systemctl restart $agent $collector
comes_back $agent KILL "killed"
comes_back $collector KILL "killed"
answered "killed"

# --- the server is away
systemctl stop nats
systemctl reload $recorder
ok "without a server the incident waits" retry_until 60 waits 1
runs "without a server" $agent
runs "without a server" $collector
server
ok "it is sent when the server is back" retry_until 180 waits 0 || rbmap ship status | diag
answered "back"

# --- bad settings
echo 'evnt = x' >>/etc/rbmap/ship.conf
said systemctl restart $agent
ok "bad settings: the agent fails at once" retry_until 10 systemctl -q is-failed $agent
like "$(journalctl -u $agent)" "ship.conf:[0-9]*: no setting 'evnt'" "the journal names the line"
sed -i '$d' /etc/rbmap/ship.conf

# --- a stream, with the rights of the manual page
ok "a buffer for streams" rbmap create view buffer_size_kb=256
ok "with the markers" rbmap enable -B view rbmap:marker
setting stream view ship.conf
systemctl restart $agent
runs "without the rights" $agent
ok "without the rights it says what is missing" \
	retry_until 30 sh -c "journalctl -u $agent | grep -q 'which rights a service needs'" || journal $agent
drop_in $agent <<'END'
PrivateDevices=no
DeviceAllow=char-rbmap r
END
runs "with the rights" $agent
for i in $(seq 1000); do
	echo "mark $i"
done >/dev/rbmap/view/marker
has_streamed()
{
	rm -rf /tmp/streamed
	rbmap fleet stream -o /tmp/streamed >/dev/null 2>&1 &&
		grep -q '^events = 1000$' /tmp/streamed/manifest.txt
}
ok "each event of the buffer comes" retry_until 60 has_streamed || {
	journal $agent
	diag </tmp/streamed/manifest.txt
}
like "$(rbmap report /tmp/streamed/web1.dat 2>/dev/null)" 'marker: *mark 1000' "rbmap report reads the stream"
sed -i '/^stream = /d' /etc/rbmap/ship.conf
rm -r /etc/systemd/system/$agent.d

# --- a directory, as the walkthrough says
systemctl stop nats
install -d -m 2770 -g rbmap-collect /srv/rbmap
ok "a directory carries the messages" rbmap fleet setup dir:/srv/rbmap
for file in collect fleet ship; do
	setting transport dir:/srv/rbmap $file.conf
done
for service in $agent $collector; do
	drop_in "$service" <<'END'
SupplementaryGroups=rbmap-collect
ReadWritePaths=/srv/rbmap
END
	runs "a directory" "$service"
done
answered "a directory"
done_testing
