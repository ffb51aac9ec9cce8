#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Units of systemd and containers of systemd-nspawn, podman and Docker, in a Debian machine
# booted by systemd: record finds their cgroups by name, and all views have them. The machine
# has no network, so an image is made of busybox. Then the disk of the flight recorder is full.
# tests/packages/machine runs this.
# shellcheck disable=SC2016,SC2086,SC2317 # inner shells; names without blanks; `ok` calls the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

recorder=rbmap-flight-recorder.service
files=/var/lib/rbmap

# journal SERVICE: prints what the service has said, for a test that failed
journal()
{
	journalctl -q -n 20 -o cat -u "$1" | diag
}

# A program that works and sleeps again and again. $1: its name
program='while :; do i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done; /bin/busybox usleep 20000; done'

like "$(systemctl is-system-running --wait)" 'running|degraded' "systemd has started the machine"
ok "rbmap load" rbmap load
ok "the tasks of cgroups" test -d /sys/fs/cgroup/system.slice

# cgroup_of PATTERN: prints the only cgroup with such a name, from its top
cgroup_of()
{
	find /sys/fs/cgroup -type d -path "$1" | sed 's,^/sys/fs/cgroup,,' | head -n 1
}

# reload: sets status to that of systemctl reload, which must end
reload()
{
	said timeout "$(patience 30)" systemctl reload $recorder
	[ "$status" != 124 ] || {
		systemctl --no-pager status $recorder | diag
		journal $recorder
	}
}

# literal TEXT: prints a pattern for it. systemd has \x2d in names
literal()
{
	printf '%s\n' "$1" | sed 's/[][\\.*^$]/\\&/g'
}

# recorded TEXT CGROUP OPTION...: record with these options, and look at each view
recorded()
{
	text=$1 cgroup=$2
	shift 2
	like "$cgroup" . "$text: it has a cgroup" || return
	said rbmap record -q -e sched -o /tmp/part.dat -d 2 "$@"
	is "$status" 0 "$text: rbmap record $*" || diag "$output"
	rbmap report --with-cgroup /tmp/part.dat >/tmp/part 2>/tmp/errors
	cgroup=$(literal "$cgroup")
	events=$(grep -c "^${cgroup}[/ ]" /tmp/part)
	ok "$text: it has the container's events" test "$events" -gt 5 || diag "$(head -n 5 /tmp/part)"
	# Others are there with what they do to the container's tasks.
	others=$(grep ' \[0' /tmp/part | grep -v "^${cgroup}[/ ]" |
		grep -cvE 'sched_(switch|waking|wakeup|wakeup_new|migrate_task|process_fork)')
	is "$others" 0 "$text: and none of others" || diag "$(grep ' \[0' /tmp/part |
		grep -v "^${cgroup}[/ ]" | grep -vE 'sched_(switch|waking)' | head -n 5)"
}

# shows_pids CGROUP: the last recording has numbers of a namespace beside the cgroup
shows_pids()
{
	grep -q "^$(literal "$1")[^ ]* ([1-9][0-9]*) " /tmp/part
}

# in_all NAME CGROUP: the recording of everything has the cgroup in each view
in_all()
{
	pattern=$(literal "$2")
	rbmap latency -k runqueue --by cgroup --rows 0 /tmp/all.dat >/tmp/view 2>/dev/null
	ok "$1: latency --by cgroup" grep -q "^${pattern}[/ ]" /tmp/view || diag "$(cut -c 1-80 /tmp/view)"
	ok "$1: report --cgroup" test "$(rbmap report --cgroup "$2" /tmp/all.dat 2>/dev/null | wc -l)" -gt 5
	rbmap why --by cgroup /tmp/all.dat >/tmp/view 2>/dev/null
	ok "$1: why --by cgroup" grep -q "^${pattern}[/:]" /tmp/view || diag "$(grep '^/' /tmp/view)"
}

# --- units
for unit in shop my-shop shop@1; do
	systemd-run -q --unit "$unit" /bin/busybox sh -c "$program"
done
recorded "a unit" /system.slice/shop.service --unit shop
recorded "a unit with a -" /system.slice/my-shop.service --unit my-shop
recorded "an instance" "$(cgroup_of '*shop@1.service')" --unit shop@1
# Its wait is that of the quota alone.
systemd-run -q --unit throttled -p CPUQuota=10% /bin/busybox sh -c 'while :; do :; done'
said rbmap record --for why -q -o /tmp/quota.dat -d 3
is "$status" 0 "rbmap record --for why" || diag "$output"
said rbmap why --cgroup throttled.service /tmp/quota.dat
like "$output" 'throttled .*by the CPU quota of /system.slice/throttled.service' "why names the unit's quota" ||
	diag "$output"
systemctl stop throttled

