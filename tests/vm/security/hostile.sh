#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The harm that a plain user in group tracing can do is limited to its own processes.
# Root's recorder, snapshots and resizes continue, memory is given back, and a memory
# cgroup is charged for the files that its members open. SHORT=1: for a second.
# shellcheck disable=SC2317 # called by gives_back
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

root=/sys/kernel/rbmap
seconds=${HOSTILE_SECONDS:-${SHORT:+1}}
cgroup=/run/cgroup

ok "systemd-sysusers makes the group" /tests/systemd-sysusers /tests/rbmap.sysusers
group=$(sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing

# Change the group as the udev rule does.
give_to_group()
{
	find "$@" -type c | while read -r node; do
		chown "0:$group" "$node"
	done
}
give_to_group /dev/rbmap

# --- all at once
gives_back "a hostile member" 8192 4096 results "hostile: " hostile "$group" "${seconds:-8}"
results "and then: " exact marker 3000 overwrite-map-fast discard-read-fast

# --- memory that is charged to a cgroup
echo "big subbuf_size_kb=1024 buffer_size_kb=2048" >$root/instances/create
give_to_group /dev/rbmap/big
mkdir -p $cgroup
if ! mount -t cgroup2 cgroup2 $cgroup || ! grep -qw memory $cgroup/cgroup.controllers; then
	skip "this kernel has no memory cgroups" "300 files with a copy of 1 MiB each"
else
	echo +memory >$cgroup/cgroup.subtree_control
	mkdir $cgroup/member
	echo 64M >$cgroup/member/memory.max
	settle
	before=$(meminfo_kb MemFree)
	mkfifo /tmp/hold
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >"$0" && exec /tests/setpriv --reuid 1000 --regid "$1" --clear-groups \
		/tests/hostile copies /dev/rbmap/big 1024' $cgroup/member/cgroup.procs "$group" \
		>/tmp/copies </tmp/hold &
	member=$!
	exec 7>/tmp/hold
	retry_until 30 sh -c "test -s /tmp/copies || ! kill -0 $member 2>/dev/null"
	settle
	current=$(cat $cgroup/member/memory.current)
	diag "opened, read, refused, KiB: $(cat /tmp/copies); memory.current $current; $(xargs <$cgroup/member/memory.events)"
	at_most $((before - $(meminfo_kb MemFree))) $((64 * 1024 + 16384)) \
		"300 files with a copy of 1 MiB each: KiB that they take"
	reads=$(awk '{ print $2 }' /tmp/copies)
	if [ -n "$reads" ]; then
		ok "the cgroup pays for the copies that there are" [ "$((reads << 20))" -le "$current" ]
	else
		ok "the cgroup's limit ended the member" grep -q 'oom_kill [1-9]' $cgroup/member/memory.events
	fi
	exec 7>&-
	wait $member
	rmdir $cgroup/member
	umount $cgroup
fi
ok "the buffer goes" sh -c "echo big >$root/instances/destroy"
ok "module unloads" retry_until 10 rmmod rbmap
done_testing
