#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tracepoints at random (PROBES=100, PROBE_SEED=N), an event of each with all of
# its arguments and what is in memory where they point to, all at once, for
# PROBE_SECONDS under load.  What is wrong is the kernel log's business.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
nr=${PROBES:-100}
seed=${PROBE_SEED:-$(($(date +%s) % 100000))}
btf=
# Of a kernel with other options arguments are the same, structures are not.
[ -e /sys/kernel/btf/vmlinux ] || btf="--btf /tests/stock.btf"

ok "module loads" load_module rbmap buffer_size_kb=2048 || done_testing

# Those that the kernel has: each has a function that calls its probes.
sed -n 's/.* __traceiter_\([a-z_0-9A-Z]*\)$/\1/p' /proc/kallsyms | sort -u >/tmp/there
# shellcheck disable=SC2086 # words
rbmap probe fields $btf | sort -u >/tmp/known
diag "seed $seed, of $(wc -l </tmp/known) tracepoints"
# Some that are hit for sure come first.
sort /tmp/there /tmp/known | uniq -d | awk -v seed="$seed" '
	BEGIN { srand(seed) }
	{ at = rand() }
	/^(sched_switch|sched_wakeup|sched_process_fork|softirq_entry|kfree)$/ { at = 0 }
	{ printf "%.9f %s\n", at, $1 }' |
	sort | head -n "$nr" | cut -d ' ' -f 2 >/tmp/chosen
nr=$(wc -l </tmp/chosen)
ok "there are $nr" test "$nr" -ge 50

# Each argument, and of one that is a pointer bytes and text that it leads to.
ok "all are resolved" sh -c \
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
is "$added" "$nr" "all are added"
is "$(rbmap probe list | wc -l)" "$nr" "all are listed"
is "$(cat $root/events/random/*/status | sort | uniq -c | xargs)" "$nr available" \
	"all have found their tracepoint"

# load: until it is killed
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
ok "all are enabled" sh -c "echo 1 >$root/events/random/enable"
is "$(cat $root/events/random/enable)" 1 "each is on"
sleep "${PROBE_SECONDS:-5}"
ok "half are removed while they fire" sh -c \
	"head -n $((nr / 2)) /tmp/chosen | sed 's/^/random:/' | xargs rbmap probe remove"
is "$(rbmap probe list | wc -l)" $((nr - nr / 2)) "the others are there"
kill $stream
wait $stream
is $? 0 "they are read all the while"
diag "$(cat /tmp/sums)"
sed -n 's/^.*[0-9]: \([a-zA-Z_0-9]*\): .*/\1/p' /tmp/stream | sort | uniq -c | sort -rn >/tmp/hit
grep -v ' marker$' /tmp/hit >/tmp/hit_random
diag "$(wc -l </tmp/hit_random) of $nr were hit"
diag "$(head -n 12 /tmp/hit_random | awk '{ printf "%s %s, ", $2, $1 }')"
ok "many were hit" test "$(wc -l </tmp/hit_random)" -ge 5
ok "all are removed" rbmap probe remove --all
fails "nothing is left of them" test -e $root/events/random
# shellcheck disable=SC2086
kill $pids
ok "module unloads" retry_until 30 rmmod rbmap
done_testing
