#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap cut: the part has exactly the events that rbmap report prints with the same
# options, at their times and with the losses between them. trace-cmd report prints them, too.
# RBMAP_TEST_SHORT=1: a choice of the options for each kind of recording.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/versions.sh
. "$(dirname "$0")/../versions.sh"
here=$(dirname "$0")
seed=${RBMAP_TEST_SEED:-1}

# cuts NAME FILE OPTION...: compares what report prints of the file and of its part
cuts()
{
	local name=$1 file=$2 status said sums of_cut of_part
	shift 2
	: >"$dir/part"
	"$RBMAP" cut -o "$dir/part" "$@" "$file" >"$dir/none" 2>"$dir/cut"
	status=$?
	"$RBMAP" report --json "$@" "$file" >"$dir/lines" 2>"$dir/errors"
	said=$?
	IFS= read -r of_cut <"$dir/cut"
	IFS= read -r sums <"$dir/errors"
	is "$status $of_cut" "$said $sums" "$name: status and sums"
	"$RBMAP" report --json "$dir/part" >"$dir/of-part" 2>"$dir/more"
	said=$?
	IFS= read -r of_part <"$dir/more"
	is "$said $of_part" "0 ${sums%, [0-9]* not selected}" "$name: the part is complete"
	ok "$name: report prints the same of the part" \
		python3 -IS "$here/cut_lines.py" "$dir/lines" "$dir/of-part"
	if command -v trace-cmd >/dev/null; then
		trace_cmd_report "$dir/part" >"$dir/trace-cmd" 2>"$dir/errors"
		is "$? $(cat "$dir/errors")" "0 " "$name: trace-cmd report reads the part"
	fi
}

# like_trace_cmd NAME: trace-cmd prints the events of the part that rbmap report prints
like_trace_cmd()
{
	command -v trace-cmd >/dev/null || return
	"$RBMAP" report "$dir/part" 2>/dev/null | columns >"$dir/got"
	ok "$1: trace-cmd report prints the same events" eval \
		"columns <'$dir/trace-cmd' | cmp - '$dir/got'"
}

# The task, the CPU, the time and the event of each line. trace-cmd has one name for a task,
# and some plugins of its own. It prints losses only before an event of their CPU.
columns()
{
	sed -nE 's/^.*-([0-9]+ +\[[0-9]+\] +[0-9.]+: [a-z_]+).*/\1/p; /DROPPED/p' | awk '
		/DROPPED/ { split($1, part, ":"); lost[part[2]] = $0; next }
		{ cpu = substr($2, 2) + 0; if (cpu in lost) print lost[cpu]; delete lost[cpu]; print }'
}

# --- random events, with losses in the middle of pages and with each kind of option
python3 "$here/selection.py" make "$seed" >"$dir/script"
ok "make a recording of random events, seed $seed" "$MAKE_EVENTS" "$dir/random" <"$dir/script"
number=0
while IFS=$'\t' read -r -a words; do
	number=$((number + 1))
	[ -z "${RBMAP_TEST_SHORT:-}" ] || [ $((number % 24)) = 1 ] || continue
	cuts "${words[*]:1}" "$dir/random" "${words[@]:1}"
	like_trace_cmd "${words[*]:1}"
done < <(python3 "$here/selection.py" list)
cuts "no option" "$dir/random"
times=$("$RBMAP" report "$dir/random" 2>/dev/null | grep -o '[0-9]*[.][0-9]*: ' | tr -d ': ')
from=$(sed -n 700p <<<"$times")
to=$(sed -n 2200p <<<"$times")
cuts "--since and --until" "$dir/random" --since "$from" --until "$to"
cuts "a time and a task" "$dir/random" --since "$from" --until "$to" -p 3
cuts "no event" "$dir/random" -p 4711

