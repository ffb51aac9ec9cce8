#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# rbmap record --rotate: each event is in one of the files, none is in two. The oldest files
# are removed and counted. A killed recorder and a full disk lose no file.
# SHORT=1: fewer events, and trace-cmd reads the first and the last file alone.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

cpus=$(grep -c '^processor' /proc/cpuinfo)
events=12000 rounds=6 size=24K
[ -z "${SHORT:-}" ] || events=1500 rounds=4 size=12K
dir=/tmp/rotate
mkdir $dir
cd $dir || exit 1

ok "the module loads" load_module rbmap || done_testing

# newest: prints the name of the newest file
newest()
{
	# shellcheck disable=SC2012 # names without blanks
	ls r.*.dat | tail -n 1
}

# has_next FILE: succeeds if there is a newer file
has_next()
{
	[ "$(newest)" != "$1" ]
}

# emit_all COUNT [FROM]: writes events on all CPUs, in rounds, so that a recorder looks in
# between. If $waits is set, each round is larger than a file, and the next file must come.
emit_all()
{
	round=0
	while [ $round -lt $rounds ]; do
		file=
		[ -z "$waits" ] || file=$(newest)
		number_markers all $((${2:-0} + $1 * round / rounds)) $((${2:-0} + $1 * (round + 1) / rounds))
		round=$((round + 1))
		if [ -n "$file" ]; then
			retry_until 30 has_next "$file"
		else
			sleep 0.3
		fi
	done
}

# numbers FILE...: the numbers of the events, "CPU:NUMBER", file by file
numbers()
{
	for file; do
		rbmap report -N "$file" 2>>reports | sed -n 's/.* marker: *\([0-9]*:[0-9]*\).*/\1/p'
	done
}

# all_numbers COUNT FILE...: each CPU's numbers are 0 to COUNT - 1, in order, across all files
all_numbers()
{
	count=$1
	shift
	numbers "$@" | awk -F : -v cpus="$cpus" -v count="$count" '
		$2 != next_of[$1] + 0 { print "# CPU " $1 ": " $2 " in place of " next_of[$1] + 0; bad = 1; exit }
		{ next_of[$1] = $2 + 1 }
		END {
			for (cpu = 0; cpu < cpus; cpu++)
				if (next_of[cpu] + 0 < count) { print "# CPU " cpu " ends at " next_of[cpu] + 0; bad = 1 }
			exit bad
		}'
}

losses()
{
	grep -vc ' 0 lost$' reports
}

# record ARGUMENT...: begins a recorder of markers, and waits for its first file
record()
{
	rbmap record -e rbmap:marker -b 512K -o r.dat "$@" 2>errors &
	pid=$!
	retry_until 60 [ -e r.0001.dat ] && retry_until 60 grep -q 1 \
		"/sys/kernel/rbmap/instances/record-$pid/events/rbmap/marker/enable"
}

# has_read_all: no ring of the recorder has an unread event, and its threads wait for more
has_read_all()
{
	[ "$(summed entries "/sys/kernel/rbmap/instances/record-$pid")" = 0 ] &&
		cat "/proc/$pid/task/"*/status | awk '$1 == "Name:" { reads = $2 ~ /^rbmap-cpu/ }
			$1 == "State:" && reads && $2 != "S" { exit 1 }'
}

# stop: ends the recorder, with its status
stop()
{
	kill -INT "$pid"
	wait "$pid"
}

