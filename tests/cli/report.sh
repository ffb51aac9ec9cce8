#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap report with recordings that are complete, cut off or unfinished, and with
# files that are not recordings.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../versions.sh"

file=$dir/trace.dat
ok "make a recording" "$MAKE_RECORDING" "$file" 40
"$RBMAP" report "$file" >"$dir/report" 2>"$dir/errors"
ok "report exits with 0" [ $? = 0 ]
ok "report prints the sums" grep -qE '^[0-9]+ events, [0-9]+ lost$' "$dir/errors"

if command -v trace-cmd >/dev/null; then
	trace_cmd_report "$file" >"$dir/trace-cmd" 2>"$dir/errors"
	ok "trace-cmd report exits with 0" [ $? = 0 ]
	ok "trace-cmd report prints no error" [ ! -s "$dir/errors" ]
	ok "rbmap report and trace-cmd report print the same" cmp "$dir/report" "$dir/trace-cmd"
	trace_cmd_report -N "$file" >"$dir/trace-cmd" 2>"$dir/errors"
	"$RBMAP" report -N "$file" >"$dir/report-N" 2>"$dir/errors"
	ok "rbmap report -N and trace-cmd report -N print the same" cmp "$dir/report-N" "$dir/trace-cmd"
	ok "trace-cmd report --stat shows the counters" eval \
		"trace-cmd report --stat '$file' 2>&1 | grep -q 'overrun: 3'"
	for compression in zstd none; do
		trace-cmd convert --file-version 7 --compression $compression -i "$file" \
			-o "$dir/seven" >/dev/null 2>&1
		"$RBMAP" report "$dir/seven" >"$dir/report-seven" 2>"$dir/errors"
		ok "version 7, $compression: report exits with 0" [ $? = 0 ]
		ok "version 7, $compression: report prints the same" \
			cmp "$dir/report" "$dir/report-seven"
	done
	"$MAKE_RECORDING" "$dir/compressed" 40 compress
	trace_cmd_report "$dir/compressed" >"$dir/trace-cmd" 2>"$dir/errors"
	ok "trace-cmd report of a compressed recording exits with 0" [ $? = 0 ]
	ok "trace-cmd report of it prints no error" [ ! -s "$dir/errors" ]
	ok "trace-cmd report of it prints the same" cmp "$dir/report" "$dir/trace-cmd"
	ok "trace-cmd dump finds each section" [ "$(trace-cmd dump --all \
		"$dir/compressed" 2>&1 | grep -oE '\[Section .*"(headers|ftrace events|events format|kallsyms|trace_printk|saved command lines|flyrecord|strings|options)"' |
		sed 's/.*@[^"]*//' | sort -u | wc -l)" = 9 ]
else
	skip "trace-cmd is not installed" "rbmap report and trace-cmd report print the same"
fi

# Standard input: a file, or a pipe
for from in "'$RBMAP' report - <'$file'" "cat '$file' | '$RBMAP' report -"; do
	ok "$from: status 0" eval "$from >'$dir/standard' 2>'$dir/errors'"
	ok "$from prints the same" cmp "$dir/report" "$dir/standard"
done
ok "a pipe leaves no file" eval "mkdir '$dir/tmp' && cat '$file' |
	TMPDIR='$dir/tmp' '$RBMAP' report - >/dev/null 2>&1 && rmdir '$dir/tmp'"
says 1 'standard input is not a recording' report - </dev/null
TMPDIR=/nowhere
export TMPDIR
says 1 'cannot create a file in /nowhere/.*: No such file.*; set TMPDIR' report - <<END
no recording
END
unset TMPDIR
head -c 3000 "$file" | "$RBMAP" report - >/dev/null 2>"$dir/errors"
is $? 3 "a part of a recording: status 3"

# A filter removes lines and adds none.
"$RBMAP" report -e sched "$file" >"$dir/sched" 2>"$dir/errors"
ok "report -e sched prints only events of sched" eval "grep -E 'sched_switch:|DROPPED|cpus=' '$dir/report' | cmp -s - '$dir/sched'"
"$RBMAP" report --cpu 1 "$file" >"$dir/cpu" 2>"$dir/errors"
ok "report --cpu 1 prints only events of CPU 1" eval "grep -E '\[001\]|CPU:1 |cpus=' '$dir/report' | cmp -s - '$dir/cpu'"
says 1 "$file has no event 'sched_swich': similar names: sched:sched_switch" \
	report -e sched_swich "$file"
