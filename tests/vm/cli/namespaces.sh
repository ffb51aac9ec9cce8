#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Recorders in namespaces, as in containers. -p takes the process ids that the user sees,
# and each thread has its own name. Times of day are right in a time namespace. A recorder
# that cannot work says why. SHORT=1 has one of the clocks.
# shellcheck disable=SC2016,SC2086,SC2317 # for sh -c; names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

[ -x /tests/unshare ] || skip_all "no unshare: install util-linux"
root=/sys/kernel/rbmap

ok "the module loads" load_module rbmap || done_testing

# in_pids COMMAND: runs it in a PID namespace with a /proc of its own
in_pids()
{
	/tests/unshare --pid --fork --mount-proc sh -c "$1"
}
# threads FILE: prints the numbers and the names of the threads that made system calls
threads()
{
	rbmap report --json -e raw_syscalls $1 2>/dev/null |
		sed -n 's/.*"pid": *\([0-9]*\),.*"comm": *"\([^"]*\)".*/\1 \2/p' | sort -u | xargs
}

# --- PID namespaces
# Large blocks make few system calls, so that the recording is small.
in_pids '
	dd if=/dev/zero of=/dev/null bs=1M 2>/dev/null &
	echo $! >/tmp/inside
	rbmap record -q -p $! -e raw_syscalls -b 64K -o /tmp/pid.dat -- sh -c "
		until cat /sys/kernel/rbmap/instances/record-*/per_cpu/cpu*/stats | grep -q \"^emitted: [1-9]\" &&
			[ -e /tmp/seen ]; do
			sleep 0.1
		done"
	kill $!' 2>/tmp/err &
inside=$!
ok "a program runs in the namespace" retry_until 20 pidof dd
outside=$(pidof dd)
: >/tmp/seen
wait $inside
ok "its number is another one inside" [ "$(cat /tmp/inside)" != "$outside" ]
recorded=$(threads /tmp/pid.dat)
is "${recorded%% *}" "$outside" "-p selects the process that the namespace has by that number"
is "${recorded#* }" dd "events have its name, and no other thread has any"
is "$(cat $root/set_event_pid)" "" "nothing is left in the default buffer"

in_pids 'sleep 1000 & sleep 0.2; rbmap record -q --no-compress -e sched_switch -b 64K -d 0.2 -o /tmp/names.dat; kill $!'
is "$(sed -n 's/^1 //p' /tmp/names.dat | head -n 1)" "$(cat /proc/1/comm)" \
	"a recording has the kernel's names of numbers that the namespace uses, too"
# The numbers of the namespace are those of kernel threads outside.
is "$(in_pids 'rbmap stream --default -e sched_switch -d 0.2' 2>/dev/null | grep -cE '^ *(sh|rbmap)-[1-9] ')" 0 \
	"a stream gives no thread a name of the namespace"

# A program of 32 bits has the number that a program outside has, which is one of 64 bits. The
# ends of calls, without their arguments, do not say that.
last=/proc/sys/kernel/ns_last_pid
if [ -x /tests/system_call-m32 ] && [ -e $last ]; then
	sh -c 'while :; do kill -0 $$; done' &
	outside=$!
	cat >/tmp/in-pids <<-END
		echo $((outside - 1)) >$last
		/tests/reader-m32 /dev/rbmap/cpu0 >/dev/null &
		echo \$! >/tmp/inside
		rbmap stream -e raw_syscalls:sys_exit --filter 'common_pid == $outside' -n 100
		kill \$!
	END
	in_pids 'sh /tmp/in-pids' >/tmp/calls 2>/tmp/err
	kill $outside
	is "$(cat /tmp/inside)" "$outside" "a program of 32 bits has the number inside"
	ok "the calls of the one outside are there" [ "$(grep -cE ' NR (39|62) ' /tmp/calls)" -ge 50 ] || diag </tmp/err
	is "$(grep -c i386 /tmp/calls)" 0 "none is taken for that of the one inside"
else
	skip "no programs of 32 bits, or no ns_last_pid" "the system calls of a number"
fi

