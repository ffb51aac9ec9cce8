#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Load, unload and everything that can happen in between: who holds the module,
# readers that are killed, bad parameters, sizes, CPUs that come and go.
# shellcheck disable=SC2317 # functions that "ok" calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

control=/sys/kernel/rbmap
file=/modules/rbmap.ko
# KiB of a CPU's ring with the smallest sub-buffers
most=$((65534 * page_kb))

# ---- parameters

# The module's lines in the log since the last call are in $log.
read_log()
{
	log=$(dmesg | sed "1,/lifetime mark $mark\$/d" | grep -v 'lifetime mark' |
		grep 'rbmap: ' | grep -vE 'loading out-of-tree|module verification')
	mark=$((mark + 1))
	echo "lifetime mark $mark" >/dev/kmsg
}
mark=0
echo "lifetime mark $mark" >/dev/kmsg

# refused PARAMETERS ERROR REGEX: one line of the log matches
refused()
{
	is "$(lifetime insert $file "$1")" "$2" "$1: $2" || rmmod rbmap
	read_log
	is "$(printf '%s\n' "$log" | grep -c .)" 1 "$1: one line in the log" ||
		diag "$log"
	like "$log" "$3" "$1: which says why"
}

# bug-16: sizes that overflow 32 or 64 bits are refused
refusals()
{
	refused buffer_size_kb=0 EINVAL 'buffer_size_kb=0: must be 1 to [0-9]+ '
	refused buffer_size_kb=18446744073709551615 EINVAL 'buffer_size_kb=.* must be 1 to [0-9]+ '
	refused buffer_size_kb=18014398509481985 EINVAL 'buffer_size_kb=.* must be 1 to [0-9]+ '
	refused buffer_size_kb=$((most + 1)) EINVAL "buffer_size_kb=.* must be 1 to $most "
	refused buffer_size_kb=-1 EINVAL 'invalid for parameter .buffer_size_kb'
	refused buffer_size_kb=many EINVAL 'invalid for parameter .buffer_size_kb'
	refused buffer_size_kb=64K EINVAL 'invalid for parameter .buffer_size_kb'
	refused overwrite=perhaps EINVAL 'invalid for parameter .overwrite'
	for size in 0 1 2 3 5 12 4097 8192 4294967296; do
		refused subbuf_size_kb=$size EINVAL \
			"subbuf_size_kb=$size: must be a power of two, $page_kb to 4096"
	done
	# More than the guest has, and more than anyone has.
	refused buffer_size_kb=$most ENOMEM \
		"buffer_size_kb=$most: needs [0-9]+ KiB .* [0-9]+ KiB are missing"
	refused "buffer_size_kb=268427264 subbuf_size_kb=4096" ENOMEM \
		'buffer_size_kb=268427264: needs [0-9]+ KiB .* [0-9]+ KiB are missing'
}

ten_times()
{
	for round in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >/dev/null 2>&1 || not_ok "$*: round $round"
	done
}

# bug-14: it is unloaded while probes run
load_use_unload()
{
	load_module rbmap "$@" && lifetime check 0 &&
		echo 1 >"$control/events/enable" && sleep 0.1 && rmmod rbmap
}

load_in_vain()
{
	! load_module rbmap buffer_size_kb=0 && ! load_module rbmap buffer_size_kb="$most"
}

# ---- who holds it

# An open file of the shell keeps it.
rmmod_with_open()
{
	exec 5<"$1"
	rmmod rbmap 2>/dev/null
	status=$?
	exec 5<&-
	return "$status"
}

# bug-14: the module is not unloaded while it is used
holders()
{
	ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb)) || done_testing
	is "$(lifetime insert $file)" EEXIST "a second load is refused"
	ok "and changes nothing" lifetime check 0

	fails "an open device keeps it" rmmod_with_open /dev/rbmap/cpu0
	lifetime hold 0 >/tmp/held &
	holder=$!
	ok "a process maps and closes the file" retry_until 30 grep -q held /tmp/held
	fails "a map keeps it" sh -c 'rmmod rbmap 2>/dev/null'
	ok "which still works" lifetime check 0
	kill -9 $holder
	wait $holder 2>/dev/null
	lifetime wait 0 >/tmp/waits &
	waiter=$!
	ok "a process sleeps in GET_READER" retry_until 30 grep -q waits /tmp/waits
	fails "it keeps it" sh -c 'rmmod rbmap 2>/dev/null'
	kill -9 $waiter
	wait $waiter 2>/dev/null
	exec 6>/dev/rbmap/marker
	fails "an open marker keeps it" sh -c 'rmmod rbmap 2>/dev/null'
	exec 6>&-
	ok "it is still loaded" is_loaded rbmap

	results "" lifetime killed
	ok "module unloads after all these" rmmod rbmap || done_testing
	fails "its devices are gone" test -e /dev/rbmap
	fails "its settings are gone" test -e $control
}

