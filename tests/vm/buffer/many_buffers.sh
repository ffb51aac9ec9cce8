#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A thousand buffers with the same event, on a machine with many possible CPUs. Each buffer
# has its devices and its event, and some stop and begin again. The kernel's log must have no
# warning, such as that of a large allocation that must not fail. NR_BUFFERS=1020
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
buffers=${NR_BUFFERS:-1020}
event=events/sched/sched_process_exit/enable
diag "possible CPUs: $(cat /sys/devices/system/cpu/possible)"
ok "the module loads" load_module rbmap buffer_size_kb=16 || done_testing

names()
{
	seq "$buffers" | sed 's/^/many/'
}

create()
{
	names | while read -r name; do
		echo "$name" >$root/instances/create && echo 1 >"$root/instances/$name/$event" || exit 1
	done
}

destroy()
{
	names | while read -r name; do
		echo "$name" >$root/instances/destroy || exit 1
	done
}

# exits BUFFER: prints how many events a buffer has
exits()
{
	summed emitted "$root/instances/$1"
}

# used: prints how many buffers have events of CPU 0
used()
{
	grep -l '^emitted: [1-9]' $root/instances/many*/per_cpu/cpu0/stats | wc -l
}

# switch VALUE NUMBER...: sets the event of some buffers
switch()
{
	value=$1
	shift
	for number; do
		echo "$value" >"$root/instances/many$number/$event" || return 1
	done
}

ok "$buffers buffers with the event" create
is "$(echo /dev/rbmap/many*/cpu0 | wc -w)" "$buffers" "each has its devices"
taskset 1 /bin/busybox true
is "$(used)" "$buffers" "each has events"
last=$buffers
ok "it stops in some" switch 0 1 2 $((last / 2)) $((last - 1)) "$last"
before=$(exits many3)
stopped=$(exits many1)
/bin/busybox true
ok "the others have further ones" [ "$(exits many3)" -gt "$before" ]
is "$(exits many1)" "$stopped" "those have none"
ok "it begins again" switch 1 1 2 $((last / 2)) $((last - 1)) "$last"
/bin/busybox true
ok "it is there again" [ "$(exits many1)" -gt "$stopped" ]
ok "it stops in all but one" sh -c "seq $((last - 1)) | while read -r number; do
	echo 0 >$root/instances/many\$number/$event || exit 1; done"
before=$(exits "many$last")
/bin/busybox true
ok "this one has further ones" [ "$(exits "many$last")" -gt "$before" ]
ok "all buffers end" destroy
ok "the module unloads" rmmod rbmap
done_testing
