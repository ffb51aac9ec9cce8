#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# O_TRUNC and empty writes change on the file system rbmap what they change in tracefs. A
# recording after 'trace-cmd record -P' has the events of all tasks again. Lists keep the
# rights of their targets. Nobody leads their search into a circle, or to another file.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
dir=/tmp/mounted
theirs=/sys/kernel/tracing

ok "load" load_module rbmap buffer_size_kb=64 || done_testing
mkdir -p $dir
ok "mount" mount -t rbmap rbmap $dir || done_testing
mount -t tracefs none $theirs 2>/dev/null
echo 0 >$root/events/rbmap/enable
results "compared: " /tests/truncate $theirs $dir
echo local >$theirs/trace_clock

# --- the lists of each buffer
mkdir $dir/instances/b
echo 0 >$root/instances/b/events/rbmap/enable
for buffer in $dir $dir/instances/b; do
	echo 'sched:sched_switch' >$buffer/set_event
	echo 1 >$buffer/set_event_pid
	echo 2 >$buffer/set_event_notrace_pid
	echo 3 >$buffer/exclude_process
	echo / >$buffer/set_event_cgroup
	for list in set_event set_event_pid set_event_notrace_pid set_event_cgroup \
		exclude_process; do
		: >$buffer/$list
		is "$(cat $buffer/$list)" "" "${buffer#"$dir"/}: O_TRUNC empties $list"
	done
done
is "$(cat $root/set_event $root/set_event_pid $root/instances/b/set_event_pid)" "" "and so it is in sysfs"
rmdir $dir/instances/b

# --- dynamic_events
echo "t:mine/one sched_switch" >$dir/dynamic_events
echo "t:mine/two sched_waking" >>$dir/dynamic_events
is "$(grep -c mine $root/dynamic_events)" 2 "events are added"
echo 1 >$root/events/mine/two/enable
fails "an event in use keeps all of them" sh -c ": >$dir/dynamic_events"
is "$(grep -c mine $root/dynamic_events)" 2 "they are there"
echo 0 >$root/events/mine/two/enable
ok "O_TRUNC removes them" sh -c ": >$dir/dynamic_events"
is "$(cat $root/dynamic_events)" "" "none is left"
fails "their directory is gone" test -e $root/events/mine

# --- rights
is "$(stat -c '%a %u %g %d' $dir/set_event_pid)" "$(stat -c '%a %u %g %d' $root/set_event_pid)" \
	"a list has the mode and the owner of its target"
echo 1 >$dir/set_event_pid
as_nobody()
{
	/tests/truncate --as-nobody "$@"
}
for way in ': <' ': >' ': >>' ': <>'; do
	fails "others may not '$way' a list" as_nobody sh -c "$way$dir/set_event_pid"
done
fails "access(2) says so" as_nobody test -w $dir/set_event_pid
ok "and that root may" test -w $dir/set_event_pid
is "$(cat $root/set_event_pid)" 1 "nothing has changed"
chmod 666 $root/set_event_pid
ok "a target with more rights gives them" as_nobody sh -c ": >$dir/set_event_pid"
is "$(cat $root/set_event_pid)" "" "the list is empty"
chmod 640 $root/set_event_pid

# --- a file of a user's own in place of the targets
# A user owns ifalias of a network namespace that is made in their user namespace. In a mount namespace of their own,
# the path of the list leads to it.
echo 1 >$dir/set_event_pid
mkdir -p /tmp/sysfs
cat >/tmp/sandbox <<-END
	mount -t sysfs sysfs /tmp/sysfs && mount -t tmpfs tmpfs /sys && mkdir -p $root &&
		ln -s /tmp/sysfs/class/net/lo/ifalias $root/set_event_pid || exit
	echo there
	echo mine >>$dir/set_event_pid
	cat /tmp/sysfs/class/net/lo/ifalias
	: >$dir/set_event_pid
END
as_nobody unshare -Ur unshare -nm sh /tmp/sandbox >/tmp/out 2>/tmp/err
if [ -s /tmp/out ]; then
	is "$(xargs </tmp/out)" "there mine" "a user's own file in place of the list is written to"
	like "$(cat /tmp/err)" "Too many levels" "that file's rights do not empty the list"
else
	skip "no user namespaces: $(cat /tmp/err)" "a user's own file in place of a list"
fi
is "$(cat $root/set_event_pid)" 1 "the list has not changed"

# --- a file system in place of the targets that never answers
# utimes(2) asks for the rights of the list with its lock held, which O_TRUNC takes.
load_module fuse 2>/dev/null
if [ -e /dev/fuse ]; then
	chmod 666 /dev/fuse
	cat >/tmp/sandbox <<-END
		exec 7<>/dev/fuse
		mount -t fuse -o fd=7,rootmode=40000,user_id=0,group_id=0 fuse /sys || exit
		echo there
		exec touch -c $dir/set_event_pid
	END
	/tests/truncate --as-nobody unshare -Ur unshare -m sh /tmp/sandbox >/tmp/out 2>/tmp/err &
	waits=$!
	retry_until 10 test -s /tmp/out
	sleep 1
fi
if grep -q there /tmp/out; then
	sh -c ": >$dir/set_event_pid && : >/tmp/emptied" &
	ok "a user who waits for ever keeps nobody from emptying the list" \
		retry_until 10 test -e /tmp/emptied
	kill -9 $waits 2>/dev/null
	wait
else
	skip "no FUSE: $(cat /tmp/err)" "a file system that never answers"
fi

# --- a mount in place of the targets
ok "the file system in place of sysfs" mount --bind $dir $root
for try in 'cat' 'stat' 'test -w'; do
	fails "$try of a list does not go round in a circle" $try $dir/set_event_pid
done
fails "nor does a write" sh -c "echo 1 >$dir/set_event_pid"
ok "umount" umount $root
ok "the list works again" sh -c "echo 1 >$dir/set_event_pid && : >$dir/set_event_pid"

ok "umount" umount $dir
ok "unload" retry_until 5 rmmod rbmap
done_testing
