#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures the cost of a whole event, from the tracepoint on, for one tracer at a
# time, BENCH_REPEAT times. Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# SHORT=1: the rows that tests/bench/budget judges.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by in_turn
# shellcheck source=tests/vm/lib/guest.sh
. "${TESTS:-/tests}/lib/guest.sh"
# shellcheck source=tests/bench/lib.sh
. "${TESTS:-/tests}/lib/bench.sh"

bench=/sys/kernel/debug/bench/event
events=${BENCH_EVENTS:-100000}

# measure CASE WHO TRACEPOINT
measure()
{
	echo "$events $3" >$bench || fail "$2: hit $3" || return
	awk -v what="$1" -v who="$2" -v unit="$unit" '{
		printf "event\t%s from the tracepoint on, the loop included\t%s\t%s\t%.2f\n",
			unit, what, who, $3 / $2
	}' $bench | rows
}

# recorded TEXT NUMBER: fail unless NUMBER, the events recorded, is large enough
recorded()
{
	[ "$2" -ge "$((2 * events))" ] || fail "$1: recorded only $2 of $((2 * events)) events"
}

# by_rbmap WHO EVENT TRACEPOINT [FILTER]
by_rbmap()
{
	before=$(summed emitted)
	[ -z "${4:-}" ] || echo "$4" >$ours/events/"$2"/filter
	echo 1 >$ours/events/"$2"/enable
	measure "${3#*:}${4:+, refused}" "$1" "${3%:*}"
	echo 0 >$ours/events/"$2"/enable
	if [ -n "${4:-}" ]; then
		echo 0 >$ours/events/"$2"/filter
	else
		recorded "$1: $2" $(($(summed emitted) - before))
	fi
}

# by_ftrace EVENT TRACEPOINT [FILTER]: $ftrace_as is the name in the table, if it is set
by_ftrace()
{
	echo >$theirs/trace
	[ -z "${3:-}" ] || echo "$3" >$theirs/events/"$1"/filter
	echo 1 >$theirs/events/"$1"/enable
	measure "${2#*:}${3:+, refused}" "${ftrace_as:-ftrace}" "${2%:*}"
	echo 0 >$theirs/events/"$1"/enable
	if [ -n "${3:-}" ]; then
		echo 0 >$theirs/events/"$1"/filter
	else
		recorded "ftrace: $1" "$(awk '/^(entries|overrun):/ { n += $2 } END { print n }' \
			$theirs/per_cpu/cpu0/stats)"
	fi
}

# by_rival WHO CASE TRACEPOINT BYTES ARGUMENT...: BYTES is the size of an event, 0 if
# no event must be recorded
by_rival()
{
	who=$1 what=$2 tracepoint=$3 bytes=$4
	shift 4
	[ -x "$TESTS/rival" ] && [ -z "${SHORT:-}" ] || return 0
	mkfifo "$tmp/in" "$tmp/out"
	"$TESTS/rival" "$@" <"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
	exec 4>"$tmp/in" 5<"$tmp/out"
	if read -r line <&5 && [ "$line" = ready ]; then
		measure "$what" "$who" "$tracepoint"
		exec 4>&-
		read -r line <&5
		if [ "$bytes" -gt 0 ]; then
			recorded "$who: $tracepoint" $((line / bytes))
		else
			[ "$line" -eq 0 ] || fail "$who: $what: recorded $line bytes, want 0"
		fi
	else
		fail "$who: $(cat "$tmp/err")"
	fi
	exec 4>&- 5<&-
	wait $!
	rm "$tmp/in" "$tmp/out"
}

# by_lttng CASE TRACEPOINT EVENT [FILTER]
by_lttng()
{
	[ -x "$TESTS/lttng" ] || return 0
	lttng_filter=${4:-}
	if lttng_begin "$3"; then
		measure "$1${4:+, refused}" LTTng "$2"
		bytes=$(lttng_end)
		[ -n "${4:-}" ] || [ "$bytes" -gt 4096 ] || fail "LTTng: $3: recorded only $bytes bytes"
	else
		fail "LTTng: $3: $(tail -n 5 /tmp/lttng.log)"
		lttng_end >/dev/null
	fi
}

