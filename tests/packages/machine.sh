#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a Debian machine that systemd has booted, with the packages of rbmap in
# /srv/repo and a newer kernel's in /srv/new: what a user of them sees. The stages
# are one life, with a boot between them; tests/packages/machine runs them.
# shellcheck disable=SC2317 # functions that said calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

stage=$1
service=rbmap-flight-recorder.service

# apt_source DIRECTORY: packages in there can be installed
apt_source()
{
	echo "deb [trusted=yes] file:/srv/$1 ./" >"/etc/apt/sources.list.d/$1.list"
	apt-get -q update >/dev/null 2>&1
}

# healthy TEXT: the doctor has nothing to mend
healthy()
{
	said rbmap doctor
	is "$status" 0 "$1: rbmap doctor" || diag "$output"
	is "$(echo "$output" | grep -cvE '^ok |^note  events ')" 0 "$1: all of it is well" ||
		diag "$output"
}

# records TEXT: record and report, and a user of the group reads
records()
{
	said rbmap record -q -o /tmp/recorded -e sched -- sleep 1
	is "$status" 0 "$1: rbmap record" || diag "$output"
	like "$(rbmap report /tmp/recorded 2>&1)" 'sched_switch: .*sleep' "$1: rbmap report"
	rm -f /tmp/recorded
	echo "of $1" >/dev/rbmap/marker
	like "$(runuser -u reader -- rbmap stream --no-follow 2>&1)" "marker: of $1" \
		"$1: a member of the group reads"
}

# recorder TEXT: the service is there, and writes what it has
recorder()
{
	ok "$1: the flight recorder runs" retry_until 60 systemctl -q is-active $service
	sleep 2
	before=$(find /var/lib/rbmap -name '*.dat' | wc -l)
	systemctl reload $service
	more()
	{
		[ "$(find /var/lib/rbmap -name '*.dat*' -size +4k | wc -l)" -gt "$before" ]
	}
	ok "$1: and writes what it has" retry_until 60 more
	# shellcheck disable=SC2012 # names that we have chosen
	like "$(rbmap report "$(ls -t /var/lib/rbmap/*.dat* | head -n 1)" 2>&1)" 'sched_switch: ' \
		"$1: which is read"
}

# mended CHECK: what the doctor says mends it does
mended()
{
	said rbmap doctor
	is "$status" 1 "rbmap doctor: $1 fails"
	diag "$output"
	cure=$(echo "$output" | sed -n "s/^fail  *$1 .* Run: \(.*\)\$/\1/p")
	like "$cure" . "and how to mend it"
	said sh -c "$cure"
	is "$status" 0 "it can be done: $cure" || diag "$output"
}

newer=$(sed -n 's/^Package: linux-image-\(.*-cloud-amd64\)$/\1/p' /srv/new/Packages)

case $stage in
install)
	like "$(systemctl is-system-running --wait)" 'running|degraded' "the machine is up"
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
	apt_source new
	said apt-get install "linux-image-$newer" "linux-headers-$newer"
	is "$status" 0 "apt-get brings a newer kernel" || diag "$output"
	like "$(dkms status -m rbmap -k "$newer")" ': installed$' "DKMS has built it for that"
	healthy "before the boot"
	;;
upgraded)
	is "$(uname -r)" "$newer" "the newer kernel is booted"
	recorder "upgraded"
	healthy "upgraded"
	ok "the last moments before the boot were kept" \
		test "$(find /var/lib/rbmap -name '*.dat' | wc -l)" -ge 2
	systemctl stop $service
	records "upgraded"

	# headers that lack: of a module that is there, and of one that is not
	rbmap unload
	said apt-get purge "linux-headers-$newer"
	is "$status" 0 "the headers go" || diag "$output"
	said rbmap load
	is "$status" 0 "the module that was built stays" || diag "$output"
	said rbmap doctor
	is "$status" 0 "rbmap doctor: 0"
	like "$output" '^note  headers .*Run: apt-get install linux-headers-' "but it tells of the next build"
	rbmap unload
	dkms remove -m rbmap -v "$(rbmap --version | sed 's/.* //')" -k "$newer" >/dev/null 2>&1
	said rbmap load
	is "$status" 1 "no headers: rbmap load fails"
	like "$output" 'rbmap doctor' "and leads to the doctor"
	diag "$output"
	mended headers
	said rbmap load
	is "$status" 0 "rbmap load" || diag "$output"
	healthy "mended"
	;;
locked)
	like "$(cat /sys/kernel/security/lockdown)" '\[integrity\]' "the kernel is locked down"
	ok "the flight recorder has not started" retry_until 60 systemctl -q is-failed $service
	said rbmap load
	is "$status" 1 "rbmap load fails"
	is "$(echo "$output" | wc -l)" 1 "in one line"
	like "$output" 'rbmap doctor|mokutil --import /var/lib/dkms/mok.pub' "which says what to do"
	diag "$output"
	said rbmap doctor
	is "$status" 1 "rbmap doctor: 1"
	like "$output" '^fail +signature .*mokutil --import /var/lib/dkms/mok.pub' "the key is to be enrolled"
	diag "$output"
	;;
esac
done_testing
