#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The files of a flight recorder that writes to a directory: settings, how many are kept, a
# full disk.
# shellcheck disable=SC2012,SC2317 # no special names; retry_until calls the functions
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
# have no order of age for ls.
markers()
{
	for recording in $(recordings); do
		rbmap report "$recording" 2>/dev/null | sed -n 's/.* marker: *//p' | xargs
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
rbmap record --settings /tmp/flight-files.conf 2>/tmp/log &
pid=$!
ok "a flight recorder with settings begins" \
	retry_until 30 grep -q "kill -USR1 $pid' writes its events to $dir" /tmp/log
for number in one two three four five; do
	write $number
	sleep 1
done
is "$(recordings | wc -l)" 3 "three files are kept"
is "$(markers | xargs)" "three four five" "the newest files are kept"
like "$(recordings | head -n 1)" '/....-..-..T..[.]..[.]..[.]dat$' "a file is named by its time"

# The disk is full: nothing is lost, and the recorder goes on.
dd if=/dev/zero of=$dir/full bs=64k 2>/dev/null
echo full >/dev/rbmap/marker
kill -USR1 $pid
ok "the recorder reports the full disk" retry_until 30 grep -q 'no space is left' /tmp/log
ok "the recorder goes on" kill -0 $pid
rm $dir/full
echo space >/dev/rbmap/marker
kill -USR1 $pid
ok "there is space again: the events since then" retry_until 30 has space
ok "the events of the full disk have a file of their own" retry_until 30 has full
kill -INT $pid
wait $pid
is $? 0 "the recorder ends with status 0"
is "$(recordings | wc -l)" 3 "three files are kept at the end"
is "$(cat /sys/kernel/rbmap/snapshot)" 0 "no snapshot is left"
ok "module unloads" rmmod rbmap
umount $dir && rmdir $dir
done_testing
