#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap report with what recordings of trace-cmd have and those of rbmap have not:
# several buffers, corrections of times, events of tracers. The recordings are made by
# trace_dat.py, and trace-cmd report prints the same of them. RBMAP_TEST_SHORT=1: each
# version of the format and each size of a long once.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../versions.sh"

# reports KIND VERSION [OPTION...]: makes a recording and prints it to $dir/report
reports()
{
	file=$dir/$1-$(echo "$2" | tr / -).dat
	tests/cli/trace_dat.py "$1" "$2" "$file" || return 1
	shift 2
	"$RBMAP" report "$@" "$file" >"$dir/report" 2>"$dir/errors"
}

# like_trace_cmd KIND VERSION [SED]: compares; SED changes lines of trace-cmd before
like_trace_cmd()
{
	if ! command -v trace-cmd >/dev/null; then
		skip "trace-cmd is not installed" "$1, version $2: as trace-cmd report prints it"
		return
	fi
	trace_cmd_report "$file" 2>/dev/null | sed -E "${3:-}" >"$dir/trace-cmd"
	ok "$1, version $2: as trace-cmd report prints it" cmp "$dir/trace-cmd" "$dir/report"
}

# sum_of_2_64 VERSION: a sum of losses that no number has room for is not 0
sum_of_2_64()
{
	ok "wraps, version $1" reports wraps "$1"
	for view in report "report --json" latency why "cut -o $dir/part.dat" "report --html -o $dir/out" \
		"convert --systrace -o $dir/out" "convert --perfetto -o $dir/out"; do
		# shellcheck disable=SC2086 # $view has several words
		"$RBMAP" $view "$file" 2>"$dir/errors" >/dev/null
		like "$(cat "$dir/errors")" 'more than 9223372036854775808 lost' \
			"version $1: rbmap ${view%% -o*}: a sum of 2^64 is not 0"
	done
}

# little_memory COMMAND...: runs a function
little_memory()
{
	(
		# shellcheck disable=SC3045 # dash and bash have it
		ulimit -v 400000
		"$@"
	)
}

# long_texts VERSION: a long text that each event prints takes neither memory nor room for each
long_texts()
{
	reports texts "$1" --threads 1
	cp "$dir/report" "$dir/report-1"
	ok "texts, version $1" little_memory reports texts "$1" --threads 3
	ok "version $1: long texts, one thread prints the same" cmp "$dir/report-1" "$dir/report"
	# Patterns of so many characters take long.
	is "$(awk '/ wordy: / && length > 50000 { n++ } END { print n + 0 }' "$dir/report") $(lines ', of no known format\]$')" \
		"100 2000" "version $1: a format with more text than a kernel's is unknown"
	is "$(lines '^n{111}-10 ') $(awk '/^=> f/ && length == 526 { n++ } END { print n + 0 }' "$dir/report")" \
		"2020 8000" "version $1: long names are cut"
	ok "texts as JSON, version $1" little_memory reports texts "$1" --json
	is "$(lines '"comm": "n{111}"')" 2020 "version $1: so in JSON"
}

# lines PATTERN: prints the number of lines
lines()
{
	grep -cE -e "$1" "$dir/report"
}

# time_of LINE: prints the time of an event
time_of()
{
	grep ' \[0' "$dir/report" | sed -n "$1s/.*\] *\([0-9.]*\): .*/\1/p"
}

# TIME:PID:NAME: a program that is executed gives its name, and the name before it is known
# only if another event says it.
names="1:10:first 1:20:sh 1:30:<...> 1:40:only-in-table 1:50:first 3:10:second 3:20:sh 3:30:<...> 3:50:first 5:10:last 5:20:ls 5:30:a-very-long-nam 5:40:only-in-table 5:50:new "
calls="ten:168:swapoff twenty:59:execve twenty:168:poll, i386 twenty:3:read, i386 thirty:168:poll, i386 thirty:11:execve, i386 thirty:3:close forty:168:poll, i386 fifty:168:poll, i386 fifty:6:close, i386 sixty:6:lstat sixty:168:swapoff seventy:168:poll, i386 seventy:5:open, i386 "
for version in 6 7; do
	ok "user32, version $version" reports user32 $version
	is "$(cat "$dir/errors")" "400 events, 21474836480 lost" \
		"version $version: trace-cmd may be a program of 32 bits"
done

