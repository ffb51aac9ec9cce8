# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Functions of the benchmark's scripts in the guest. Source /tests/lib/bench.sh after
# guest.sh.

# The folder of the tests, what a nanosecond of the kernel's clock is, and the folder of
# temporary files. tests/bench/here sets them.
TESTS=${TESTS:-/tests}
# shellcheck disable=SC2034 # the scripts use it
unit=${BENCH_UNIT:-instructions}
tmp=${BENCH_TMP:-/tmp}
# shellcheck disable=SC2034 # the scripts use these, too
ours=/sys/kernel/rbmap theirs=/sys/kernel/tracing

: >"$tmp/rows"

# rows: print and keep rows from standard input: "PART UNIT CASE WHO VALUE", separated
# by tabs
rows()
{
	tee -a "$tmp/rows" | sed 's/^/row /'
}

# named: read lines "RIVAL WAY SIZE ..." and print them as "CASE WHO ...", separated by
# tabs
named()
{
	awk -v OFS='\t' '
	BEGIN {
		who["loop clock"] = "rbmap"
		who["rbmap inlined"] = "rbmap"
		who["rbmap calls"] = "rbmap, called"
		who["rbmap write"] = "rbmap_write"
		who["rbmap discarded"] = "rbmap"
		who["ring_buffer calls"] = "ring_buffer"
		who["ring_buffer write"] = "ring_buffer_write"
		who["ring_buffer discarded"] = "ring_buffer"
	}
	{
		what = $3 " bytes"
		if ($2 == "discarded")
			what = what ", discarded"
		if ($1 == "loop")
			what = $2 == "clock" ? "the clock alone" : "nothing"
		print what, who[$1 " " $2], $4, $5, $6
	}'
}

# lttng_begin EVENT...: record these tracepoints of the kernel into a ring in memory
# that overwrites. "syscalls" stands for all system calls. $lttng_filter is a filter,
# or empty.
lttng_begin()
{
	local event

	if ! pidof lttng-sessiond >/dev/null; then
		mkdir -p /var/run
		lttng-sessiond --daemonize --consumerd64-path /tests/lttng-consumerd \
			--extra-kmod-probes=bench \
			>/tmp/lttng.log 2>&1 || return
	fi
	{
		lttng create bench --snapshot --output /tmp/lttng &&
			lttng enable-channel --kernel ring --subbuf-size 256k --num-subbuf 4
	} >>/tmp/lttng.log 2>&1 || return
	for event; do
		case $event in
		syscalls) lttng enable-event --kernel --channel ring --syscall --all ;;
		*) lttng enable-event --kernel --channel ring "$event" \
			${lttng_filter:+--filter "$lttng_filter"} ;;
		esac >>/tmp/lttng.log 2>&1 || echo "# LTTng: no $event"
	done
	lttng start >>/tmp/lttng.log 2>&1
}

# lttng_end: stop recording and print the number of recorded bytes
lttng_end()
{
	{
		lttng stop && lttng snapshot record && lttng destroy bench
	} >>/tmp/lttng.log 2>&1
	find /tmp/lttng -type f -name 'ring_*' -exec cat {} + 2>/dev/null | wc -c
	rm -rf /tmp/lttng
}

# lttng_quit: end LTTng's daemon, which unloads its modules.  These know the bench's
# tracepoints, and the runner fails a test that leaves a module.
lttng_quit()
{
	# On the machine of a user the daemon is that of the user.
	[ -x "$TESTS/lttng" ] && pidof lttng-sessiond >/dev/null || return 0
	# shellcheck disable=SC2046 # numbers
	kill $(pidof lttng-sessiond)
	retry_until 60 lttng_is_gone
}

lttng_is_gone()
{
	! pidof lttng-sessiond lttng-consumerd >/dev/null && ! grep -q '^lttng' /proc/modules
}

