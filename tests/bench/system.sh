#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost that recording adds to workloads, BENCH_REPEAT times. All tracers
# record the same tracepoints. Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by name
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

# events SET...: print the events of these sets that ftrace has, too, as SYSTEM/EVENT
events()
{
	for set; do
		for event in "$ours"/events/"$set"/*/enable; do
			event=${event#"$ours"/events/} && event=${event%/enable}
			[ ! -e $theirs/events/"$event" ] || echo "$event"
		done
	done
}

# switch DIRECTORY 0|1 EVENT...
switch()
{
	where=$1 on=$2
	shift 2
	for event; do
		echo "$on" >"$where"/events/"$event"/enable || fail "$where: write $on to enable of $event"
	done
}

recorded_by_rbmap()
{
	summed emitted
}

recorded_by_ftrace()
{
	awk '/^(entries|overrun):/ { n += $2 } END { print n }' $theirs/per_cpu/cpu*/stats
}

# Run a client and its server for five seconds; print the instructions per megabyte.
tbench()
{
	/tests/tbench_srv >/dev/null 2>&1 &
	server=$!
	sleep 1
	/tests/tbench -c /tests/client.txt -t 5 1 127.0.0.1 >/tmp/tbench 2>&1
	kill "$server"
	wait "$server" 2>/dev/null
	awk '$1 == "Throughput" { printf "%.0f\n", 1e9 / $2 }' /tmp/tbench
}

# Tasks that send each other messages
hackbench()
{
	/tests/took /tests/hackbench -s 64 -g 1 -f 10 -l 300 2>/dev/null
}

forks()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	/tests/took sh -c 'i=0; while [ $i -lt 1000 ]; do (:); i=$((i + 1)); done'
}

# measure WORKLOAD CASE SET...: run the workload with each tracer, and without events
# before each
measure()
{
	workload=$1 what=$2
	shift 2
	events=$(events "$@" | xargs)
	in_turn "measure_rbmap $events" "measure_ftrace $events" "measure_lttng $events"
}

# measure_rbmap EVENT...
measure_rbmap()
{
	none=$($workload)
	switch $ours 1 "$@"
	before=$(recorded_by_rbmap)
	with=$($workload)
	recorded=$(($(recorded_by_rbmap) - before))
	switch $ours 0 "$@"
	added rbmap
}

# measure_ftrace EVENT...
measure_ftrace()
{
	none=$($workload)
	echo >$theirs/trace
	switch $theirs 1 "$@"
	with=$($workload)
	recorded=$(recorded_by_ftrace)
	switch $theirs 0 "$@"
	added ftrace
}

# measure_lttng EVENT...: LTTng leaves out events for which it has no probe
measure_lttng()
{
	[ -x /tests/lttng ] || return 0
	none=$($workload)
	names=
	for event; do
		case $event in
		raw_syscalls/sys_enter) names="$names syscalls" ;;
		raw_syscalls/*) ;;
		*) names="$names ${event#*/}" ;;
		esac
	done
	if ! lttng_begin $names; then
		fail "$what: LTTng: $(tail -n 5 /tmp/lttng.log)"
		return
	fi
	with=$($workload)
	recorded=$(lttng_end)
	added LTTng
}

# added WHO: print the row for the times `with` and `none`; `recorded` is the number of
# recorded events, or of bytes
added()
{
	[ "$recorded" -gt 1000 ] || fail "$what, $1: only $recorded events or bytes were recorded"
	diag "$what, $1: $none without events, $with with $recorded"
	awk -v what="$what" -v who="$1" -v none="$none" -v with="$with" 'BEGIN {
		if (none <= 0 || with <= 0)
			exit 1
		printf "system\tpercent of instructions that events add\t%s\t%s\t%.3f\n",
			what, who, 100 * (with / none - 1)
	}' >/tmp/row || fail "$what, $1: the workload failed"
	rows </tmp/row
}

mount -t tracefs none $theirs 2>/dev/null
ip link set lo up
ok "rbmap loads" load_module rbmap || done_testing
echo 1408 >$theirs/buffer_size_kb
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	measure tbench "tbench: sched, system calls" sched raw_syscalls
	measure hackbench "hackbench: sched, irq, system calls" sched irq raw_syscalls
	measure forks "forks: sched, irq, system calls" sched irq raw_syscalls
	n=$((n + 1))
done
within_budget system
ok "rbmap unloads" rmmod rbmap
done_testing
