#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures what a person waits for, BENCH_REPEAT times: milliseconds with all sleeps, and the
# instructions of all that the machine does meanwhile. Both tracers do the same, in the same
# boot. Prints "row PART UNIT CASE WHO VALUE", separated by tabs.
# shellcheck disable=SC2016,SC2034,SC2317 # inner shells; for and called by in_turn
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

# print_wait CASE WHO NANOSECONDS IDLE
print_wait()
{
	awk -v OFS='\t' -v what="$1" -v who="$2" -v took="$3" -v idle="$4" 'BEGIN {
		print "wait", "milliseconds", what, who, took / 1e6
		print "instructions", "millions of instructions while one waits", what, who, (took - idle) / 1e6
	}' | rows
}

# waits CASE WHO COMMAND...
waits()
{
	what=$1 who=$2
	shift 2
	took=$(/tests/took --idle "$@" 2>/tmp/said)
	ok "$who: $what" [ -n "$took" ] || {
		diag </tmp/said
		return
	}
	print_wait "$what" "$who" "${took% *}" "${took#* }"
}

mount -t debugfs none /sys/kernel/debug 2>/dev/null
mount -t tracefs none $theirs 2>/dev/null
mkdir -p /run/wait
mount -t tmpfs -o size=400m none /run/wait
cd /run/wait || exit 1
ok "rbmap loads" load_module rbmap || done_testing
# The built-in events that tracefs has, too
for status in "$ours"/events/*/*/status; do
	event=${status%/status}
	event=${event#"$ours/events/"}
	[ "$(cat "$status")" != available ] || [ ! -e "$theirs/events/$event" ] || echo "$event"
done >/tmp/events
ok "events of both: $(wc -l </tmp/events)" [ -s /tmp/events ]
built_in=$(sed 's,/,:,; s/^/-e /' /tmp/events)

# off TOP WHO: enables all events, then measures switching them off one by one
off()
{
	while read -r event; do
		echo 1 >"$1/events/$event/enable" || return
	done </tmp/events
	waits "$(wc -l </tmp/events) events are switched off one by one" "$2" \
		sh -c 'while read -r event; do echo 0 >"$0/events/$event/enable"; done </tmp/events' "$1"
}

# record WHO CASE OPTION...: the recording of `true`
record()
{
	who=$1 what=$2
	shift 2
	case $who in
	rbmap) waits "$what" "$who" rbmap record -q -o r.dat "$@" -- true ;;
	trace-cmd) waits "$what" "$who" trace-cmd record -q -o r.dat "$@" true ;;
	esac
	rm -f r.dat*
}

# ends WHO CASE COMMAND...: from the end of the recorded command to that of the recorder. The
# command that is recorded writes 2 MiB of events first.
cat >/tmp/work <<'END'
#!/bin/sh
dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
/tests/took --now >/tmp/end
END
chmod +x /tmp/work
ends()
{
	who=$1 what=$2
	shift 2
	rm -f /tmp/end
	"$@" /tmp/work >/tmp/said 2>&1
	/tests/took --now >/tmp/now
	ok "$who: $what" [ -s /tmp/end ] || {
		diag </tmp/said
		return
	}
	read -r end idle </tmp/end
	read -r now later </tmp/now
	print_wait "$what" "$who" $((now - end)) $((later - idle))
	rm -f r.dat*
}

# line WHO MARKER COMMAND...: from an event to its line, with an idle ring
line()
{
	who=$1
	shift
	took=$(/tests/lines "$@" 2>/tmp/said)
	ok "$who: an event's line" [ -n "$took" ] || {
		diag </tmp/said
		return
	}
	awk -v OFS='\t' -v who="$who" -v took="$took" 'BEGIN {
		print "line", "microseconds from an event to its line", "an idle ring", who, took / 1e3 }' | rows
}

n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	in_turn 'off $ours rbmap' 'off $theirs tracefs'
	in_turn 'record rbmap "record -e sched" -e sched' 'record trace-cmd "record -e sched" -e sched'
	in_turn 'record rbmap "record -e irq -e timer -e kmem" -e irq -e timer -e kmem' \
		'record trace-cmd "record -e irq -e timer -e kmem" -e irq -e timer -e kmem'
	in_turn 'record rbmap "record, all built-in events" $built_in' \
		'record trace-cmd "record, all built-in events" $built_in'
	in_turn 'record rbmap "record -e all" -e all' 'record trace-cmd "record -e all" -e all'
	for size in 1408 262144; do
		in_turn 'ends rbmap "the end of a recording, a ring of $size KiB" \
			rbmap record -b "$size" -e raw_syscalls -o r.dat --' \
			'ends trace-cmd "the end of a recording, a ring of $size KiB" \
			trace-cmd record -q -b "$size" -e raw_syscalls -o r.dat'
	done
	# Not cat: that of busybox splices, and waits with the pipe's lock, which a reader needs.
	in_turn 'line rbmap /dev/rbmap/marker 9 rbmap stream -e rbmap:marker' \
		'line tracefs $theirs/trace_marker 9 dd bs=64k if=$theirs/trace_pipe'
	n=$((n + 1))
done
within_budget wait
ok "rbmap unloads" rmmod rbmap
done_testing