# in_turn COMMAND...: run the commands, which are text for the shell. Start with another
# one in each repetition n: none always comes first, or always after the same one.
in_turn()
{
	# shellcheck disable=SC2154 # the script counts
	turns=$((n % $#))
	while [ $turns -gt 0 ]; do
		set -- "$@" "$1"
		shift
		turns=$((turns - 1))
	done
	for turn; do
		eval "$turn"
	done
}

# The control groups, of version 2
groups=/sys/fs/cgroup
# The file of a recorder, in memory
file=/run/record/trace.dat

# prepare_recorders SIZE: mount what recorders need, with so much memory for their files, and
# make the control groups
prepare_recorders()
{
	mount -t debugfs none /sys/kernel/debug 2>/dev/null
	mount -t tracefs none $theirs 2>/dev/null
	mount -t cgroup2 none $groups
	mkdir -p ${file%/*} $groups/recorder $groups/workload
	mount -t tmpfs -o size="$1" none ${file%/*}
}

# as_recorder COMMAND...: run the command in the recorder's control group
as_recorder()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	sh -c 'echo $$ >"$0" && exec "$@"' "$groups/recorder/cgroup.procs" "$@"
}

# usage FILE: print the CPU time in a copy of cpu.stat, in microseconds
usage()
{
	sed -n 's/^usage_usec //p' "$1"
}

# make_workload CALLS: write /tmp/workload, a program that makes CALLS short system calls
# and starts 100 processes
make_workload()
{
	cat >/tmp/workload <<-END
		#!/bin/sh
		i=0
		while [ \$i -lt 100 ]; do
			/bin/true
			i=\$((i + 1))
		done
		dd if=/dev/zero of=/dev/null bs=1 count=$(($1 / 2)) 2>/dev/null
	END
	chmod +x /tmp/workload
}

# run_recorded TOP: run /tmp/workload with its events enabled in a tracefs or in rbmap
run_recorded()
{
	local status

	for system in sched raw_syscalls irq; do
		echo 1 >"$1/events/$system/enable" || return
	done
	/tmp/workload
	status=$?
	for system in sched raw_syscalls irq; do
		echo 0 >"$1/events/$system/enable" || return
	done
	return $status
}

# record_by_rbmap FILE [OPTION]: record /tmp/workload
record_by_rbmap()
{
	rbmap record -q ${2:+"$2"} -e sched -e raw_syscalls -e irq -o "$1" -- /tmp/workload
}

# record_by_trace_cmd FILE
record_by_trace_cmd()
{
	trace-cmd record -q -e sched -e raw_syscalls -e irq -o "$1" /tmp/workload >/tmp/said 2>&1
}

# record_by_perf FILE
record_by_perf()
{
	perf record -q -a -e 'sched:*,raw_syscalls:*,irq:*' -o "$1" /tmp/workload >/tmp/said 2>&1
}

# record_by_lttng: record into /tmp/lttng
record_by_lttng()
{
	{
		lttng_begin 'sched_*' 'irq_*' syscalls && /tmp/workload && lttng stop &&
			lttng snapshot record
	} >/tmp/said 2>&1
}

# nr_events COMMAND...: count the lines of events that a command prints
nr_events()
{
	"$@" 2>/dev/null | grep -cv '^cpus='
}

# within_budget PART: compare the rows with the PART's lines of $TESTS/budget, if the
# file exists
within_budget()
{
	[ -e "$TESTS/budget" ] || return 0
	awk -F '\t' -v part="$1" -v rows="$tmp/rows" '
	FILENAME == rows { value[$1 ", " $3 ", " $4] = $5; next }
	/^#/ || $1 != part { next }
	{
		who = $3
		key = part ", " $2 ", "
		got = value[key who]
		if (split(who, both, " / ") == 2 && value[key both[2]])
			got = value[key both[1]] / value[key both[2]]
		printf "%d\t%s, %s: %s, at most %s\n", got != "" && got <= $4 + 0,
			$2, who, got == "" ? "not measured" : sprintf("%.2f", got), $4
	}' "$tmp/rows" "$TESTS/budget" >"$tmp/judged"
	ok "/tests/budget has lines for the part $1" [ -s "$tmp/judged" ]
	while IFS="	" read -r within text; do
		ok "$text" [ "$within" = 1 ]
	done <"$tmp/judged"
}