says 1 "$file has no event 'nosuch:x'" report -e sched -e nosuch:x "$file"
says 1 "$file has no CPU 3: it has 3 CPUs, from 0 on" report --cpu 0 --cpu 3 "$file"

# The recording of the test does not say when it was made.
says 1 "$file does not say when it was made" report --wall "$file"
says 1 "$file does not say when it was made" report --utc "$file"
says 1 "--since '-1': the recording does not say when it ended" report --since -1 "$file"
says 1 "--until '14:00': the recording does not say when it was made" report --until 14:00 "$file"
says 1 "--since 'noon': write -SECONDS" report --since noon "$file"
says 2 '--wall, --utc and --relative exclude each other' report --wall --utc "$file"
says 2 "--json prints the ring's times" report --json --relative "$file"
"$RBMAP" report --relative "$file" >"$dir/relative" 2>"$dir/errors"
ok "report --relative begins at 0" eval "grep -m 1 ': .*: ' '$dir/relative' | grep -q ' 0[.]000000: '"
ok "report --relative prints all lines" \
	test "$(wc -l <"$dir/relative")" = "$(wc -l <"$dir/report")"
# The time of an event in the middle, and all events from there on and up to there
middle=$(grep -o '[0-9]*[.][0-9]*: ' "$dir/report" | sed -n '5s/: $//p')
for option in since until; do
	"$RBMAP" report --$option "$middle" "$file" >"$dir/$option" 2>"$dir/errors"
	ok "report --$option leaves lines out" \
		test "$(wc -l <"$dir/$option")" -lt "$(wc -l <"$dir/report")"
	ok "report --$option prints lines of the whole report" \
		eval "grep -v DROPPED '$dir/$option' | grep -Fxvf '$dir/report' | wc -l | grep -qx 0"
done
"$RBMAP" report --json "$file" >"$dir/json" 2>"$dir/errors"
ok "report --json prints a head, and a line for each event" \
	[ "$(wc -l <"$dir/json")" = "$(wc -l <"$dir/report")" ]
is "$(head -n 1 "$dir/json")" '{"rbmap_json": 1, "clock": "local", "unit": "ns", "host": "host", "kernel": "6.1", "machine": "x86_64", "time": null}' \
	"the head of a recording that does not say when it was made"
"$RBMAP" report --json -N "$file" >"$dir/json-N" 2>"$dir/errors"
ok "JSON does not depend on plugins" cmp "$dir/json" "$dir/json-N"
"$MAKE_RECORDING" "$dir/odd.dat" 4 odd
"$RBMAP" report --json "$dir/odd.dat" >"$dir/odd" 2>"$dir/errors"
like "$(head -n 1 "$dir/odd")" '"time": {"ring": 1000000000000, "real": 1700000000123456789, "ring_step": 1, "real_step": 1, "utc": "2023-11-14T22:13:20.123456789Z"}}$' \
	"the head says when the recording was made"
like "$(cat "$dir/odd")" '"flags": 17, "flag_names": \["irqs_off", "softirq"\], ' "flags have names"
like "$(cat "$dir/odd")" '"prev_state": 1, .*}, "names": {"prev_state": "S"}}$' "so have states"
like "$(cat "$dir/odd")" '^{"ts": 1000000000000, "cpu": 2, "data": "010203ff"}$' \
	"an event without common fields is bytes"
like "$(cat "$dir/odd")" '"type": 999, "text": "\[16 bytes, of no known format\]"}$' \
	"an event without a format has its number"
"$RBMAP" report "$dir/odd.dat" >"$dir/text" 2>"$dir/errors"
is "$(sed 's/.*[.][0-9]*: //; s/=.*/=/' "$dir/text" | grep number | sort -u | tr -s ' ' | tr '\n' ' ')" \
	"odd:number: odd= rbmap:number: nr= " "names that two systems have are printed with the system"
ok "other names are printed alone" grep -qE ': (call|sched_switch): ' "$dir/text"
python=$(python_with jsonschema)
if [ -n "$python" ]; then
	# Python takes long: with RBMAP_TEST_SHORT it reads each tenth line.
	[ -z "${RBMAP_TEST_SHORT:-}" ] || sed -i '1!{0~10!d}' "$dir/json"
	for name in json odd; do
		$python tests/cli/json_lines.py docs/rbmap-json.schema.json "$dir/$name" >"$dir/kinds" 2>"$dir/errors"
		is $? 0 "report --json: each line is as the schema says: $name"
		diag <"$dir/errors"
	done
	like "$(cat "$dir/kinds")" '^bytes=1 event=[0-9]* head=1 lost=[0-9]* unknown_event=1$' \
		"each kind of line was met"
