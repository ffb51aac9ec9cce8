#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The files of recorders: who can read them, and that a recording which does not begin, a
# link or another user's file loses nothing. SHORT=1: without pipes and
# flights.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

ok "the module loads" load_module rbmap || done_testing
dir=/tmp/files
mkdir $dir
chmod 1777 $dir
cd $dir || done_testing

as_nobody()
{
	su nobody -c "$1" 2>/dev/null
}

# ---- readers
(umask 0; rbmap record -q -e sched -o mine.dat -- true)
is "$(stat -c '%a %U' mine.dat)" "600 root" "only its owner can read a recording"
fails "another user cannot" as_nobody "cat $dir/mine.dat"
(umask 0; exec rbmap record -q -e sched -o mine.dat) &
pid=$!
ok "a recording begins" retry_until 30 [ -e mine.dat.cpu0 ]
is "$(stat -c %a mine.dat* | sort -u)" 600 "nobody else can read its files meanwhile"
kill $pid
wait $pid
mkdir -m 2750 group
chgrp nogroup group
rbmap record -q -e sched -o group/x.dat -- true
is "$(stat -c '%a %G' group/x.dat)" "640 nogroup" "the group of a directory with the set-group-ID bit can"

# ---- contents
rbmap record -q --no-compress -e sched_switch -o some.dat -- true
is "$(grep -ac '^print fmt:' some.dat)" 1 "a buffer of its own has the formats of its events"
rbmap record -q --no-compress --default -e sched_switch -o some.dat -- true
ok "others may enable any event of a shared one" [ "$(grep -ac '^print fmt:' some.dat)" -gt 20 ]
rm some.dat

# ---- standard output
mkdir tmp
export TMPDIR=$dir/tmp
rbmap record -q -e sched -o - -- echo output >standard.dat 2>err
is $? 0 "a recording goes to standard output"
is "$(cat err)" output "the command's output goes to standard error"
like "$(rbmap report -e sched_process_exec standard.dat 2>/dev/null)" 'sched_process_exec: ' "it is complete"
if [ -z "${SHORT:-}" ]; then
	rbmap record -q -e sched -o - -- true | rbmap report - >piped 2>err
	like "$(cat err)" '^[1-9][0-9]* events, 0 lost$' "a pipe takes a recording to its report"
	rbmap snapshot -q -o - | rbmap report - >piped 2>err
	like "$(cat err)" '^[0-9]+ events, 0 lost$' "a pipe takes a snapshot to its report"
fi
is "$(ls tmp)" "" "no file is left"
fails "a full standard output fails" eval "rbmap record -q -e sched -o - -- true >/dev/full 2>err"
like "$(cat err)" "No space left on device; it is in $TMPDIR/rbmap\..*/trace.dat$" "the error says where the recording is"
ok "it is there" rbmap report tmp/rbmap.*/trace.dat
rm -rf standard.dat piped err tmp
unset TMPDIR

# ---- what was there before
rbmap report mine.dat >before.txt 2>/dev/null
same()
{
	rbmap report mine.dat 2>/dev/null | cmp -s - before.txt
}
fails "a command that does not exist fails" rbmap record -q -e sched -o mine.dat -- /no/such/command
ok "the file of before is there" same
fails "a bad filter fails" rbmap record -q -e sched_switch --filter 'nothing == 1' -o mine.dat
ok "the file of before is there" same
fails "an unknown event fails" rbmap record -q -e nothing -o mine.dat
fails "too large rings fail" rbmap record -q -e sched -b 64G -o mine.dat
fails "a snapshot of an unknown buffer fails" rbmap snapshot -q -B nothing -o mine.dat
ok "the file of before is there" same
is "$(ls)" "before.txt
group
mine.dat" "nothing else is there"
mkdir full
mount -t tmpfs -o size=5m tmpfs full
rbmap record -q -e sched -o full/mine.dat -- true
cp full/mine.dat before.dat
dd if=/dev/zero of=full/fill bs=1k 2>/dev/null
fails "a full disk fails" rbmap record -q -e sched -o full/mine.dat -- true
ok "a full disk: the file of before is there" cmp full/mine.dat before.dat
fails "a snapshot to a full disk fails" rbmap snapshot -q -o full/mine.dat
ok "a snapshot to a full disk: the file of before is there" cmp full/mine.dat before.dat
is "$(cd full && echo *)" "fill mine.dat" "nothing else is there"
umount full
echo 0 >/sys/kernel/rbmap/snapshot

if [ -z "${SHORT:-}" ]; then
	# ---- the files of an earlier flight
	echo first >flight.dat.1
	echo third >flight.dat.3
	rbmap record -f -e sched -o flight.dat 2>log &
	pid=$!
	ok "a flight recorder begins" retry_until 30 grep -q "kill -USR1 $pid'" log
	has_files()
	{
		[ "$(grep -c 'in the file' log)" -ge $1 ]
	}
	for nr in 1 2; do
		kill -USR1 $pid
		ok "it writes file $nr" retry_until 30 has_files $nr
	done
	kill $pid
	wait $pid
	is "$(cat flight.dat.1 flight.dat.3 | xargs)" "first third" "the files of an earlier flight are there"
	ok "the next ones have other numbers" [ -s flight.dat.2 ] && [ -s flight.dat.4 ]
fi

# ---- links and files of others
echo secret >$dir/group/target
as_nobody "ln -s $dir/group/target $dir/link.dat; echo mine >$dir/theirs.dat; ln -s /nowhere $dir/dangling.dat"
says()
{
	like "$(rbmap record -q -e sched -o $2 -- true 2>&1)" "$1" "$2: refused, with the reason"
}
says 'is a symbolic link in a directory that other users can write' link.dat
says 'is a symbolic link in a directory that other users can write' dangling.dat
says 'belongs to another user, in a directory that other users can write' theirs.dat
is "$(cat group/target theirs.dat | xargs)" "secret mine" "they are as before"
as_nobody "ln -s $dir/group/target $dir/group.dat.cpu0"
ok "a link in place of a CPU's file" rbmap record -q -e sched -o group.dat -- true
is "$(cat group/target)" secret "is not followed"
chmod 755 $dir
ok "a link in a directory of root" rbmap record -q -e sched -o link.dat -- true
like "$(rbmap report group/target 2>&1)" 'sched_' "is followed"
ok "the module unloads" rmmod rbmap
done_testing
