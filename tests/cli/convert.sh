#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap convert: protoc decodes Perfetto's format, and each event, loss and sum must be
# that of rbmap report --json. RBMAP_TEST_SHORT=1: a large recording in one format.
. "$(dirname "$0")/lib.sh"

: "${MAKE_RANDOM:=build/tests/unit/cli/plain/cli_make_random}" \
	"${MAKE_LARGE:=build/tests/unit/cli/plain/cli_make_large}"
proto=userspace/cli/convert
here=tests/cli

# decode <TRACE
decode()
{
	protoc --decode=perfetto.Trace --proto_path=$proto perfetto.proto
}

# same NAME [OPTION...]: convert a recording to both formats. The same events are in both as in
# the JSON.
same()
{
	file=$dir/$1
	name=$*
	shift
	"$RBMAP" report --json "$@" "$file" >"$dir/json" 2>"$dir/sums"
	for format in perfetto systrace; do
		"$RBMAP" convert --$format "$@" -o "$dir/$format" "$file" 2>"$dir/errors"
		is $? 0 "$name: convert --$format, status 0"
		is "$(grep -v '^rbmap: warning' "$dir/errors")" "$(cat "$dir/sums")" "$name: $format, the sums of rbmap report"
	done
	ok "$name: protoc decodes it" eval "decode <'$dir/perfetto' >'$dir/text' 2>'$dir/errors'"
	kinds=$($here/perfetto.py "$dir/json" <"$dir/text" 2>"$dir/errors")
	is $? 0 "$name: each event is in the trace" || diag <"$dir/errors"
	lines=$($here/systrace.py "$dir/json" "$dir/systrace" 2>"$dir/errors")
	is $? 0 "$name: each event is in the text" || diag <"$dir/errors"
	is "$lines" "$(cat "$dir/sums")" "$name: the last line of the text has the sums"
}

if ! command -v protoc >/dev/null; then
	skip_all "protoc is not installed"
fi

# --- markers: slices and counters are what Perfetto draws, other texts are events of their own
: "${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"
for text in 'B|12|web' 'E|12' E 'C|12|load|5' 'C|12|load|-5|group' 'E|12|x' \
	hello Exit 'B|x|web' 'B|12' 'C|12|load' 'X|12|y' 'B|' 'E|' \
	'C|12|load|high' 'C|12|load|' 'C|12|load|5x' 'C|12||5' \
	'B|99999999999|x' 'B|4294967296|x'; do
	now=$((${now:-0} + 10))
	echo "0 $now 12 marker $text"
done | "$MAKE_EVENTS" "$dir/markers"
same markers
is "$kinds" "$(echo "$kinds" | sed 's/own [0-9]*, generic [0-9]*/own 6, generic 14/')" "six markers are slices and counters"

# --- a marker whose format has no text
mkdir -p "$dir/formats/rbmap/marker"
sed /field:.*buf/d tests/fuzz/formats/rbmap/marker/format >"$dir/formats/rbmap/marker/format"
ok "make markers without a text" "$MAKE_RANDOM" "$dir/textless" '[local]' 10 1 "$dir/formats"
same textless
like "$kinds" '^own 0, generic ' "they are events of their own"

# --- arrays of numbers that can be negative
mkdir -p "$dir/signed/odd/deltas"
{
	sed '/^print fmt/,$d; s/^name: .*/name: deltas/' tests/unit/lib/formats/library/arrays/format |
		sed 's/field:u16 shorts\[3\];\(.*\)signed:0;/field:s16 shorts[3];\1signed:1;/'
	echo 'print fmt: "deltas"'
} >"$dir/signed/odd/deltas/format"
ok "make arrays of signed numbers" "$MAKE_RANDOM" "$dir/arrays" '[local]' 2 1 "$dir/signed"
same arrays
ok "some of them are negative" grep -q '"shorts": \[-' "$dir/json"

