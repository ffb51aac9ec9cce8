#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Load, unload and all that happens in between: holders of the module, readers that are
# killed, bad parameters, sizes, CPUs that go offline and come back. SHORT=1: fewer loads
# and sizes.
# shellcheck disable=SC2317 # functions that "ok" calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

control=/sys/kernel/rbmap
file=/modules/rbmap.ko
# KiB of the largest ring of a CPU with the smallest sub-buffers
most=$((65534 * page_kb))

# ---- parameters

# read_log: stores the module's log lines since the last call in $log
read_log()
{
	log=$(dmesg -c | grep 'rbmap: ' | grep -vE 'loading out-of-tree|module verification')
}
read_log

# refused PARAMETERS ERROR REGEX: loading fails with ERROR, and one line of the log
# matches
refused()
{
	is "$(lifetime insert $file "$1")" "$2" "$1: $2" || rmmod rbmap
	read_log
	is "$(printf '%s\n' "$log" | grep -c .)" 1 "$1: one line in the log" ||
		diag "$log"
	like "$log" "$3" "$1: the log's line has the reason"
}

# bug-16: sizes that overflow 32 or 64 bits are refused
refusals()
{
	refused buffer_size_kb=0 EINVAL 'buffer_size_kb=0: must be 1 to [0-9]+ '
	refused buffer_size_kb=18446744073709551615 EINVAL 'buffer_size_kb=.* must be 1 to [0-9]+ '
	refused buffer_size_kb=18014398509481985 EINVAL 'buffer_size_kb=.* must be 1 to [0-9]+ '
	refused "buffer_size_kb=$((most + 1)) subbuf_size_kb=$page_kb" EINVAL \
		"buffer_size_kb=.* must be 1 to $most "
	# The sub-buffers become larger, and the memory is the limit.
	refused buffer_size_kb=$((most + 1)) ENOMEM 'buffer_size_kb=.* KiB are missing'
	refused buffer_size_kb=-1 EINVAL 'invalid for parameter .buffer_size_kb'
	refused buffer_size_kb=many EINVAL 'invalid for parameter .buffer_size_kb'
	refused buffer_size_kb=64K EINVAL 'invalid for parameter .buffer_size_kb'
	refused overwrite=perhaps EINVAL 'invalid for parameter .overwrite'
	# SHORT has one size of each kind: too small, not a power of two, too large.
	for size in 1 2 3 5 12 4097 8192 4294967296; do
		case ${SHORT:+$size} in
		'' | 2 | 12 | 8192) ;;
		*) continue ;;
		esac
		refused subbuf_size_kb=$size EINVAL \
			"subbuf_size_kb=$size: must be a power of two, $page_kb to 4096"
	done
	# The first size exceeds the guest's memory, the second one that of any machine.
	# Without a size of theirs, so many sub-buffers become larger, and the size is rounded up.
	refused buffer_size_kb=$((65536 * page_kb)) ENOMEM \
		"buffer_size_kb=$((65536 * page_kb)): needs [0-9]+ KiB .* [0-9]+ KiB are missing"
	refused "buffer_size_kb=268427264 subbuf_size_kb=4096" ENOMEM \
		'buffer_size_kb=268427264: needs [0-9]+ KiB .* [0-9]+ KiB are missing'
}

repeat()
{
	round=0
	while [ "$round" -lt "$uses" ]; do
		round=$((round + 1))
		"$@" >/dev/null 2>&1 || fail "$*: round $round"
	done
}

# bug-14: unload the module while probes run
load_use_unload()
{
	load_module rbmap "$@" && lifetime check 0 &&
		echo 1 >"$control/events/enable" && sleep 0.1 && rmmod rbmap
}

load_in_vain()
{
	! load_module rbmap buffer_size_kb=0 && ! load_module rbmap buffer_size_kb="$most"
}

# ---- holders

# rmmod_with_open FILE: an open file of the shell holds the module
rmmod_with_open()
{
	exec 5<"$1"
	rmmod rbmap 2>/dev/null
	status=$?
	exec 5<&-
	return "$status"
}

