#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the packages as a user sees them, in a Debian machine booted by systemd. The
# packages of rbmap are in /srv/repo, those of a newer kernel in /srv/new. The machine
# reboots between the stages; tests/packages/machine runs them.
# shellcheck disable=SC2317 # `said` calls the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

stage=$1
service=rbmap-flight-recorder.service

# apt_source DIRECTORY: make its packages available to apt
apt_source()
{
	echo "deb [trusted=yes] file:/srv/$1 ./" >"/etc/apt/sources.list.d/$1.list"
	apt-get -q update >/dev/null 2>&1
}

# healthy TEXT: fail unless rbmap doctor finds nothing to fix
healthy()
{
	said rbmap doctor
	is "$status" 0 "$1: rbmap doctor" || diag "$output"
	is "$(echo "$output" | grep -cvE '^ok |^note  events ')" 0 "$1: rbmap doctor finds nothing to fix" ||
		diag "$output"
}

# records TEXT: record and report as root; read the marker as a member of the group
records()
{
	said rbmap record -q -o /tmp/recorded -e sched -- sleep 1
	is "$status" 0 "$1: rbmap record" || diag "$output"
	like "$(rbmap report /tmp/recorded 2>&1)" 'sched_switch: .*sleep' "$1: rbmap report"
	rm -f /tmp/recorded
	echo "of $1" >/dev/rbmap/marker
	like "$(runuser -u reader -- rbmap stream --no-follow 2>&1)" "marker: of $1" \
		"$1: a member of the group tracing can read"
}

