#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap tracefs-dir: libtracefs, unmodified, accepts the directory as tracefs. Both the
# version of Debian 12 and one that maps are tested. trace-cmd makes a recording from
# sub-buffers that another program has read. SHORT=1: the version that maps
# has sub-buffers of one size.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

dir=/tmp/tracing
cpus=$(grep -c '^processor' /proc/cpuinfo)

# says PATTERN ARGUMENT...: rbmap fails with one line that matches
says()
{
	pattern=$1
	shift
	/usr/bin/rbmap "$@" 2>/tmp/err
	is $? 1 "rbmap $*: status 1"
	like "$(cat /tmp/err)" "$pattern" "/$pattern/"
	is "$(wc -l </tmp/err)" 1 "rbmap $*: one line of error"
}

says "module is not loaded: run 'rbmap load'" tracefs-dir $dir
fails "no directory was created" test -e $dir
ok "load" rbmap load --module /modules/rbmap.ko || done_testing

# --- the directory
ok "the directory is created" rbmap tracefs-dir $dir
is "$(cat $dir/events/sched/sched_switch/id)" \
	"$(cat /sys/kernel/rbmap/events/sched/sched_switch/id)" "the directory has the events"
is "$(cat $dir/per_cpu/cpu0/stats | sed -n 's/^generation/&/p')" \
	"$(sed -n 's/^generation/&/p' /sys/kernel/rbmap/per_cpu/cpu0/stats)" "the directory has the statistics"
for file in /sys/kernel/rbmap/*; do
	[ -d "$file" ] || ok "the directory has ${file##*/}" test -e "$dir/${file##*/}"
done
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
is "$(diff /sys/kernel/tracing/events/ftrace/print/format $dir/events/ftrace/print/format)" "" \
	"the format of the event print is that of tracefs"
find $dir -type l | while read -r link; do
	[ -e "$link" ] || echo "$link"
done >/tmp/dangling
is "$(cat /tmp/dangling)" "" "each link has a target"
is "$(find $dir -type l -printf '%P\n' | sort | uniq -d)" "" "each name is there once"
says "exists already: 'rbmap tracefs-dir --remove $dir' removes it" tracefs-dir $dir
fails "no file can be made in it" sh -c ": >$dir/events/mine"
fails "no directory can be made in it" mkdir $dir/events/mine
fails "no file can be removed from it" rm -f $dir/tracing_on
fails "access rights stay" chmod 0700 $dir
fails "the owner of a link stays" chown -h 1 $dir/tracing_on
is "$(stat -f -c %T $dir) $(stat -c '%a %u %g' $dir/events)" "UNKNOWN 755 0 0" "the directory is root's"
says "$dir/events was not made by rbmap tracefs-dir and is not removed" \
	tracefs-dir --remove $dir/events
ok "a part of it is left alone" test -e $dir/events/header_page -a -e $dir/tracing_on
says "module is in use by directory $dir: .*'rbmap tracefs-dir --remove DIR'" unload
like "$(rbmap status)" "^tracefs-dir +$dir\$" "rbmap status names the directory"
like "$(rbmap status --json | tr -d ' \n')" "\"tracefs_dirs\":\[\"$dir\"\]" "and in JSON"
like "$(rbmap doctor)" "holders.*directory $dir" "rbmap doctor names the directory"
cd $dir || exit 1
says "cannot remove $dir: .*busy: a process has a file of it open" tracefs-dir --remove $dir
cd /tests || exit 1
ok "a directory that is in use stays" test -e $dir/tracing_on
ok "the directory is removed" rbmap tracefs-dir --remove $dir/
fails "the directory is gone" test -e $dir
mkdir $dir
: >$dir/mine
says "$dir is not empty: name an empty directory" tracefs-dir $dir
is "$(ls -A $dir)" mine "a directory that is not empty gets no files"
says "$dir was not made by rbmap tracefs-dir and is not removed" tracefs-dir --remove $dir
ok "a directory of somebody else is left alone" test -e $dir/mine
rm $dir/mine
ok "an empty directory is accepted" rbmap tracefs-dir $dir/
says "cannot make /nowhere/x: No such file" tracefs-dir /nowhere/x
says "/tmp/err exists and cannot be used: Not a directory" tracefs-dir /tmp/err
ok "the directory that was empty is removed" rbmap tracefs-dir --remove $dir
ok "unload" rbmap unload

# --- libtracefs, the version of Debian 12 and the one that maps
mkdir -p /tmp/lib
tar -x -C /tmp/lib -f /tests/libtracefs.tar
loader=$(echo /tmp/lib/ld-linux-*.so.*)
for pages in 1 4; do
	[ -z "${SHORT:-}" ] || [ $pages = 4 ] || continue
	size=$((pages * page_kb))
	ok "sub-buffers of $size KiB: load" rbmap load --module /modules/rbmap.ko \
		subbuf_size_kb=$size buffer_size_kb=512 || done_testing
	ok "sub-buffers of $size KiB: the directory" rbmap tracefs-dir $dir
	[ -n "${SHORT:-}" ] || results "$size KiB, Debian 12's libtracefs: " "$loader" \
		--library-path /tmp/lib/12:/tmp/lib /tests/tracefs $dir
	results "$size KiB, libtracefs that maps: " "$loader" \
		--library-path /tmp/lib /tests/tracefs --mapped $dir
	ok "sub-buffers of $size KiB: the directory is removed" rbmap tracefs-dir --remove $dir
	ok "sub-buffers of $size KiB: unload" rmmod rbmap
done

# --- trace-cmd, with sub-buffers that another program has read
ok "load" rbmap load --module /modules/rbmap.ko || done_testing
ok "the directory for trace-cmd" rbmap tracefs-dir $dir
i=0
while [ $i -lt 500 ]; do
	echo "number $i"
	i=$((i + 1))
done | while read -r line; do echo "$line"; done >/dev/rbmap/marker
rbmap enable sched_switch
sleep 0.3
rbmap disable sched_switch
cpu=0
files=
while [ $cpu -lt "$cpus" ]; do
	# Read whole sub-buffers until the ring is empty.
	cat /dev/rbmap/cpu$cpu >/tmp/cpu$cpu.raw &
	ok "cpu$cpu is read" retry_until 30 \
		grep -qx 'entries: 0' /sys/kernel/rbmap/per_cpu/cpu$cpu/stats
	# cat waits for the next one when it has written the last one.
	ok "cpu$cpu is written" retry_until 30 sleeps $!
	kill $!
	files="$files /tmp/cpu$cpu.raw"
	cpu=$((cpu + 1))
done
# The events need no names of functions, and trace-cmd reads each line of the whole file.
head -n 100 /proc/kallsyms >/tmp/kallsyms
ok "trace-cmd restore -c" trace-cmd restore -c -t $dir -k /tmp/kallsyms -o /tmp/head.dat
# shellcheck disable=SC2086 # split into words
ok "trace-cmd restore -i" trace-cmd restore -i /tmp/head.dat -o /tmp/trace.dat $files
ok "trace-cmd report" sh -c "trace-cmd report -N /tmp/trace.dat >/tmp/report 2>/tmp/report.err"
is "$(cat /tmp/report.err)" "" "trace-cmd report prints no error"
is "$(grep -c 'marker: *number ' /tmp/report)" 500 "trace-cmd report has every event"
ok "sched_switch is printed" grep -q 'sched_switch: .* ==> ' /tmp/report

ok "remove the directory" rbmap tracefs-dir --remove $dir
ok "unload" rbmap unload
done_testing
