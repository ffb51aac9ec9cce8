#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU that has never been online before (the kernel was booted with maxcpus=1) comes
# online while the module is loaded, with enough memory for its ring and without.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/cpu1.sh
. /tests/lib/cpu1.sh

if [ ! -w $online ] || [ "$(cat $online)" = 1 ]; then
	skip_all "no CPU that is off line: boot with maxcpus=1"
fi
ok "module loads" load_module rbmap buffer_size_kb=512 || done_testing
fails "CPU 1 has no device" test -e /dev/rbmap/cpu1
# libtracefs needs a file for each CPU of the machine.
ok "rbmap tracefs-dir without CPU 1's ring" rbmap tracefs-dir /tmp/tracing
results "without CPU 1's ring: " /tests/tracefs /tmp/tracing
ok "the directory goes" rbmap tracefs-dir --remove /tmp/tracing
ok "CPU 1 comes on line" sh -c "echo 1 >$online"
ok "CPU 1 has a device" retry_until 30 test -e /dev/rbmap/cpu1
ok "CPU 1 has stats" test -e /sys/kernel/rbmap/per_cpu/cpu1/stats
ok "events come through" lifetime check 1
results "" lifetime offline 1
ok "module unloads" rmmod rbmap

# No memory for the ring.

ok "CPU 1 goes off line" sh -c "echo 0 >$online"
ok "module loads with a ring that takes most of the memory" \
	load_module rbmap buffer_size_kb="$(share 6)" || done_testing
ok "the other CPUs get their rings" sh -c ": </dev/rbmap/cpu0"
ok "CPU 1 comes on line without a ring" sh -c "echo 1 >$online"
like "$(last_logged)" 'no memory for the ring of CPU 1.*choose a smaller buffer_size_kb' \
	"the log says how much it takes, and what to do"
is "$(cat $rb/cpus_lacking)" 1 "CPU 1 is in cpus_lacking"
like "$(rbmap status)" 'no memory *for the ring or files of CPU 1' "rbmap status says so"
is "$(cat $rb/per_cpu/cpu1/buffer_size_kb)" X "CPU 1's ring has no size"
said sh -c ": </dev/rbmap/cpu1"
like "$output" 'Cannot allocate memory|Out of memory' "CPU 1's device cannot be opened"
on_cpu1 10
is "$(counted 'dropped no ring')" 10 "CPU 1's events are counted as dropped without a ring"
is "$(counted 'lost events')" 10 "CPU 1's events are counted as lost"
echo 0 >$rb/tracing_on
on_cpu1 3
echo 1 >$rb/tracing_on
on_cpu1 1
is "$(counted 'dropped no ring') $(counted disabled)" "11 3" \
	"events while tracing is off count as disabled, not as lost"
ok "rings become smaller" sh -c "echo 64 >$rb/buffer_size_kb"
ok "CPU 1 lacks nothing now" \
	retry_until 10 sh -c "[ -z \"\$(cat $rb/cpus_lacking)\" ]"
is "$(cat $rb/per_cpu/cpu1/buffer_size_kb)" 64 "CPU 1's ring is as large as the others"
is "$(counted 'dropped no ring')" 11 "earlier losses are still counted"
on_cpu1 5
is "$(counted entries)" 5 "CPU 1's events are recorded"
dd if=/dev/rbmap/cpu1 of=/dev/null bs=4096 count=1 2>/dev/null
is "$(counted 'read events') $(counted 'lost reported')" "5 11" \
	"the reader of CPU 1 reports the earlier losses"
results "" lifetime offline 1
ok "module unloads" rmmod rbmap
done_testing