# The second number is the size of a long in bits. The data is at the end of a file of version 6.
for version in 6 6/32; do
	ok "behind_loss, version $version" reports behind_loss $version
	whole=$(lines number)
	truncate -s -3800 "$file"
	"$RBMAP" report "$file" >"$dir/report" 2>"$dir/errors"
	is "$whole $(($(lines number) > 10)) $(grep -c 'is truncated' "$dir/errors")" "20 1 1" \
		"version $version: a page that is cut off has its first events, also behind a loss"
	reports far $version
	is "$? $(grep -c 'is truncated' "$dir/errors")" "3 1" \
		"version $version: so much data is missing that its sum has no room"
done

for version in 6 7 6/32 7/32; do
	case ${RBMAP_TEST_SHORT:+$version} in
	6 | 7/32) continue ;;
	esac
	[ "${version#*/}" = 32 ] || sum_of_2_64 $version
	[ $version != 7 ] || long_texts $version
	name=$(echo "$version" | tr / -)
	ok "plain, version $version" reports plain $version
	like_trace_cmd plain $version

	# trace-cmd prints the name of the buffer before a line about losses alone.
	lost='s/^(        one: )(CPU:1 \[7 EVENTS DROPPED\])/\1\2/; /DROPPED\]$/{n; s/^/        one: /}'
	ok "buffers, version $version" reports buffers $version
	is "$(lines '^        one: .* sched_switch') $(lines '^longer-name: .* number:') $(lines '^ {13}.* sched_switch')" \
		"150 120 400" "version $version: each event, with the name of its buffer"
	is "$(cat "$dir/errors")" "670 events, 7 lost" "version $version: the sums"
	like_trace_cmd buffers $version "$lost"
	cp "$dir/report" "$dir/in-order"
	ok "top_last, version $version" reports top_last $version
	ok "version $version: the order of buffers in the file does not matter" \
		cmp "$dir/in-order" "$dir/report"
	for buffer in top:400 one:150 longer-name:120; do
		ok "version $version: --buffer" reports buffers $version --buffer "${buffer%:*}"
		is "$(grep -c ' \[0' "$dir/report") $(lines '(one|longer-name):')" "${buffer#*:} 0" \
			"version $version: --buffer ${buffer%:*}"
	done
	is "$("$RBMAP" report --buffer "" "$file" 2>/dev/null | grep -c ' \[0')" 400 \
		"version $version: an empty name is that of the top buffer"
	says 1 "has no buffer 'none': it has the buffer top, and one, longer-name" \
		report --buffer none "$file"
	ok "JSON, version $version" reports buffers $version --json
	is "$(lines '"buffer": "one"') $(lines '"buffer": "longer-name"') $(lines '"pid"')" "151 120 670" \
		"version $version: JSON has the names of buffers"
	like "$(grep lost "$dir/report")" '^{"cpu": 1, "buffer": "one", "lost": 7}$' \
		"version $version: JSON says which buffer lost events"
	for view in "report --html" "convert --systrace" "convert --perfetto"; do
		# shellcheck disable=SC2086 # $view has several words
		says 1 "has the events of several buffers: choose one with --buffer: top, one, longer-name" \
			$view -o "$dir/out" "$file"
		# shellcheck disable=SC2086 # $view has several words
		"$RBMAP" $view --buffer one -o "$dir/out" "$file" 2>"$dir/errors"
		like "$(cat "$dir/errors")" '150 events, 7 lost' "version $version: $view --buffer one"
	done
	"$RBMAP" latency "$file" >"$dir/report" 2>"$dir/errors"
	is "$(grep -A1 '^buffer' "$dir/report" | sed '/^--/d; s/.*: //; s/:$//' | tr '\n' ' ')$(cat "$dir/errors")" \
		"buffer top 199 buffer one 149 buffer longer-name 670 events, 7 lost" \
		"version $version: latency has tables for each buffer"
	is "$("$RBMAP" latency --json "$file" 2>/dev/null | grep -c '"buffer":')" 3 \
		"version $version: so in JSON"
	"$RBMAP" latency --buffer one "$file" >"$dir/report" 2>"$dir/errors"
	is "$(lines '^buffer') $(cat "$dir/errors")" "0 150 events, 7 lost" "version $version: latency --buffer one"
	ok "losses_buffers, version $version" reports losses_buffers $version
	is "$(cat "$dir/errors")" "670 events, more than 35 lost" \
		"version $version: what the kernel missed counts once, and a sum with an unknown loss says so"
	is "$("$RBMAP" latency "$file" 2>&1 >/dev/null)" "670 events, more than 35 lost" \
		"version $version: so in latency"
	ok "counters, version $version" reports counters $version
	is "$(cat "$dir/errors")" "670 events, 1143 lost" \
		"version $version: events that a ring dropped are lost, although no page counts them"
	while read -r buffer sums; do
		is "$("$RBMAP" report -B "$buffer" "$file" 2>&1 >/dev/null)" "$sums lost" \
			"version $version: the counters of $buffer"
	done <<'END'
