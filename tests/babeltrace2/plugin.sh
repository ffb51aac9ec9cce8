#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The plugin of babeltrace2 on recordings made up for it. Numbers of events and losses are
# those of rbmap report, also behind a conversion to CTF. Damaged recordings end in events
# or in an error.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/versions.sh
. "$(dirname "$0")/../versions.sh"

: "${RBMAP:=build/rbmap}" "${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}" \
	"${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"
dir=$(mktemp -d)
at_exit "rm -rf '$dir'"
LD_LIBRARY_PATH=$(pwd)/build/lib BABELTRACE_PLUGIN_PATH=$(pwd)/build/babeltrace2
export LD_LIBRARY_PATH BABELTRACE_PLUGIN_PATH

# counts FILE: prints the events and the losses that rbmap report counts
counts()
{
	"$RBMAP" report "$1" 2>&1 >/dev/null | sed -n 's/ events, \(more than \)*\([0-9]*\) lost$/ \2/p'
}

# counted FILE-OR-FOLDER: prints what babeltrace2 counts: events, and those discarded
counted()
{
	babeltrace2 "$1" >"$dir/text" 2>"$dir/errors" || return
	discarded=$(sed -n 's/^WARNING: Tracer discarded \([0-9]*\) events* .*/\1/p' "$dir/errors" |
		awk '{ sum += $1 } END { print sum + 0 }')
	echo "$(wc -l <"$dir/text") $discarded"
}

versions=$(ctf_versions)

# ctf_parameter VERSION: prints more parameters for sink.ctf.fs
ctf_parameter()
{
	[ "${versions%% *}" = "$1" ] || printf ',ctf-version="%s"' "$1"
}

for mode in "" compress odd kill; do
	# shellcheck disable=SC2086 # no argument if the mode is empty
	sh -c '"$@"' sh "$MAKE_RECORDING" "$dir/trace.dat" 24 $mode 2>/dev/null
	is "$(counted "$dir/trace.dat")" "$(counts "$dir/trace.dat")" \
		"${mode:-plain}: events and losses are those of rbmap report"
	cp "$dir/text" "$dir/direct"
	for version in $versions; do
		rm -rf "$dir/ctf"
		# shellcheck disable=SC2016 # the inner shell expands them
		ok "${mode:-plain}: convert to CTF $version" sh -c 'babeltrace2 "$1" \
			--component sink.ctf.fs --params "$2" >/dev/null' sh "$dir/trace.dat" \
			"path=\"$dir/ctf\"$(ctf_parameter "$version")"
		counted "$dir/ctf" >/dev/null
		# CTF has a length beside each array that does not always have the same one:
		# __data_len in 1.8, UUID-data-len in 2.
		sed -i 's/\(__data_\|[-0-9a-f]*-data-\)len = [0-9]*, //' "$dir/text"
		ok "${mode:-plain}: the CTF has the same text" cmp "$dir/direct" "$dir/text"
	done
done
like "$(babeltrace2 "$dir/trace.dat" 2>&1 >/dev/null)" 'was not finished' \
	"a killed recorder is reported"

"$MAKE_EVENTS" "$dir/trace.dat" <<'END'
0 1000 10 switch one 10 1 two 20
0 lost 7
0 1002 20 switch two 20 0 one 10
2 1003 30 irq -5 my-device
1 lost 18446744073709551615
1 1004 20 other 18446744073709551615
END
counted "$dir/trace.dat" >"$dir/numbers"
is "$(cat "$dir/numbers")" "4 7" "known losses are counted"
ok "an unknown number of lost events is reported" \
	grep -q '^WARNING: Tracer may have discarded events' "$dir/errors"
like "$(sed -n 1p "$dir/text")" 'sched:sched_switch: \{ cpu_id = 0 \}, \{ pid = 10, comm = "<...>", flags = 0, preempt_count = 0 \}, \{ prev_comm = "one", prev_pid = 10, prev_state = 1, next_comm = "two", next_pid = 20, prev_prio = 120, next_prio = 120 \}$' \
	"numbers and strings have their types"
like "$(sed -n 3p "$dir/text")" '\{ irq = -5, name = "my-device" \}$' "dynamic strings"
like "$(sed -n 4p "$dir/text")" '\{ number = 18446744073709551615 \}$' "unsigned numbers"

# A part of the recording: from the second event on, up to the third one
times=$(babeltrace2 --clock-seconds "$dir/trace.dat" 2>/dev/null | sed 's/^\[\([0-9.]*\)\].*/\1/')
second=$(echo "$times" | sed -n 2p)
third=$(echo "$times" | sed -n 3p)
is "$(babeltrace2 --begin "$second" "$dir/trace.dat" 2>/dev/null | wc -l)" 3 "--begin"
is "$(babeltrace2 --end "$third" "$dir/trace.dat" 2>/dev/null | wc -l)" 3 "--end"
is "$(babeltrace2 --timerange "$second,$third" "$dir/trace.dat" 2>/dev/null | sed 's/.*sched:sched_switch.*/1/; s/.* irq:.*/2/' | xargs)" \
	"1 2" "--timerange"

# Trace Compass knows the layout of a tracer of this name
details=$(babeltrace2 "$dir/trace.dat" --component sink.text.details 2>/dev/null)
like "$details" 'domain: kernel' "the trace is one of a kernel"
like "$details" 'tracer_name: perf' "its names are those of perf"