# Print the recordings that are complete, the newest last. Such a file has version 7.
recordings()
{
	# shellcheck disable=SC2012 # the names have no special characters
	ls -tr /var/lib/rbmap/*.dat* 2>/dev/null | while read -r recording; do
		[ "$(head -c 11 "$recording" | tail -c 1)" != 7 ] || echo "$recording"
	done
}

# recorder TEXT: fail unless the service runs and writes a file on reload
recorder()
{
	ok "$1: the flight recorder runs" retry_until 60 systemctl -q is-active $service
	sleep 2
	before=$(recordings | wc -l)
	systemctl reload $service
	more()
	{
		[ "$(recordings | wc -l)" -gt "$before" ]
	}
	ok "$1: the flight recorder writes a file on reload" retry_until 60 more
	like "$(rbmap report "$(recordings | tail -n 1)" 2>&1)" 'sched_switch: ' \
		"$1: rbmap report reads that file"
}

# comes_back TEXT: fail unless systemd starts the service again
comes_back()
{
	again()
	{
		main=$(systemctl show -P MainPID "$service")
		[ "$main" -gt 0 ] && [ "$main" != "$pid" ] && systemctl -q is-active "$service"
	}
	ok "$1: the flight recorder comes back" retry_until 60 again
	ok "$1: it says what is lost" \
		sh -c "journalctl -u $service | grep -q 'process $pid) ended without saving its events since'"
}

# mended CHECK: rbmap doctor must report a failed CHECK, and its remedy must succeed
mended()
{
	said rbmap doctor
	is "$status" 1 "rbmap doctor: $1 fails"
	diag "$output"
	cure=$(echo "$output" | sed -n "s/^fail  *$1 .* Run: \(.*\)\$/\1/p")
	like "$cure" . "rbmap doctor: $1 has a remedy"
	said sh -c "$cure"
	is "$status" 0 "the remedy succeeds: $cure" || diag "$output"
}

newer=$(sed -n 's/^Package: linux-image-\(.*-cloud-amd64\)$/\1/p' /srv/new/Packages)

case $stage in
install)
	like "$(systemctl is-system-running --wait)" 'running|degraded' "systemd has started the machine"
	useradd -m reader
	apt_source repo
	said apt-get install rbmap-dkms rbmap
	is "$status" 0 "apt-get install rbmap-dkms rbmap" || diag "$output"
	usermod -a -G tracing reader
	said rbmap load
	is "$status" 0 "rbmap load" || diag "$output"
	healthy "installed"
	diag "$output"
	records "installed"
	said systemctl enable --now $service
	is "$status" 0 "systemctl enable --now" || diag "$output"
	recorder "installed"
	like "$(systemctl show -P StatusText $service)" '^1 files written$' "systemctl status has the number of files"
	# The service's root lacks CAP_DAC_OVERRIDE.
	chmod u-w /var/lib/rbmap
	said systemctl reload $service
	is "$status" 1 "systemctl reload fails if the file cannot be written"
	ok "the flight recorder still runs" systemctl -q is-active $service
	chmod u+w /var/lib/rbmap
	said systemctl reload $service
	is "$status" 0 "systemctl reload succeeds when the file can be written" || diag "$output"
	pid=$(systemctl show -P MainPID $service)
	kill -9 "$pid"
	comes_back "killed"
	recorder "killed"
	# The watchdog need not take three minutes here.
	mkdir -p /run/systemd/system/$service.d
	printf '[Service]\nWatchdogSec=5s\n' >/run/systemd/system/$service.d/test.conf
	systemctl daemon-reload
	systemctl restart $service
	sleep 12
	is "$(systemctl show -P NRestarts $service)" 0 "the recorder answers the watchdog"
	pid=$(systemctl show -P MainPID $service)
	kill -STOP "$pid"
	comes_back "without an answer"
	rm -r /run/systemd/system/$service.d
	systemctl daemon-reload
	systemctl restart $service
	echo 'evnt = x' >>/etc/rbmap/flight-recorder.conf
	said systemctl restart $service
	ok "bad settings: the service fails at once" retry_until 10 systemctl -q is-failed $service
	like "$(journalctl -u $service)" "flight-recorder.conf:[0-9]*: no setting 'evnt'" "the journal names the line"
	sed -i '$d' /etc/rbmap/flight-recorder.conf
	systemctl restart $service
	recorder "settings mended"
	apt_source new
	said apt-get install "linux-image-$newer" "linux-headers-$newer"
	is "$status" 0 "apt-get installs a newer kernel" || diag "$output"
	like "$(dkms status -m rbmap -k "$newer")" ': installed$' "DKMS has built rbmap for the newer kernel"
	healthy "before the boot"
	;;
upgraded)
	is "$(uname -r)" "$newer" "the newer kernel is booted"
	recorder "upgraded"
	healthy "upgraded"
	ok "the flight recorder has kept the last moments before the boot" \
		test "$(find /var/lib/rbmap -name '*.dat' | wc -l)" -ge 2
	systemctl stop $service
	records "upgraded"

	# Missing headers, with the module built and without it.
	rbmap unload
	said apt-get purge "linux-headers-$newer"
	is "$status" 0 "apt-get purges the headers" || diag "$output"
	said rbmap load
	is "$status" 0 "without headers the installed module still loads" || diag "$output"
	said rbmap doctor
	is "$status" 0 "without headers rbmap doctor exits with 0"
	like "$output" '^note  headers .*Run: apt-get install linux-headers-' \
		"without headers rbmap doctor prints a note"
	rbmap unload
	dkms remove -m rbmap -v "$(rbmap --version | sed 's/.* //')" -k "$newer" >/dev/null 2>&1
	said rbmap load
	is "$status" 1 "without headers and module rbmap load fails"
	like "$output" 'rbmap doctor' "rbmap load refers to rbmap doctor"
	diag "$output"
	mended headers
	said rbmap load
	is "$status" 0 "rbmap load" || diag "$output"
	healthy "mended"
	;;
locked)
	like "$(cat /sys/kernel/security/lockdown)" '\[integrity\]' "the kernel is locked down"
	ok "the flight recorder has not started" retry_until 300 systemctl -q is-failed $service
	said rbmap load
	is "$status" 1 "locked down: rbmap load fails"
	is "$(echo "$output" | wc -l)" 1 "locked down: rbmap load prints one line"
	like "$output" 'rbmap doctor|mokutil --import /var/lib/dkms/mok.pub' "locked down: rbmap load names the remedy"
	diag "$output"
	said rbmap doctor
	is "$status" 1 "locked down: rbmap doctor exits with 1"
	like "$output" '^fail +signature .*mokutil --import /var/lib/dkms/mok.pub' \
		"locked down: rbmap doctor says to enrol the key"
	diag "$output"
	;;
esac
done_testing
