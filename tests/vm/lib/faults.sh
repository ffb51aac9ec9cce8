# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # the sentences are for the scripts
#
# The faults that planted.c plants: what each one needs, and the sentence of rbmap why that
# names its root.

held='v-holder-[0-9]+ waited [0-9]{2,}.* ms in futex for holder-[0-9]+, which slept [0-9]{2,}.* ms in (clock_)?nanosleep'
inverted='v-inversion-[0-9]+ waited .* ms in futex for holder-[0-9]+, which was runnable .* ms on CPU 1, where codec-[0-9]+ \(priority 20, above its 0\) ran: a priority inversion'
convoy='(v-convoy|member[0-9])-[0-9]+ waited .* ms in futex behind [2-7] other tasks, .* a lock convoy'
starved='(v-starved|napper)-[0-9]+ was runnable .* ms on CPU 1, where hog-[0-9]+ \(priority 30, above its 0\) ran'
irqs_off='interrupts were off for .* in driver-[0-9]+|was held up .* where interrupts were off in driver-[0-9]+'
hrtimer='an hrtimer handler \(([a-z_]*slow_timer|[0-9a-f]+)\)'
network='the softirq NET_RX ran .* ms on CPU 1 in the name of v-network-[0-9]+'
thrash='v-thrash-[0-9]+ waited .* for disk [0-9]+:0 \(nullb0\), which took .* for a read of .* KiB that had been read before: its page cache thrashes'
irq='the interrupt handler \([0-9]+ slow\)'
worker='(waited .* for kworker/[^ ]*, which ran .* ms in|on CPU 1, where kworker/[^ ]* ran) (slow_work|[0-9a-f]+)'
stopped='producer-[0-9]+.* was stopped for .* until debugger-[0-9]+ continued it'
fsync='v-fsync-[0-9]+ waited .* disk [0-9]+:0 \(nullb0\), which took .* for a write of'
read='v-read-[0-9]+ waited .* in pread64 for disk [0-9]+:0 \(nullb0\), which took .* for a read of 4 KiB'
faults='v-faults-[0-9]+ waited .* in a page fault for disk [0-9]+:0 \(nullb0\), which took .* for a read of'
throttled='v-rt-throttling-[0-9]+ .* real-time tasks had used up their time'
quota='v-quota-[0-9]+ was throttled .* ms by the CPU quota of /small \(10 ms of each 100 ms\)'
high='v-memory-high-[0-9]+ had to wait .* memory.high'

# Variations: two victims whose names have blanks and brackets, a chain of locks, a wait that ends
# in time, and a writer that is kept from its CPU.
two='v-two (a\)|\[b\] 1)-[0-9]+ waited .* ms in futex for (v-two .*-[0-9]+, which waited for )?holder \(ü\) 7-[0-9]+, which slept .* ms in (clock_)?nanosleep'
chained='v-chained-[0-9]+ waited .* ms in futex for middle-[0-9]+, which waited for innermost-[0-9]+, which slept .* ms in (clock_)?nanosleep'
late_writer='v-late-writer-[0-9]+ waited .* ms in read for writer-[0-9]+, which was runnable .* ms on CPU 1, where rt-hog-[0-9]+ \(priority 10, above its 0\) ran'

# sentence_wanted FAULT: the sentence that names the root of the fault
sentence_wanted()
{
	case $1 in
	holder) echo "$held" ;;
	inversion) echo "$inverted" ;;
	convoy) echo "$convoy" ;;
	irqs-off) echo "$irqs_off" ;;
	hrtimer) echo "$hrtimer" ;;
	irq) echo "$irq" ;;
	network) echo "$network" ;;
	worker) echo "$worker" ;;
	stopped) echo "$stopped" ;;
	fsync) echo "$fsync" ;;
	read) echo "$read" ;;
	faults) echo "$faults" ;;
	starved) echo "$starved" ;;
	rt-throttling) echo "$throttled" ;;
	quota) echo "$quota" ;;
	thrash) echo "$thrash" ;;
	memory-high) echo "$high" ;;
	two) echo "$two" ;;
	chained) echo "$chained" ;;
	late-writer) echo "$late_writer" ;;
	esac
}

# faults_begin: loads the modules, and makes a slow disk, control groups and /tmp/plant. Sets
# disk and grouped to "" if the kernel lacks them
faults_begin()
{
	ok "the modules load" eval "load_module rbmap && load_module slow"
	load_module configfs 2>/dev/null
	disk=
	if load_module null_blk queue_mode=2 irqmode=2 completion_nsec=20000000 hw_queue_depth=1 submit_queues=1; then
		disk="fsync read faults"
	fi
	mkdir /tmp/cgroup
	grouped=
	if mount -t cgroup2 none /tmp/cgroup 2>/dev/null && echo "+cpu +memory" >/tmp/cgroup/cgroup.subtree_control; then
		grouped=yes
		mkdir /tmp/cgroup/small /tmp/cgroup/high /tmp/cgroup/tight
		echo 4M >/tmp/cgroup/tight/memory.max
		echo "10000 100000" >/tmp/cgroup/small/cpu.max
		echo 4M >/tmp/cgroup/high/memory.high
	fi
	cat >/tmp/plant <<'END'
#!/bin/sh
# plant FAULT...: each one in the control group that it needs
for fault; do
	case $fault in
	quota)
		(echo 0 >/tmp/cgroup/small/cgroup.procs
		exec planted quota) ;;
	memory-high)
		(read -r pid _ </proc/self/stat
		echo "$pid" >/tmp/cgroup/high/cgroup.procs
		exec planted memory-high) ;;
	thrash)
		(read -r pid _ </proc/self/stat
		echo "$pid" >/tmp/cgroup/tight/cgroup.procs
		exec planted /dev/nullb0 thrash) ;;
	*)
		planted /dev/nullb0 "$fault" ;;
	esac || exit
done
END
	chmod +x /tmp/plant
}

# faults_end: takes all of it away
faults_end()
{
	[ -z "$grouped" ] || { rmdir /tmp/cgroup/small /tmp/cgroup/high /tmp/cgroup/tight; umount /tmp/cgroup; }
	ok "slow unloads" rmmod slow
	for module in null_blk configfs; do
		! grep -q "^$module " /proc/modules || ok "$module unloads" rmmod $module
	done
	ok "rbmap unloads" rmmod rbmap
}