# --- systemd-nspawn
for machine in box my-box; do
	mkdir -p /var/lib/machines/$machine/bin /var/lib/machines/$machine/usr /var/lib/machines/$machine/etc
	cp /bin/busybox /var/lib/machines/$machine/bin/
	ln -s busybox /var/lib/machines/$machine/bin/sh
	echo ID=$machine >/var/lib/machines/$machine/etc/os-release
	systemd-run -q --unit "nspawn-$machine" systemd-nspawn -q -M $machine --register=yes \
		-D /var/lib/machines/$machine --console=pipe /bin/busybox sh -c "$program"
	runs_machine()
	{
		machinectl -q show $machine >/dev/null 2>&1
	}
	ok "systemd-nspawn runs $machine" retry_until 60 runs_machine || journal "nspawn-$machine"
	unit=$(machinectl show -p Unit --value $machine)
	recorded "the machine $machine" "$(systemctl show -P ControlGroup "$unit")" --container $machine
	ok "the machine $machine: the pid of its namespace is shown" \
		shows_pids "$(systemctl show -P ControlGroup "$unit")" || diag "$(head -n 3 /tmp/part)"
done

# --- podman and Docker, without a network
mkdir -p /tmp/image/bin /etc/docker /etc/containers
cp /bin/busybox /tmp/image/bin/
ln -s busybox /tmp/image/bin/sh
tar -c -C /tmp/image -f /tmp/image.tar bin
cat >/etc/containers/storage.conf <<'END'
[storage]
driver = "vfs"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
END
cat >/etc/docker/daemon.json <<'END'
{ "storage-driver": "vfs", "bridge": "none", "iptables": false, "ip-forward": false, "ip-masq": false,
  "exec-opts": ["native.cgroupdriver=systemd"] }
END
systemctl reset-failed docker docker.socket >/dev/null 2>&1
said systemctl restart docker
is "$status" 0 "Docker starts" || journal docker
for engine in podman docker; do
	said $engine import /tmp/image.tar small
	is "$status" 0 "$engine: an image of busybox" || diag "$output"
	# The machine lacks the program that loads profiles of AppArmor.
	said $engine run -d --name "web-$engine" --network none --security-opt apparmor=unconfined small /bin/busybox sh -c "$program"
	is "$status" 0 "$engine runs a container" || diag "$output"
	id=$($engine inspect --format '{{.Id}}' "web-$engine")
	group=$(cgroup_of "*$id.scope")
	recorded "$engine, by name" "$group" --container "web-$engine"
	ok "$engine: the pid of the container is shown" shows_pids "$group" ||
		diag "$(head -n 3 /tmp/part)"
	recorded "$engine, by id" "$group" --container "$(echo "$id" | cut -c 1-12)"
done
said rbmap record -q -e sched -o /tmp/none.dat -d 0 --container none
is "$status" 1 "a container that does not run is refused"
like "$output" 'no cgroup of container none' "and the message says so"

# --- everything, and then ask
said rbmap record --for why -q -b 16M -o /tmp/all.dat -d 3
is "$status" 0 "record everything" || diag "$output"
in_all "a unit" /system.slice/shop.service
in_all "systemd-nspawn" "$(systemctl show -P ControlGroup "$(machinectl show -p Unit --value box)")"
for engine in podman docker; do
	in_all $engine "$(cgroup_of "*$($engine inspect --format '{{.Id}}' web-$engine).scope")"
	$engine kill "web-$engine" >/dev/null
done
systemctl stop shop my-shop shop@1 nspawn-box nspawn-my-box

# --- the disk of the flight recorder is full
systemctl stop $recorder
mkdir -p $files
mount -t tmpfs -o size=24M,mode=750 tmpfs $files
said systemctl start $recorder
is "$status" 0 "the flight recorder starts" || journal $recorder
sleep 2
dd if=/dev/zero of=$files/filler bs=4k >/dev/null 2>&1
reload
is "$status" 1 "systemctl reload fails while the disk is full" || journal $recorder
ok "the flight recorder still runs" systemctl -q is-active $recorder
like "$(journalctl -q -u $recorder)" 'no space is left|No space left' "the journal says why"
echo kept >/dev/rbmap/marker
rm $files/filler
reload
is "$status" 0 "systemctl reload succeeds when there is room" || journal $recorder
written()
{
	for file in "$files"/*.dat; do
		rbmap report "$file" 2>/dev/null | grep -q "$1" && return
	done
	return 1
}
ok "a file has the events from before the disk was full" written 'sched_switch: '
reload
is "$status" 0 "so does the next reload" || journal $recorder
ok "a file has the events of meanwhile" written 'marker: *kept' || {
	diag "$(ls -l $files)"
	journal $recorder
}
systemctl stop $recorder
umount $files
done_testing