# id_of EVENT: print the event's number in ftrace, which perf uses
id_of()
{
	cat "$theirs/events/$1/id"
}

# The functions below measure one tracer each. $filter is the filter of the event, or
# empty.
rbmap_custom()
{
	by_rbmap rbmap bench/custom "bench_hit:two numbers" "$filter"
}

rbmap_dynamic()
{
	by_rbmap "rbmap, run-time" bench/dynamic "bench_hit:two numbers" "$filter"
}

# The same event as ftrace's: the kernel fills the record.
rbmap_kernel()
{
	by_rbmap "rbmap, kernel event" bench/bench_hit "bench_hit:two numbers" "$filter"
}

ftrace_numbers()
{
	by_ftrace bench/bench_hit "bench_hit:two numbers" "$filter"
}

perf_numbers()
{
	by_rival perf "two numbers" bench_hit 40 perf "$(id_of bench/bench_hit)"
}

perf_refused()
{
	by_rival perf "two numbers, refused" bench_hit 0 perf "$(id_of bench/bench_hit)" "$filter"
}

bpf_numbers()
{
	by_rival "BPF ringbuf" "two numbers" bench_hit 24 bpf bench_hit
}

bpf_refused()
{
	by_rival "BPF ringbuf" "two numbers, refused" bench_hit 0 bpf-refused bench_hit
}

lttng_numbers()
{
	by_lttng "two numbers" bench_hit bench_hit "$filter"
}

# With $size bytes of payload: $what, from $tracepoint
rbmap_payload()
{
	by_rbmap rbmap "bench/payload_$size" "$tracepoint:$what"
}

rbmap_kernel_payload()
{
	by_rbmap "rbmap, kernel event" "bench/$tracepoint" "$tracepoint:$what"
}

ftrace_payload()
{
	by_ftrace "bench/$tracepoint" "$tracepoint:$what"
}

perf_payload()
{
	by_rival perf "$what" "$tracepoint" $((size + 24)) perf "$(id_of "bench/$tracepoint")"
}

bpf_payload()
{
	by_rival "BPF ringbuf" "$what" "$tracepoint" $((size + 8)) bpf "$tracepoint" "$size"
}

lttng_payload()
{
	by_lttng "$what" "$tracepoint" "$tracepoint"
}

# An $event of the kernel, from $tracepoint
rbmap_event()
{
	by_rbmap rbmap "$event" "$tracepoint:$tracepoint" "$filter"
}

ftrace_event()
{
	by_ftrace "$event" "$tracepoint:$tracepoint" "$filter"
}

# In a buffer that only root reads, as a recorder of root makes it, addresses are not hashed.
rbmap_event_shown()
{
	case $tracepoint in
	ipi_send_cpu | kfree | consume_skb | inet_sock_set_state) ;;
	*) return 0 ;;
	esac
	ok "$tracepoint: addresses are shown" sh -c "echo 1 >$ours/kptr" || return
	by_rbmap "rbmap, addresses shown" "$event" "$tracepoint:$tracepoint" "$filter"
	echo 0 >$ours/kptr
}

# With record-cmd, each switch also stores the names of both tasks.
ftrace_without_record_cmd()
{
	[ "$tracepoint" = sched_switch ] || return 0
	record_cmd=$(cat $theirs/options/record-cmd)
	echo 0 >$theirs/options/record-cmd
	ftrace_as="ftrace, no record-cmd"
	ftrace_event
	ftrace_as=
	echo "$record_cmd" >$theirs/options/record-cmd
}

