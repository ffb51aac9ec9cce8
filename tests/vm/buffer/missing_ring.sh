#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU comes online while the module is loaded and other users hold the memory.  When
# there is memory again, any open or write allocates the CPU's ring. SHORT=1: three of the
# six kinds.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/cpu1.sh
. /tests/lib/cpu1.sh

[ -w $online ] || skip_all "CPU 1 cannot go off line"

# retries NAME COMMAND...: CPU 1 comes online without a ring, and gets it by COMMAND
retries()
{
	what=$1

	shift
	echo 0 >$online
	kb=$(share 3)
	ok "$what: the module loads" load_module rbmap buffer_size_kb="$kb" || done_testing
	ok "$what: the other CPU has its ring" sh -c ": </dev/rbmap/cpu0"
	dd if=/dev/zero of=/tmp/full/file bs=64k count=$(($(share 7) / 64)) 2>/dev/null
	echo 1 >$online
	is "$(cat $rb/cpus_lacking)" 1 "$what: CPU 1 comes online without a ring"
	rm /tmp/full/file
	ok "$what: the call succeeds when there is memory" "$@"
	ok "$what: CPU 1 has a ring after that" \
		retry_until 10 sh -c "[ -z \"\$(cat $rb/cpus_lacking)\" ]"
	on_cpu1 5
	is "$(counted entries) $(counted 'dropped no ring')" "5 0" \
		"$what: events are recorded"
	ok "$what: the module unloads" rmmod rbmap
}

mkdir -p /tmp/full
mount -t tmpfs -o size=90% full /tmp/full
retries "open a device" sh -c ": </dev/rbmap/cpu1"
retries "write a setting" sh -c "echo 1 >$rb/overwrite"
if [ -z "${SHORT:-}" ]; then
	retries "write a list of pids" sh -c "echo 2 >$rb/set_event_notrace_pid"
	retries "write an event's filter" sh -c "echo 0 >$rb/events/sched/sched_switch/filter"
	retries "write a system's filter" sh -c "echo 0 >$rb/events/sched/filter"
fi
retries "write dynamic_events" \
	sh -c "echo 't:late/exit sched_process_exit' >$rb/dynamic_events"
umount /tmp/full
done_testing
