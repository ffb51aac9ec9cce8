#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# System calls are recorded by name, with ftrace's formats and fields, beside ftrace. Those of
# which the kernel also records memory of the process are foreign.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
[ -e $theirs/events ] || mount -t tracefs none $theirs
cd /tmp || exit 1

ok "module loads" load_module rbmap buffer_size_kb=4096 || done_testing

# --- by name
like "$(rbmap list syscalls:sys_enter_kill)" '^syscalls:sys_enter_kill +syscall *$' \
	"list knows a system call that nobody has named"
ok "a system call can be named" put set_event syscalls:sys_enter_kill
ok "its exit, too" sh -c "echo syscalls:sys_exit_kill >>$root/set_event"
is "$(cat $events/syscalls/sys_enter_kill/status) $(cat $events/syscalls/sys_enter_kill/source)" \
	"available syscall" "status and source"
like "$(rbmap list syscalls:sys_enter_kill)" '^syscalls:sys_enter_kill +syscall +enabled$' "list shows both"
same_format syscalls/sys_enter_kill
same_format syscalls/sys_exit_kill
echo 1 >$theirs/events/syscalls/sys_enter_kill/enable
kill -0 $$
kill -0 1
echo 0 >$theirs/events/syscalls/sys_enter_kill/enable
put set_event ' '
like "$(cat /dev/rbmap/trace)" ' sys_kill\(pid: 1, sig: 0\)' "the kernel's own code prints the call"
rbmap stream --no-follow 2>/dev/null >ours
like "$(cat ours)" ' sys_enter_kill: +pid: 0x00000001, sig: 0x00000000' \
	"the call is recorded, with its arguments"
like "$(cat ours)" ' sys_exit_kill: +0x0' "and its return value"
is "$(grep -c sys_enter_kill ours)" "$(grep -c 'sys_kill(' $theirs/trace)" "ftrace has as many"
is "$(xargs <$events/syscalls/sys_enter_kill/counts)" "calls: 2 received: 2 missed: 0" "counts has them"
fails "a system call that this kernel does not have is refused" put set_event syscalls:sys_enter_none

# --- switched off, and on again at once
for round in 1 2 3; do
	put set_event syscalls:sys_enter_kill
	is "$(recorded 'for _ in 1 2 3; do kill -0 $$; done')" 3 "round $round: each call is recorded once"
	put set_event ' '
	is "$(recorded 'kill -0 $$')" 0 "round $round: and none when it is off"
done
put set_event 'syscalls:sys_enter_kill syscalls:sys_enter_lseek'
put set_event syscalls:sys_enter_kill
is "$(recorded '/tests/system_call lseek; kill -0 $$')" 1 "one of two goes, and only the other is still recorded"
put set_event ' '
cpu=/sys/devices/system/cpu/cpu1
if [ -e $cpu/online ]; then
	put set_event syscalls:sys_enter_kill
	echo 0 >$cpu/online
	echo 1 >$cpu/online
	is "$(recorded 'taskset 2 sh -c "kill -0 1"')" 1 "a CPU that goes and comes has events"
	put set_event ' '
fi

# --- filters, copies, addresses
put set_event syscalls:sys_enter_kill
put events/syscalls/sys_enter_kill/filter 'sig == 0 && pid == 1'
is "$(recorded 'kill -0 $$; kill -0 1')" 1 "a filter selects calls by their arguments"
put events/syscalls/sys_enter_kill/filter 0
put set_event ' '

# the_kernels: calls of lseek with the kernel's addresses, one of them an error's number
the_kernels()
{
	/tests/system_call lseek 77 0xffff888012345678 1
	/tests/system_call lseek 78 0x7fff12345678 2
	/tests/system_call lseek 79 0xffffffffffffffea 3
}

# offsets [OPTION...]: the second argument of these calls
offsets()
{
	rbmap stream --no-follow "$@" 2>/dev/null |
		sed -n 's/.*sys_enter_lseek: *fd: 0x0*\(4[def]\), offset: 0x\([0-9a-f]*\).*/\1=\2/p' | sort -u | xargs
}
ok "a second buffer is made" put instances/create root
ok "it shows addresses" put instances/root/kptr 1
put set_event syscalls:sys_enter_lseek
the_kernels
fails "an address of the kernel is not recorded" grep -q ffff888012345678 /dev/rbmap/trace
like "$(offsets)" '^4d=[0-9a-f]{8} 4e=7fff12345678 4f=ffffffffffffffea$' \
	"it is hashed, those of processes and errors are not"
put reset 1
put instances/root/set_event syscalls:sys_enter_lseek
the_kernels
like "$(offsets)" '^4d=[0-9a-f]{8} 4e=7fff12345678 4f=ffffffffffffffea$' \
	"two buffers record the call: it is hashed in the one"
