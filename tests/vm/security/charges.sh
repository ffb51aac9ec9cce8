#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A memory cgroup pays for the files of its processes only as long as these are open. A
# ring takes no memory from a reader, because the charge would stay with the ring. Nor does a
# snapshot that stays with the buffer.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
cgroup=/run/charges
# The pages of a sub-buffer, and how many are left when a process is gone: the kernel
# charges a few objects of its own later.
opens=2000 rest=$((16 * page_kb << 10))

mkdir -p $cgroup
if ! mount -t cgroup2 cgroup2 $cgroup || ! grep -qw memory $cgroup/cgroup.controllers; then
	skip_all "this kernel has no memory cgroups"
fi
at_exit "umount $cgroup"
echo +memory >$cgroup/cgroup.subtree_control
ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
echo "many subbuf_size_kb=$page_kb buffer_size_kb=$((2 * opens * page_kb))" >$root/instances/create
taskset 1 dd if=/dev/zero of=/dev/rbmap/many/marker_raw bs=$((250 * page_kb)) count=$((5 * opens)) 2>/dev/null
mkdir $cgroup/reader

# charge: prints the bytes that the cgroup is charged for
charge()
{
	# The kernel gives back what it has charged in advance.
	echo 0 >$cgroup/reader/memory.max
	cat $cgroup/reader/memory.current
	echo max >$cgroup/reader/memory.max
}

charged_at_most()
{
	[ "$(charge)" -le "$1" ]
}

# shellcheck disable=SC2016 # for the inner shell
reads=$(sh -c 'echo $$ >"$0" && exec /tests/hostile reopens /dev/rbmap/many/cpu0 "$1"' \
	$cgroup/reader/cgroup.procs $opens)
is "$reads" $opens "$opens times a file is opened, reads a sub-buffer and is closed"
ok "the reads stay charged to nobody" retry_until 10 charged_at_most $rest ||
	diag "bytes: $(charge); $(grep -v ' 0$' $cgroup/reader/memory.stat | xargs)"
# shellcheck disable=SC2016 # for the inner shell
sh -c 'echo $$ >"$0" && echo 1 >"$1"' $cgroup/reader/cgroup.procs $root/instances/many/snapshot
is "$(cat $root/instances/many/snapshot | head -c 1)" 1 "a process takes a snapshot"
ok "it is charged to nobody, as the rings are" retry_until 10 charged_at_most $rest ||
	diag "bytes: $(charge); $(grep -v ' 0$' $cgroup/reader/memory.stat | xargs)"
rmdir $cgroup/reader
echo many >$root/instances/destroy
ok "module unloads" rmmod rbmap
done_testing