# ---- permissions

as_nobody()
{
	su nobody -c "$1" 2>/tmp/error
}

permissions()
{
	is "$(stat -c '%a %U' /dev/rbmap/cpu0)" "440 root" "mode of the device"
	fails "nobody can't read" as_nobody 'cat /dev/rbmap/cpu0'
	like "$(cat /tmp/error)" 'Permission denied' "EACCES"
	fails "nobody can't write to the marker" as_nobody 'echo x >/dev/rbmap/marker'
	fails "nobody can't reset" as_nobody "echo 1 >$control/reset"
	fails "nobody can't switch off" as_nobody "echo 0 >$control/tracing_on"
	chgrp nogroup /dev/rbmap/cpu0
	ok "a group can be let in" as_nobody 'exec 5</dev/rbmap/cpu0'
}

# ---- sizes

# size_works SUBBUF-KB BUFFER-KB WANTED-KB
size_works()
{
	ok "$1/$2 KiB: loads" load_module rbmap subbuf_size_kb="$1" buffer_size_kb="$2" || return
	is "$(cat $control/buffer_subbuf_size_kb) $(cat $control/buffer_size_kb)" "$1 $3" \
		"$1/$2 KiB: sizes are shown"
	is "$(cat /sys/module/rbmap/parameters/buffer_size_kb)" "$3" \
		"$1/$2 KiB: as parameters too"
	ok "$1/$2 KiB: events come through" lifetime check 0
	ok "$1/$2 KiB: unloads" rmmod rbmap
}

sizes()
{
	for size in 4 8 16 32 64 128 256 512 1024 2048 4096; do
		[ $size -lt "$page_kb" ] || size_works $size 1 $((2 * size))
	done
	size_works "$page_kb" $((2 * page_kb + 1)) $((3 * page_kb))
	size_works "$page_kb" 40000 40000
	size_works 64 40000 40000
}

# ---- CPUs

online()
{
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

cpus()
{
	if ! online 1 0 2>/dev/null; then
		skip "CPU 1 can't go off line" "CPUs come and go"
		return
	fi
	ok "module loads while CPU 1 is off line" load_module rbmap buffer_size_kb=$((16 * page_kb))
	fails "CPU 1 has no device" test -e /dev/rbmap/cpu1
	fails "nor stats" test -e $control/per_cpu/cpu1
	ok "CPU 1 comes on line" online 1 1
	ok "now it has a device" retry_until 30 test -e /dev/rbmap/cpu1
	ok "and stats" test -e $control/per_cpu/cpu1/stats
	ok "and events come through" lifetime check 1
	results "" lifetime offline 1
	ok "CPU 1 goes" online 1 0
	ok "module unloads while it is away" rmmod rbmap
	ok "CPU 1 comes back without the module" online 1 1
	ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb))
	ok "events come through on CPU 1" lifetime check 1
	is "$(cat /sys/module/rbmap/parameters/overwrite)" Y "overwrites by default"
	ok "module unloads" rmmod rbmap
}

refusals
loads=50 noise=1
[ -z "${LONG:-}" ] || loads=150
# A kernel that watches itself needs memory and time for that. kmemleak reports a
# leak by itself.
[ ! -e /sys/kernel/debug/kmemleak ] && [ ! -e /sys/kernel/debug/kcsan ] ||
	loads=30 noise=10
# A load that leaks a page for each processor leaks 4 KiB * loads * processors.
gives_back "$loads loads" $((10 * loads / 3 * $(nproc) * noise)) $((100 * noise)) \
	lifetime reload $file $loads
gives_back "10 bad loads" $((3000 * noise)) $((400 * noise)) ten_times load_in_vain
gives_back "10 loads with use" $((3000 * noise)) $((400 * noise)) \
	ten_times load_use_unload
# Large pages make for more noise; one for each processor and load is 20000.
gives_back "10 loads of sub-buffers of 1024K" 12000 400 \
	ten_times load_use_unload subbuf_size_kb=1024 buffer_size_kb=1
ok "module loads, to discard" load_module rbmap overwrite=0
is "$(cat $control/overwrite)" 0 "overwrite=0"
permissions
ok "module unloads" rmmod rbmap
holders
sizes
cpus
done_testing