is "$(offsets -B root)" "4d=ffff888012345678 4e=7fff12345678 4f=ffffffffffffffea" "and shown in root's"
put set_event ' '
put instances/root/reset 1
the_kernels
is "$(offsets -B root)" "4d=ffff888012345678 4e=7fff12345678 4f=ffffffffffffffea" \
	"root's alone has it, too"
put instances/root/set_event ' '
ok "the second buffer ends" put instances/destroy root

# --- as ftrace has them
results "" records syscalls/sys_enter_sched_yield syscalls/sys_exit_sched_yield
# A program of 32 bits has other numbers: its lseek is 19, which is readv. ftrace leaves its
# calls out.
if [ -x /tests/system_call-m32 ]; then
	put set_event syscalls:sys_enter_readv
	put reset 1
	echo >$theirs/trace
	echo 1 >$theirs/events/syscalls/sys_enter_readv/enable
	/tests/system_call-m32 lseek 77
	echo 0 >$theirs/events/syscalls/sys_enter_readv/enable
	put set_event ' '
	is "$(rbmap stream --no-follow 2>/dev/null | grep -c sys_enter_readv) $(grep -c 'sys_readv(' $theirs/trace)" \
		"0 0" "a call of a program of 32 bits has no event here and there"
fi

# --- all of them
rbmap record -e 'syscalls:*' -b 8M -o all.dat -- sh -c 'for i in 1 2 3 4 5; do ls /proc >/dev/null; done' 2>errors
is "$?" 0 "all system calls are recorded together"
diag "$(cat errors)"
rbmap report all.dat >all 2>sums
is "$(grep -c '\[[0-9][0-9][0-9]\]' all)" "$(sed -n 's/ events read.*//p' errors)" "the report has all events"
like "$(cat all)" 'ls-.* sys_enter_getdents64' "calls of the command"
calls=$(grep -c ' sys_enter_getdents64' all)
is "$(grep -c ' sys_exit_getdents64' all)" "$calls" "each call has returned"
# The kernel records memory of the process, too, if a field says where it is in the record.
for format in "$theirs"/events/syscalls/*/format; do
	event=${format%/format}
	echo "${event##*/}"
done >names
grep -l __data_loc "$theirs"/events/syscalls/*/format | sed 's,/format$,,; s,.*/,,' >foreign
awk 'FILENAME == "foreign" { foreign[$1] = 1; next } { print "syscalls:" $1, foreign[$1] ? "foreign" : "syscall" }' \
	foreign names | sort >wanted
rbmap list 'syscalls:*' | awk '{ print $1, $2 }' | sort >known
is "$(diff known wanted)" "" "list knows which $(wc -l <foreign) of $(wc -l <names) are foreign"
ok "all system calls are made" put available_events 'syscalls:*'
rbmap list 'syscalls:*' | awk '{ print $1, $2 }' | sort >known
is "$(diff known wanted)" "" "and so they are"
# formats FOLDER: all of them, without the numbers
formats()
{
	cd "$1/events/syscalls" && awk '!/^ID: / { print FILENAME ": " $0 }' ./*/format
	cd /tmp || exit 1
}
# One of these hears its calls again after it was switched off, by what it had before.
if grep -qx sys_enter_rmdir foreign; then
	for round in 1 2 3; do
		put set_event syscalls:sys_enter_rmdir
		is "$(recorded 'rmdir /nonesuch 2>/dev/null')" 1 "round $round: a foreign call is recorded"
		put set_event ' '
		is "$(recorded 'rmdir /nonesuch 2>/dev/null')" 0 "round $round: and none when it is off"
		echo 0 >$cpu/online
		echo 1 >$cpu/online
		put set_event syscalls:sys_enter_rmdir
		is "$(recorded 'taskset 2 rmdir /nonesuch 2>/dev/null')" 1 \
			"round $round: also on a CPU that went and came"
		put set_event ' '
	done
fi
formats $theirs >wanted
formats $root >known
ok "their formats are ftrace's" cmp wanted known
diag "$(diff wanted known | head -n 8)"
# A kprobe of that system is somebody's own event.
if [ -e $theirs/kprobe_events ]; then
	echo 'p:syscalls/sys_enter_mine vfs_read' >$theirs/kprobe_events
	ok "a kprobe in the system of system calls can be named" put set_event syscalls:sys_enter_mine
	is "$(cat $events/syscalls/sys_enter_mine/source)" foreign "it is not taken for a system call"
	like "$(rbmap list syscalls:sys_enter_mine)" ' foreign ' "list says so, too"
	put set_event ' '
	ok "it is removed" sh -c "echo >$theirs/kprobe_events"
fi

put set_event 'syscalls:sys_enter_*'
ok "the module unloads while system calls are enabled" rmmod rbmap
done_testing
