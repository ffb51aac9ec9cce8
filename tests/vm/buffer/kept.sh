#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Buffers that end with a file of /dev/rbmap/control; the marker that reaches all buffers;
# tracing_cpumask. SHORT=1 looks for leaked memory in some of these cases.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

root=/sys/kernel/rbmap
instances=$root/instances
dev=/dev/rbmap
cpus=$(grep -c '^processor' /proc/cpuinfo)

ok "the module loads" load_module rbmap buffer_size_kb=64 || done_testing
is "$(stat -c '%a %U' $dev/control)" "600 root" "only root can open the control device"
results "" kept
is "$(cat /sys/module/rbmap/refcnt)" 0 "no reference to the module is left"

# ---- the marker
for name in a b; do
	echo $name >$instances/create || fail "create $name"
done
# got DEVICES: prints the texts that a buffer's rings have, and takes them out
got()
{
	kept texts "$1" | xargs
}
echo text-1 >$dev/marker
is "$(got $dev)/$(got $dev/a)/$(got $dev/b)" "text-1/text-1/text-1" \
	"what is written to the default buffer's marker reaches all buffers"
echo text-2 >$dev/a/marker
is "$(got $dev)/$(got $dev/a)/$(got $dev/b)" "/text-2/" \
	"what is written to another buffer's marker reaches that buffer alone"
echo 0 >$instances/a/events/rbmap/marker/enable
echo text-3 >$dev/marker
is "$(got $dev)/$(got $dev/a)/$(got $dev/b)" "text-3//text-3" "a buffer that has it disabled is left out"
echo 0 >$root/events/rbmap/marker/enable
echo text-4 >$dev/marker
is "$(got $dev)/$(got $dev/a)/$(got $dev/b)" "//text-4" "so is the default buffer"
echo 0 >$instances/b/tracing_on
is "$( (echo text-5 >$dev/marker) 2>&1 | sed 's/.*: //')" "Bad file descriptor" "the only one that wants it is off"
echo 0 >$instances/b/events/rbmap/marker/enable
is "$( (echo text-6 >$dev/marker) 2>&1 | sed 's/.*: //')" "Bad file descriptor" "no buffer wants it"
echo 1 >$root/events/rbmap/marker/enable
echo 1 >$instances/b/tracing_on
echo 1 >$instances/b/events/rbmap/marker/enable
echo 'buf == "x"' 2>/dev/null >$instances/b/events/rbmap/marker/filter ||
	echo 'common_pid == 1' >$instances/b/events/rbmap/marker/filter
echo text-7 >$dev/marker
is "$(got $dev)/$(got $dev/a)/$(got $dev/b)" "text-7//" "a filter counts for its buffer alone"
echo 0 >$instances/b/events/rbmap/marker/filter
echo 0 >$instances/b/options/copy_trace_marker
echo text-8 >$dev/marker
echo text-9 >$dev/b/marker
is "$(got $dev)/$(got $dev/a)/$(got $dev/b)" "text-8//text-9" "a buffer with copy_trace_marker 0 is left out"
echo 1 >$instances/b/options/copy_trace_marker
ok "buffer a is destroyed" sh -c "echo a >$instances/destroy"
echo text-10 >$dev/marker
is "$(got $dev)/$(got $dev/b)" "text-10/text-10" "a destroyed buffer is left out"

# ---- CPUs
all=$(cat $root/tracing_cpumask)
is "$all" "$(printf %x $(((1 << cpus) - 1)))" "events of all CPUs are recorded"
ok "only those of CPU 0 are recorded" sh -c "echo 1 >$root/tracing_cpumask"
is "$(cat $root/tracing_cpumask)" 1 "the file shows it"
for cpu in 0 1; do
	taskset $((1 << cpu)) sh -c "echo text-on-$cpu >$dev/marker" 2>/dev/null
done
is "$(got $dev)" text-on-0 "only events of CPU 0 are recorded"
is "$(awk '/^disabled/ { print $2 }' $root/per_cpu/cpu1/stats)" 1 "the other one is counted"
echo 128 >$root/buffer_size_kb
taskset 2 sh -c "echo text-new >$dev/marker" 2>/dev/null
is "$(got $dev)" "" "a new ring obeys, too"
echo 0 >$root/tracing_on
echo 1 >$root/tracing_on
taskset 2 sh -c "echo text-again >$dev/marker" 2>/dev/null
is "$(got $dev)" "" "so it is after tracing_on"
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
cpumask_error()
{
	(echo "$2" >"$1/tracing_cpumask") 2>&1 | sed 's/.*: //'
}
for bad in x 0-3 "1 2" fffffffff00000000000000000000000000000000000000000000000001; do
	is "$(cpumask_error $root "$bad")" "$(cpumask_error /sys/kernel/tracing "$bad")" \
		"'$bad' is refused as by tracefs"
done
is "$(cpumask_error $root "$bad")" "Value too large for defined data type" "a processor that cannot exist: EOVERFLOW"
is "$(cat $root/tracing_cpumask)" 1 "refused masks change nothing"
echo "$all" >$root/tracing_cpumask
taskset 2 sh -c "echo text-2 >$dev/marker"
is "$(got $dev)" text-2 "events of all CPUs are recorded again"

many()
{
	kept ${SHORT:+brief} >/dev/null
}
gives_back "buffers that end with a file" 1024 512 many
ok "the module unloads" rmmod rbmap
done_testing
