#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# The default buffer gets its rings at its first use. The test has calls that are a use or are
# not, CPUs that come before and after it, no memory for it, several first uses at once.
# SHORT=1: fewer rounds, no measurement twice, and no memory for one of the uses.
# shellcheck disable=SC2016,SC2086,SC2119,SC2120,SC2317 # for inner shells; called by ok, with arguments
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/cpu1.sh
. /tests/lib/cpu1.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

dev=/dev/rbmap
emit=/sys/module/emit/parameters
failing=/sys/module/failing/parameters
cpus=$(grep -c '^processor' /proc/cpuinfo)
small=$((16 * page_kb))
rounds=20 costs=5 failures=12
[ -z "${SHORT:-}" ] || rounds=3 costs=3 failures=8

# each NUMBER: prints it once for each CPU
each()
{
	yes "$1" | head -n "$cpus" | xargs
}

# rings: prints how many rings each CPU has had
rings()
{
	awk '$1 == "generation:" { print $2 }' $rb/per_cpu/cpu*/stats | xargs
}

no_rings=$(each 0)
first_rings=$(each 1)

load()
{
	load_module rbmap "buffer_size_kb=$small" "$@"
}

fresh()
{
	! is_loaded rbmap || rmmod rbmap || return 1
	load "$@"
}

# leaves TEXT COMMAND...: the command succeeds, and the CPUs have no rings after it
leaves()
{
	local text=$1

	shift
	ok "$text" "$@" || fresh
	is "$(rings)" "$no_rings" "$text: no rings" || fresh
}

# expands TEXT COMMAND...: the command is the first use
expands()
{
	local text=$1

	shift
	ok "$text: the module loads" fresh || done_testing
	is "$(rings)" "$no_rings" "$text: no rings before"
	ok "$text" "$@"
	is "$(rings)" "$first_rings" "$text: each CPU has a ring"
}

put()
{
	echo "$2" >"$rb/$1"
}

opens()
{
	true <"$dev/$1"
}

marks()
{
	echo "${2:-text}" >"$dev/$1"
}

# out_of_memory COMMAND...: fails for want of memory
out_of_memory()
{
	"$@" 2>/tmp/error
	grep -qE 'Cannot allocate memory|Out of memory' /tmp/error
}

# --- memory

# cost: prints the KiB that loading the module takes
cost()
{
	rmmod rbmap
	set -- "$(memory | cut -d ' ' -f 1)" "$@"
	load_module rbmap || return 1
	echo "$(($1 - $(memory | cut -d ' ' -f 1)))"
}

# usual: prints the median of some costs: others take and free memory, too
usual()
{
	for turn in $(seq $costs); do
		cost
	done | sort -n | tee /dev/stderr | sed -n "$(((costs + 1) / 2))p"
}

# A kernel may take 2 MiB for the code of the first module, from which others get theirs.
ok "another module loads" load_module failing
ok "the module loads" load || done_testing
module_kb=$(awk '$1 == "rbmap" { print int($2 / 1024) }' /proc/modules)
# The events and the files that do not depend on the number of CPUs take less than 400 KiB,
# and the measurement has some noise. With their rings the CPUs would take 1433 KiB each.
if grep -qw __asan_store8 /proc/kallsyms; then
	skip "KASAN has memory of its own" "the memory of a load"
else
	at_most $(($(usual) - module_kb - 1024)) $((64 * cpus)) \
		"KiB that the module takes for the CPUs, with rings of 1408 KiB to come"
fi

ok "the other module unloads" rmmod failing

# --- what is not a use

ok "the module loads again" fresh || done_testing
leaves "all files are read" sh -c "find $rb -type f -exec cat {} + >/dev/null 2>&1; true"
is "$(cat $rb/buffer_size_kb $rb/per_cpu/cpu0/buffer_size_kb | xargs)" "$small $small" \
	"the size is that of the rings to come"
is "$(cat $rb/buffer_subbuf_size_kb)" "$page_kb" "the size of a sub-buffer, too"
is "$(awk -F ': ' '$1 == "slots" || $1 == "subbuf size" { print $2 }' $rb/per_cpu/cpu0/stats | xargs)" \
	"16 $((page_kb << 10))" "stats have these sizes, too"
