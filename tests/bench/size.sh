#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the size of events of one workload in rings and in the files of recorders.
# Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

dir=/run/size

# print_row CASE WHO BYTES EVENTS
print_row()
{
	awk -v what="$1" -v who="$2" -v bytes="$3" -v events="$4" 'BEGIN {
		printf "size\tbytes of an event\t%s\t%s\t%.2f\n", what, who, bytes / events
	}' | rows
}

# in_ring WHO TOP
in_ring()
{
	ok "$1: the workload runs" run_recorded "$2" || return
	stats=$(sed -n 's/^\(bytes\|entries\): //p' "$2/per_cpu/cpu0/stats" | xargs)
	ok "$1: the ring has events" [ "${stats%% *}" -gt 0 ] || return
	print_row "in the ring" "$1" "${stats#* }" "${stats%% *}"
}

# in_file WHO EVENTS FILE...
in_file()
{
	who=$1 events=$2
	shift 2
	ok "$who: the recording has events" [ "$events" -gt 0 ] || return
	print_row "in the file" "$who" "$(cat "$@" | wc -c)" "$events"
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
mkdir -p $dir
mount -t tmpfs -o size=400m none $dir
make_workload 2000
ok "rbmap loads" load_module rbmap || done_testing
echo 1408 >$theirs/buffer_size_kb
in_ring rbmap $ours
in_ring ftrace $theirs
make_workload $((2 * ${BENCH_EVENTS:-100000}))
record_by_rbmap $dir/rbmap.dat
in_file rbmap "$(nr_events rbmap report $dir/rbmap.dat)" $dir/rbmap.dat
record_by_rbmap $dir/plain.dat --no-compress
in_file "rbmap --no-compress" "$(nr_events rbmap report $dir/plain.dat)" $dir/plain.dat
record_by_trace_cmd $dir/trace.dat
in_file trace-cmd "$(nr_events trace-cmd report $dir/trace.dat)" $dir/trace.dat
if command -v perf >/dev/null; then
	record_by_perf $dir/perf.data
	in_file perf "$(nr_events perf script -i $dir/perf.data)" $dir/perf.data
fi
if command -v babeltrace2 >/dev/null && command -v lttng >/dev/null; then
	record_by_lttng
	# shellcheck disable=SC2046 # file names of LTTng have no blanks
	in_file LTTng "$(nr_events babeltrace2 /tmp/lttng)" $(find /tmp/lttng -type f)
fi
within_budget size
ok "rbmap unloads" rmmod rbmap
done_testing