# --- random records of many formats, some of them damaged; lost events
formats="tests/unit/lib/formats tests/fuzz/formats"
clock='local mono boot x86-tsc'
seed=1
for name in local mono boot x86-tsc; do
	# shellcheck disable=SC2086 # split into words
	ok "make random records, clock $name" "$MAKE_RANDOM" "$dir/$name" \
		"$(echo "$clock" | sed "s/$name/[$name]/")" 30 $seed $formats
	same $name
	seed=$((seed + 1))
	like "$kinds" '^own [1-9][0-9]{1,3}, generic [1-9][0-9]{1,3}, lost [1-9]' \
		"$name: events with a message of their own, others, and losses"
	case $name in
	# The moment of the end
	local) clocks='[["LOCAL"], [51000000000], [97000000000]]' ;;
	mono) clocks='[["GLOBAL"], [51000000000], [97000000000]]' ;;
	*) clocks='[[], [], []]' ;;
	esac
	is "${kinds#*clock }" "$clocks" "$name: the clock of the events"
	is "$(grep -c 'primary_trace_clock: BOOTTIME' "$dir/text")" 2 "$name: two moments"
	is "$(grep -c 'clock_id: 3' "$dir/text")" "$([ "$name" = mono ] && echo 2 || echo 0)" \
		"$name: CLOCK_MONOTONIC is known with the clock mono"
	like "$(cat "$dir/text")" '^ +timestamp: 1700000020123456789$' "$name: the time of day of the end"
done
for change in '0,/ pid: [0-9]*$/s//&0/' '0,/prev_comm: "/s//prev_comm: "x/' 's/overrun: [1-9]/&1/' \
	'0,/lost_events: true/s///' '0,/generic {/s//print {/'; do
	sed "$change" "$dir/text" >"$dir/changed"
	$here/perfetto.py "$dir/json" <"$dir/changed" >"$dir/output" 2>&1
	ok "the comparison finds s$change" [ $? != 0 ]
done
same local --since 3 --until 4
ok "--since and --until leave out events" [ "$(wc -l <"$dir/json")" -lt 300 ]

# --- events that are typical, and their places in Perfetto
"$MAKE_EVENTS" "$dir/events" <<'END'
0 1000 10 switch holder 10 0 other 11
0 lost 5
1 1000 900 enter 0
0 2000 11 softirq 3
0 2100 11/8 waking waiter 20
1 2200 900 exit 0
0 2300 11 softirq_exit 3
0 3000 11 other 18446744073709551615
END
same events
is "$kinds" 'own 6, generic 1, lost 5, threads 4, clock [[], [], []]' "their kinds"
like "$(tr -d ' \n' <"$dir/text")" \
	'event\{timestamp:1000000pid:10sched_switch\{prev_comm:"holder"prev_pid:10prev_prio:120prev_state:0next_comm:"other"next_pid:11next_prio:120\}\}' \
	"a switch"
like "$(tr -d ' \n' <"$dir/text")" 'threads\{tid:900name:"from_the_table"tgid:900\}' "a name of a thread"
like "$(tr -d ' \n' <"$dir/text")" 'utsname\{sysname:"Linux"release:"6.1"machine:"x86_64"\}' "the system"
is "$(sed -n '5,7p' "$dir/systrace" | tr -s ' ')" " holder-10 [000] ..... 0.001000: sched_switch: sched_switch
 from_the_table-900 [001] ..... 0.001000: sys_enter: NR 0 (read) (0, 0, 0, 0, 0, 0)
# CPU:0 [LOST 5 EVENTS]" "lines of text" || diag "$(cat "$dir/systrace")"

# The sums are those of what was selected, and of nothing else.
"$RBMAP" convert --systrace -c 1 -o - "$dir/events" >"$dir/output" 2>"$dir/errors"
is "$(tail -n 1 "$dir/output")" '# 2 events, 0 lost, 5 not selected' "the losses of another CPU do not count"
"$RBMAP" convert --systrace -c 0 -p 10 -o - "$dir/events" >"$dir/output" 2>"$dir/errors"
is "$(tail -n 1 "$dir/output")" '# 1 events, 5 lost, 6 not selected' "those of the CPU itself do"

# --- two systems with an event of one name, events without a format; zstd
"$MAKE_RECORDING" "$dir/odd" 10 odd
same odd
"$MAKE_RECORDING" "$dir/compressed" 10 compress
same compressed

# --- a name that begins with #, and is as wide as its column when it is escaped
printf '0 1000 10 switch holder 10 1 #\001\002\003\004\005 11\n0 2000 11 softirq 3\n' |
	"$MAKE_EVENTS" "$dir/comment" mono