is "$(cat $rb/cpus_lacking)" "" "no CPU lacks memory"
leaves "rbmap status, list and stat" sh -c "{ rbmap status && rbmap list && rbmap stat; } >/dev/null"
leaves "trace is read" grep -q 'entries-in-buffer/entries-written: 0/0' $dev/trace
leaves "trace is truncated" sh -c ": >$dev/trace && : >$dev/per_cpu/0/trace"
leaves "trace_pipe is opened" opens trace_pipe
leaves "recording is switched" sh -c "echo 0 >$rb/tracing_on && echo 1 >$rb/tracing_on"
leaves "the mode is set" put overwrite 0
leaves "the mode is set back" put overwrite 1
leaves "the clock is set" put trace_clock mono
leaves "the watermark is set" put buffer_percent 10
leaves "the CPUs are chosen" put tracing_cpumask 1
leaves "the limit of retired rings is set" put retired_size_kb 1024
leaves "a filter is set" put events/sched/sched_switch/filter 'prev_pid == 1'
leaves "an event is turned off" put events/sched/sched_switch/enable 0
leaves "the counters restart" put reset 1
leaves "a snapshot is discarded" put snapshot 0
leaves "kptr is set and cleared" sh -c "echo 1 >$rb/kptr && echo 0 >$rb/kptr"
leaves "a file of a snapshot is refused" sh -c "! true <$dev/snapshot/cpu0" 2>/dev/null
leaves "events that do not exist are refused" sh -c "! echo no:event >$rb/set_event" 2>/dev/null
leaves "a bad size is refused" sh -c "! echo 0 >$rb/buffer_size_kb" 2>/dev/null
leaves "another buffer is used" sh -c "echo other >$rb/instances/create &&
	echo 1 >$rb/instances/other/events/sched/sched_switch/enable && : <$dev/other/cpu0 &&
	echo other >$rb/instances/destroy"
leaves "rbmap record" \
	sh -c "rbmap record -e sched:sched_switch -o /tmp/recorded.dat -- true >/dev/null 2>&1"
leaves "the marker's event is turned off" put events/rbmap/marker/enable 0
leaves "a marker that records nothing here is opened" opens marker
unavailable=$(grep -l '^unavailable' $rb/events/*/*/status | head -n 1)
leaves "an unavailable event is refused" sh -c "! echo 1 >${unavailable%/*}/enable" 2>/dev/null
ok "the module unloads without a use" rmmod rbmap

# --- what is a use

ok "the module loads" load || done_testing
expands "a device is opened" opens cpu0
expands "an event is enabled" put events/sched/sched_switch/enable 1
expands "a system is enabled" put events/sched/enable 1
expands "set_event" put set_event sched:sched_switch
expands "the marker is opened" opens marker
expands "marker_raw is opened" opens marker_raw
expands "the marker's event is enabled once more" put events/rbmap/marker/enable 1
expands "the size is set" put buffer_size_kb $((2 * small))
is "$(awk '$1 == "slots:" { print $2 }' $rb/per_cpu/cpu0/stats) $(cat $rb/buffer_size_kb)" \
	"32 $((2 * small))" "the rings have the new size"
expands "the size is set again" put buffer_size_kb $small
expands "the size of sub-buffers is set" put buffer_subbuf_size_kb $((2 * page_kb))
is "$(awk '$1 == "slots:" { print $2 }' $rb/per_cpu/cpu0/stats)" 8 "the rings have such sub-buffers"
ok "the module loads" fresh
ok "the size of one CPU is set" put per_cpu/cpu0/buffer_size_kb $((2 * small))
is "$(cat $rb/per_cpu/cpu*/buffer_size_kb | xargs)" "$((2 * small))$(each $small | cut -d ' ' -f 2- | sed 's/^/ /')" \
	"this CPU has the new size, the others the size of before"
ok "the module loads" fresh
ok "a snapshot is taken" put snapshot 1
is "$(cat $rb/snapshot)" 1 "there is a snapshot"
expands "a module asks for the default buffer" load_module emit
ok "the module unloads" rmmod emit
ok "the module loads" fresh
ok "a module with a buffer of its own loads" load_module emit own=mine own_kb=64
is "$(rings)" "$no_rings" "a module's own buffer needs no rings of the default buffer"
ok "the module finds the default buffer" sh -c "echo >$emit/find"
is "$(summed emitted) $(summed 'lost events')" "1 0" "the module's event is there"
ok "the module unloads" rmmod emit

# --- settings of before

ok "the module loads" fresh
put overwrite 0
put tracing_cpumask 1
opens marker
is "$(rings)" "$first_rings" "the buffer is used after its settings"
on_cpu1 10
is "$(counted emitted) $(counted disabled)" "0 10" "the chosen CPUs count from the first event on"
taskset 1 sh -c "i=0; while [ \$i -lt $((small / 2)) ]; do head -c 2500 /dev/zero | tr '\\0' x; i=\$((i + 1)); done >$dev/marker" 2>/dev/null
is "$(summed overrun)" 0 "the mode counts from the first ring on"
ok "the module loads" fresh
put tracing_on 0
marks marker 2>/dev/null
is "$(summed emitted) $(summed disabled)" "0 1" "a buffer that is off gets rings that are off"