# The processes inside are in a cgroup. Their numbers are those of kernel threads outside.
mkdir -p /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null
if mkdir /sys/fs/cgroup/inside 2>/dev/null; then
	in_pids '
		echo 0 >/sys/fs/cgroup/inside/cgroup.procs
		for i in $(seq 60); do sleep 1000 & done
		echo 0 >/sys/fs/cgroup/cgroup.procs
		rbmap top --default -e sched_switch -i 1 -n 1 --by cgroup --batch >/tmp/cgroups 2>/tmp/err'
	is "$(grep -c '(unknown)' /tmp/cgroups)" 1 "rbmap top does not know the cgroups of kernel threads"
	is "$(grep -c inside /tmp/cgroups)" 0 "and does not name those of the numbers inside" || diag </tmp/cgroups
	ok "the cgroup is empty" retry_until 10 rmdir /sys/fs/cgroup/inside
else
	skip "no cgroups of version 2" "the cgroups of numbers"
fi

# The paths of a cgroup namespace begin at its root.
if /tests/unshare --cgroup true 2>/dev/null && mkdir /sys/fs/cgroup/inside 2>/dev/null; then
	sh -c 'echo 0 >/sys/fs/cgroup/inside/cgroup.procs
		exec /tests/unshare --cgroup rbmap record -q -e sched_switch -b 64K -d 0.3 -o /tmp/cgroups.dat'
	ok "the recording has events" [ "$(rbmap report /tmp/cgroups.dat 2>/dev/null | wc -l)" -gt 1 ]
	is "$(rbmap report --json /tmp/cgroups.dat 2>/dev/null | grep -c '"cgroup": *"/[.][.]')" 0 \
		"a recording has no path from the root of a cgroup namespace"
	rbmap record -q -e sched_switch -b 64K -d 0.3 -o /tmp/cgroups.dat
	ok "outside it has the cgroups of all tasks" \
		[ "$(rbmap report --json /tmp/cgroups.dat 2>/dev/null | grep -c '"cgroup": *"/"')" -gt 0 ]
	ok "the cgroup is empty" retry_until 10 rmdir /sys/fs/cgroup/inside
else
	skip "no cgroup namespaces" "the paths of cgroups"
fi

umount /sys/fs/cgroup 2>/dev/null

# Without a /proc of its own: the file keeper_pid has the number inside.
said /tests/unshare --pid --fork sh -c '
	rbmap record -q -e sched_process_exec -b 64K -o /tmp/keeper.dat &
	until [ -n "$(cat /sys/kernel/rbmap/instances/record-$!/keeper_pid 2>/dev/null)" ]; do sleep 0.1; done
	rbmap status | grep ^recorder
	kill -INT $!
	wait $!'
like "$output" '^recorder +\? \(pid [1-9]' "status has no name of the number that the recorder has inside"

# The list takes numbers of the writer's namespace.
ok "@ before a number" in_pids "echo @999 >$root/set_event_pid"
is "$(wc -l <$root/set_event_pid)" 0 "a task that has ended is not listed"
echo 0 >$root/events/enable
is "$(in_pids "echo @1 >>$root/set_event_pid; cat $root/set_event_pid" | grep -c .)" 1 "one that runs is"
for wrong in '@' '@0' '@x' '@@1' '@4194304'; do
	fails "'$wrong' is refused" sh -c "echo '$wrong' >$root/set_event_pid"
done
echo >$root/set_event_pid

# The /proc of another namespace
said /tests/unshare --mount sh -c '
	/tests/unshare --pid --fork --kill-child sh -c "mount -t proc proc /proc; echo >/tmp/ready; exec sleep 1000" >/dev/null 2>&1 &
	until [ -e /tmp/ready ]; do sleep 0.1; done
	rbmap record -p 1 -e sched_switch -d 0.1 -o /tmp/other.dat
	status=$?
	kill $!
	exit $status'
is "$status" 1 "with a /proc of another namespace, -p is refused"
like "$output" '/proc belongs to another PID namespace' "with the reason"

