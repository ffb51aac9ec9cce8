#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures recorders beside the program that they record, on one CPU, BENCH_REPEAT
# times: the CPU time for each event, and what a recorder loses. The program pauses after
# each 2000 events. A control group counts the CPU time of the recorder's processes.
# Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck disable=SC2317 # recorders are called by name
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

# The command that is recorded: /tmp/workload TRACEPOINT EVENTS PAUSE
cat >/tmp/workload <<END
#!/bin/sh
echo \$\$ >$groups/workload/cgroup.procs
cp $groups/recorder/cpu.stat /tmp/begin
/tests/bursts "\$@" && cp $groups/recorder/cpu.stat /tmp/end
END
chmod +x /tmp/workload

# rbmap_event TRACEPOINT: print the name of rbmap's event
rbmap_event()
{
	case $1 in
	bench_hit) echo custom ;;
	*) echo "payload_${1#bench_}" ;;
	esac
}

by_rbmap()
{
	as_recorder rbmap record ${option:+"$option"} -e "bench:$(rbmap_event "$1")" \
		-o "$file" -- /tmp/workload "$@" >/tmp/said 2>&1 || return
	sed -n 's/.* events read, \([0-9]*\) lost$/\1/p' /tmp/said
}

by_trace_cmd()
{
	as_recorder trace-cmd record -e "bench:$1" -b 1408 -o "$file" \
		/tmp/workload "$@" >/tmp/said 2>&1 || return
	awk '/^overrun:|^dropped events:/ { n += $NF } END { print n + 0 }' \
		"$theirs"/per_cpu/cpu*/stats
}

# record RECORDER TRACEPOINT EVENTS PAUSE: set lost (events), size (bytes of the file), and
# beside and whole (microseconds)
record()
{
	before=$(usage $groups/recorder/cpu.stat)
	lost=$("$@") && [ -n "$lost" ] || return
	whole=$(($(usage $groups/recorder/cpu.stat) - before))
	beside=$(($(usage /tmp/end) - $(usage /tmp/begin)))
	size=$(wc -c <$file)
	rm -f $file
}

# print_row PART UNIT PAYLOAD PAUSE WHO VALUE
print_row()
{
	printf '%s\t%s\t%s, a pause of %s us\t%s\t%s\n' "$@" | rows
}

# measure WHO RECORDER PAYLOAD TRACEPOINT EVENTS PAUSE
measure()
{
	record "$2" "$4" 0 0 && none=$whole && record "$2" "$4" "$5" "$6"
	ok "$1: record $3 with a pause of $6 us" [ $? = 0 ] || {
		diag </tmp/said
		return
	}
	print_row "recorder" "instructions of a recorder for an event, until the workload ends" \
		"$3" "$6" "$1" "$((1000 * beside / $5))"
	print_row "recording" "instructions of a recorder for an event, with the end of the recording" \
		"$3" "$6" "$1" "$((1000 * (whole - none) / $5))"
	print_row "lost" "percent of the events that a recorder loses" \
		"$3" "$6" "$1" "$(awk "BEGIN { print 100 * $lost / $5 }")"
	print_row "file" "bytes of the file for an event" \
		"$3" "$6" "$1" "$(awk "BEGIN { print $size / $5 }")"
}

prepare_recorders 200m
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
ok "bench_probe loads" load_module bench_probe
n=0
option=''
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	for pause in ${BENCH_PAUSES:-0 200 500 1000 2000}; do
		measure rbmap by_rbmap "two numbers" bench_hit 1000000 "$pause"
		measure trace-cmd by_trace_cmd "two numbers" bench_hit 1000000 "$pause"
	done
	measure rbmap by_rbmap "64 bytes" bench_64 500000 1000
	measure trace-cmd by_trace_cmd "64 bytes" bench_64 500000 1000
	option=--no-compress
	measure "rbmap $option" by_rbmap "two numbers" bench_hit 1000000 1000
	measure "rbmap $option" by_rbmap "64 bytes" bench_64 500000 1000
	option=''
	n=$((n + 1))
done
for part in recorder recording lost file; do
	within_budget $part
done
ok "all modules unload" rmmod bench_probe bench rbmap
done_testing
