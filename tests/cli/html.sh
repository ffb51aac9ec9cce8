#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap report --html without a browser: tests/html/page.py decodes the pages, and
# compares them with rbmap report --json and rbmap latency --json. tests/html/check looks
# at pages in a browser.
# shellcheck disable=SC2317 # `ok` calls the functions
. "$(dirname "$0")/lib.sh"

# page NAME OPTION...: make NAME.html of the recording NAME; errors are in a file
page()
{
	name=$1
	shift
	"$RBMAP" report --html -o "$dir/$name.html" "$@" "$dir/$name" 2>"$dir/errors"
}

# compare PAGE: what was compared goes to a file
compare()
{
	python3 tests/html/page.py "$1" "$dir/events" "$dir/latency" "$dir/blocked" \
		>"$dir/compared" 2>&1
}

# same_answers NAME: the page has the sentences of rbmap why
same_answers()
{
	"$RBMAP" why --json --worst 10 "$dir/$1" >"$dir/why" 2>"$dir/output"
	python3 -c 'import json, sys; sys.path.insert(0, "tests/html"); sys.dont_write_bytecode = True
from page import Page
ours, theirs = Page(sys.argv[1]).why, json.load(open(sys.argv[2]))
assert ours["stalls"] == theirs["stalls"] and ours["stalls"], ours
assert ours["lacking"] == theirs["lacking"]
assert ours["left_out"] == theirs["left_out"] and ours["cut"] == theirs["cut"]' \
		"$dir/$1.html" "$dir/why" >"$dir/compared" 2>&1
}

# agrees NAME OPTION...: the page has what the other outputs have
agrees()
{
	name=$1
	shift
	ok "$name: make the page" page "$name" "$@"
	"$RBMAP" report --json "$@" "$dir/$name" >"$dir/events" 2>"$dir/sums"
	"$RBMAP" latency --json --worst 10 "$@" "$dir/$name" >"$dir/latency" 2>"$dir/output"
	"$RBMAP" latency --json --worst 10 -n 'uninterruptible*' "$@" "$dir/$name" \
		>"$dir/blocked" 2>"$dir/output"
	is "$(head -n 1 "$dir/errors")" "$(head -n 1 "$dir/sums")" "$name: the sums are those of the report"
	ok "$name: the page has each event, loss and interval" compare "$dir/$name.html" ||
		diag <"$dir/compared"
}

# recording NAME [CLOCK] <SCRIPT
recording()
{
	ok "make the recording $1" "$MAKE_EVENTS" "$dir/$1" ${2:+"$2"}
}

# --- all kinds of lanes, losses, and names with any characters
esc=$(printf '\033')
recording all <<END
device 254:0 </b>"a\\${esc}
0 1000 10 switch holder 10 0 </script><b> 11
0 1500 11 switch </script><b> 11 1 holder 10
1 2000 20 enter 202
1 2000.5 20 switch a"\\${esc}[1m 20 1 hog 30
0 42000 10 waking a"\\${esc}[1m 20
0 42010 10/8 wakeup a"\\${esc}[1m 20
1 44000 30 switch hog 30 0 helper 31
1 45000 31 switch helper 31 1 a"\\${esc}[1m 20
1 45100 20 exit 202
0 47000 10 new child 40
0 47200 10 switch holder 10 2 child 40
0 48000 40 irq 24 <!--disk
0 48020 40/8 waking waiter 20
0 53000 40 irq_exit 24
0 53100 40 softirq 3
0 53400 40 softirq_exit 3
0 53500 40 vector 236
0 53550 40 vector_exit 236
0 60000 40 insert 266338304 2048 8 WS
0 60001 40 insert 266338304 4096 16 R
0 61000 99 issue 266338304 2048 8 WS
0 61100 99 issue 266338304 4096 16 R
1 62000 0 complete 266338304 2048 8 WS
1 62100 0 complete 266338304 4096 8 R
1 62200 0 complete 266338304 4104 8 R
2 lost 7
2 63000 50 other 18446744073709551615
2 lost 4611686018427387904
2 63100 50 enter -1
2 63200 50 exit -1
3 64000 0 insert 266338304 9000 8 R
END
agrees all
is "$(grep -c '<b>\|<!--disk' "$dir/all.html")" 0 "names are no tags"
ok "all: the page has the answers of rbmap why" same_answers all || diag <"$dir/compared"
disk_of()
{
	python3 -c 'import sys; sys.path.insert(0, "tests/html"); sys.dont_write_bytecode = True
from page import Page
meta = Page(sys.argv[1]).meta
disk = [lane for lane in meta["lanes"] if lane["kind"] == "disk"][0]
print(disk["device"], disk["name"], disk["most_queued"], disk["most_issued"])' "$dir/$1.html"
}
is "$(disk_of all)" '254,0 </b>"a\\x1b 2 2' "a disk's lane has its name, and the depth of its queue"

