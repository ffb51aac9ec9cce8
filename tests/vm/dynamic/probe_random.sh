#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Choose tracepoints at random (PROBES=100, RBMAP_TEST_SEED=N). An event of each fetches all
# arguments and the memory that they point to. All events are enabled at once, for
# PROBE_SECONDS under load. The kernel's log reports faults.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
nr=${PROBES:-100}
seed=${RBMAP_TEST_SEED:-$(($(date +%s) % 100000))}
btf=
# On a kernel with other options the arguments are the same, but structures differ.
[ -e /sys/kernel/btf/vmlinux ] || btf="--btf /tests/stock.btf"

ok "module loads" load_module rbmap buffer_size_kb=2048 || done_testing

# Tracepoints of this kernel: each has a function that calls its probes.
sed -n 's/.* __traceiter_\([a-z_0-9A-Z]*\)$/\1/p' /proc/kallsyms | sort -u >/tmp/there
# shellcheck disable=SC2086 # split into words
rbmap probe fields $btf | sort -u >/tmp/known
diag "RBMAP_TEST_SEED=$seed, of $(wc -l </tmp/known) tracepoints"
# Tracepoints that are certainly hit come first.
sort /tmp/there /tmp/known | uniq -d | awk -v seed="$seed" '
	BEGIN { srand(seed) }
	{ at = rand() }
	/^(sched_switch|sched_wakeup|sched_process_fork|softirq_entry|kfree)$/ { at = 0 }
	{ printf "%.9f %s\n", at, $1 }' |
	sort | head -n "$nr" | cut -d ' ' -f 2 >/tmp/chosen
nr=$(wc -l </tmp/chosen)
ok "$nr tracepoints were chosen" test "$nr" -ge 50

# Fetch each argument; for a pointer also bytes and text at its target.
ok "all arguments are resolved" sh -c \
	"rbmap probe add $btf --dry-run -g random -f /tmp/chosen >/tmp/lines"
# shellcheck disable=SC2016 # $arg1 is the kernel's
sed -Ei 's/ [a-zA-Z0-9_]+=\$(arg[0-9]+):x64/& to_\1=+0($\1):x8[4] text_\1=+0($\1):string/g' \
	/tmp/lines
grep text_arg /tmp/lines | head -n 2 | sed 's/^/# /'
added=0
grep '^t:' /tmp/lines >/tmp/list
while read -r line; do
	echo "$line" >$root/dynamic_events && added=$((added + 1))
done </tmp/list
is "$added" "$nr" "all events are added"
is "$(rbmap probe list | wc -l)" "$nr" "all events are listed"
is "$(cat $root/events/random/*/status | sort | uniq -c | xargs)" "$nr available" \
	"all events have found their tracepoint"

# load: causes events until it is killed
load()
{
	while :; do
		dd if=/dev/zero of=/tmp/load bs=4k count=64 2>/dev/null
		cat /proc/self/maps /proc/meminfo >/dev/null
		(sleep 0.01 && rm -f /tmp/load) | cat
		echo marked >/dev/rbmap/marker
	done
}
load &
pids=$!
load &
pids="$pids $!"
rbmap stream >/tmp/stream 2>/tmp/sums &
stream=$!
ok "all events are enabled" sh -c "echo 1 >$root/events/random/enable"
is "$(cat $root/events/random/enable)" 1 "each event is on"
sleep "${PROBE_SECONDS:-5}"
ok "half of the events are removed while they fire" sh -c \
	"head -n $((nr / 2)) /tmp/chosen | sed 's/^/random:/' | xargs rbmap probe remove"
is "$(rbmap probe list | wc -l)" $((nr - nr / 2)) "the other events are still there"
kill $stream
wait $stream
is $? 0 "the reader runs to the end without an error"
diag "$(cat /tmp/sums)"
sed -n 's/^.*[0-9]: \([a-zA-Z_0-9]*\): .*/\1/p' /tmp/stream | sort | uniq -c | sort -rn >/tmp/hit
grep -v ' marker$' /tmp/hit >/tmp/hit_random
diag "$(wc -l </tmp/hit_random) of $nr were hit"
diag "$(head -n 12 /tmp/hit_random | awk '{ printf "%s %s, ", $2, $1 }')"
ok "events of several tracepoints were recorded" test "$(wc -l </tmp/hit_random)" -ge 5
ok "all events are removed" rbmap probe remove --all
fails "no directory of the events is left" test -e $root/events/random
# shellcheck disable=SC2086
kill $pids
ok "module unloads" retry_until 30 rmmod rbmap
done_testing