# A part of a part is that of both options.
"$RBMAP" cut -o "$dir/once" -p 2 "$dir/random" 2>/dev/null
"$RBMAP" cut -o "$dir/twice" -e sched "$dir/once" 2>"$dir/errors"
"$RBMAP" report --json -p 2 -e sched "$dir/random" 2>/dev/null | python3 "$here/cut_lines.py" >"$dir/want"
"$RBMAP" report --json "$dir/twice" 2>/dev/null | python3 "$here/cut_lines.py" | cmp -s - "$dir/want"
is $? 0 "a part of a part"

# --- pages that are full, symbols of functions, a compressed and an unfinished recording
"$MAKE_RECORDING" "$dir/plain" 40
for options in "" "-e call" "--filter nr==3" "-c 1" "-c 2" "-e sched_switch -c 0" "--comm task"; do
	# shellcheck disable=SC2086 # words
	cuts "plain $options" "$dir/plain" $options
	like_trace_cmd "plain $options"
done
"$MAKE_RECORDING" "$dir/compressed" 40 compress
cuts "compressed" "$dir/compressed" -e number
"$MAKE_RECORDING" "$dir/odd" 8 odd
cuts "odd events" "$dir/odd"
cuts "odd events of a CPU" "$dir/odd" -c 2
is "$("$RBMAP" report --utc "$dir/part" 2>/dev/null | grep -o -m 1 '....-..-.. ' | head -n 1)" \
	"2023-11-14 " "the part says when the recording was made"
"$MAKE_RECORDING" "$dir/killed" 8 kill 2>/dev/null
"$RBMAP" cut -o "$dir/part" -e number "$dir/killed" 2>"$dir/errors"
is "$?" 3 "a part of an unfinished recording: status 3"
like "$(sed -n 2p "$dir/errors")" "was not finished, because its recorder was killed: its complete events were kept" \
	"one line says so"
"$RBMAP" report --json -e number "$dir/killed" 2>/dev/null | python3 "$here/cut_lines.py" >"$dir/want"
"$RBMAP" report --json "$dir/part" >"$dir/lines" 2>"$dir/errors"
is "$?, $(wc -l <"$dir/errors")" "0, 1" "the part itself is complete"
ok "and has its events" eval "python3 '$here/cut_lines.py' <'$dir/lines' | cmp - '$dir/want'"

is "$(grep -c '(unfinished)' "$dir/part")" 0 "and does not say that it is unfinished"

# --- long times between events, and times that go back between two pages
"$MAKE_EVENTS" "$dir/times" <<'END'
0 1000 1 other 1
0 135000 1 other 2
0 400000 1 other 3
0 400000.001 1 other 4
0 3600000000 1 other 5
0 999999999999 1 other 6
1 1000 2 other 7
1 lost 3
1 500000 2 other 8
1 900000000000 2 other 9
END
cuts "long times" "$dir/times"
cuts "longer times" "$dir/times" --filter 'number == 1 || number == 6 || number > 7'

# Each event has a long time of its own before it, up to the end of a page.
# Pages of several mixtures end at different places.
for ((i = 0; i < 1200; i++)); do
	if ((i % 130 < i / 130)); then
		printf '0 %d 1 switch a 1 1 b 1\n' $((i * 200000))
	else
		printf '0 %d 1 other %d\n' $((i * 200000)) $i
	fi
done >"$dir/script"
ok "make a recording of long times alone" "$MAKE_EVENTS" "$dir/long" <"$dir/script"
cuts "long times alone" "$dir/long" -p 1

# --- the counters of each CPU
if command -v trace-cmd >/dev/null; then
	"$RBMAP" cut -o "$dir/part" -c 0 -e sched_switch "$dir/plain" 2>/dev/null
	trace-cmd report --stat "$dir/part" >"$dir/stat" 2>&1
	like "$(cat "$dir/stat")" "overrun: 3" "the counters of a CPU that is kept"
	like "$(cat "$dir/stat")" "not selected: [1-9]" "the part says how many events it lacks"
	all=$("$RBMAP" report -c 0 "$dir/plain" 2>&1 >/dev/null | cut -d ' ' -f 1)
	kept=$("$RBMAP" report "$dir/part" 2>&1 >/dev/null | cut -d ' ' -f 1)
	like "$(cat "$dir/stat")" "^not selected: $((all - kept))$" "their number"
	"$RBMAP" cut -o "$dir/part" -c 1 "$dir/plain" 2>/dev/null
	is "$(trace-cmd report --stat "$dir/part" 2>&1 | grep -c 'overrun: 3')" 0 \
		"the counters of a CPU that is left out"