top 400 events, 1102
one 150 events, 41
longer-name 120 events, 0
END
	ok "notop, version $version" reports notop $version
	is "$(lines '^one: .* sched_switch') $(lines '^two: ')" "28 28" "version $version: named buffers alone"
	like_trace_cmd notop $version
	says 1 "has no buffer 'x': it has the buffer top, and one, two" report -B x "$file"

	ok "date, version $version" reports date $version
	is "$(time_of 1)" 1677721607.250000 "version $version: the option of --date"
	like_trace_cmd date $version "$lost"
	TZ=UTC "$RBMAP" report --wall "$file" >"$dir/report" 2>&1
	is "$(lines '\[000\] 2023-03-02 01:46:47.250000: ')" 1 "version $version: --wall of --date"
	ok "offset, version $version" reports offset $version
	is "$(time_of 1)" 0.876543 "version $version: the option of --ts-offset"
	like_trace_cmd offset $version "$lost"
	ok "tsc, version $version" reports tsc $version
	is "$(time_of 1)" 0.390625 "version $version: cycles become nanoseconds"
	like_trace_cmd tsc $version
	ok "cycles, version $version" reports cycles $version
	is "$(time_of 1)" 1000000000 "version $version: other cycles do not"
	# trace-cmd puts no blank before 12 digits.
	like_trace_cmd cycles $version 's/^([^[]*\[[0-9]+\])/\1 /'
	ok "guest, version $version" reports guest $version
	is "$(time_of 1) $(time_of 400)" "1.005000 1.204001" "version $version: a guest's times are the host's"
	like_trace_cmd guest $version
	"$RBMAP" report "$dir/plain-$name.dat" "$file" >"$dir/report" 2>"$dir/errors"
	is "$(lines "^plain-$name.dat: .* \[") $(lines "^guest-$name.dat: .* \[")" "400 400" \
		"version $version: two files, with their names"
	grep -o '[0-9.]*: sched_' "$dir/report" >"$dir/times"
	ok "version $version: in one order" eval "sort -c -g '$dir/times'"
	"$RBMAP" report "$dir/guest-$name.dat" >"$dir/wanted" 2>/dev/null
	ok "guest_unsorted, version $version" reports guest_unsorted $version
	ok "version $version: the order of the samples changes nothing" cmp "$dir/report" "$dir/wanted"
	ok "guest_scaled, version $version" reports guest_scaled $version
	is "$(time_of 1) $(time_of 201)" "1.005001 1.505000" "version $version: its clock is slower"
	like_trace_cmd guest_scaled $version

	ok "stack, version $version" reports stack $version
	is "$(lines '^=> func[0-9]+ \(c100') $(lines '^=> 42$') $(lines 'kernel_stack:         <stack trace >$')" \
		"47 1 5" "version $version: stacks of all lengths, a line for each function"
	like_trace_cmd stack $version
	ok "stack as JSON, version $version" reports stack $version --json
	is "$(sed -n 's/.*"caller": \[\([^]]*\)\].*/\1/p' "$dir/report" | tr -dc ',\n' | tr '\n' '.')" \
		".,,,,,,,.,,,,,,,.,,,,,,,,,,,,,,,,,,,,,,,,,,,,,.,,." "version $version: JSON has all functions"
	ok "graph, version $version" reports graph $version
	is "$(lines '! 123.456 us \|    func4\(\);$') $(lines '  2.345679 us')" "1 0" \
		"version $version: a function's duration and depth"
	is "$(tail -n 1 "$dir/errors" | cut -d, -f 1)" "57 events" "version $version: both events are counted"
	like_trace_cmd graph $version
	"$RBMAP" report -N -e funcgraph_entry "$file" >"$dir/report" 2>/dev/null
	is "$(lines ' us ')" 0 "version $version: a return that is not wanted is not used"
	ok "graph_values, version $version" reports graph_values $version
	is "$(sed -n 's/.*(ret=\(.*\))$/\1/p' "$dir/report" | tr '\n' ' ')" "0x0 0xc0ffee -22 " \
		"version $version: values that functions return"
	ok "graph_buffers, version $version" reports graph_buffers $version
	is "$(lines 'func0\(\) \{$') $(lines '^one: .*\}$')" "1 1" "version $version: a return of another buffer"
	like_trace_cmd graph_buffers $version
	# After a crash of libtraceevent, the events that were not printed before are printed:
	# OPTIONS:CALLS NUMBERS OTHERS LOSSES EVENTS
	for row in ":4000 4000 1010 1 13010" "--json:8000 4000 1010 1 13010" \
		"-e divide -e number:0 4000 1010 1 5010" "--json -e divide:0 0 1010 1 1010" \
		"-e divide -e funcgraph_*:4000 0 1010 1 9010"; do
		# shellcheck disable=SC2086 # no option, or several
		reports crash $version ${row%%:*}
		is "$? $(head -n 1 "$dir/errors")" \
			"3 rbmap: $file is damaged: libtraceevent crashes on the format of odd:divide, which is left out" \
			"version $version: a crash, report ${row%%:*}"
		is "$(lines 'funcgraph_') $(lines '(number|"number",.*):') $(lines 'divide:|"divide"|event 19:|"type": 19') $(lines 'lost|DROPPED') $(tail -n 1 "$dir/errors" | cut -d ' ' -f 1)" \
			"${row#*:}" "version $version: each event once, report ${row%%:*}"
	done
	is "$("$RBMAP" report "$dir/plain-$name.dat" "$file" 2>&1 >/dev/null | grep -c "^rbmap: $file is damaged: ")" 1 \
		"version $version: the message names the file with the bad format"
	ok "functions, version $version" reports functions $version
	like_trace_cmd functions $version
	ok "printk, version $version" reports printk $version
	is "$(lines 'bprint: +func2: number [0-4] of five$') $(lines 'constant: +text=Start\|$')" "5 5" \
		"version $version: texts of trace_printk(), and constant strings"
	is "$(lines 'bprint: +func2: 1048576 A 0xff abc     \|$') $(lines 'bprint: +func2: a constant: text$')" \
		"5 5" "version $version: each conversion, and a text without any"
	is "$(lines 'at func2\+0x5/0x100, node@12, old func3 end 77$')" 5 \
		"version $version: texts that the kernel made of pointers, and functions of old kernels"
	is "$(lines 'bprint: +func2: [0-4], then 1099511627776$')" 5 \
		"version $version: a number of 8 bytes follows one of 4 bytes"
	is "$(lines 'no text for the format 0xdead\]$')" 5 "version $version: a text that is not in the file"
	# libtraceevent does not know %c, and prints no text after one that it does not have.
	grep -v ' bprint: ' "$dir/report" >"$dir/others"
	mv "$dir/others" "$dir/report"
	like_trace_cmd printk $version '/ bprint: /d'

	# The names that tasks had at the time of an event
	ok "names, version $version" reports names $version --threads 1
	is "$(sed -n 's/^ *\(.*\)-\([0-9]*\) .* number: .*=\([135]\)$/\3:\2:\1/p' "$dir/report" | tr '\n' ' ')" \
		"$names" "version $version: a task's name at the time of each event"
	ok "names as JSON, version $version" reports names $version --json --threads 3
	is "$(sed -n 's/.*"pid": \([0-9]*\), "comm": "\([^"]*\)".*"nr=\([135]\)".*/\3:\1:\2/p' "$dir/report" | tr '\n' ' ')" \
		"$names" "version $version: so in JSON, with several threads"
	"$RBMAP" convert --systrace -o - "$file" 2>/dev/null >"$dir/report"
	is "$(sed -n 's/^ *\(.*\)-\([0-9]*\) .* number: .*=\([135]\)$/\3:\2:\1/p' "$dir/report" | tr '\n' ' ')" \
		"$names" "version $version: so in systrace"

	# The same names in latency: of intervals, in the selection, and in the page
	ok "renames, version $version" reports renames $version
	sed -n 's/^ *\(.*-[0-9]*\) .* sys_exit: *NR 100*\([0-9]*\) .*/\1 \2/p' "$dir/report" | LC_ALL=C sort >"$dir/wanted"
	is "$(xargs <"$dir/wanted")" \
		"<...>-20 2 a-very-long-nam-10 11 first-10 1 last-10 13 ls-20 7 only-in-table-30 3 second-10 5 second-10 9" \
		"version $version: names behind renames and programs"
	"$RBMAP" latency -k syscall --worst 10 "$file" 2>/dev/null |
		sed -n 's/^ .*: \(.*-[0-9]*\), CPU 0, system call 100*\([0-9]*\)$/\1 \2/p' | LC_ALL=C sort >"$dir/names"
	ok "version $version: latency has these names" cmp "$dir/wanted" "$dir/names"
	"$RBMAP" latency --json -k syscall --worst 10 "$file" 2>/dev/null | tr -d '\n ' | grep -o '"worst":.*' |
		grep -oE '"comm":("[^"]*"|null)' | LC_ALL=C sort | uniq -c | xargs >"$dir/names"
	is "$(cat "$dir/names")" \
		"1 comm:a-very-long-nam 1 comm:first 1 comm:last 1 comm:ls 1 comm:only-in-table 2 comm:second 1 comm:null" \
		"version $version: so in JSON"
	for row in first:1 second:2 last:1 ls:1 10:5; do
		"$RBMAP" latency -k syscall -p "${row%:*}" "$file" >"$dir/report" 2>/dev/null
		is "$(sed -n 's/^syscall: .*: //p' "$dir/report")" "${row#*:}" \
			"version $version: latency selects by the name at the time: ${row%:*}"
	done
	is "$("$RBMAP" latency -k syscall --until 1.003500 "$file" 2>/dev/null | grep -o 'first-10')" first-10 \
		"version $version: a name that a later event tells"
	is "$("$RBMAP" latency -k syscall --since 1.008500 "$file" 2>/dev/null | grep -c 'second-10')" 1 \
		"version $version: a name that an earlier event tells"
	"$RBMAP" report --html -o "$dir/page" "$file" 2>/dev/null
	ok "version $version: the page has names of the time" grep -q '"first"' "$dir/page"
	ok "version $version: an earlier name gives a task a lane" "$RBMAP" report --html --comm second -o "$dir/page" "$file"

	case $version in
	*/32) continue ;; # All programs have 32 bits.
	esac
	ok "compat, version $version" reports compat $version
	is "$(sed -n 's/^ *\(.*\)-[0-9]* .*sys_enter: *NR \([0-9]*\) (\([^)]*\)).*/\1:\2:\3/p' "$dir/report" |
		grep -E ':(3|5|6|11|59|168):' | tr '\n' ' ')" "$calls" \
		"version $version: system calls of 32-bit programs by their names, which are marked"
	ok "compat as JSON, version $version" reports compat $version --json
	is "$(lines '"fields": {"id": 168, .*"names": {"id": "poll", "abi": "i386"}}$') $(lines '"names": {"id": "swapoff"}}$')" \
		"10 4" "version $version: JSON has the mark, too"
	"$RBMAP" latency -k syscall --by name "$file" >"$dir/report" 2>/dev/null
	is "$(lines '^poll \(i386\) ') $(lines '^swapoff  ') $(lines '^close  ') $(lines '^close \(i386\) ')" "1 1 1 1" \
		"version $version: latency has the names of both"
	# The event that tells the kind of task 40 comes behind its first call, and behind --until.
	for part in "2 5" "1 3 --until 1.000019"; do
		# shellcheck disable=SC2086 # words
		"$RBMAP" latency -k syscall --by name --rows 0 "$file" ${part#? ?} 2>/dev/null |
			sed -n 's/^\(poll (i386)\|swapoff\) *\([0-9]*\) .*/\2/p' | xargs >"$dir/counts"
		is "$(cat "$dir/counts")" "$(echo "$part" | cut -c 1-3)" \
			"version $version: latency names the calls of 32-bit programs as report does${part#? ?}"
	done
done

# Options of version 7 that come twice: the first top buffer counts, and a CPU has one place.
reports plain 7
cp "$dir/report" "$dir/once"
ok "a top buffer that is there twice" reports two_tops 7
ok "is printed once" cmp "$dir/once" "$dir/report"
tests/cli/trace_dat.py cpu_twice 7 "$dir/cpu-twice"
says 1 "cpu-twice is damaged: its headers are invalid" report "$dir/cpu-twice"

# Compressed files, and files of a machine with another byte order
tests/cli/trace_dat.py plain 6 "$dir/plain.dat"
for command in gzip xz zstd bzip2; do
	if ! command -v $command >/dev/null; then
		skip "$command is not installed" "a file that $command has compressed"
		continue
	fi
	$command -c <"$dir/plain.dat" >"$dir/packed"
	says 1 "packed is compressed as a whole: uncompress it with gunzip" report "$dir/packed"
done
{
	head -c 12 "$dir/plain.dat"
	printf '\1'
	tail -c +14 "$dir/plain.dat"
} >"$dir/big"
says 1 "was recorded on a machine with another byte order" report "$dir/big"
done_testing