else
	skip "python3-jsonschema is not installed" "report --json: each line is as the schema says"
fi

# The program of rbmap-json(5)
python=$(python_with pandas)
if [ -n "$python" ]; then
	sed -n '/^\.SH PANDAS$/,/^\.SH /{/^\.EX$/,/^\.EE$/{/^\./!p}}' docs/man/rbmap-json.5 |
		sed "s/\\\\(aq/'/g" >"$dir/ran.py"
	$python "$dir/ran.py" <"$dir/odd" >"$dir/pandas" 2>"$dir/errors"
	is $? 0 "the program of the manual page runs"
	diag <"$dir/errors"
	like "$(cat "$dir/pandas")" "^task +[0-9.]*$" "it prints how long a thread ran"
	is "$(tail -n 1 "$dir/pandas")" "$(grep -c '"event"' "$dir/odd") events of 6.1, 11 lost" \
		"it finds all events and losses"
else
	skip "python3-pandas is not installed" "the program of the manual page runs"
fi

# Enough events for many batches
"$MAKE_RECORDING" "$dir/many.dat" 400 compress
for option in --no-plugins --json; do
	"$RBMAP" report $option --threads 1 "$dir/many.dat" >"$dir/one" 2>"$dir/errors"
	for threads in 2 3 64; do
		"$RBMAP" report $option --threads $threads "$dir/many.dat" >"$dir/several" 2>"$dir/errors"
		ok "report $option: $threads threads print what one prints" cmp "$dir/one" "$dir/several"
	done
done
for threads in 0 65 -1 x; do
	says 2 "invalid number of threads '$threads': 1 to 64" report --threads $threads "$file"
done
ok "report prints no error if its output is closed early" eval \
	"'$RBMAP' report '$file' 2>'$dir/errors' | head -n 1 >/dev/null; ! grep -q rbmap: '$dir/errors'"
if [ -c /dev/full ]; then
	"$RBMAP" report "$file" >/dev/full 2>"$dir/errors"
	ok "report exits with 1 if its output has no space" [ $? = 1 ]
	ok "report prints one line if its output has no space" \
		[ "$(cat "$dir/errors")" = "rbmap: cannot write the output: No space left on device" ]
fi

# script(1) makes standard error a terminal. The work has begun with the first byte, and takes
# more than a second because of the reader: the pipe does not take all of the output.
"$MAKE_RECORDING" "$dir/long.dat" 200
script -qec "'$RBMAP' report '$dir/long.dat' | { dd bs=1 count=1 status=none; sleep 1.1; cat; } >'$dir/long'" \
	/dev/null </dev/null >"$dir/terminal"
ok "long work shows its progress on a terminal" \
	grep -q 'long.dat: [0-9]* %, [0-9]* events' "$dir/terminal"
"$RBMAP" report "$dir/long.dat" >"$dir/short"
ok "the output is the same" cmp "$dir/long" "$dir/short"
# A recording of a few events is short work on a busy machine, too.
script -qec "'$RBMAP' report '$file' >'$dir/short'" /dev/null </dev/null >"$dir/terminal"
ok "short work shows none" eval "! grep -q % '$dir/terminal'"

# Files that are not recordings.
says 1 "$dir/none does not exist: 'rbmap record' makes a recording" report "$dir/none"
says 1 "is not a recording" report "$0"
says 1 "is not a recording" report /dev/null
says 1 "Is a directory" report "$dir"
: >"$dir/empty"
says 1 "is not a recording" report "$dir/empty"
printf '\027\010Dtracing8\0' >"$dir/eight"
says 1 "is not a trace.dat of version 6 or 7" report "$dir/eight"
printf '\027\010Dtracing7\0\0\010\0\020\0\0zlib\0001\0' >"$dir/zlib"
says 1 "is compressed, but not by zstd" report "$dir/zlib"

