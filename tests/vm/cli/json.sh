#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap stream --json prints the objects that rbmap report --json prints for the same
# events, and both say which events they are.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

cd /tmp || exit 1
ok "module loads" load_module rbmap || done_testing

# objects FILE: prints the objects of events, without names of threads: the two commands
# learn those in different ways. A stream does not know cgroups
objects()
{
	sed -n 's/"comm": "[^"]*"/"comm": ""/; s/, "ns_pid": [0-9]*//; s/, "cgroup": "[^"]*"//; /^{"ts"/p' "$1"
}

# The day may end while the test runs.
day=$(date -u +%F)
rbmap enable sched raw_syscalls irq
ls -lR /etc /bin >/dev/null 2>&1
rbmap disable sched raw_syscalls irq
rbmap stream --observe --no-follow --json >streamed 2>errors
is "$?" 0 "stream --json succeeds"
rbmap record -q -d 0 -o all.dat
rbmap report --json all.dat >reported 2>errors
ok "there are events" test "$(objects streamed | wc -l)" -gt 200
objects streamed >one
objects reported >two
ok "stream and report print the same objects" cmp one two || diff one two | head -n 4 | diag
kernel=$(uname -r | sed 's/[+.]/\\&/g')
for file in streamed reported; do
	like "$(head -n 1 $file)" "^\{\"rbmap_json\": 1, \"clock\": \"local\", \"unit\": \"ns\", \"host\": \"[^\"]*\", \"kernel\": \"$kernel\", \"machine\": \"$(uname -m)\", \"time\": \{\"ring\": [0-9]+, \"real\": [0-9]+, \"ring_step\": [0-9]+, \"real_step\": [0-9]+, \"utc\": \"($day|$(date -u +%F))T[0-9:.]+Z\"\}\}$" \
		"$file: the head has clock, kernel and time"
	is "$(grep -c rbmap_json $file)" 1 "$file: one line is a head"
	ok "$file: system calls have names" grep -q '"names": {"id": "openat"}}$' $file
	ok "$file: states have names" grep -qE '"prev_state": 1, .*"names": \{"prev_state": "S"' $file
	ok "$file: flags have names" grep -qF '"flags": 1, "flag_names": ["irqs_off"]' $file
done

# The head is there before the first event.
if grep -q x86-tsc /sys/kernel/rbmap/trace_clock; then
	rbmap stream --json -d 0.5 -C x86-tsc -e rbmap:marker >streamed 2>errors
	is "$(wc -l <streamed)" 1 "without an event: a head"
	like "$(cat streamed)" '"clock": "x86-tsc", "unit": "cycles", .*"time": null\}$' \
		"a single moment does not tell the time of a cycle"
else
	skip "not x86" "the head of a stream in cycles"
fi

# A loss is an object before the next event.
rbmap create small buffer_size_kb=$((4 * page_kb))
rbmap enable -B small rbmap:marker
i=0
while [ $((i += 1)) -le $((150 * page_kb)) ]; do
	echo "marker number $i, some text to fill the ring"
done >/dev/rbmap/small/marker
rbmap stream -B small --no-follow --json >streamed 2>errors
lost=$(sed -n 's/^{"cpu": [0-9]*, "lost": \([0-9]*\)}$/\1/p' streamed | awk '{ n += $1 } END { print n }')
is "$((lost + $(objects streamed | wc -l)))" $((150 * page_kb)) "each event is an object, or lost"
ok "some were lost" test "$lost" -gt 0
ok "the buffer goes" rbmap destroy small
ok "module unloads" rmmod rbmap
done_testing