same comment
"$RBMAP" convert --systrace -o "$dir/output" "$dir/comment" 2>"$dir/errors"
is "$(grep -vc '^#' "$dir/output")" 2 "no event becomes a comment" || diag "$(cat "$dir/output")"

# --- cycles of unknown length
"$MAKE_EVENTS" "$dir/cycles" 'local mono boot [x86-tsc]' <<'END'
0 1000 10 softirq 1
0 2000 10 softirq_exit 1
END
same cycles
"$RBMAP" convert --systrace -o "$dir/output" "$dir/cycles" 2>"$dir/errors"
like "$(cat "$dir/errors")" "warning: $dir/cycles has times in cycles, .*: each cycle becomes a nanosecond" \
	"a warning about cycles"

# --- where the output goes
cp "$dir/events" "$dir/trace.dat"
program=$(realpath "$RBMAP")
(cd "$dir" && "$program" convert --perfetto && "$program" convert --systrace) 2>"$dir/errors"
for format in perfetto systrace; do
	"$RBMAP" convert --$format -o - "$dir/events" >"$dir/output" 2>"$dir/errors"
	is $? 0 "--$format -o -: status 0"
	suffix=$format
	[ $format != perfetto ] || suffix=perfetto-trace
	ok "the default output is trace.dat.$suffix" cmp "$dir/output" "$dir/trace.dat.$suffix"
	is "$(stat -c %a "$dir/trace.dat.$suffix")" 600 "only its owner can read it"
	"$RBMAP" convert --$format -o "$dir/pipe" - <"$dir/events" 2>"$dir/errors"
	ok "--$format of standard input" cmp "$dir/output" "$dir/pipe"
done
ok "no temporary file is left" [ -z "$(find "$dir" -name '*.??????' -newer "$dir/trace.dat" \
	! -name '*.errors')" ] || diag "$(ls "$dir")"
says 1 "$dir/events is the recording itself: name another file with -o" \
	convert --perfetto -o "$dir/events" "$dir/events"
ln "$dir/events" "$dir/link"
says 1 "$dir/link is the recording itself" convert --perfetto -o "$dir/link" "$dir/events"
mkdir "$dir/shared"
chmod 1777 "$dir/shared"
ln -s "$dir/elsewhere" "$dir/shared/link"
says 1 'link is a symbolic link in a directory that other users can write: name another file with -o' \
	convert --perfetto -o "$dir/shared/link" "$dir/events"
ok "nothing was written through the link" [ ! -e "$dir/elsewhere" ]
says 1 'is not a regular file: name a regular file with -o' convert --systrace -o /dev/null "$dir/events"
says 1 'cannot create .*: its directory does not exist' convert --systrace -o "$dir/no/where" "$dir/events"
output=$(script -qec "'$RBMAP' convert --perfetto -o - '$dir/events'" /dev/null </dev/null)
like "$output" 'the trace cannot go to a terminal: redirect standard output, or name a file with -o' \
	"no binary data goes to a terminal"
"$RBMAP" convert --systrace -o - "$dir/local" >/dev/full 2>"$dir/errors"
is $? 1 "/dev/full: status 1"
like "$(cat "$dir/errors")" '^rbmap: cannot write to standard output: No space left on device$' \
	"/dev/full: the message"

# --- a failure leaves the file of before, and no other
echo before >"$dir/output"
mkdir "$dir/alone"
cp "$dir/local" "$dir/alone/"
echo before >"$dir/alone/output"
(ulimit -f 2 && "$RBMAP" convert --perfetto -o "$dir/alone/output" "$dir/alone/local") 2>"$dir/errors"
is $? 1 "a limit on the size of files: status 1"
like "$(cat "$dir/errors")" "cannot write $dir/alone/output: the file system or 'ulimit -f' limits the size" \
	"a limit on the size of files: the message"
mkdir "$dir/broken"
echo no library >"$dir/broken/libprotobuf-c.so.1"
LD_LIBRARY_PATH=$dir/broken "$RBMAP" convert --perfetto -o "$dir/alone/output" "$dir/local" 2>"$dir/errors"
is $? 1 "without libprotobuf-c: status 1"
like "$(cat "$dir/errors")" '^rbmap: cannot load libprotobuf-c: .*: install the package libprotobuf-c1$' \
	"without libprotobuf-c: the message"