# --- by size
waits=1
ok "a recorder begins" record --rotate $size
emit_all $events
stop
is $? 0 "it ends"
files=$(echo r.*.dat)
# shellcheck disable=SC2086 # a list
set -- $files
ok "there are several files: $#" [ $# -ge $rounds ]
is "$(ls)" "$(printf '%s\n' errors "$@")" "and nothing else"
: >reports
ok "each event is in one file, in order" all_numbers $events "$@"
is "$(losses)" 0 "nothing is lost"
sum=$(awk '/ events, / { sum += $1 } END { print sum }' reports)
like "$(cat errors)" "^$sum events read, 0 lost" "the sum of the files is that of the recorder"
is "$sum" $((events * cpus)) "which are the events that were written"
[ -z "${SHORT:-}" ] || set -- "$1" "${files##* }"
for file; do
	trace-cmd report "$file" >/tmp/lines 2>/dev/null
	is "$? $(grep -c 'marker:' /tmp/lines)" "0 $(numbers "$file" | wc -l)" "trace-cmd report reads $file"
done
rm -f /tmp/lines
# shellcheck disable=SC2086 # a list
set -- $files

# --- files of before stay, and the oldest of this run are removed
# shellcheck disable=SC2016 # for eval
ok "a second recorder begins behind them" eval 'rbmap record -e rbmap:marker -b 512K -o r.dat \
	--rotate $size --keep 2 2>errors & pid=$!; retry_until 60 [ -e "r.$(printf %04d $(($# + 1))).dat" ]'
retry_until 60 grep -q 1 "/sys/kernel/rbmap/instances/record-$pid/events/rbmap/marker/enable"
emit_all $events
# One CPU may have written long after the other one: the last events come together, behind them.
ok "all events are read" retry_until 60 has_read_all
number_markers all "$events" $((events + 1))
stop
is $? 0 "it ends"
before=$#
for file; do
	[ -e "$file" ] || fail "$file stays"
done
# shellcheck disable=SC2012,SC2046 # a list of names without blanks
set -- $(ls r.*.dat | tail -n +$((before + 1)))
is $# 2 "two files are kept: $*"
last=$(echo "$2" | sed 's/^r[.]0*//; s/[.]dat$//')
removed=$((last - before - 2))
like "$(cat errors)" "^$removed older files were removed$" "the others are counted"
: >reports
numbers "$@" >kept
is "$(losses)" 0 "nothing is lost in them"
cpu=0
while [ $cpu -lt "$cpus" ]; do
	is "$(grep "^$cpu:" kept | tail -n 1)" "$cpu:$events" "CPU $cpu: the last event is kept"
	ok "CPU $cpu: without a gap" eval "grep '^$cpu:' kept | cut -d : -f 2 |
		awk 'NR > 1 && \$1 != last + 1 { exit 1 } { last = \$1 }'"
	cpu=$((cpu + 1))
done
rm -f r.* reports kept

# --- by time
waits=
ok "a recorder begins" record --rotate 1s
emit_all 500
retry_until 60 [ -e r.0003.dat ]
emit_all 1
stop
is $? 0 "it ends"
: >reports
is "$(numbers r.*.dat | wc -l)" $((501 * cpus)) "each event is in one file"
rm -f r.* reports

# --- a killed recorder
waits=1
ok "a recorder begins" record --rotate $size
emit_all $events
ok "all events are read" retry_until 60 has_read_all
kill -KILL "$pid"
wait "$pid" 2>/dev/null
for file in r.*.dat; do
	case $file in
	*.cpu*) continue ;;
	esac
	rbmap report "$file" >/dev/null 2>&1
	[ $? != 3 ] || ok "rbmap recover completes $file" rbmap recover -q "$file"
done
: >reports
ok "all files together have the events before, each once" all_numbers $((events / 2)) r.*.dat
is "$(losses)" 0 "nothing is lost"
rm -f r.* reports

# --- a full disk
waits=
mkdir small
mount -t tmpfs -o size=6M none small
rbmap record -e rbmap:marker -b 512K -o small/r.dat --rotate 128K 2>errors &
pid=$!
retry_until 60 [ -e small/r.0001.dat ]
retry_until 60 grep -q 1 "/sys/kernel/rbmap/instances/record-$pid/events/rbmap/marker/enable"
emit_all $((events / 10))
ok "the first events are read" retry_until 60 has_read_all
dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
emit_all $events $((events / 10))
stop
ok "a full disk ends the recording with an error" [ $? != 0 ]
like "$(cat errors)" "[nN]o space (is )?left" "which says so"
rm small/fill
for file in small/r.*.dat; do
	rbmap report "$file" >/dev/null 2>&1
	[ $? != 3 ] || rbmap recover -q "$file"
done
: >reports
ok "all files together have the events before" all_numbers $((events / 20)) small/r.*.dat ||
	diag "$(cat errors reports; ls -l small; numbers small/r.*.dat | head -n 3)"
umount small
ok "unload at the end" rbmap unload
cd / && rm -rf $dir
done_testing
