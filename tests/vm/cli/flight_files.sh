#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files of a flight recorder that writes to a directory: settings, how many are kept, a
# full disk, and recorders that are killed. SHORT=1: one is killed instead of six.
# shellcheck disable=SC2012,SC2016,SC2086,SC2317 # names without blanks; the shell of systemd's
# stand-in expands MAINPID; called by retry_until
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

dir=/tmp/flight-files
mkdir $dir && mount -t tmpfs -o size=8M flight $dir
ok "module loads" load_module rbmap || done_testing

# Print the recordings that are complete, the oldest first. Such a file has version 7.
recordings()
{
	ls -tr $dir/*.dat 2>/dev/null | while read -r recording; do
		[ "$(head -c 11 "$recording" | tail -c 1)" != 7 ] || echo "$recording"
	done
}

# markers: prints the markers of each complete recording, in a line. Files of one second
# have no order of age for ls. A complete recording does not change: it is read once.
markers()
{
	for recording in $(recordings); do
		seen=/tmp/seen-${recording##*/}
		[ -e "$seen" ] ||
			rbmap report "$recording" 2>/dev/null | sed -n 's/.* marker: *//p' | xargs >"$seen"
		cat "$seen"
	done
}

# has TEXT: whether a complete recording has this marker alone
has()
{
	markers | grep -qx "$1"
}

# write TEXT: writes a marker and a file
write()
{
	echo "$1" >/dev/rbmap/marker
	kill -USR1 $pid
	ok "a file with the marker $1" retry_until 30 has "$1"
}

cat >/tmp/flight-files.conf <<'END'
# As the service has it
event = rbmap:marker
flight-recorder = yes
directory = /tmp/flight-files
keep = 3
buffer-size = 512K
END
# begins: starts a flight recorder; returns when it records
begins()
{
	rbmap record --settings /tmp/flight-files.conf 2>/tmp/log &
	pid=$!
	retry_until 30 grep -q "kill -USR1 $pid' writes its events to $dir" /tmp/log
}

ok "a flight recorder with settings begins" begins
is "$(wc -l </tmp/log)" 1 "it has nothing else to say"
said rbmap record --settings /tmp/flight-files.conf
is "$status" 1 "a second recorder of the directory does not begin"
like "$output" "another flight recorder .process $pid. writes to $dir: name another" "it names the first one"
numbers="one two three four five" kills=6
[ -z "${SHORT:-}" ] || numbers="two three four five" kills=1
for number in $numbers; do
	write $number
	sleep 1
done
# The thread that completes a file removes an old one afterwards.
three()
{
	[ "$(recordings | wc -l)" = 3 ]
}
ok "three files are kept" retry_until 30 three
is "$(markers | xargs)" "three four five" "the newest files are kept"
like "$(recordings | head -n 1)" '/....-..-..T..[.]..[.]..[.]dat$' "a file is named by its time"

# systemctl reload has the status of the unit's ExecReload.
reload=$(sed -n 's,^ExecReload=@BINDIR@/,,p' /tests/rbmap-flight-recorder.service)
like "$reload" '^rbmap .*\$MAINPID$' "the unit has a command for a reload: $reload"
# reloads: runs that command as systemd does
reloads()
{
	MAINPID=$pid sh -c "$reload"
}

# The disk is full: nothing is lost, and the recorder goes on.
dd if=/dev/zero of=$dir/full bs=64k 2>/dev/null
echo full >/dev/rbmap/marker
fails "a reload of the service fails" reloads
ok "the recorder has reported the full disk" retry_until 20 grep -q 'no space is left' /tmp/log
advice=$(sed -n "s/.*remains in memory: '\(.*\) FILE'.*/\1/p" /tmp/log)
ok "its advice works: $advice" sh -c "$advice /tmp/elsewhere.dat 2>/dev/null"
ok "the file has the events" sh -c 'rbmap report /tmp/elsewhere.dat 2>/dev/null | grep -q "marker: *full"'
rm -f /tmp/elsewhere.dat
ok "the recorder goes on" kill -0 $pid
rm $dir/full
echo space >/dev/rbmap/marker
ok "a reload of the service succeeds" reloads
ok "there is space again: the events since then" retry_until 30 has space
ok "the events of the full disk have a file of their own" retry_until 30 has full
kill -INT $pid
wait $pid
is $? 0 "the recorder ends with status 0"
is "$(recordings | wc -l)" 3 "three files are kept at the end"
is "$(cat /sys/kernel/rbmap/snapshot)" 0 "no snapshot is left"