fi

# --- what trace-cmd writes: several buffers, corrections of times, 32 bits, tracers
for version in 6 7 6/32 7/32; do
	case ${RBMAP_TEST_SHORT:+$version} in
	6 | 7/32) continue ;;
	esac
	for kind in plain buffers notop date offset buffers_moments offset_moments tsc cycles guest \
		stack graph functions printk names compat; do
		file=$dir/$kind-${version/\//-}
		ok "make $kind, version $version" "$here/trace_dat.py" $kind $version "$file"
		for options in "" "-e sched" "-c 1" "-p 10,100" "--comm first"; do
			# Each kind has its own code in the reader, not in each version.
			case ${RBMAP_TEST_SHORT:+$version $kind$options} in
			"7 "* | "6/32 plain" | "6/32 notop-e sched" | "6/32 buffers" | "6/32 guest-p 10,100" | "") ;;
			*) continue ;;
			esac
			case ${RBMAP_TEST_SHORT:+$kind$options} in
			plain | notop | "notop-c 1" | buffers | "buffers-e sched" | "buffers-p 10,100" | guest* | stack | tsc | *"-e sched" | "") ;;
			*) continue ;;
			esac
			# Some have no such event, and no such CPU.
			# shellcheck disable=SC2086 # words
			"$RBMAP" report $options "$file" >/dev/null 2>&1 || continue
			# shellcheck disable=SC2086 # words
			cuts "$kind, version $version $options" "$file" $options
		done
	done
	name=${version/\//-}
	cuts "one buffer of version $version" "$dir/buffers-$name" -B one
	is "$(lines=$("$RBMAP" report -B longer-name "$dir/part" 2>&1); echo "${lines##*: }")" \
		"it has the buffer top, and one" "version $version: the part has no other buffer"
	cuts "the top buffer of version $version" "$dir/buffers-$name" -B top -e sched
	# A host and its guest, with the times of the host
	for of in plain guest; do
		"$RBMAP" cut -o "$dir/part-$of" -e sched_switch "$dir/$of-$name" 2>/dev/null
	done
	"$RBMAP" report -e sched_switch "$dir/plain-$name" "$dir/guest-$name" 2>/dev/null |
		sed 's/ *\(plain\|guest\)-[^:]*: //' >"$dir/want"
	"$RBMAP" report "$dir/part-plain" "$dir/part-guest" 2>/dev/null |
		sed 's/ *part-\(plain\|guest\): //' | cmp -s - "$dir/want"
	is $? 0 "version $version: a host with its guest"
done

# --- losses around --until: those behind it do not count, and no view hides one before it.

# loses FILE TIME LOST: all views of the events up to TIME say how many were lost
loses()
{
	local sums
	set -- "$dir/$1" "$2" "$3" --until "$2"
	sums=$(
		for view in report latency why "convert --systrace -o $dir/none" \
			"report --html -o $dir/none" "cut -o $dir/part"; do
			# shellcheck disable=SC2086 # words
			"$RBMAP" $view "${@:4}" "$1" 2>&1 >/dev/null | sed -n 's/^[0-9]* events, //p'
		done
		"$RBMAP" report "$dir/part" 2>&1 >/dev/null | sed -n 's/^[0-9]* events, //p'
	)
	is "$(uniq -c <<<"$sums" | tr -s ' ')" " 7 $3 lost" "${1##*/}: --until $2 has lost $3"
}

for kind in losses missed; do
	for version in 6 7/32; do
		"$here/trace_dat.py" $kind $version "$dir/$kind-${version/\//-}"
	done
done
while read -r kind time lost; do
	for version in 6 7-32; do
		loses "$kind-$version" "$time" "$lost"
	done
	cuts "$kind until $time" "$dir/$kind-6" --until "$time"
	# The views above have the sums; a part needs one time in the middle of a loss, and one
	# behind it.
	case ${RBMAP_TEST_SHORT:+$time} in
	1.7 | 99 | "") ;;
	*) continue ;;
	esac
	cuts "$kind until $time, a task" "$dir/$kind-6" --until "$time" -p 30
	cuts "$kind until $time, a CPU" "$dir/$kind-6" --until "$time" -c 1
