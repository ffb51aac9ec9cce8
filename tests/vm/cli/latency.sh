#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap latency names faults that are planted. A task of high priority holds a lock for
# 40 ms, the handler of an interrupt runs for 5 ms, and the queue of a disk is full. Its
# numbers are those of trace-cmd report -w, and those of perf sched latency. SHORT=1: without
# perf and ftrace's text.
# shellcheck disable=SC2016,SC2317 # for an inner shell; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

slow=/sys/module/slow/parameters
events="-e sched:sched_switch -e sched:sched_wak* -e irq -e raw_syscalls -e block -e task:task_rename"

# latency ARGUMENT...: output and errors are in files
latency()
{
	rbmap latency "$@" >/tmp/output 2>/tmp/errors
}

# The length of a row in us: max NAME
max()
{
	awk -v name="$1" 'index($0, name) == 1 {
		n = split($0, word); value = word[n - 1]
		unit = value; gsub(/[0-9.]/, "", unit); gsub(/[a-z]/, "", value)
		printf "%d\n", value * (unit == "s" ? 1e6 : unit == "ms" ? 1e3 : unit == "us" ? 1 : 1e-3)
		exit
	}' /tmp/output
}

# at_least NAME US WHAT: the longest interval of the row has so many us
at_least()
{
	ok "$3: $(max "$1") us" test "$(max "$1")" -ge "$2" 2>/dev/null || diag "$(cat /tmp/output)"
}

ok "the modules load" eval "load_module rbmap && load_module slow"
loaded=" $(cut -d ' ' -f 1 /proc/modules | xargs) "
load_module configfs 2>/dev/null

# --- the faults. The scripts have the names of their tasks.
mkdir /tmp/bin
cat >/tmp/bin/holder <<END
#!/bin/sh
echo 40 >$slow/hold_ms
END
cat >/tmp/bin/waiter <<END
#!/bin/sh
while [ ! -e /tmp/planted ]; do
	echo 0 >$slow/hold_ms
done
END
cat >/tmp/bin/victim <<END
#!/bin/sh
while [ ! -e /tmp/planted ]; do
	:
done
END
cat >/tmp/bin/plant <<END
#!/bin/sh
# CPU 1 has the holder and its victim, CPU 0 the one who waits for the lock.
rm -f /tmp/planted
taskset 2 /tmp/bin/victim &
victim=\$!
taskset 1 /tmp/bin/waiter &
until [ "\$(cat /proc/\$victim/comm) \$(cat /proc/\$!/comm)" = 'victim waiter' ]; do
	sleep 0.1
done
sleep 0.1
taskset 2 /tests/chrt -f 50 /tmp/bin/holder
echo >/tmp/planted
wait
echo 5 >$slow/irq_ms
if [ -e /dev/nullb0 ]; then
	dd if=/dev/nullb0 of=/dev/null bs=64k count=1 2>/dev/null
fi
wait
END
chmod +x /tmp/bin/*
disk=
load_module mq-deadline 2>/dev/null	# unless it is built in
if load_module null_blk queue_mode=2 irqmode=2 completion_nsec=10000000 hw_queue_depth=1 \
	submit_queues=1 && echo mq-deadline >/sys/block/nullb0/queue/scheduler &&
	echo 64 >/sys/block/nullb0/queue/nr_requests; then
	# A request has 4 KiB, and the device works on one at a time: 64 KiB are 16 requests.
	echo 4 >/sys/block/nullb0/queue/max_sectors_kb
	disk=yes
fi

# named: the output of all kinds names the faults
named()
{
	at_least victim- 20000 "$1: the victim waits for a CPU"
	like "$(cat /tmp/output)" '^ +CPU 1 ran holder-[0-9]+ for [1-9][0-9]' "$1: the holder ran instead"
	at_least "uninterruptible in write" 15000 "$1: the waiter waits in write()"
	like "$(cat /tmp/output)" ': waiter-[0-9]+, CPU [01], uninterruptible in write, woken by holder-[0-9]+ on CPU 1' \
		"$1: the holder ended it" || diag "$(cat /tmp/output)"
	at_least "$irq slow" 5000 "$1: the handler is slow"
	if [ "$disk" ]; then
		rows=$(grep -cE '^25[0-9],0 R' /tmp/output)
		is "$rows" 2 "$1: the disk has a row for its queue, and one for itself"
		at_least "$(grep -o '^25[0-9],0 R *' /tmp/output | head -n 1)" 30000 "$1: the queue is full"
	fi
}
irq=$(awk '$NF == "slow" { sub(":", "", $1); print $1 }' /proc/interrupts)
like "$irq" '^[0-9]+$' "the interrupt has a number"
[ "$disk" ] || skip "this kernel has no module null_blk" "the queue of a disk"

# shellcheck disable=SC2086 # several words
ok "record" eval "rbmap record $events -o /tmp/plant.dat -b 8M -- /tmp/bin/plant >/tmp/recorded 2>&1" ||
	diag "$(cat /tmp/recorded)"
ok "latency" latency --rows 0 --worst 1000 /tmp/plant.dat
named "recording"
rbmap report /tmp/plant.dat >/dev/null 2>/tmp/report
is "$(cat /tmp/errors)" "$(cat /tmp/report)" "events and losses are those of rbmap report"
latency --json /tmp/plant.dat
is "$(grep -oE '"(events|lost)": [0-9]*' /tmp/output | grep -o '[0-9]*' | xargs)" \
	"$(sed 's/[^0-9]*\([0-9]*\)[^0-9]*\([0-9]*\).*/\1 \2/' /tmp/report)" "and those of JSON"

