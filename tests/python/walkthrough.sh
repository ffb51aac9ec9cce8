#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the blocks of docs/walkthroughs/python.md, unchanged and in their order. The
# module is not loaded: `rbmap record` makes a recording of known events.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"

top=$(pwd)
: "${RBMAP:=build/rbmap}" "${PYTHON3:=/usr/bin/python3}" "${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"
dir=$(mktemp -d)
at_exit "rm -rf '$dir'"
mkdir "$dir/bin" "$dir/at"

# Ten threads wait, of which the last one waits longest. At the end hog preempts another one.
script()
{
	for i in 0 1 2 3 4 5 6 7 8 9; do
		at=$((i * 1000 + 1000))
		echo "1 $at 50 waking thread-$i 10$i"
		echo "0 $((at + 10 * (i + 1))) 0 switch swapper 0 0 thread-$i 10$i"
		echo "0 $((at + 500)) 10$i switch thread-$i 10$i 1 swapper 0"
	done
	echo "0 lost 5"
	echo "0 20000 0 switch swapper 0 0 other 7"
	echo "0 20100 7 switch other 7 0 hog 8"
	echo "0 20400 8 switch hog 8 1 other 7"
}

script >"$dir/script"
cat >"$dir/bin/rbmap" <<END
#!/bin/sh
[ "\$1" != record ] || exec "$top/$MAKE_EVENTS" trace.dat '[local]' 1000,1700000000000000000,37 <"$dir/script"
exec "$top/$RBMAP" "\$@"
END
chmod +x "$dir/bin/rbmap"
ln -s "$(command -v "$PYTHON3")" "$dir/bin/python3"
cp docs/examples/latency_pandas.py "$dir/at"
LD_LIBRARY_PATH=$top/build/lib PYTHONPATH=$top/build/python PATH=$dir/bin:$PATH
export LD_LIBRARY_PATH PYTHONPATH PATH

# step NUMBER TEXT REGEX...: runs a block; its output must match each REGEX
step()
{
	file=$dir/at/step-0$1
	text=$2
	shift 2
	ok "$text" test -s "$file"
	(cd "$dir/at" && env -u RBMAP timeout 60 sh -eu "$file") >"$dir/out" 2>&1 || fail "$text: exit status $?"
	for regex; do
		ok "$text: /$regex/" grep -qE -e "$regex" "$dir/out" || diag "$(cat "$dir/out")"
	done
}

is "$(tests/vm/lib/blocks docs/walkthroughs/python.md "$dir/at" | tr '\n' ' ')" \
	"step-01 step-02 step-03 step-04 step-05 step-06 " "the walkthrough has six blocks"
step 1 "record"
ok "there is a recording" test -s "$dir/at/trace.dat"
step 2 "one event after the other" "^1000000 1 <...> sched_waking \{'comm': 'thread-0', 'pid': 100\}$" \
	"^1010000 0 <idle> sched_switch \{'prev_comm': 'swapper', .*'next_pid': 100, .*\}$"
step 3 "is anything missing?" '^33 events, 5 lost$' 'missing=0, broken=0'
is "$(grep -c '^33 events, 5 lost$' "$dir/out")" 2 "rbmap report says the same"
step 4 "columns" "type='long'" '^23 switches at \[1010000 1500000\]$' "^\['thread-0', 'swapper'" \
	"^\['time', 'real', 'cpu', 'pid', 'comm'\]$" '^0 +swapper +10$'
step 5 "delays" '^thread-9 +1 +100.0 +100.0$' '^thread-0 +1 +10.0 +10.0$' '^33 events, 5 lost$'
is "$(sed -n 3p "$dir/out" | cut -d' ' -f1)" thread-9 "the longest delay comes first"
step 6 "intervals and waits" '^0 +other +1 +[0-9]+ +300000$' \
	'^1 2023-11-14 22:13:20\.009[0-9]*\+00:00 +100000 +thread-9 +50(\.0)?$' \
	'^other-7 was runnable 300 us on CPU 0, where hog-8 ran' '^0 +0 +occupied +300000$'
done_testing