done <<'END'
losses 1.0015 0
losses 1.01 more than 0
losses 1.7 more than 20
losses 2.0005 5020
losses 2.5 more than 5020
losses 3.001 5027
losses 99 5027
missed 1.1 more than 0
missed 99 30
END
cuts "losses, a task" "$dir/losses-6" -p 30
"$RBMAP" cut -o "$dir/once" -p 30 --until 2.5 "$dir/losses-6" 2>/dev/null
cuts "a part that has lost more than a number" "$dir/once"
is "$(head -n 1 "$dir/cut")" "0 events, more than 5020 lost" "a part of it"
"$RBMAP" cut -o "$dir/once" --until 1.1 "$dir/missed-6" 2>/dev/null
cuts "a part without the events that were missed" "$dir/once"
if command -v trace-cmd >/dev/null; then
	like "$(trace-cmd report --stat "$dir/once" 2>&1)" "^in the whole recording, missed: 30$" \
		"its counters have them"
fi

# A part has the counters of its buffers.
"$here/trace_dat.py" losses_buffers 6 "$dir/losses-buffers"
cuts "losses, a buffer" "$dir/losses-buffers" -B one
is "$(head -n 1 "$dir/cut")" "150 events, more than 0 lost" "a buffer has not missed the events of another one"
cuts "losses, the top buffer" "$dir/losses-buffers" -B top
for version in 6 7; do
	"$here/trace_dat.py" counters $version "$dir/counters"
	while IFS=: read -r lost options; do
		# shellcheck disable=SC2086 # words
		cuts "counters, version $version, $options" "$dir/counters" $options
		like "$(head -n 1 "$dir/cut")" "^[0-9]* events, $lost lost" "the part has their losses"
	done <<'END'
1143:-c 0-2
41:-B one
37:-B one -c 1
1102:-B top
more than 7:-B one -c 1 --until 1.00001
END
done

# --- the file
"$RBMAP" cut -o - -e number "$dir/plain" >"$dir/stdout" 2>/dev/null
"$RBMAP" cut -o "$dir/part" -e number "$dir/plain" 2>/dev/null
ok "-o - is standard output" cmp "$dir/stdout" "$dir/part"
"$RBMAP" cut -o - -e number - <"$dir/plain" 2>/dev/null | cat >"$dir/stdout"
ok "a pipe gets the same, from standard input" cmp "$dir/stdout" "$dir/part"
is "$(stat -c %a "$dir/part")" 600 "only the owner can read it"
before=$(cksum <"$dir/plain")
says 1 "plain is the recording itself: name another file with -o" cut -o "$dir/plain" "$dir/plain"
ln "$dir/plain" "$dir/link"
says 1 "link is the recording itself" cut -o "$dir/link" "$dir/plain"
is "$(cksum <"$dir/plain")" "$before" "the recording stays as it is"
echo old >"$dir/old"
says 1 "has no event 'nosuch'" cut -o "$dir/old" -e nosuch "$dir/plain"
(
	trap '' XFSZ
	ulimit -f 1
	"$RBMAP" cut -o "$dir/old" "$dir/random"
) 2>"$dir/errors"
is "$? $(wc -l <"$dir/errors")" "1 1" "a limit of the file's size is one error"
like "$(cat "$dir/errors")" "ulimit -f" "which names the limit"
is "$(cat "$dir/old")" old "a part that cannot be made replaces nothing"
is "$(find "$dir" -name 'old.*' -o -name 'part.*' | wc -l)" 0 "no temporary file is left"
"$RBMAP" cut -o - "$dir/plain" >/dev/full 2>"$dir/errors"
is "$? $(cat "$dir/errors")" "1 rbmap: cannot write to standard output: No space left on device" \
	"a full disk is an error"