# --- the depth counts from 0 behind a loss, and a request from before it is not in it
recording depth <<'END'
device 254:0 vda
0 1000 10 issue 266338304 2048 8 R
0 lost 5
0 2000 10 issue 266338304 4096 8 R
0 3000 10 complete 266338304 2048 8 R
0 4000 10 issue 266338304 8192 8 R
0 5000 10 complete 266338304 4096 8 R
0 6000 10 complete 266338304 8192 8 R
END
agrees depth
like "$(disk_of depth)" ' 0 2$' "the depth of a disk's queue behind a loss"

# --- system calls that had not ended, also that of a task that sleeps
recording hang <<'END'
0 1000 10 enter 0
0 1100 20 enter 1
0 1110 20 switch b 20 1 c 30
0 2000 30 enter 1
0 2100 30 exit 1
END
agrees hang
is "$(python3 -c 'import sys; sys.path.insert(0, "tests/html"); sys.dont_write_bytecode = True
from page import Page, SLICES
page = Page(sys.argv[1])
lanes = {lane["call"]: page.meta["tasks"][lane["index"]][0]
         for lane in page.meta["lanes"] if lane["kind"] == "task"}
print(*sorted((lanes[piece.owner], *call[:2]) for piece in page.pieces(SLICES)
              if piece.owner in lanes for call in page.slices(piece)))' "$dir/hang.html")" \
	'(10, 0, 1100000) (20, 100000, 1100000) (30, 1000000, 1100000)' "they are in the lanes of their tasks"

# --- recordings of all kinds
ok "make the recording whole" "$MAKE_RECORDING" "$dir/whole" 12
agrees whole
ok "make the recording compressed" "$MAKE_RECORDING" "$dir/compressed" 4 compress
agrees compressed
ok "make the recording odd" "$MAKE_RECORDING" "$dir/odd" 2 odd
agrees odd
agrees odd --since 1000.000000001
agrees whole --until 10
recording cycles x86-tsc <<'END'
0 1000 10 switch a 10 0 b 11
0 1500 11 switch b 11 1 a 10
END
agrees cycles
recording empty </dev/null
agrees empty
for size in 4000 20000 30000; do
	head -c $size "$dir/whole" >"$dir/cut"
	page cut
	status=$?
	"$RBMAP" report "$dir/cut" >"$dir/output" 2>"$dir/sums"
	is $status $? "a recording of $size bytes has the status of rbmap report"
	is "$(head -n 1 "$dir/errors")" "$(head -n 1 "$dir/sums")" "a recording of $size bytes has the sums of rbmap report"
done

# --- tasks with lanes of their own
# lanes NAME: the tasks that have lanes
lanes()
{
	python3 -c 'import sys; sys.path.insert(0, "tests/html"); sys.dont_write_bytecode = True
from page import Page
meta = Page(sys.argv[1]).meta
print(*[lane["interest"] + ":" + str(meta["tasks"][lane["index"]][0])
	for lane in meta["lanes"] if lane["kind"] == "task"])' "$dir/$1.html"
}
page all
is "$(lanes all)" "why:40 why:20 why:30 why:10 why:11 worst:50 other:99 other:31" \
	"the chains of why come first, then the tasks of the longest intervals"
page all -p 31 -p 99
is "$(lanes all)" "named:31 named:99 other:40 other:10 other:20 other:50 other:11 other:30" \
	"the tasks that were named by pid"
page all --task 'h*' -p 31
is "$(lanes all)" "why:10 why:11 named:31 named:30 other:40 other:20 other:50 other:99" \
	"the tasks that were named by a pattern"
says 1 "^rbmap: .* has no task 'hug': similar names: hog$" report --html -o "$dir/x" --task hug "$dir/all"
ok "without a page, no file is left" test ! -e "$dir/x"

# 40 disks, each with a request: 32 have a lane, and the others are counted.
for disk in $(seq 40); do
	echo "0 $((1000 + disk)) 20 insert $((266338304 + disk)) 1000 8 W"
done | "$MAKE_EVENTS" "$dir/disks"
page disks
is "$(grep -o '"kind": "disk"' "$dir/disks.html" | wc -l) $(grep -o '"without_device": [0-9]*' "$dir/disks.html")" \
	'32 "without_device": 8' "devices without a lane are counted"

for disk in $(seq 300); do
	echo "0 $((1000 + disk)) 20 insert $((266338304 + disk)) 1000 8 W"
	echo "0 $((2000 + disk)) 20 insert $((266338304 + disk)) 2000 8 W"
done | sort -k 2n | "$MAKE_EVENTS" "$dir/disks"
page disks
is "$(grep -o '"without_device": [0-9]*' "$dir/disks.html")" '"without_device": 268' "also many of them"

# --- what a page leaves out
recording out <<'END'
0 1000 10 enter 0
0 lost 77
0 2000 10 exit 0
1 2100 20 switch rbmap 20 1 swapper/1 0
1 2500 0 switch swapper/1 0 0 rbmap 20
END
agrees out
is "$(python3 -c 'import sys; sys.path.insert(0, "tests/html"); sys.dont_write_bytecode = True
from page import Page
for kind in Page(sys.argv[1]).meta["kinds"]:
    print(kind["kind"], len(kind["worst"]), kind["discarded"], kind["idle"])' "$dir/out.html")" \
	"offcpu 0 0 1
