#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All events of the kernel and all system calls are recorded for ALL_SECONDS, under stress,
# with a CPU that goes and comes. Each call is received or missed, each received record is in
# a ring or dropped, and each one in a ring was read, is unread, or was overwritten.
# shellcheck disable=SC2317 # retry_until calls the function
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
seconds=${ALL_SECONDS:-120}
cpu=/sys/devices/system/cpu/cpu1
cd /tmp || exit 1
mkdir -p cgroup /sys/kernel/tracing
mount -t cgroup2 none cgroup
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing

ok "module loads" load_module rbmap buffer_size_kb=8192 || done_testing
ok "all events can be named" put available_events '*:*'
grep -l -e '^kernel$' -e '^syscall$' -e '^foreign$' $events/*/*/source |
	sed 's|.*/events/||; s|/source$||; s|/|:|' >names
diag "$(wc -l <names) events"

sums()
{
	awk -F ': *' -v key="$1" '$1 == key { sum += $2 } END { printf "%.0f\n", sum + 0 }' \
		$events/*/*/counts
}

# Work of all kinds, until the file `stop` exists
work()
{
	while [ ! -e stop ]; do
		find /proc /sys/kernel/rbmap -type f -name 'stat*' -exec cat {} + >/dev/null 2>&1
		dd if=/dev/zero of="file.$1" bs=64k count=64 2>/dev/null
		rm "file.$1"
		mkdir "cgroup/$1" && rmdir "cgroup/$1"
		for _ in 1 2 3 4 5; do /bin/busybox true; done
		echo 1 >/proc/sys/vm/drop_caches
		cat /sys/kernel/rbmap/per_cpu/*/stats | gzip >/dev/null
	done
}

put set_event "$(cat names)"
for device in /dev/rbmap/cpu[0-9]*; do
	cat "$device" >/dev/null &
	readers="$readers $!"
done
work 1 & workers=$!
work 2 & workers="$workers $!"
end=$(($(date +%s) + seconds)) rounds=0
while [ "$(date +%s)" -lt $end ]; do
	echo 0 >$cpu/online
	sleep 2
	echo 1 >$cpu/online
	sleep 8
	rounds=$((rounds + 1))
done
touch stop
# shellcheck disable=SC2086 # numbers
wait $workers
ok "all events are disabled" put set_event ' '
settled()
{
	before=$(summed 'read events')
	sleep 1
	[ "$(summed 'read events')" = "$before" ]
}
ok "the readers have read" retry_until 60 settled
# shellcheck disable=SC2086 # numbers
kill $readers

calls=$(sums calls) received=$(sums received) missed=$(sums missed)
diag "$rounds times a CPU went; $calls calls, $received received, $missed missed"
ok "there was stress" test "$received" -gt 100000
is $((received + missed)) "$calls" "each call is received or missed"
is "$(summed missed)" "$missed" "stats count what was missed"
is $(($(summed emitted) + $(summed 'dropped events'))) "$received" \
	"each record that was received is in a ring, or counted as dropped"
is $(($(summed 'read events') + $(summed entries) + $(summed overrun) + $(summed expired))) \
	"$(summed emitted)" "each record in a ring was read, is unread, or was overwritten"
ok "records were read" test "$(summed 'read events')" -gt 10000
umount cgroup
ok "module unloads" rmmod rbmap
done_testing