TMPDIR=/nowhere "$RBMAP" cut -o "$dir/part" "$dir/plain" 2>/dev/null
is $? 0 "a named output needs no TMPDIR"
says 2 "the name of the output is missing: -o OUTPUT" cut "$dir/plain"
says 2 "unexpected argument 'b': cut reads one recording" cut -o x a b
says 1 "$dir/nosuch does not exist" cut -o "$dir/part" "$dir/nosuch"
# The file has the events of CPU 0, and the first ones of CPU 1.
head -c $(($(stat -c %s "$dir/plain") * 3 / 4)) "$dir/plain" >"$dir/short"
"$RBMAP" cut -o "$dir/part" "$dir/short" 2>"$dir/errors"
is $? 3 "a part of a truncated recording: status 3"
like "$(head -n 1 "$dir/errors")" '^[1-9][0-9]* events, more than [1-9][0-9]* lost$' \
	"an unknown number of events is lost with the rest of the file"
is "$("$RBMAP" report "$dir/part" 2>&1 >/dev/null | head -n 1)" "$(head -n 1 "$dir/errors")" \
	"the part says so"
"$RBMAP" report --json "$dir/short" 2>/dev/null | python3 "$here/cut_lines.py" >"$dir/want"
"$RBMAP" report --json "$dir/part" 2>/dev/null | python3 "$here/cut_lines.py" >"$dir/lines"
ok "it has all readable events" eval "sed '\$d' '$dir/lines' | cmp - '$dir/want'"
like "$(tail -n 1 "$dir/lines")" '\[null, 1\], "lost": null' "and ends with the loss of CPU 1"
"$RBMAP" cut -o "$dir/part" -c 0 "$dir/short" 2>"$dir/errors"
like "$(head -n 1 "$dir/errors")" '^[1-9][0-9]* events, [0-9]+ lost' "a part of CPU 0 has an exact number"
seq 2000 | awk '{ print $1 % 2, $1 * 1000, 1, "other", $1 }' | "$MAKE_EVENTS" "$dir/times"
head -c $(($(stat -c %s "$dir/times") - 8192)) "$dir/times" >"$dir/short"
while read -r time lost; do
	"$RBMAP" cut -o "$dir/part" --until "$time" "$dir/short" 2>"$dir/errors"
	like "$(head -n 1 "$dir/errors")" "^[1-9][0-9]* events, $lost lost" \
		"a part of a truncated recording until $time has lost $lost"
done <<'END'
0.1 0
99 more than 0
END
# The last page of CPU 1 ends the file. Its first event gets no size.
cp "$dir/times" "$dir/damaged"
printf '\0\0\0\0\0\0\0\0' | dd of="$dir/damaged" bs=1 conv=notrunc status=none \
	seek=$(($(stat -c %s "$dir/times") - 4096 + 16))
for options in "" "-c 0"; do
	# shellcheck disable=SC2086 # words
	"$RBMAP" cut -o "$dir/part" $options "$dir/damaged" 2>"$dir/errors"
	like "$? $(head -n 1 "$dir/errors")" "^3 [1-9][0-9]* events, $([ "$options" ] || echo 'more than ')0 lost" \
		"a part of a damaged recording $options"
	is "$("$RBMAP" report "$dir/part" 2>&1 >/dev/null | head -n 1)" \
		"$(head -n 1 "$dir/errors" | sed 's/, [0-9]* not selected//')" "the part has the same losses"
done
done_testing