# --- a reader before the first use

ok "the module loads" fresh
cat $dev/trace_pipe >/tmp/piped &
piped=$!
ok "trace_pipe waits" retry_until 10 has_open $piped $dev/trace_pipe
is "$(rings)" "$no_rings" "trace_pipe waits without rings"
ok "somebody writes" marks marker first
ok "trace_pipe prints the event" retry_until 10 grep -q first /tmp/piped
kill $piped
wait $piped 2>/dev/null

# --- hotplug

if [ -w $online ]; then
	rmmod rbmap
	echo 0 >$online
	ok "the module loads while CPU 1 is off line" load
	ok "CPU 1 comes on line before the first use" sh -c "echo 1 >$online"
	is "$(counted generation)" 0 "CPU 1 has no ring before the first use"
	is "$(cat $rb/per_cpu/cpu1/buffer_size_kb)" $small "CPU 1's ring will be as large as the others"
	ok "the first use" opens cpu0
	is "$(rings)" "$first_rings" "CPU 1 has its ring"
	on_cpu1 5
	is "$(counted emitted) $(counted 'lost events')" "5 0" "CPU 1 records"
	ok "the module loads" fresh
	echo 0 >$online
	ok "the first use while CPU 1 is off line" opens cpu1
	is "$(rings)" "$first_rings" "CPU 1 has its ring nevertheless"
	echo 1 >$online
	on_cpu1 5
	is "$(counted emitted) $(counted 'lost events')" "5 0" "CPU 1 records when it is back"
	rmmod rbmap
	echo 0 >$online
	ok "the module loads while CPU 1 is off line" load
	ok "the first use" opens cpu0
	fails "CPU 1 has no file" test -e $rb/per_cpu/cpu1
	ok "CPU 1 comes on line after the first use" sh -c "echo 1 >$online"
	is "$(counted generation)" 1 "CPU 1 has its ring at once"
else
	skip "CPU 1 cannot go off line" "hotplug"
fi

# --- no memory

# no_memory TEXT COMMAND...: the first use fails, changes nothing, and succeeds later
no_memory()
{
	local text=$1

	shift
	ok "$text: the module loads" fresh buffer_size_kb="$kb" || done_testing
	dd if=/dev/zero of=/tmp/full/file bs=64k count=$(($(share 8) / 64)) 2>/dev/null
	dmesg -c >/dev/null
	ok "$text: fails without memory" out_of_memory "$@"
	is "$(rings) $(cat $rb/cpus_lacking)" "$no_rings " "$text: no rings, and none is missing"
	like "$(last_logged)" "no memory for the rings: [0-9]+ KiB for $cpus CPUs \(buffer_size_kb=[0-9]+\), [0-9]+ KiB are available: choose a smaller buffer_size_kb; each use tries again" \
		"$text: the log has the cause and the remedy"
	like "$(cat $dev/error_log)" 'buffer_size_kb: error: no memory for the rings' \
		"$text: error_log, too"
	is "$(cat $rb/set_event | grep -v '^rbmap:')" "" "$text: no event is enabled"
	rm /tmp/full/file
	ok "$text: succeeds when there is memory" "$@"
	is "$(rings | tr ' ' '\n' | grep -cx 0)" 0 "$text: each CPU has a ring"
	is "$(summed 'lost events')" 0 "$text: nothing is lost"
}

mkdir -p /tmp/full
mount -t tmpfs -o size=90% full /tmp/full
rmmod rbmap
# The rings exceed what is left, and fit twice without the file.
kb=$(($(share 3) / cpus))
no_memory "open a device" opens cpu0
if [ -z "${SHORT:-}" ]; then
	no_memory "enable by set_event" put set_event sched:sched_switch
	no_memory "enable an event" put events/sched/sched_switch/enable 1
	no_memory "write a marker" marks marker
	no_memory "take a snapshot" put snapshot 1
fi

# A module gets no error. Its events are counted.
ok "the module loads" fresh buffer_size_kb="$kb"
dd if=/dev/zero of=/tmp/full/file bs=64k count=$(($(share 8) / 64)) 2>/dev/null
ok "a module with a buffer of its own loads" load_module emit own=mine own_kb=64
ok "the module cannot write to the default buffer" sh -c "! echo >$emit/find" 2>/dev/null
is "$(summed emitted) $(summed 'dropped no ring')" "0 1" "its event is counted as dropped"
is "$(cat $rb/cpus_lacking)" "$(cat /sys/devices/system/cpu/online)" "all CPUs lack their rings"
rm /tmp/full/file
ok "a write to a control file tries again" put overwrite 1
ok "no CPU lacks anything" retry_until 10 sh -c "[ -z \"\$(cat $rb/cpus_lacking)\" ]"
ok "the module writes to the default buffer" sh -c "echo >$emit/find"
is "$(summed emitted) $(summed 'lost events')" "1 1" "its event is there, and its loss"
ok "the module unloads" rmmod emit
umount /tmp/full

