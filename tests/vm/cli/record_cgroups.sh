#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# record, stream and top with --cgroup, --unit and --container: which cgroup a name means,
# what is recorded, and that the previous list is there afterwards. SHORT=1: fewer names, and
# one compression.
# shellcheck disable=SC2016,SC2086,SC2317 # inner shells; names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
groups=/sys/fs/cgroup
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
other=0123456789abffff${id#????????????????}

ok "the module loads" load_module rbmap || done_testing
# refused TEXT OPTION...: record fails, and says that
refused()
{
	wanted=$1
	shift
	rbmap record -q -e sched_process_exec -o /tmp/no.dat "$@" -- true 2>/tmp/said
	like "$? $(cat /tmp/said)" "^[12] .*$wanted" "refused: $*: $wanted"
}
refused "no cgroup hierarchy of version 2 is mounted" --cgroup /web
mkdir -p $groups
mount -t cgroup2 cgroup2 $groups || skip_all "this kernel has no cgroups of version 2"
at_exit "umount $groups"
for group in system.slice/web.service/worker system.slice/db.scope machine.slice/libpod-$id.scope \
	machine.slice/libpod-conmon-$id.scope lxc.payload.box docker/$other \
	'machine.slice/machine-my\x2dbox.scope'; do
	mkdir -p $groups/$group
done
for name in one two; do
	mkdir /tmp/$name
	cp /bin/busybox /tmp/$name/
done

# --- which cgroup a name means
# recorded GROUP OPTION...: which of two programs is recorded; the first one runs in GROUP
cat >/tmp/both <<'BOTH'
(echo 0 >"$1/cgroup.procs"; exec /tmp/one/busybox true)
/tmp/two/busybox true
BOTH
recorded()
{
	group=$1
	shift
	rm -f /tmp/part.dat
	rbmap record -q -e sched_process_exec -o /tmp/part.dat "$@" -- sh /tmp/both $groups/$group
	rbmap report /tmp/part.dat 2>/dev/null |
		sed -n 's,.*sched_process_exec: *filename=/tmp/\([a-z]*\)/.*,\1,p' | xargs
}
is "$(recorded system.slice)" "one two" "without an option both are recorded"
web=system.slice/web.service
turn=0
while read -r group options; do
	turn=$((turn + 1))
	[ -z "${SHORT:-}" ] || [ $((turn % 2)) = 1 ] || continue
	is "$(recorded $group $options)" one "$options"
done <<GROUPS
$web --cgroup /$web
$web --cgroup $web/
$web --cgroup $groups/$web
$web/worker --cgroup /$web
$web --unit web
$web --unit web.service
system.slice/db.scope --unit db
$web --unit system.slice
machine.slice/libpod-$id.scope --container 0123456789abcdef
machine.slice/machine-my\x2dbox.scope --container my-box
lxc.payload.box --container box
docker/$other --container $other
system.slice/db.scope --unit web --unit db
GROUPS
is "$(recorded system.slice/db.scope --unit web)" "" "--unit web: another unit is not recorded"
refused "cgroup /none does not exist" --cgroup /none
refused "no cgroup of unit none" --unit none
refused "no cgroup of container none" --container none
refused "several cgroups of container 0123456789ab: name one with --cgroup, such as /" --container 0123456789ab
refused "no cgroup of container 01234" --container 01234
many=
for _ in $(seq 17); do
	many="$many --unit web"
done
refused "at most 16 cgroups" $many

# docker, or another program, knows the names of its containers.
printf '#!/bin/sh\n[ "$*" = "inspect --type container --format {{.Id}} shop" ] && echo %s\n' $id >/usr/bin/docker
chmod +x /usr/bin/docker
is "$(recorded machine.slice/libpod-$id.scope --container shop)" one "docker is asked for the id of a name"
refused "no cgroup of container cart" --container cart
refused "no cgroup of container -x;true" "--container=-x;true"

# --- a shared buffer gets its list back
echo /system.slice >$root/set_event_cgroup
is "$(recorded $web --default --unit web)" one "in the default buffer"
is "$(cat $root/set_event_cgroup)" /system.slice "its list is as before"
rbmap record -q --default -e sched_process_exec -o /tmp/x.dat --unit web --unit none -- true 2>/dev/null
is "$(cat $root/set_event_cgroup)" /system.slice "also after an error"
like "$(rbmap status)" 'only events of 1 cgroup \(set_event_cgroup\)' "rbmap status tells of it"
echo >$root/set_event_cgroup

# --- the cgroups of tasks that end during the recording, in the recording
cat >/tmp/three <<'THREE'
(echo 0 >"$1/cgroup.procs"; exec /tmp/one/busybox usleep 10000)
unshare -pf /tmp/two/busybox usleep 20000
(echo 0 >"$2/cgroup.procs"; exec /tmp/one/busybox usleep 30000)
THREE
for compress in '' --no-compress; do
	[ -z "${SHORT:-}" ] || [ -z "$compress" ] || continue
	rbmap record -q -e sched $compress -o /tmp/groups.dat -- sh /tmp/three $groups/$web \
		$groups/system.slice/db.scope
	rbmap latency -k offcpu --by cgroup --json /tmp/groups.dat >/tmp/groups.json
	for group in /$web /system.slice/db.scope /; do
		like "$(cat /tmp/groups.json)" "\"cgroup\": ?\"$group\"" "latency --by cgroup has $group $compress"
	done
	like "$(rbmap latency -k offcpu --by cgroup /tmp/groups.dat)" "^/$web +[0-9]" "and so in the table $compress"
done
trace-cmd report --stat /tmp/groups.dat >/tmp/stat 2>/tmp/errors
like "$(cat /tmp/stat)" "/$web: [0-9]" "trace-cmd report --stat shows them"
like "$(cat /tmp/stat)" '/: .*[0-9]:1( |$)' "also the pid that a task has in its own namespace"
is "$(cat /tmp/errors)" "" "without a warning"
# The recording ends with its last task, which says its cgroup before.
rbmap record -q -e sched -o /tmp/last.dat -- sh -c \
	"echo 0 >$groups/$web/cgroup.procs; exec /tmp/one/busybox usleep 10000"
like "$(rbmap latency -k offcpu --by cgroup --json /tmp/last.dat)" "\"cgroup\": ?\"/$web\"" \
	"latency --by cgroup has that of the last task"
# A process that began before the kernel's own numbers, and lives until they are read
touch /tmp/asked
sh -c "echo 0 >$groups/$web/cgroup.procs; while [ -e /tmp/asked ]; do /tmp/one/busybox usleep 50000; done" &
sleeper=$!
# A busy machine may not run it for a second.
live()
{
	rbmap latency --live -d 1 -k offcpu --by cgroup >/tmp/live 2>&1
	grep -q "/$web " /tmp/live
}
ok "latency --live has the cgroup, too" retry_until 20 live || diag "$(cat /tmp/live)"
rm /tmp/asked
wait $sleeper

# --- stream and top
rbmap stream -e sched_process_exec --unit web -n 1 >/tmp/line 2>&1 &
stream=$!
until_one()
{
	sh /tmp/both $groups/$web
	! kill -0 $stream 2>/dev/null
}
ok "stream ends at the first event of the unit" retry_until 20 until_one
wait $stream
like "$(cat /tmp/line)" 'filename=/tmp/one/busybox' "which is that of the unit"
# feed PID: runs the two programs until a command ends
feed()
{
	while kill -0 $1 2>/dev/null; do
		sh /tmp/both $groups/$web
	done
	wait $1
}
rbmap top --batch -e sched_process_exec --unit db -n 1 -i 1 >/tmp/top 2>&1 &
feed $!
is "$(grep -c sched_process_exec /tmp/top)" 0 "top counts no event of another unit"
rbmap top --batch -e sched_process_exec --by cgroup -i 1 >/tmp/top 2>&1 &
top=$!
has_row()
{
	sh /tmp/both $groups/$web
	grep -qE "%  /$web +sched:sched_process_exec" /tmp/top
}
ok "top --by cgroup has a row for the unit" retry_until 20 has_row || diag "$(cat /tmp/top)"
kill $top
wait $top

# --- a flight recorder: events of others do not trigger
rbmap record -f -e sched_process_exec --unit db -o /tmp/flight.dat --trigger sched_process_exec \
	--trigger-if 'pid > 0' --holdoff 0 2>/tmp/flight.log &
recorder=$!
ok "a flight recorder of a unit begins" retry_until 20 grep -q "kill -USR1 $recorder" /tmp/flight.log
is "$(cat $root/instances/trigger-$recorder/set_event_cgroup)" /system.slice/db.scope \
	"the buffer of its trigger has the cgroup"
sh /tmp/both $groups/$web
sleep 1
is "$(grep -c 'B of events$' /tmp/flight.log)" 0 "an event of another unit does not trigger"
sh /tmp/both $groups/system.slice/db.scope
ok "an event of the unit does" retry_until 30 grep -q '/tmp/flight.dat: ' /tmp/flight.log
kill -INT $recorder
wait $recorder
rm -f /tmp/flight.dat*
ok "the module unloads" rmmod rbmap
find $groups -mindepth 1 -depth -type d -exec rmdir {} \;
done_testing
