#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# rbmap record -p: all threads of a process are in the list, however many there are and
# while it makes more. The user's own list is as before afterwards. SHORT=1: fewer threads, which
# it makes at one speed.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
list=$root/set_event_pid

ok "the module loads" load_module rbmap || done_testing
seq 100000 102999 >/tmp/users
# A write must not end within a number: each has six digits and a newline.
dd if=/tmp/users of=$list bs=3500 2>/dev/null
is "$(sort $list | md5sum)" "$(sort /tmp/users | md5sum)" "the user has a list of several pages"

first=1501 next=2500
[ -z "${SHORT:-}" ] || first=601 next=700
threads $first &
pid=$!
retry_until 30 [ -e /tmp/threads ]
rm /tmp/threads
is "$(find /proc/$pid/task -mindepth 1 -maxdepth 1 | wc -l)" $first "a process has $first threads"
cat >/tmp/look <<'LOOK'
wc -l <"$1" >/tmp/number
ls "/proc/$2/task" >/tmp/tasks
grep -vxF -f "$1" /tmp/tasks | wc -l >/tmp/lacking
LOOK
ok "it is recorded" rbmap record -q --default -e sched -p $pid -o /tmp/x.dat -- sh /tmp/look $list $pid
is "$(cat /tmp/lacking)" 0 "all its threads are in the list"
is "$(cat /tmp/number)" $first "nothing else is in the list"
is "$(sort $list | md5sum)" "$(sort /tmp/users | md5sum)" "the user's list is as before"
kill $pid
wait $pid

for us in 0 200 1000; do
	[ -z "${SHORT:-}" ] || [ $us = 200 ] || continue
	threads $next $us &
	pid=$!
	ok "a process is recorded that makes threads" \
		rbmap record -q --default -e sched -p $pid -o /tmp/x.dat -- sh /tmp/look $list $pid
	is "$(cat /tmp/lacking)" 0 "all its threads are in the list, with pauses of $us us"
	kill $pid
	wait $pid
done
is "$(sort $list | md5sum)" "$(sort /tmp/users | md5sum)" "the user's list is as before"
ok "the module unloads" rmmod rbmap
done_testing