# An allocation fails in the middle: a ring takes two of these.
fails_often()
{
	for turn in $(seq $failures); do
		echo $((2 * cpus)) >$failing/nth
		out_of_memory opens cpu0 || echo "turn $turn" >>/tmp/succeeded
	done
	echo 0 >$failing/nth
}

# CPU 1 comes on line, and its first device cannot be made.
without_device()
{
	echo 0 >$online
	ok "the module loads while CPU 1 is off line" load
	echo 1 >$failing/nth
	echo 1 >$online
	echo 0 >$failing/nth
	is "$(cat $rb/cpus_lacking)" 1 "CPU 1 comes on line without its device"
	ok "a write to a control file tries again" put overwrite 1
	ok "CPU 1 lacks nothing" retry_until 10 sh -c "[ -z \"\$(cat $rb/cpus_lacking)\" ]"
	is "$(rings)" "$no_rings" "CPU 1 still has no ring"
	ok "the first use" opens cpu1
	is "$(rings)" "$first_rings" "each CPU has a ring"
	rmmod rbmap
}

ok "the module unloads" rmmod rbmap
if ! grep -qw register_kprobe /proc/kallsyms; then
	skip "this kernel has no kprobes" "allocations that fail"
elif ok "a module lets functions fail" load_module failing \
	functions=__kvmalloc_node_noprof,kvmalloc_node,device_create_with_groups; then
	[ ! -w $online ] || without_device
	# The first allocation is the array of the rings.
	for nth in $(seq $((2 * cpus + 1))); do
		case ${SHORT:+$nth} in
		2 | 4) continue ;;
		esac
		ok "allocation $nth: the module loads" fresh || done_testing
		put overwrite 0
		echo "$nth" >$failing/nth
		ok "allocation $nth: the first use fails" out_of_memory opens cpu0
		is "$(rings)" "$no_rings" "allocation $nth: no CPU has a ring"
		echo 0 >$failing/nth
		ok "allocation $nth: the next use succeeds" opens cpu0
		is "$(rings)" "$first_rings" "allocation $nth: each CPU has a ring"
	done
	ok "the module loads" fresh buffer_size_kb=256
	# The first turns fill caches. Rings that stay take 2 MiB or more in these turns.
	fails_often
	measured 1024 512 fails_often
	# shellcheck disable=SC2046 # split into words
	set -- $(grown)
	at_most "$1" 1024 "first uses that fail: KiB less free"
	is "$(cat /tmp/succeeded 2>/dev/null)" "" "each of them fails"
	ok "the module that lets functions fail unloads" rmmod failing
fi

# --- several first uses at once, while the module is loaded and unloaded

# at_once: starts several first uses, and waits for all
at_once()
{
	for use in "opens cpu0" "opens cpu1" "marks marker" "opens marker_raw" \
		"put events/sched/sched_switch/enable 1" "put set_event sched:sched_wakeup"; do
		($use || echo "$use" >>/tmp/at_once) &
		uses="$uses $!"
	done
	[ ! -w $online ] || { echo 0 >$online && echo 1 >$online; }
	wait
	[ "$(rings)" = "$first_rings" ] || echo "rings: $(rings)" >>/tmp/at_once
}

rm -f /tmp/at_once
for round in $(seq "$rounds"); do
	fresh || echo "load" >>/tmp/at_once
	at_once
	put events/enable 0
done
is "$(cat /tmp/at_once 2>/dev/null)" "" "several first uses at once allocate the rings once"

# The unload finds the module in use, or a use finds the module gone.
ends()
{
	fresh || return 1
	for file in cpu0 marker cpu1 marker_raw; do
		opens $file 2>/dev/null &
	done
	rmmod rbmap 2>/dev/null
	wait
	! is_loaded rbmap || rmmod rbmap
	! is_loaded rbmap && [ ! -e $dev ]
}
for round in $(seq "$rounds"); do
	ends || fail "round $round: the module does not unload"
done
pass "the module unloads during a first use"

use_and_unload()
{
	load && opens cpu0 && rmmod rbmap
}
gives_back "load, use and unload" 1024 512 use_and_unload
done_testing
