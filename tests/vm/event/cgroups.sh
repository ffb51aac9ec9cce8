#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# set_event_cgroup records the events of the tasks in a cgroup and below it, of tasks that
# come later too, and what others do with them. A list that a probe uses may be replaced at
# any time, and a cgroup may be removed while it is listed.
# shellcheck disable=SC2016,SC2086,SC2317 # inner shells; names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
buffer=$root/instances/part
list=$buffer/set_event_cgroup
groups=/run/cgroups

mkdir -p $groups
mount -t cgroup2 cgroup2 $groups || skip_all "this kernel has no cgroups of version 2"
at_exit "umount $groups"
mkdir -p $groups/web/worker $groups/db "$groups/a name"
ok "the module loads" load_module rbmap || done_testing
echo part >$root/instances/create

# --- the list
is "$(cat $list)" "" "at first no cgroup is listed"
echo /web >$list
is "$(cat $list)" "/web" "a cgroup is listed"
printf '/db\n/a name' >>$list
is "$(cat $list)" "$(printf '/web\n/db\n/a name')" ">> adds, and a name may have a blank"
for wrong in web /nothing /web/cgroup.procs; do
	fails "'$wrong' is refused" sh -c "echo '$wrong' >$list"
done
is "$(cat $list)" "$(printf '/web\n/db\n/a name')" "and the list stays"
is "$(cat $root/set_event_cgroup)" "" "other buffers have lists of their own"
fails "a list with an unknown cgroup is refused as a whole" sh -c "printf '/db\n/nothing\n' >$list"
is "$(wc -l <$list)" 3 "so it has three cgroups still"
for _ in $(seq 13); do
	echo /web >>$list
done
fails "more than 16 are refused" sh -c "echo /web >>$list"
is "$(wc -l <$list)" 16 "and 16 stay"
like "$(cat /dev/rbmap/part/error_log)" "16 cgroups at most" "error_log says how many there may be"
like "$(cat /dev/rbmap/part/error_log)" "path of a cgroup of version 2" "and which paths there are"
echo >$list
is "$(cat $list)" "" "an empty line empties the list"

# --- which events
# within GROUP COMMAND: runs a command in a cgroup. The shell that moves itself is in it.
within()
{
	sh -c "echo 0 >$groups/$1/cgroup.procs; $2"
}
# names: the commands that were executed since the last reset
names()
{
	rbmap record -q -B part -d 0 -o /tmp/part.dat
	rbmap report /tmp/part.dat | sed -n 's,.*sched_process_exec: *filename=/tmp/\([a-z]*\)/.*,\1,p' | xargs
}
for name in one two three; do
	mkdir /tmp/$name
	cp /bin/busybox /tmp/$name/
done
begin()
{
	echo 1 >$buffer/reset
	echo 1 >$buffer/events/sched/sched_process_exec/enable
}
three()
{
	begin
	within web 'exec /tmp/one/busybox true'
	within web/worker 'exec /tmp/two/busybox true'
	within db 'exec /tmp/three/busybox true'
}
three
is "$(names)" "one two three" "without a list all are recorded"
echo /web >$list
three
is "$(names)" "one two" "with a list its tasks are recorded, and those below"
echo /web/worker >$list
three
is "$(names)" "two" "but not those above"
echo /db >>$list
three
is "$(names)" "two three" "several cgroups are recorded"
echo / >$list
three
is "$(names)" "one two three" "the root has all tasks"
echo /web >$list
begin
sh -c "echo \$\$ >$buffer/set_event_pid; echo 0 >$groups/web/cgroup.procs; exec /tmp/one/busybox true"
within web 'exec /tmp/two/busybox true'
is "$(names)" "one" "with pids, too, both must fit"
echo >$buffer/set_event_pid

# --- what others do with them
# lines PATTERN: number of the lines of /tmp/wake.json with the pattern
lines()
{
	grep -cE "$1" /tmp/wake.json
}
echo 1 >$buffer/reset
echo 0 >$buffer/events/enable
for event in sched_switch sched_waking sched_wakeup; do
	echo 1 >$buffer/events/sched/$event/enable
