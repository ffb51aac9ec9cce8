#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# trace-cmd, unmodified, lives on the directory of rbmap tracefs-dir: the versions of
# Debian 12 and of Debian 13 list, record, start, stop, extract, take snapshots, stream
# and reset. Nothing of that fails, prints an error or makes a file in the directory.
# SHORT=1: the version of Debian 12 records, that of Debian 13 does the rest but for instances.
# shellcheck shell=dash disable=SC2086 # $release is a word
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
dir=/tmp/tracing
tracing=/sys/kernel/tracing

# trace_cmd COMMAND...: runs the trace-cmd of $release
trace_cmd()
{
	if [ $release = 12 ]; then
		"$loader" --library-path /tmp/lib/12:/tmp/lib /tmp/lib/12/trace-cmd "$@"
	else
		"$loader" --library-path /tmp/lib /tmp/lib/trace-cmd "$@"
	fi
}

# does COMMAND...: trace-cmd succeeds and prints no error; /tmp/out has the output. A
# recorder prints the sizes as errors.
does()
{
	local status

	trace_cmd "$@" >/tmp/out 2>/tmp/err
	status=$?
	is "$status $(grep -vE '^CPU[0-9]+ data recorded|^ +[0-9]+ bytes in size' /tmp/err)" "0 " \
		"Debian $release: trace-cmd $*"
}

# cannot PATTERN COMMAND...: trace-cmd fails with a message, and not by a signal
cannot()
{
	local pattern=$1 status

	shift
	trace_cmd "$@" >/tmp/out 2>/tmp/err
	status=$?
	ok "Debian $release: trace-cmd $* fails ($status)" test $status -gt 0 -a $status -lt 128
	like "$(cat /tmp/out /tmp/err)" "$pattern" "Debian $release: /$pattern/"
}

printed()
{
	like "$(cat /tmp/out)" "$1" "Debian $release: it prints /$1/"
}

names()
{
	(cd $dir && find . ! -path './events/*' | sort)
}

check_lists()
{
	does list -t
	is "$(cat /tmp/out)" nop "Debian $release: the tracers"
	does list -e '^sched:sched_switch$'
	printed '^sched:sched_switch$'
	does list -o
	printed '^noevent-fork$'
	does list -C
	printed '^\[local\]'
}

check_record()
{
	does record -C mono -b 200 -e sched_switch -f 'prev_pid > 0' -o /tmp/a.dat sleep 0.1
	does report -N /tmp/a.dat
	printed 'sched_switch: .* ==> '
	is "$(grep -c UNKNOWN /tmp/out)" 0 "Debian $release: each event is known"
	does record -P 1 -e sched_switch -o /tmp/a.dat sleep 0.1
	is "$(cat $root/set_event_pid)" "" "Debian $release: record -P leaves no task selected"
	if [ -z "${SHORT:-}" ]; then
		does record -e sched_switch -o /tmp/a.dat sleep 0.1
		does report -N /tmp/a.dat
		printed 'sched_switch: .*[:=]sleep'
	fi
	cannot 'function' record -p function -o /tmp/a.dat sleep 0.1
}

# mem reads the name of a function at each address, and dies without one. Recordings of root
# have the addresses, and the names of those that are in them.
check_mem()
{
	rbmap record -q -e kmem:kmalloc -e kmem:kfree -e kmem:kmem_cache_alloc -o /tmp/a.dat -- ls /proc >/dev/null
	trace_cmd mem /tmp/a.dat >/tmp/out
	is $? 0 "Debian $release: trace-cmd mem"
	ok "Debian $release: it names functions" grep -qE "^ *[a-z_0-9.]+[[:space:]]" /tmp/out
}

check_start()
{
	does start -p nop -e rbmap -e signal -O nooverwrite
	is "$(cat $root/overwrite)" 0 "Debian $release: -O nooverwrite"
	echo text >/dev/rbmap/marker
	does stat
	printed 'signal'
	does stop
	is "$(cat $root/tracing_on)" 0 "Debian $release: stop turns tracing_on off"
	does extract -o /tmp/a.dat
	does report -N /tmp/a.dat
	printed "trace_cmd.sh-$$ .*marker: +text"
	does restart
	is "$(cat $root/tracing_on)" 1 "Debian $release: restart turns tracing_on on"
	echo text >/dev/rbmap/marker
	does snapshot -s
	does snapshot -r
	is "$(cat $root/snapshot)" 0 "Debian $release: snapshot -r clears the snapshot"
	does snapshot -s
	does snapshot -f
	echo text >/dev/rbmap/marker
	does clear
	is "$(summed entries)" 0 "Debian $release: clear discards the events"
	does show
	does stream -e sched_switch sleep 0.1
	does reset
	is "$(cat $root/events/enable) $(cat $root/tracing_on)" "0 1" "Debian $release: reset disables the events"
}

# A recording in an instance of its own, and one that stays.
check_instances()
{
	does record -B mine -e sched_switch -o /tmp/a.dat sleep 0.1
	does report -N /tmp/a.dat
	printed 'sched_switch: .* ==> '
	does start -B kept -e sched_switch
	is "$(cat $root/instances/kept/events/sched/sched_switch/enable) $(cat $root/events/sched/enable)" "1 0" \
		"Debian $release: the event is enabled in the instance alone"
	sleep 0.1
	does stat -B kept
	printed 'sched'
	does list -B kept -e '^sched:sched_switch$'
	printed '^sched:sched_switch$'
	does stop -B kept
	is "$(cat $root/instances/kept/tracing_on) $(cat $root/tracing_on)" "0 1" "Debian $release: stop -B"
	does extract -B kept -o /tmp/a.dat
	does report -N /tmp/a.dat
	printed 'sched_switch: .* ==> '
	fails "Debian $release: extract -B removes the instance, as in tracefs" test -e $root/instances/kept
	does start -B kept -e sched_switch
	does reset -B kept
	is "$(cat $root/instances/kept/events/enable)" 0 "Debian $release: reset -B"
	does reset -B kept -d
	fails "Debian $release: reset -d removes the instance" test -e $root/instances/kept
	mkdir $tracing/instances/kept
	echo 1 >$root/instances/kept/events/sched/sched_switch/enable
	does reset -a
	is "$(cat $root/instances/kept/events/enable)" 0 "Debian $release: reset -a"
	rmdir $tracing/instances/* 2>/dev/null
	is "$(ls $tracing/instances)" "" "Debian $release: no instance is left"
}

mkdir -p /tmp/lib
tar -x -C /tmp/lib -f /tests/libtracefs.tar
loader=$(echo /tmp/lib/ld-linux-*.so.*)
mount -t tracefs tracefs $tracing 2>/dev/null
ok "load" load_module rbmap || done_testing
ok "the directory is created" rbmap tracefs-dir $dir
# trace-cmd asks the kernel where tracefs is, and the directory lies above that.
ok "the directory lies above tracefs" mount -o bind $dir $tracing || done_testing
names >/tmp/names
for release in 12 13; do
	case ${SHORT:+$release} in
	12)
		check_record
		check_mem
		;;
	13) check_start ;;
	*)
		check_lists
		check_record
		check_mem
		check_start
		check_instances
		;;
	esac
	is "$(names | diff /tmp/names -)" "" "Debian $release: no file was added or removed"
done
umount $tracing
ok "the directory is removed" rbmap tracefs-dir --remove $dir
ok "unload" rmmod rbmap
done_testing
