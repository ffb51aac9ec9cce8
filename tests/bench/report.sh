#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the programs that print recordings, with real events of one workload,
# BENCH_REPEAT times. rbmap and trace-cmd print the same file; perf and babeltrace2 print
# what perf and LTTng have recorded of the workload. Prints
# "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

dir=/run/report

# System calls of the workload. Each causes two events.
calls=$((2 * ${BENCH_EVENTS:-100000}))

# measure CASE WHO PRINTED COMMAND...: PRINTED events
measure()
{
	what=$1 who=$2 printed=$3
	shift 3
	# shellcheck disable=SC2016 # the inner shell expands it
	took=$(/tests/took --memory sh -c 'exec "$@" >/dev/null 2>&1' sh "$@" 2>/tmp/said)
	ok "$who: $what, $printed events" [ -n "$took" ] || {
		diag </tmp/said
		return
	}
	printf '%s\t%s\t%s\t%s\t%s\n' \
		report "instructions of a report for an event" "$what" "$who" \
		"$((${took% *} / printed))" \
		memory "MiB that a report takes at most" "$what" "$who" \
		"$((${took#* } / 1024))" | rows
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
mkdir -p "$dir"
mount -t tmpfs -o size=400m none "$dir"
ok "rbmap loads" load_module rbmap || done_testing
make_workload "$calls"
ok "rbmap records the workload" record_by_rbmap "$dir/trace.dat" || done_testing
events=$(nr_events rbmap report "$dir/trace.dat")
ok "the recording has events" [ "$events" -gt $((2 * calls)) ] || done_testing
perf_events=0
if command -v perf >/dev/null; then
	ok "perf records the workload" record_by_perf "$dir/perf.data" || diag </tmp/said
	perf_events=$(nr_events perf script -i "$dir/perf.data")
fi
lttng_events=0
if command -v babeltrace2 >/dev/null && command -v lttng >/dev/null; then
	ok "LTTng records the workload" record_by_lttng
	lttng_events=$(nr_events babeltrace2 /tmp/lttng)
	ok "babeltrace2 prints LTTng's events" [ "$lttng_events" != 0 ] ||
		babeltrace2 /tmp/lttng 2>&1 | head -n 20 | diag
fi
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	measure text rbmap "$events" rbmap report "$dir/trace.dat"
	measure text trace-cmd "$events" trace-cmd report "$dir/trace.dat"
	measure "without plugins" rbmap "$events" rbmap report -N "$dir/trace.dat"
	measure "without plugins" trace-cmd "$events" trace-cmd report -N "$dir/trace.dat"
	measure JSON rbmap "$events" rbmap report --json "$dir/trace.dat"
	measure latency rbmap "$events" rbmap latency "$dir/trace.dat"
	measure latency trace-cmd "$events" trace-cmd report -w "$dir/trace.dat"
	measure "convert --systrace" rbmap "$events" rbmap convert --systrace -o - "$dir/trace.dat"
	measure "convert --perfetto" rbmap "$events" rbmap convert --perfetto -o - "$dir/trace.dat"
	[ "$perf_events" = 0 ] || {
		measure text "perf script" "$perf_events" perf script -i "$dir/perf.data"
		measure latency "perf sched" "$perf_events" perf --no-pager sched latency \
			-i "$dir/perf.data"
	}
	[ "$lttng_events" = 0 ] ||
		measure text babeltrace2 "$lttng_events" babeltrace2 /tmp/lttng
	n=$((n + 1))
done
within_budget report
within_budget memory
ok "rbmap unloads" rmmod rbmap
done_testing