is "$(cat "$dir/alone/output")" before "the file of before is still there"
is "$(find "$dir/alone" -type f | wc -l)" 2 "no other file is there" || diag "$(ls "$dir/alone")"
LD_LIBRARY_PATH=$dir/broken "$RBMAP" convert --systrace -o "$dir/alone/output" "$dir/local" 2>"$dir/errors"
is $? 0 "text needs no libprotobuf-c"

# --- damaged recordings
for size in 3000 100000; do
	head -c $size "$dir/local" >"$dir/cut"
	"$RBMAP" report --json "$dir/cut" >"$dir/json" 2>"$dir/sums"
	wanted=$?
	for format in perfetto systrace; do
		"$RBMAP" convert --$format -o "$dir/$format.cut" "$dir/cut" 2>"$dir/errors"
		is $? $wanted "$size bytes of a recording: the status of rbmap report, $wanted ($format)"
		is "$(head -n 1 "$dir/errors")" "$(head -n 1 "$dir/sums")" "$size bytes: the first message"
	done
done
is "$wanted" 3 "100000 bytes: status 3"
decode <"$dir/perfetto.cut" >"$dir/text" 2>"$dir/errors"
ok "100000 bytes: the events that are left" $here/perfetto.py "$dir/json" <"$dir/text"
says 1 "$dir/nosuch does not exist" convert --perfetto "$dir/nosuch"
says 2 'name one format: --perfetto or --systrace' convert "$dir/local"
says 2 'name one format: --perfetto or --systrace' convert --perfetto --systrace "$dir/local"
says 2 "unexpected argument 'b': convert reads one recording" convert --systrace a b
says 1 "--since 'noon': write -SECONDS" convert --systrace --since noon "$dir/local"

# --- memory does not grow with the recording: 64 MiB of address space for 80 MB
ok "make a large recording" "$MAKE_LARGE" "$dir/local" "$dir/large" 80
[ -z "${RBMAP_TEST_SHORT:-}" ] || large=perfetto
for format in ${large:-perfetto systrace}; do
	# shellcheck disable=SC3045 # dash knows it
	(ulimit -v 65536 && "$RBMAP" convert "--$format" -o "$dir/output" "$dir/large") 2>"$dir/errors"
	is $? 0 "--$format of 80 MB with 64 MiB of memory" || diag <"$dir/errors"
done
{ "$RBMAP" convert --systrace -o - "$dir/large" 2>"$dir/errors"; echo $? >"$dir/status"; } | head -c 10 >/dev/null
is "$(cat "$dir/status")" 1 "a reader that ends early: status 1"
like "$(cat "$dir/errors")" 'cannot write to standard output: Broken pipe$' "a reader that ends early: the message"
# A signal removes the temporary file, also one that ends the process without rights alone.
begin()
{
	"$RBMAP" convert --systrace -o "$dir/alone/output" "$dir/large" 2>"$dir/errors" &
	pid=$!
	until [ -n "$(find "$dir/alone" -name 'output.*' -size +100k)" ] ||
		grep -q "^State:.Z" "/proc/$pid/status"; do
		sleep 0.01
	done
}
# terminate, kill_child: what interrupts it
terminate()
{
	kill -TERM "$pid"
}
kill_child()
{
	read -r child <"/proc/$pid/task/$pid/children"
	kill -KILL "$child"
}
# interrupted COMMAND: begins a conversion, lets COMMAND interrupt it, and stores its status in
# $status. If it ended first, because this script had to wait for a CPU, that is repeated.
interrupted()
{
	for _ in $(seq 20); do
		begin
		"$1" 2>/dev/null
		wait "$pid"
		status=$?
		[ "$status" = 0 ] || break
	done
}
interrupted terminate
is "$status" 143 "SIGTERM ends the conversion"
is "$(find "$dir/alone" -type f | wc -l)" 2 "SIGTERM leaves no temporary file" || diag "$(ls "$dir/alone")"
interrupted kill_child
is "$status" 137 "SIGKILL of the process that reads the recording ends the conversion"
is "$(find "$dir/alone" -type f | wc -l)" 2 "and leaves no temporary file" || diag "$(ls "$dir/alone")"
done_testing