"$MAKE_RECORDING" "$dir/trace.dat" 4 odd
babeltrace2 --clock-seconds "$dir/trace.dat" >"$dir/text" 2>/dev/null
ok "the clock has its offset" grep -q '^\[1700000000\.123456789\] ' "$dir/text"
ok "an event without a format has its bytes" sh -c \
	"babeltrace2 '$dir/trace.dat' 2>/dev/null | grep -q 'rbmap:unknown:.* data = \[ \[0\] = 1, '"

# Recordings of trace-cmd: all buffers, and the corrections of times.
for kind in buffers notop date offset tsc guest; do
	for version in 6 7 6/32; do
		tests/cli/trace_dat.py $kind $version "$dir/trace.dat"
		is "$(counted "$dir/trace.dat")" "$(counts "$dir/trace.dat")" \
			"$kind, version $version: events and losses are those of rbmap report"
		babeltrace2 --clock-seconds "$dir/trace.dat" 2>/dev/null |
			sed 's/^\[\([0-9]*\)\.\([0-9]*\)\].* cpu_id = \([0-9]*\)\(, buffer = "\([^"]*\)"\)*.*/\1\2 \3 \5/' |
			sed 's/^0*//; s/ $//' | sort >"$dir/text"
		"$RBMAP" report --json "$dir/trace.dat" 2>/dev/null |
			sed -n 's/^{"ts": \([0-9]*\), "cpu": \([0-9]*\), /\1 \2 /p' |
			sed 's/ "pid".* "buffer": "\([^"]*\)".*/ \1/; s/ "pid".*//' |
			sort >"$dir/direct"
		ok "$kind, version $version: each event has its time, CPU and buffer" \
			cmp "$dir/direct" "$dir/text"
	done
done
tests/cli/trace_dat.py date 7 "$dir/trace.dat"
ok "the clock is that of the time of day" sh -c \
	"babeltrace2 --clock-date '$dir/trace.dat' 2>/dev/null | grep -q '^\[2023-03-0[12] '"
rm -rf "$dir/ctf"
babeltrace2 "$dir/trace.dat" --component sink.ctf.fs --params "path=\"$dir/ctf\"" >/dev/null 2>&1
is "$(counted "$dir/ctf" | cut -d ' ' -f 1)" 670 "buffers in CTF"

echo "no recording" >"$dir/other"
ok "another file is not taken" sh -c "! babeltrace2 '$dir/other' >/dev/null 2>&1"
printf '\027\010\104tracing9' >"$dir/other"
said=$(babeltrace2 --component source.rbmap.dat --params "inputs=[\"$dir/other\"]" 2>&1)
like "$said" "the file is (truncated|not a trace.dat)" "a file that is not a recording is an error"
said=$(babeltrace2 --component source.rbmap.dat \
	--params "inputs=[\"$dir/trace.dat\"],buffer=\"x\"" 2>&1 >/dev/null)
like "$said" "there is one parameter: 'inputs'" "a parameter that does not exist is an error"

# damage SEED: changes some bytes of the recording
damage()
{
	python3 - "$dir/trace.dat" "$dir/damaged.dat" "$1" <<'END'
import random
import sys
data = bytearray(open(sys.argv[1], "rb").read())
choice = random.Random(int(sys.argv[3]))
begin = 0 if choice.random() < 0.3 else len(data) // 2
for _ in range(choice.randrange(1, 30)):
    data[choice.randrange(begin, len(data))] = choice.randrange(256)
open(sys.argv[2], "wb").write(data[:len(data) - choice.choice((0, choice.randrange(5000)))])
END
}

survived=0
for seed in $(seq 25); do
	damage "$seed"
	timeout 20 babeltrace2 "$dir/damaged.dat" >/dev/null 2>&1
	[ $? -ge 124 ] || survived=$((survived + 1))
done
is "$survived" 25 "damaged recordings end in events or in an error"

# --- the end of source.rbmap.live, with functions in place of rings
mkdir -p "$dir/root/dev/rbmap" "$dir/root/sys/devices/system/cpu" \
	"$dir/root/sys/kernel/rbmap/per_cpu/cpu0" "$dir/root/sys/kernel/rbmap/per_cpu/cpu1"
: >"$dir/root/dev/rbmap/cpu0"
echo 0-2 >"$dir/root/sys/devices/system/cpu/possible"
cc -shared -fPIC -D_GNU_SOURCE -Iuserspace/lib -o "$dir/rings.so" \
	tests/babeltrace2/preload_rings.c -ldl
LD_PRELOAD="$dir/rings.so" RBMAP_TEST_ROOT="$dir/root" babeltrace2 \
	-c source.rbmap.live -p seconds=0.05 >"$dir/text" 2>"$dir/errors" || diag <"$dir/errors"
is "$(sed -n 's/^WARNING: Tracer discarded \([0-9]*\) events* .*"cpu0".*/\1/p' "$dir/errors")" 25 \
	"losses before a sub-buffer that comes after the end are told, and what the kernel missed"
is "$(sed -n 's/^WARNING: Tracer discarded \([0-9]*\) events* .*"cpu2".*/\1/p' "$dir/errors")" 40 \
	"what a CPU that came later has overwritten is lost"
is "$(grep ^rbmap: "$dir/errors")" "rbmap: CPU 1 has no ring in /dev/rbmap, and 220 events of it are lost" \
	"a CPU that has events and no ring is told"
rm -r "$dir/root/dev"
LD_PRELOAD="$dir/rings.so" RBMAP_TEST_ROOT="$dir/root" babeltrace2 \
	-c source.rbmap.live -p seconds=0.05 >"$dir/text" 2>"$dir/errors"
like "$(tr -s ' \n' ' ' <"$dir/errors")" '/dev/rbmap: it does not exist, although the module is loaded' \
	"without devices, as in a container, the message does not say that the module is absent"
done_testing