perf_event()
{
	# perf counts nanoseconds of this event, and samples some of its calls.
	[ "$tracepoint" != sched_stat_runtime ] || return 0
	by_rival perf "$tracepoint" "$tracepoint" 32 perf "$(id_of "$event")"
}

perf_event_refused()
{
	by_rival perf "$tracepoint, refused" "$tracepoint" 0 perf "$(id_of "$event")" "$filter"
}

lttng_event()
{
	case $tracepoint${filter:+, refused} in
	sys_enter) by_lttng "$tracepoint" "$tracepoint" syscalls ;;
	# LTTng's events have the fields of each system call, not id.
	"sys_enter, refused") ;;
	*) by_lttng "$tracepoint" "$tracepoint" "$tracepoint" "$filter" ;;
	esac
}

# A system call by its name, from the tracepoint of all of them. This script's own write is
# the call.
rbmap_syscall()
{
	by_rbmap rbmap syscalls/sys_enter_write "sys_enter:sys_enter_write"
}

ftrace_syscall()
{
	by_ftrace syscalls/sys_enter_write "sys_enter:sys_enter_write"
}

perf_syscall()
{
	by_rival perf sys_enter_write sys_enter 48 perf "$(id_of syscalls/sys_enter_write)"
}

filter=
mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
ok "bench loads" load_module bench || done_testing
ok "bench_probe loads" load_module bench_probe || done_testing
ok "a run-time probe is created" sh -c \
	"echo 't:bench/dynamic bench_hit first=\$arg1:u64 second=\$arg2:u64' >$ours/dynamic_events"
ok "the kernel's events of the bench can be named" sh -c "echo 'bench:* syscalls:sys_enter_write' >$ours/available_events"
is "$(cat $ours/kernel_events)" alias "the kernel fills records for rbmap alone"
echo 1408 >$theirs/buffer_size_kb
sizes="0 8 16 32 64 128 256"
[ -z "${SHORT:-}" ] || sizes=256
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	measure "nobody" "rbmap" bench_hit
	in_turn rbmap_custom rbmap_dynamic rbmap_kernel ftrace_numbers perf_numbers bpf_numbers lttng_numbers
	filter="first == 0"
	in_turn rbmap_custom rbmap_dynamic rbmap_kernel ftrace_numbers perf_refused bpf_refused lttng_numbers
	filter=
	for size in $sizes; do
		tracepoint=bench_$size what="$size bytes"
		in_turn rbmap_payload rbmap_kernel_payload ftrace_payload perf_payload bpf_payload lttng_payload
	done
	for event in sched/sched_switch raw_syscalls/sys_enter irq/irq_handler_entry; do
		tracepoint=${event#*/}
		in_turn rbmap_event ftrace_event ftrace_without_record_cmd perf_event lttng_event
		case $tracepoint in
		sched_switch) filter="prev_prio == 1" ;;
		sys_enter) filter="id == 9999" ;;
		*) filter="irq == 9999" ;;
		esac
		in_turn rbmap_event ftrace_event perf_event_refused lttng_event
		filter=
	done
	in_turn rbmap_syscall ftrace_syscall perf_syscall
	n=$((n + 1))
done
# Those that are built in because people record them by the million
if [ -z "${SHORT:-}" ]; then
	for event in sched/sched_waking sched/sched_stat_runtime irq/softirq_entry \
		irq_vectors/local_timer_entry ipi/ipi_send_cpu kmem/kfree kmem/mm_page_alloc \
		filemap/mm_filemap_add_to_page_cache skb/consume_skb sock/inet_sock_set_state; do
		tracepoint=${event#*/}
		in_turn rbmap_event rbmap_event_shown ftrace_event perf_event
	done
fi
within_budget event
ok "LTTng ends, if it is there" lttng_quit
ok "bench_probe unloads" sh -c "echo '-:bench/dynamic' >$ours/dynamic_events; rmmod bench_probe"
ok "bench unloads" rmmod bench
ok "rbmap unloads" rmmod rbmap
done_testing