# --- time namespaces
if [ -e /proc/self/ns/time ]; then
	clocks="mono boot local"
	[ -z "${SHORT:-}" ] || clocks=mono
	for clock in $clocks; do
		/tests/unshare --time --fork --monotonic 100000 --boottime 200000 \
			sh -c "echo x >/dev/null; rbmap record -q -C $clock -b 64K -e raw_syscalls -o /tmp/time.dat -- true"
		now=$(date +%s)
		told=$(rbmap report --wall /tmp/time.dat 2>/dev/null | tail -n 1 |
			sed 's/.*\([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\)[T ]\([0-9:]*\).*/\1 \2/')
		told=$(date -d "$told" +%s)
		ok "time namespace, clock $clock: the time of day is right ($told, $now)" \
			[ $((now - told)) -ge -1 -a $((now - told)) -le $((60 * $(patience 1))) ]
	done
else
	skip "this kernel has no time namespaces" "the time of day"
fi

# --- user namespaces
said /tests/unshare --user --map-root-user rbmap record -e sched_switch -d 0.1 -o /tmp/user.dat
is "$status" 1 "root of a user namespace makes no buffer"
like "$output" 'no permission' "the message says so"
fails "no file is left" test -e /tmp/user.dat

# --- mount namespaces
said /tests/unshare --mount sh -c "mount -t tmpfs none /dev && rbmap record -e sched_switch -d 0.1 -o /tmp/mount.dat"
is "$status" 1 "without /dev/rbmap"
like "$output" '/dev/rbmap' "the message names it"
fails "and no other version" sh -c "echo '$output' | grep -q version"
said /tests/unshare --mount sh -c "mount -t tmpfs none /sys && rbmap record -e sched_switch -d 0.1 -o /tmp/mount.dat"
is "$status" 1 "without /sys/kernel/rbmap"
# Devices that are not there. A copy lacks those of a buffer that is made later.
for command in "stream --default" "top --default --batch -n 1" "record --default -e rbmap:marker -o /tmp/mount.dat"; do
	said /tests/unshare --mount sh -c "mount -t tmpfs none /dev && rbmap $command"
	is "$status" 1 "rbmap ${command%% *} of the default buffer without /dev/rbmap"
	like "$output" '/dev/rbmap does not exist, although the module is loaded: /dev is not that of the machine' \
		"the message says so"
done
for missing in control 'cpu*'; do
	for command in stream "record -o /tmp/mount.dat"; do
		rm -rf /tmp/part
		said /tests/unshare --mount sh -c "cp -a /dev/rbmap /tmp/part && rm /tmp/part/$missing &&
			mount --bind /tmp/part /dev/rbmap && rbmap $command -e sched_switch -d 0.1"
		is "$status" 1 "rbmap ${command%% *} without $missing"
		like "$output" '/dev/rbmap/.* does not exist, although the module is loaded' "the message says so"
	done
done
rm -rf /tmp/part
# The devices of some CPUs, as a container has them
if [ -e /dev/rbmap/cpu1 ]; then
	for command in "record --default -e rbmap:marker -d 0.1 -o /tmp/part.dat" \
		"stream --default -d 0.1"; do
		rm -rf /tmp/part
		said /tests/unshare --mount sh -c "cp -a /dev/rbmap /tmp/part && rm /tmp/part/cpu1 &&
			mount --bind /tmp/part /dev/rbmap && rbmap $command"
		is "$status" 1 "rbmap ${command%% *} with a part of /dev/rbmap"
		like "$output" 'no device of CPU 1, whose events' "the message names the CPU"
		like "$output" 'events read, more than [0-9]+ lost' "nobody knows how many events are lost"
	done
	like "$(rbmap report /tmp/part.dat 2>&1)" 'events, more than [0-9]+ lost' "the file says so, too"
	rm -rf /tmp/part
	said /tests/unshare --mount sh -c "cp -a /dev/rbmap /tmp/part && rm /tmp/part/snapshot/cpu1 &&
		mount --bind /tmp/part /dev/rbmap && rbmap snapshot -o /tmp/part.dat"
	is "$status" 1 "rbmap snapshot with a part of /dev/rbmap"
	like "$output" 'no device of CPU 1, whose events' "the message names the CPU"
	is "$(cat $root/snapshot)" 1 "the snapshot is kept"
	ok "and can be saved outside" rbmap snapshot -q --read-existing -o /tmp/part.dat
	echo 0 >$root/snapshot
	rm -rf /tmp/part /tmp/part.dat
fi
ok "the module unloads" rmmod rbmap
done_testing