# --- as ftrace's text
if [ -z "${SHORT:-}" ]; then
	rbmap convert --systrace -o /tmp/plant.systrace /tmp/plant.dat 2>/tmp/errors
	is "$(cat /tmp/errors)" "$(cat /tmp/report)" "events and losses of convert are those of rbmap report"

	# longest BEGIN END: prints the longest time in us from a line with BEGIN to one with END
	longest()
	{
		awk -v begin="$1" -v end="$2" '
			match($0, / [0-9]+\.[0-9]+: /) { now = substr($0, RSTART, RLENGTH) + 0 }
			$0 ~ end && since { if (now - since > most) most = now - since; since = 0 }
			$0 ~ begin { since = now }
			END { printf "%d", most * 1000000 }' /tmp/plant.systrace
	}
	wait=$(longest 'sched_switch: prev_comm=victim .*prev_state=R' 'sched_switch: .*next_comm=victim ')
	ok "convert: the victim waits $wait us for a CPU" test "$wait" -ge 20000
	wait=$(longest "irq_handler_entry: irq=$irq " "irq_handler_exit: irq=$irq ")
	ok "convert: the handler takes $wait us" test "$wait" -ge 5000
	wait=$(longest 'sched_switch: prev_comm=waiter .*prev_state=D' 'sched_wak[a-z]*: comm=waiter ')
	ok "convert: the waiter waits $wait us for the lock" test "$wait" -ge 15000
fi


# --- live. The waiter writes to the end of the plant, and shares its CPU with the reader: the
# rings hold what a slow machine leaves unread.
rbmap latency --live -b 8M --worst 1000 --rows 0 >/tmp/output 2>/tmp/errors &
live=$!
ok "live: the events are enabled" retry_until 20 sh -c \
	"grep -qs 1 /sys/kernel/rbmap/instances/record*/events/raw_syscalls/sys_exit/enable"
/tmp/bin/plant
sleep 0.3
kill -INT $live
wait $live
is $? 0 "latency --live ends at SIGINT"
named "live"
like "$(cat /tmp/errors)" '^[0-9]+ events read, 0 lost$' "live: nothing was lost"
is "$(max "$(awk '/^[^ ].*rbmap-[0-9]/ { print $1; exit }' /tmp/output)")" "" "live: the command leaves itself out" ||
	diag "$(cat /tmp/output)"
ok "latency --live -d" latency --live -d 0.5 -k irq -k softirq
like "$(cat /tmp/errors)" '^[0-9]+ events read, 0 lost$' "the sums"
ok "only these kinds" test "$(grep -c '^[a-z-]*: ' /tmp/output)" = 2
if [ -z "${SHORT:-}" ]; then
	before=$(date +%s)
	ok "live, relative times" latency --live -d 0.5 --relative -k softirq
	seconds=$(($(date +%s) - before + 1))
	ok "they are less than $seconds s" awk -v most="$seconds" '/^(TIMER|SCHED|RCU) / { n++; if ($NF >= most) bad++ }
		END { exit !n || bad }' /tmp/output || diag "$(cat /tmp/output)"
	if grep -q x86-tsc /sys/kernel/rbmap/trace_clock; then
		ok "the clock x86-tsc" latency --live -d 0.5 -C x86-tsc -k softirq
		like "$(awk '/^TIMER|^SCHED|^RCU/ { print $3 }' /tmp/output | head -n 1)" '^[0-9.]+[mun]s$' \
			"cycles become a time"
	fi
fi

is "$(find /sys/kernel/rbmap/instances -name 'record*')" "" "no buffer is left"

# --- trace-cmd report -w: each of our waits is one of its waits
rbmap record -e sched:sched_switch -e sched:sched_wakeup -e sched:sched_wakeup_new -b 8M \
	-o /tmp/wake.dat -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/busybox true; sleep 0.01; done' >/dev/null 2>&1
trace-cmd report -w /tmp/wake.dat 2>/dev/null |
	sed -n 's/.* \([0-9]*[.][0-9]*\): sched_switch: .*next_pid=\([0-9]*\) .*Latency: \([0-9.]*\) usecs.*/\1 \2 \3/p' |
	sort >/tmp/theirs