# The disk is full at the end: the snapshot ends with the buffer, and nobody can save it.
ok "a recorder begins" begins
dd if=/dev/zero of=$dir/full bs=64k 2>/dev/null
echo never >/dev/rbmap/marker
kill -INT $pid
wait $pid
is $? 1 "a disk that is full at the end: status 1"
like "$(cat /tmp/log)" 'ends, and its buffer with it: the events that no file has are lost$' "it says what is lost"
is "$(grep -c 'remains in memory' /tmp/log)" 0 "nobody is told to save a snapshot that has ended"
rm $dir/full

# The last file has what an earlier one could not have.
ok "a recorder begins" begins
dd if=/dev/zero of=$dir/full bs=64k 2>/dev/null
echo before >/dev/rbmap/marker
fails "a file is not written" rbmap snapshot --recorder $pid
rm $dir/full
echo last >/dev/rbmap/marker
kill -INT $pid
wait $pid
is $? 0 "there is space at the end: status 0"
is "$(grep -c 'are lost' /tmp/log)" 0 "nothing is said to be lost"
ok "a file has the events of the full disk" has before
ok "and another one those since then" has last

# A recorder is killed while it waits, and while it writes a file.
ok "a recorder begins after one that has ended" begins
is "$(grep -c note: /tmp/log)" 0 "nothing was lost"
kill -9 $pid
wait $pid
ok "a recorder begins after one that was killed" begins
like "$(cat /tmp/log)" "note: the flight recorder before this one .* ended without saving its events since 20" \
	"it tells what is lost"
all_begin()
{
	moments=$kills
	while [ $moments -gt 0 ]; do
		moments=$((moments - 1))
		echo "kill $moments" >/dev/rbmap/marker
		kill -USR1 $pid
		sleep 0.0$((moments * 37 % 90 + 10))
		kill -9 $pid
		wait $pid
		begins || return
	done
}
ok "a recorder begins after each one that was killed while it wrote a file" all_begin
# Two requests at once: the kernel drops the signal of one while the recorder is stopped.
kill -STOP $pid
rbmap snapshot --recorder $pid &
first=$!
rbmap snapshot --recorder $pid &
second=$!
# requested: one signal waits for the recorder, and both commands wait for their answers
requested()
{
	grep -qE '^ShdPnd:.*[2367abef]..$' /proc/$pid/status && sleeps $first && sleeps $second
}
ok "both wait for their answers" retry_until 30 requested
kill -CONT $pid
wait $first
is $? 0 "the first of two requests is answered"
wait $second
is $? 0 "and so is the second one"
# Files come faster than they are completed. None of those that wait is removed.
for _ in 1 2 3 4; do
	rbmap snapshot --recorder $pid
done
kill -INT $pid
wait $pid
is $? 0 "the last recorder ends with status 0"
is "$(grep -c 'is not complete' /tmp/log)" 0 "no file was removed before it was complete"
is "$(recordings | wc -l)" 3 "three files are kept of many"
# The service has a network namespace of its own (PrivateNetwork=yes).
if [ -x /tests/unshare ]; then
	/tests/unshare --net rbmap record --settings /tmp/flight-files.conf 2>/tmp/log &
	pid=$!
	ok "a recorder in another network namespace begins" \
		retry_until 30 grep -q "kill -USR1 $pid' writes its events to $dir" /tmp/log
	ok "it answers a request" timeout "$(patience 60)" rbmap snapshot --recorder $pid
	kill -INT $pid
	wait $pid
	is $? 0 "it ends with status 0"
else
	skip "no unshare: install util-linux" "a recorder in another network namespace"
fi
is "$(find $dir -type f ! -name '*.dat' ! -name .rbmap-recorder)" "" "no part of a file is left"
is "$(recordings | wc -l)" "$(find $dir -name '*.dat' | wc -l)" "all recordings are complete"
is "$(rbmap status | grep -c '^recorder')" 0 "no recorder is left"
ok "module unloads" rmmod rbmap
umount $dir && rmdir $dir
done_testing
