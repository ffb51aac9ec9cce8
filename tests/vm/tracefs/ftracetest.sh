#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's own tests of tracefs, tools/testing/selftests/ftrace, run on the file system
# rbmap: files, events, filters, instances. Each one passes, but for those that are listed
# here with the reason.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

# The results that are not PASS, a line NAME=RESULT REASON for each. rbmap-tracefs-dir(1) lists
# these differences, too.
others='basic1.tc=FAIL trace and trace_pipe are links to devices
mount_options.tc=UNSUPPORTED the mount has no option gid
test_ownership.tc=UNSUPPORTED owners and modes are those of the files behind the links
trace_printk.tc=UNRESOLVED the guest has no module with trace_printk()
event-filter-function.tc=FAIL filters cannot name functions
instance/event-filter-function.tc=UNSUPPORTED a buffer has no directory of an event that nobody has named'

cd /tests/ftracetest/* || exit 1
# The tests take the first mount with this word.
umount /sys/kernel/tracing /sys/kernel/debug 2>/dev/null
ok "module loads" load_module rbmap || done_testing
ok "the file system is mounted" rbmap tracefs-dir /tmp/tracefs || done_testing
# The tests delete the log of each test that does what it should.
sh ./ftracetest -k -l /tmp/logs test.d/00basic test.d/event test.d/instances test.d/filter >/tmp/out 2>&1

# The log has the name of the file in its first line.
nr=0
for log in /tmp/logs/*-log.*; do
	name=$(sed -n '1s|.*/||p' "$log")
	number=${log##*/}
	number=${number%%-*}
	result=$(sed -n "s/^\[$number\].*\[\([A-Z]*\)\].*/\1/p" /tmp/out)
	head -n 1 "$log" | grep -q '(instance)' && name=instance/$name
	wanted=$(echo "$others" | sed -n "s|^$name=\([A-Z]*\) .*|\1|p")
	reason=$(echo "$others" | sed -n "s|^$name=[A-Z]* \(.*\)|: \1|p")
	is "$result" "${wanted:-PASS}" "$name${reason}" || tail -n 5 "$log"
	nr=$((nr + 1))
done
is "$nr" 36 "all tests of these folders have run"
rm -rf /tmp/logs /tmp/ftracetest-dir.*
cd /
umount /tmp/tracefs
ok "module unloads" rmmod rbmap
done_testing