latency -k runqueue -n woken -n new --worst 1000 --json /tmp/wake.dat
# The time of the switch in us, the pid, and the length in us with three decimals
awk -F '[:,]' '/"worst"/ { on = 1 } !on { next }
	/"when"/ { when = $2 } /"length"/ { len = $2 } /"pid"/ && len != "" {
		us = int((when + len + 500) / 1000)
		printf "%d.%06d %d %.3f\n", us / 1000000, us % 1000000, $2, len / 1000
		len = ""
	}' /tmp/output | sort >/tmp/ours
ok "there are waits ($(grep -c . /tmp/ours))" test "$(grep -c . /tmp/ours)" -ge 10
is "$(grep -vFxf /tmp/theirs /tmp/ours | grep -c .)" 0 "each of our waits is one of trace-cmd report -w" ||
	diag "$(grep -vFxf /tmp/theirs /tmp/ours | head)"
# The others are wake-ups of tasks that run: they sleep later.
more=$(grep -vFxf /tmp/ours /tmp/theirs | grep -c .)
ok "it has few others ($more)" test "$more" -le $(($(grep -c . /tmp/ours) / 5 + 2)) ||
	diag "$(grep -vFxf /tmp/ours /tmp/theirs | head)"

# knows PID COUNT LONGEST: we have as many waits of the task, and the longest one
knows()
{
	# perf counts a preempted task in state R, and none in state R+.
	latency -k runqueue -p "$1" --worst 1000 --json /tmp/both.dat
	all=$(sed -n 's/^      "count": \([0-9]*\),/\1/p' /tmp/output)
	sed -n 's/^ *"length": \([0-9]*\),/\1/p' /tmp/output >/tmp/lengths
	latency -k runqueue -p "$1" -n woken -n new --json /tmp/both.dat
	least=$(sed -n 's/^      "count": \([0-9]*\),/\1/p' /tmp/output)
	echo "$1: perf $2 waits, here $least to $all; perf's longest $3 ms" >>/tmp/compared
	[ "$2" -ge "$((least * 95 / 100))" ] && [ "$2" -le "$((all * 105 / 100))" ] &&
		awk -v wanted="$3" '
			{ d = $1 / 1e6 - wanted; if (d < 0) d = -d }
			d < 0.2 + wanted / 10 { found = 1 } END { exit !found }' /tmp/lengths
}

# same_as_perf: records beside perf, and compares what both say of three tasks
same_as_perf()
{
	: >/tmp/compared
	# perf sched latency of perf 6.1 ignores sched_waking, which perf sched record records.
	rbmap record -e sched:sched_switch -e 'sched:sched_wakeup*' -b 8M -o /tmp/both.dat -- \
		perf record -a -m 2048 -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
		-o /tmp/perf.data -- /tmp/bin/three >/tmp/record 2>&1 || return 1
	perf --no-pager sched latency -p -i /tmp/perf.data </dev/null >/tmp/perf 2>&1
	# The pid behind the name, the number of waits, the average and the longest one in ms
	sed -n 's/^ *napper:\([0-9]*\) *|.*ms *| *\([0-9]*\) *| *avg: *\([0-9.]*\) ms *| *max: *\([0-9.]*\) ms.*/\1 \2 \3 \4/p' \
		/tmp/perf >/tmp/theirs
	[ "$(grep -c . /tmp/theirs)" = 3 ] || return 1
	while read -r pid count _ longest; do
		knows "$pid" "$count" "$longest" || return 1
	done </tmp/theirs
}

# --- perf sched latency, recorded beside us
if [ -n "${SHORT:-}" ]; then
	diag "perf sched latency is left out"
elif command -v perf >/dev/null || [ -x /tests/perf ]; then
	PATH=$PATH:/tests
	# Three tasks that sleep all the time, on the CPUs that they like
	cat >/tmp/bin/napper <<END
#!/bin/sh
i=0
while [ \$i -lt 100 ]; do
	read -r -t 0.003 line <>/tmp/nothing
	i=\$((i + 1))
done
END
	cat >/tmp/bin/three <<END
#!/bin/sh
/tmp/bin/napper &
/tmp/bin/napper &
/tmp/bin/napper &
wait
END
	chmod +x /tmp/bin/*
	mkfifo /tmp/nothing
	# Both read a clock at the same tracepoint, one after the other. If the machine takes the
	# CPU away from the guest between the two, their times differ: then once more.
	tries=0
	until [ $tries -ge 3 ] || same_as_perf; do
		tries=$((tries + 1))
	done
	ok "perf sched latency has the same waits (after $tries other tries)" test $tries -lt 3 ||
		diag "$(cat /tmp/compared /tmp/record; head -n 20 /tmp/perf)"
else
	skip "perf is not installed" "perf sched latency"
fi
# The kernel lists modules before those that they use.
for module in $(cut -d ' ' -f 1 /proc/modules | xargs); do
	case $loaded in
	*" $module "*) ;;
	*) ok "$module unloads" rmmod "$module" ;;
	esac
done
ok "slow unloads" rmmod slow
ok "rbmap unloads" rmmod rbmap
done_testing