done
mkfifo /tmp/fifo
sh -c "echo 0 >$groups/web/cgroup.procs; exec /tmp/one/busybox sh -c 'read -r line </tmp/fifo; exit 0'" &
inside=$!
ok "a task of the cgroup runs" retry_until 10 runs $inside busybox
ok "it waits in the function that opens a pipe" retry_until 10 sleeps $inside
echo x >/tmp/fifo
wait $inside
echo 0 >$buffer/events/enable
rbmap record -q -B part -d 0 -o /tmp/wake.dat
rbmap report --json /tmp/wake.dat | grep '"event"' >/tmp/wake.json
like "$(lines "\"next_pid\": ?$inside\\b")" '[1-9]' "switches to a task of the cgroup are recorded"
like "$(lines "\"prev_pid\": ?$inside\\b")" '[1-9]' "and switches from it"
like "$(grep -E '"event": ?"sched_waking"' /tmp/wake.json | grep -v "\"pid\": ?$inside," | grep -cE "[^0-9]${inside}[^0-9]")" \
	'[1-9]' "so is what a task outside does to wake it"
is "$(grep -cvE "[^0-9]${inside}[^0-9]" /tmp/wake.json)" 0 "and nothing between other tasks"

# --- the events of tasks and their cgroups
echo >$list
echo 1 >$buffer/reset
for event in begin end; do
	echo 1 >$buffer/events/rbmap_task/$event/enable
done
within web/worker 'exec /tmp/one/busybox true' &
moved=$!
wait $moved
unshare -pf /tmp/two/busybox true
# ended: copies the events, and looks for a line
ended()
{
	rbmap record -q -B part -d 0 -o /tmp/$1.dat
	rbmap report /tmp/$1.dat >>/tmp/tasks
	grep -qE "$2" /tmp/tasks
}
ok "the end of a task names the cgroup to which it was moved" \
	retry_until 20 ended moved ' end: *pid=[0-9]+ tgid=[0-9]+ ns_pid=[1-9][0-9]* cgroup=[0-9]+ path=/web/worker'
ok "the beginning of a task names its cgroup and its pid in its namespace" \
	retry_until 20 ended own ' begin: *pid=[0-9]+ tgid=[0-9]+ ns_pid=1 cgroup=[0-9]+ path=/$'
id=$(stat -c %i $groups/web/worker)
like "$(grep -c "cgroup=$id path=/web/worker" /tmp/tasks)" '[1-9]' "with the number of its directory"
echo 0 >$buffer/events/enable

# --- lists come and go under fire
for event in sched/sched_switch sched/sched_waking sched/sched_process_fork \
	sched/sched_process_exec rbmap_task/begin rbmap_task/end; do
	echo 1 >$buffer/events/$event/enable
done
# Readers of paths hold a lock of the kernel, which sleeps on real-time kernels.
(while [ ! -e /tmp/stop ]; do cat /proc/[0-9]*/cgroup; done >/dev/null 2>&1) &
readers=$!
(while [ ! -e /tmp/stop ]; do within web '/tmp/one/busybox true'; within db '/tmp/two/busybox true'; done) &
storm=$!
rounds=${SHORT:+20}
for _ in $(seq ${rounds:-200}); do
	mkdir $groups/round
	echo /round >$list
	printf '/web\n/\n' >>$list
	rmdir $groups/round
	cat $list >/dev/null
	echo >$list
done
pass "lists were replaced ${rounds:-200} times while their tasks ran"
echo /web >$list
rmdir "$groups/a name"
echo part >$root/instances/destroy
ok "a buffer with a list goes" [ ! -e $buffer ]
: >/tmp/stop
wait $storm $readers
rmdir $groups/web/worker $groups/web $groups/db
none_dying()
{
	grep -qx 'nr_dying_descendants 0' $groups/cgroup.stat
}
ok "the module unloads" rmmod rbmap
ok "and has held no cgroup that was removed" retry_until 20 none_dying
done_testing