# bug-14: a module that is in use is not unloaded
holders()
{
	ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb)) || done_testing
	is "$(lifetime insert $file)" EEXIST "a second load is refused"
	ok "a refused second load changes nothing" lifetime check 0

	fails "an open device holds the module" rmmod_with_open /dev/rbmap/cpu0
	lifetime hold 0 >/tmp/held &
	holder=$!
	ok "a process maps and closes the file" retry_until 30 grep -q held /tmp/held
	fails "a map holds the module" sh -c 'rmmod rbmap 2>/dev/null'
	ok "the module works after the refused unload" lifetime check 0
	kill -9 $holder
	wait $holder 2>/dev/null
	lifetime wait 0 >/tmp/waits &
	waiter=$!
	ok "a process sleeps in GET_READER" retry_until 30 grep -q waits /tmp/waits
	fails "a process in GET_READER holds the module" sh -c 'rmmod rbmap 2>/dev/null'
	kill -9 $waiter
	wait $waiter 2>/dev/null
	exec 6>/dev/rbmap/marker
	fails "an open marker holds the module" sh -c 'rmmod rbmap 2>/dev/null'
	exec 6>&-
	ok "the module is still loaded" is_loaded rbmap

	results "" lifetime killed
	ok "module unloads after all these" rmmod rbmap || done_testing
	fails "the module's devices are gone" test -e /dev/rbmap
	fails "the module's control files are gone" test -e $control
}

# ---- permissions

as_nobody()
{
	su nobody -c "$1" 2>/tmp/error
}

permissions()
{
	is "$(stat -c '%a %U' /dev/rbmap/cpu0)" "440 root" "mode of the device"
	fails "user nobody cannot read a device" as_nobody 'cat /dev/rbmap/cpu0'
	like "$(cat /tmp/error)" 'Permission denied' "EACCES"
	fails "user nobody cannot write to the marker" as_nobody 'echo x >/dev/rbmap/marker'
	fails "user nobody cannot reset" as_nobody "echo 1 >$control/reset"
	fails "user nobody cannot switch tracing off" as_nobody "echo 0 >$control/tracing_on"
	chgrp nogroup /dev/rbmap/cpu0
	ok "a group can be let in" as_nobody 'exec 5</dev/rbmap/cpu0'
}

# ---- sizes

# size_works SUBBUF-KB BUFFER-KB WANTED-KB: the module loads, and rounds the size to
# WANTED-KB
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
		# SHORT has the extreme sizes and one between them.
		case ${SHORT:+$size} in
		'' | "$page_kb" | 64 | 4096) ;;
		*) continue ;;
		esac
		[ $size -lt "$page_kb" ] || size_works $size 1 $((2 * size))
	done
	size_works "$page_kb" $((2 * page_kb + 1)) $((3 * page_kb))
	size_works "$page_kb" 40000 40000
	[ -n "${SHORT:-}" ] || size_works 64 40000 40000
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
	fails "CPU 1 has no stats" test -e $control/per_cpu/cpu1
	ok "CPU 1 comes on line" online 1 1
	ok "CPU 1 has a device now" retry_until 30 test -e /dev/rbmap/cpu1
	ok "CPU 1 has stats now" test -e $control/per_cpu/cpu1/stats
	ok "events come through on CPU 1 at once" lifetime check 1
	results "" lifetime offline 1
	ok "CPU 1 goes off line" online 1 0
	ok "module unloads while it is away" rmmod rbmap
	ok "CPU 1 comes back without the module" online 1 1
	ok "module loads" load_module rbmap buffer_size_kb=$((16 * page_kb))
	ok "events come through on CPU 1" lifetime check 1
	is "$(cat /sys/module/rbmap/parameters/overwrite)" Y "overwrite is 1 by default"
	ok "module unloads" rmmod rbmap
}

refusals
loads=15 uses=5 noise=1
[ -z "${LONG:-}" ] || loads=150 uses=10
[ -z "${SHORT:-}" ] || loads=6 uses=2
# A kernel that watches itself needs memory and time for that. kmemleak reports a
# leak by itself.
[ ! -e /sys/kernel/debug/kmemleak ] && [ ! -e /sys/kernel/debug/kcsan ] ||
	noise=10
# A load that leaks a page for each processor leaks 4 KiB * loads * processors.
gives_back "$loads loads" $((10 * loads * $(nproc) * noise / 3)) $((100 * noise)) \
	lifetime reload $file $loads
[ -n "${SHORT:-}" ] ||
	gives_back "$uses bad loads" $((3000 * noise)) $((400 * noise)) repeat load_in_vain
gives_back "$uses loads with use" $((3000 * noise)) $((400 * noise)) \
	repeat load_use_unload
# Large pages cause more noise. A leak of one for each processor and load would be
# 1024 * uses * processors.
[ -n "${SHORT:-}" ] ||
	gives_back "$uses loads of sub-buffers of 1024K" $((600 * uses * $(nproc))) 400 \
		repeat load_use_unload subbuf_size_kb=1024 buffer_size_kb=1
ok "module loads, to discard" load_module rbmap overwrite=0
is "$(cat $control/overwrite)" 0 "overwrite=0"
permissions
ok "module unloads" rmmod rbmap
holders
sizes
cpus
done_testing
