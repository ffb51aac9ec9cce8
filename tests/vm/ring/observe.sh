#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An observer does not consume: alone, and when ten observers follow a ring beside a
# recorder under load, which must get the same events as without them. SHORT=1 compares with
# no ring without observers, and writes fewer events.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/ring.sh
. /tests/lib/ring.sh

# SHORT leaves the rings without observers to exact.sh.
many=12000 number=20000 counts="0 10"
[ -z "${SHORT:-}" ] || many=4000 number=5000 counts=10

ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb)) ||
	done_testing
results "observe: " observe

# look ARGUMENT...: stores the marks that rbmap stream prints in $out
out=$(mktemp)
err=$(mktemp)
look()
{
	rbmap stream "$@" 2>"$err" | sed -n 's/.*: mark \([0-9]*\)$/\1/p' >"$out"
}

# marks FROM TO: writes numbered marks
marks()
{
	for i in $(seq "$1" "$2"); do
		echo "mark $i" >/dev/rbmap/marker
	done
}

unread()
{
	cat /sys/kernel/rbmap/per_cpu/cpu*/stats |
		awk -F: '$1 == "entries" { sum += $2 } END { print sum }'
}

# The program above has left rings of another size.
echo $((16 * page_kb)) >/sys/kernel/rbmap/buffer_size_kb
echo 1 >/sys/kernel/rbmap/reset
marks 1 40
look --observe --no-follow
ok "stream --observe --no-follow prints the events in the rings" \
	test "$(tr '\n' ' ' <"$out")" = "$(seq 40 | tr '\n' ' ')"
is "$(tail -n 1 "$err")" "40 events seen, 0 missed" "the observer has missed nothing"
is "$(unread)" 40 "the observer has consumed nothing"
rbmap stream --observe -d 60 -n 60 2>/dev/null >"$out.2" &
marks 41 60
wait $!
is "$(grep -c 'mark' "$out.2")" 60 "stream --observe prints new events, too"
is "$(unread)" 60 "following with --observe has consumed nothing"
look --no-follow
ok "a reader gets all events" test "$(tr '\n' ' ' <"$out")" = \
	"$(seq 60 | tr '\n' ' ')"
is "$(unread)" 0 "the reader has consumed all events"
look --observe --no-follow
is "$(wc -l <"$out")" 60 "an observer still sees the consumed events"
# The output of an earlier run must not pass for the next one's.
rm "$out.2"
rbmap stream --observe 2>"$err" >"$out.2" &
pid=$!
# Stop the observer while the ring is overwritten several times.
retry_until 30 test -s "$out.2"
kill -STOP $pid
marks 61 $many
kill -CONT $pid
marks $((many + 1)) $((many + 200))
# The observer must read again before it is interrupted. On a kernel with debugging checks
# it has many marks to print, which takes long.
ok "an observer that was stopped goes on" retry_until 300 grep -q "mark $((many + 200))" "$out.2" ||
	tail -n 1 "$out.2" | diag
kill -INT $pid
wait $pid
ok "an observer that was stopped reports missed events" grep -Eq \
	'^[0-9]+ events seen, [1-9][0-9]* missed' "$err" || diag <"$err"
rm -f "$out" "$out.2" "$err"
ok "module unloads" rmmod rbmap || done_testing

with_ring 64K 4 64
for n in $counts; do
	results "$n observers: " exact --observers "$n" emit $number \
		overwrite-map-fast overwrite-map-end discard-map-slow
done
without_ring 64K

# In a large ring neither the recorder nor the observers lose events.
with_ring 32M 4 32768
for n in $counts; do
	results "large ring, $n observers: " exact --observers "$n" --lossless \
		emit 5000 overwrite-map-fast
done
without_ring 32M

# With two slots, sub-buffers are overwritten while an observer copies them.
with_ring "2 slots" 4 8
results "2 slots: " exact --observers 10 emit $number overwrite-map-fast
without_ring "2 slots"
done_testing
