#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap why names the root of faults that planted.c plants, each beside two tasks that
# distract. SHORT=1: without those that need most time.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

# answer FAULT ARGUMENT...: record it, and ask
answer()
{
	name=$1
	rbmap record --for why -q -b 8M -o "/tmp/$name.dat" -- planted "$@" >/tmp/recorded 2>&1
	status=$?
	rbmap why --worst 3 "/tmp/$name.dat" >/tmp/output 2>/tmp/errors || status=9
	[ $status = 0 ] || diag "$(cat /tmp/recorded /tmp/errors)"
	is $status 0 "$name: recorded and answered"
	sentence=$(head -n 1 /tmp/output)
	diag "$name: $(cat /tmp/output)"
}

# named REGEXP WHAT
named()
{
	like "$sentence" "$1" "$2"
}

ok "the modules load" eval "load_module rbmap && load_module slow"
load_module configfs 2>/dev/null
load_module null_blk queue_mode=2 irqmode=2 completion_nsec=20000000 hw_queue_depth=1 submit_queues=1
answer holder
named '^victim-[0-9]+ waited [4-9][0-9].* ms in futex for holder-[0-9]+, which slept [4-9].* ms in (clock_)?nanosleep' "a futex's holder sleeps"
answer inversion
named '^victim-[0-9]+ waited .* ms in futex for holder-[0-9]+, which was runnable .* ms on CPU 1, where codec-[0-9]+ \(priority 20, above its 0\) ran: a priority inversion' "an inversion"
answer convoy
named '^(victim|member[0-9])-[0-9]+ waited .* ms in futex behind [2-7] other tasks, .* a lock convoy' "a convoy"
answer starved
named '^(victim|napper)-[0-9]+ was runnable .* ms on CPU 1, where hog-[0-9]+ \(priority 30, above its 0\) ran' "a hog"
answer irqs-off
named 'interrupts (were )?off .*in driver-[0-9]+|where interrupts were off in driver-[0-9]+' "interrupts are off"
answer hrtimer
named 'an hrtimer handler \((slow_timer.*|[0-9a-f]+)\)' "an hrtimer"
answer irq
named 'the interrupt handler \([0-9]+ slow\)' "an interrupt"
answer worker
named '^victim-[0-9]+ waited .* for kworker/[^ ]*, which ran .* ms in (slow_work|[0-9a-f]+)' "a worker"
answer stopped
named '^victim-[0-9]+ waited .* in read for producer-[0-9]+, which was stopped for .* until debugger-[0-9]+ continued it' "a process is stopped"
if [ -e /dev/nullb0 ]; then
	answer fsync /dev/nullb0
	named '^victim-[0-9]+ waited .* in (fsync|write).* disk [0-9]+:0, which took .* for a write of' "a slow fsync"
	answer read /dev/nullb0
	named '^victim-[0-9]+ waited .* in pread64.* disk [0-9]+:0, which took .* for a read of 4 KiB' "a slow disk"
	answer faults /dev/nullb0
	named '^victim-[0-9]+ waited .* in a page fault.* disk [0-9]+:0, which took .* for a read of' "page faults"
else
	skip "this kernel has no module null_blk" "disks"
fi
answer rt-throttling
named '^victim-[0-9]+ .* real-time tasks had used up their time' "the real-time limit"
mkdir -p /tmp/cgroup
if mount -t cgroup2 none /tmp/cgroup 2>/dev/null && echo "+cpu +memory" >/tmp/cgroup/cgroup.subtree_control; then
	mkdir /tmp/cgroup/small
	echo "10000 100000" >/tmp/cgroup/small/cpu.max
	cat >/tmp/in_group <<'END'
#!/bin/sh
echo 0 >/tmp/cgroup/small/cgroup.procs
exec planted "$@"
END
	chmod +x /tmp/in_group
	rbmap record --for why -q -b 8M -o /tmp/quota.dat -- /tmp/in_group quota >/tmp/recorded 2>&1
	rbmap why -p victim /tmp/quota.dat >/tmp/output 2>/tmp/errors
	sentence=$(head -n 1 /tmp/output)
	diag "$(cat /tmp/output /tmp/errors)"
	named '^victim-[0-9]+ was throttled .* ms by the CPU quota' "a quota"
	echo max >/tmp/cgroup/small/cpu.max
	echo 8M >/tmp/cgroup/small/memory.high
	rbmap record --for why -q -b 8M -o /tmp/high.dat -- /tmp/in_group memory-high >/tmp/recorded 2>&1
	rbmap why -p victim /tmp/high.dat >/tmp/output 2>/tmp/errors
	sentence=$(head -n 1 /tmp/output)
	diag "$(cat /tmp/output /tmp/errors)"
	named '^victim-[0-9]+ had to wait .* memory.high' "memory.high"
fi
ok "slow unloads" rmmod slow
ok "rbmap unloads" rmmod rbmap
done_testing