# Losses at the end of a CPU are those of that CPU, and a sum with an unknown one has no number.
"$MAKE_EVENTS" "$dir/ends" "[local]" <<'END'
0 1000000 10 other 1
1 1000010 11 other 2
0 lost 3
1 lost 40
END
sums()
{
	"$RBMAP" report "$@" "$dir/ends" 2>&1 >/dev/null | head -n 1
}
is "$(sums)" "2 events, 43 lost" "losses behind the last events are counted"
is "$(sums --cpu 0)" "1 events, 3 lost, 1 not selected" "those of a CPU that was not chosen are not"
is "$(sums --cpu 1 --json)" "1 events, 40 lost, 1 not selected" "JSON counts the same"
"$MAKE_EVENTS" "$dir/ends" "[local]" <<'END'
0 lost 3
0 1000000 10 other 1
1 lost 18446744073709551615
1 1000010 11 other 2
0 lost 4
END
is "$(sums)" "2 events, more than 7 lost" "a sum with an unknown loss says so"
is "$(sums --cpu 0)" "1 events, 7 lost, 1 not selected" "and that of another CPU is exact"
is "$(sums --event sched_waking)" "0 events, more than 7 lost, 2 not selected" "losses before events that are not chosen count"
is "$(sums --event other --cpu 1)" \
	"1 events, more than 0 lost, 1 not selected" "also of chosen events"

# Several files have losses behind the last events and damage of their own, but one beginning.
"$MAKE_EVENTS" "$dir/begins" "[local]" <<'END'
0 1000000 10 other 1
END
"$MAKE_EVENTS" "$dir/ends" "[local]" <<'END'
0 1500000 10 other 2
0 lost 5
END
is "$(sums "$dir/begins")" "2 events, 5 lost" "losses behind the last event of a second file count"
"$RBMAP" report --relative "$dir/begins" "$dir/ends" >"$dir/relative" 2>"$dir/errors"
is "$(sed -n 's/.* \([0-9.]*\): other: .*/\1/p' "$dir/relative" | tr '\n' ' ')" \
	"0.000000 0.500000 " "times of two files count from the first event of both"
head -c -100 "$file" >"$dir/cut"
"$RBMAP" report "$dir/begins" "$dir/cut" >"$dir/several" 2>"$dir/errors"
like "$? $(tail -n 1 "$dir/errors")" "^3 rbmap: $dir/cut is truncated, 100 bytes " \
	"damage of a second file is told"

# Formats that crash libtraceevent when it parses them, at the first event, and in the middle of
# the output. The events of all others are shown, each once. Later versions may refuse them.
"$MAKE_RECORDING" "$dir/good" 40 print '"nr=%llu", REC->nr' 2>/dev/null
"$RBMAP" report "$dir/good" 2>/dev/null | grep -v ' number: ' >"$dir/others"
all=$("$RBMAP" report "$dir/good" 2>/dev/null | wc -l)
for format in '"%d", REC->nr/0' '"%d", 1/-1' '"%s", __print_symbolic(REC->none, {1, "a"})' \
	'"%d", REC->nr == 3000 ? 1/REC->common_preempt_count : 5'; do
	"$MAKE_RECORDING" "$dir/bad" 40 print "$format" 2>/dev/null
	for options in "" --json --html; do
		# shellcheck disable=SC2086 # no option, or one
		"$RBMAP" report $options "$dir/bad" >"$dir/printed" 2>"$dir/errors"
		status=$?
		[ $status = 0 ] || is "$status $(head -n 1 "$dir/errors")" \
			"3 rbmap: $dir/bad is damaged: libtraceevent crashes on the format of rbmap:number, which is left out" \
			"report $options names the format $format"
	done
	ok "there is a page without the format $format" test -s "$dir/bad.html"
	is "$(stdbuf -oL "$RBMAP" report "$dir/bad" 2>/dev/null | grep -c ^cpus=)" 1 "the head is printed once, with the format $format"
	"$RBMAP" report "$dir/bad" >"$dir/printed" 2>/dev/null
	is "$(wc -l <"$dir/printed")" "$all" "each event is printed once, with the format $format"
	ok "those of other formats as before" eval "grep -v ' number: \| 2: ' '$dir/printed' | cmp - '$dir/others'"
	"$RBMAP" convert --systrace -o - "$dir/bad" >"$dir/printed" 2>/dev/null
	ok "convert goes on without the format $format" [ $(($? % 3)) = 0 ]
done