syscall 0 1 0" "kinds of which all intervals were left out"
for cpu in 0 1; do
	page out -c $cpu
	"$RBMAP" report -c $cpu "$dir/out" 2>"$dir/sums" >"$dir/output"
	is "$(head -n 1 "$dir/errors")" "$(head -n 1 "$dir/sums")" "the losses of CPU $cpu"
	is "$(grep -o '"losses": [0-9]*' "$dir/out.html")" "\"losses\": $((1 - cpu))" "and their number"
done

# --- where the page goes
cp "$dir/all" "$dir/trace.dat"
like "$("$RBMAP" report --html "$dir/trace.dat" 2>&1)" "^$dir/trace.html is complete" "the name of a page"
is "$(stat -c %a "$dir/trace.html")" 600 "only the owner can read a page, as a recording"
"$RBMAP" report --html -o - "$dir/trace.dat" >"$dir/stdout" 2>"$dir/errors"
ok "-o - is standard output" cmp "$dir/stdout" "$dir/trace.html"
"$RBMAP" report --html -o "$dir/stdin" - <"$dir/trace.dat" 2>"$dir/errors"
is "$(head -n 1 "$dir/errors")" "29 events, 4611686018427387911 lost" "a recording from standard input"
says 2 "standard input has no name: name the page with -o" report --html - </dev/null
says 1 "/dev/full is not a regular file: name a regular file with -o" \
	report --html -o /dev/full "$dir/trace.dat"
ok "a device is not replaced" test -c /dev/full
says 1 "cannot create $dir/none/x: its directory does not exist" \
	report --html -o "$dir/none/x" "$dir/trace.dat"
says 1 "trace.dat is the recording itself" report --html -o "$dir/trace.dat" "$dir/trace.dat"
"$RBMAP" report --html -o - "$dir/trace.dat" >/dev/full 2>"$dir/errors"
is "$? $(cat "$dir/errors")" "1 rbmap: cannot write to standard output: No space left on device" \
	"a full disk is an error"
mkdir "$dir/public"
chmod 1777 "$dir/public"
ln -s "$dir/x" "$dir/public/link"
says 1 "link is a symbolic link in a directory that other users can write" \
	report --html -o "$dir/public/link" "$dir/trace.dat"
ok "nothing is written through the link" test ! -e "$dir/x"
echo old >"$dir/old"
says 1 "does not exist" report --html -o "$dir/old" "$dir/none"
is "$(cat "$dir/old")" old "a page that cannot be made replaces nothing"
is "$(find "$dir" -name '*.??????' ! -name '*.html' | wc -l)" 0 "no temporary file is left"
says 2 "need --html" report --task x "$dir/trace.dat"
says 2 "leave out --json" report --html --json "$dir/trace.dat"
says 2 "leave out --wall" report --html --wall "$dir/trace.dat"
says 2 "invalid pid '0'" report --html -p 0 "$dir/trace.dat"

# --- many pieces of data, and at most 12 bytes an event
awk -v EVENTS=140000 -f tests/html/workload.awk >"$dir/script"
ok "make the recording pieces" "$MAKE_EVENTS" "$dir/pieces" <"$dir/script"
agrees pieces
ok "pieces: the page has the answers of rbmap why" same_answers pieces || diag <"$dir/compared"
awk -v EVENTS=400000 -f tests/html/workload.awk >"$dir/script"
ok "make the recording large" "$MAKE_EVENTS" "$dir/large" <"$dir/script"
page large
like "$(cat "$dir/errors")" "^40000[0-9] events, 0 lost" "the large recording has its events"
size=$(stat -c %s "$dir/large.html")
ok "$((size * 100 / 400000)) hundredths of a byte an event" [ "$size" -le $((12 * 400000)) ]
is "$(taskset -c 0 "$RBMAP" report --html -o - "$dir/large" 2>"$dir/errors" | cksum)" \
	"$(cksum <"$dir/large.html")" "the page does not depend on the number of threads"

# --- a crash, of a process without rights
"$RBMAP" report --html -o "$dir/crashed.html" "$dir/large" 2>"$dir/errors" &
parent=$!
child=
while kill -0 $parent 2>/dev/null && [ -z "$child" ]; do
	[ -z "$(find "$dir" -name 'crashed.html.*' -size +0)" ] || read -r child <"/proc/$parent/task/$parent/children"
done
sed -n 's/^\(Seccomp\|NoNewPrivs\|CapEff\|CapPrm\):[ \t]*0*//p' "/proc/$child/status" >"$dir/rights"
uid=$(sed -n 's/^Uid:[ \t]*\([0-9]*\).*/\1/p' "/proc/$child/status")
kill -SEGV "$child"
wait $parent
is $? 3 "a crash is an error"
is "$(sort "$dir/rights" | tr -d '\n')" 12 "the process that reads formats has no capabilities, and few system calls"
ok "it is not root" [ "$uid" != 0 ]
is "$(find "$dir" -name 'crashed.html*')" "" "a crash leaves no file"
done_testing