# A crash outside libtraceevent. The process waits until somebody reads the events.
mkfifo "$dir/fifo"
"$RBMAP" report "$dir/good" >"$dir/fifo" 2>"$dir/errors" &
report=$!
exec 5<"$dir/fifo"
# The first byte is there while events are printed. The pipe does not take all of them.
dd bs=1 count=1 <&5 >/dev/null 2>&1
child=$(tr -d ' ' <"/proc/$report/task/$report/children")
waits_for_reader()
{
	! cut -d ' ' -f 3 /proc/"$child"/task/*/stat | grep -qv S
}
tries=0
until waits_for_reader || [ $((tries += 1)) = 200 ]; do
	sleep 0.1
done
kill -SEGV "$child"
wait $report
is "$? $(cat "$dir/errors")" \
	"3 rbmap: report was ended by signal 11 (Segmentation fault) while it used the events of $dir/good: the recording is damaged, or rbmap has a bug, which you can report" \
	"a crash is told with the command, the section of the file and the signal"
exec 5<&-

# The recording of a killed recorder.
"$MAKE_RECORDING" "$dir/killed" 40 kill 2>/dev/null
"$RBMAP" report "$dir/killed" >"$dir/report-killed" 2>"$dir/errors"
ok "report of an unfinished recording exits with 3" [ $? = 3 ]
ok "report of an unfinished recording names the cause" grep -q "its recorder was killed" "$dir/errors"
ok "report of an unfinished recording prints all events" \
	[ "$(grep -c number: "$dir/report-killed")" = "$(grep -c number: "$dir/report")" ]

# shellcheck disable=SC2317 # ok calls it
like_report()
{
	"$RBMAP" report "$dir/killed" 2>"$dir/errors" | cmp -s - "$dir/report-killed"
}

rm -f "$dir/killed.cpu2"
"$RBMAP" report "$dir/killed" >/dev/null 2>"$dir/errors"
ok "report says which files are missing" grep -q "lacks the files of 1 CPUs, $dir/killed.cpuN" "$dir/errors"
flock "$dir/killed" sh -c "'$RBMAP' report '$dir/killed' >/dev/null 2>'$dir/errors'; '$RBMAP' recover '$dir/killed' 2>>'$dir/errors'"
ok "recover leaves a file alone that is being written" [ $? = 1 ]
ok "report says that the file is being written" grep -q 'is still being recorded: its events up to now' "$dir/errors"
ok "recover says that the file is being written" grep -q 'is still being written: end its recorder' "$dir/errors"
ok "the files are still there" like_report
"$RBMAP" recover "$dir/killed" 2>"$dir/errors"
ok "recover completes the recording of a killed recorder" [ $? = 0 ]
ok "recover prints the size of the file" grep -qE "^$dir/killed: .*iB in the file$" "$dir/errors"
ok "a recovered file has the same events" like_report
ok "report of a recovered file finds no damage" [ "$(grep -c rbmap "$dir/errors")" = 0 ]
ok "recover removes the files of the CPUs" eval "! ls '$dir'/killed.* >/dev/null 2>&1"
says 1 "was finished by its recorder" recover "$dir/killed"
says 1 "is not a recording" recover "$0"
says 1 "cannot recover $dir/none: No such file" recover "$dir/none"
"$MAKE_RECORDING" "$dir/killed" 40 kill 2>/dev/null
ok "recover without compression" "$RBMAP" recover -q --no-compress "$dir/killed"
ok "recover without compression: the same events" like_report
ok "recover without compression: version 6" [ "$(head -c 11 "$dir/killed" | tail -c 1)" = 6 ]

# Recordings cut off anywhere: report prints only events of the whole recording and
# exits with 3.
size=$(wc -c <"$file")
wrong=0
for at in 1 9 10 11 13 14 17 30 100 300 500 1000 1500 2000 2100 2200 2300 2400 \
	2500 3000 $((size - 100000)) $((size - 60000)) $((size - 4097)) \
	$((size - 4096)) $((size - 2000)) $((size - 17)) $((size - 1)); do
	head -c "$at" "$file" >"$dir/cut"
	"$RBMAP" report "$dir/cut" >"$dir/report-cut" 2>"$dir/errors"
	status=$?
	if [ $status != 3 ] || ! grep -qE 'is truncated' "$dir/errors" ||
		! grep number: "$dir/report-cut" |
		awk 'NR == FNR { have[$0]; next } !($0 in have) { exit 1 }' \
			"$dir/report" -; then
		wrong=$((wrong + 1))
		echo "# cut at $at: status $status, $(head -n 1 "$dir/errors")"
	fi
done
ok "report of a cut-off recording prints its events and exits with 3" [ $wrong = 0 ]
done_testing
