#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap why names the root of the faults that planted.c plants, beside two tasks that
# distract. All are in one recording, and the worst of what a victim waited for must be its
# fault. Without SHORT=1 each one is also in a recording of its own, and there are those that
# take longest.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

# ask FILE [ARGUMENT]...: the sentence
ask()
{
	file=$1
	shift
	rbmap why "$@" "$file" >/tmp/output 2>/tmp/errors || diag "$(cat /tmp/errors)"
	sentence=$(head -n 1 /tmp/output)
}

# sentence_of FAULT REGEXP: the sentence is that of the answers, or of a recording of the fault
# alone. Where the host does not run the machine for a while, its CPUs look as if their
# interrupts had been off, and why rightly says nothing of these. So a fault may be planted again.
sentence_of()
{
	cp /tmp/answers /tmp/first
	for _ in 1 2 3 4 5; do
		case $1 in
		irqs-off) sentence=$(grep -m 1 -E "$2" /tmp/answers) ;;
		convoy) sentence=$(grep -m 1 -E "^$2" /tmp/answers) ;;
		*) sentence=$(grep -m 1 -E "^v-$1-[0-9]+ |^[^ ].* in the name of v-$1-" /tmp/answers) ;;
		esac
		! tap_matches "$sentence" "$2" || return 0
		diag "$1 is planted again"
		rbmap record --for why -q -b 8M -o /tmp/again.dat -- /tmp/plant "$1" >/tmp/recorded 2>&1 ||
			diag "$(cat /tmp/recorded)"
		rbmap why --worst 1000 /tmp/again.dat >/tmp/answers 2>/tmp/errors
	done
}

# named FAULT REGEXP: the worst sentence about the victim of a fault
named()
{
	sentence_of "$1" "$2"
	like "$sentence" "$2" "$1" || diag "$(grep -A 9 "v-$1-" /tmp/first | head -n 30)"
	cp /tmp/first /tmp/answers
}

# alone FAULT REGEXP: the first sentence of a recording that has this fault alone
alone()
{
	for _ in 1 2 3 4 5; do
		rbmap record --for why -q -b 8M -o /tmp/one.dat -- /tmp/plant "$1" >/tmp/recorded 2>&1 ||
			diag "$(cat /tmp/recorded)"
		ask /tmp/one.dat --worst 3
		! tap_matches "$sentence" "$2" || break
	done
	like "$sentence" "$2" "$1 alone" || diag "$(cat /tmp/output)"
}

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
all="holder inversion convoy irqs-off hrtimer irq network worker stopped $disk"
[ "${SHORT:-}" ] || all="$all starved rt-throttling"
[ -z "$grouped" ] || all="$all memory-high"
[ -z "$grouped" ] || [ -z "$disk" ] || [ "${SHORT:-}" ] || all="$all thrash"
[ -z "$grouped" ] || [ "${SHORT:-}" ] || all="$all quota"
ok "record" eval "rbmap record --for why -q -b 16M -o /tmp/all.dat -- /tmp/plant $all >/tmp/recorded 2>&1" ||
	diag "$(cat /tmp/recorded)"
ok "why" eval "rbmap why --worst 1000 /tmp/all.dat >/tmp/answers 2>/tmp/errors" || diag "$(cat /tmp/errors)"
rbmap report /tmp/all.dat >/dev/null 2>/tmp/report
is "$(cat /tmp/errors)" "$(cat /tmp/report)" "events and losses are those of rbmap report"
named holder "^$held"
named inversion "^$inverted"
# The longest wait may be that of any member of the convoy, and of any task on the CPU of the
# driver.
named convoy "$convoy"
named irqs-off "$irqs_off"
named hrtimer "$hrtimer"
named irq "$irq"
named network "$network"
named worker "$worker"
named stopped "$stopped"
if [ "$disk" ]; then
	named fsync "^$fsync"
	named read "^$read"
	named faults "^$faults"
else
	skip "this kernel has no module null_blk" "disks"
fi
if [ -z "${SHORT:-}" ]; then
	named starved "^$starved"
	named rt-throttling "^$throttled"
	[ -z "$grouped" ] || named quota "^$quota"
	[ -z "$grouped" ] || [ -z "$disk" ] || named thrash "^$thrash"
fi
if [ "$grouped" ]; then
	named memory-high "^$high"
else
	skip "this kernel has no control groups" "quota and memory.high"
fi

rbmap why --json -p v-holder /tmp/all.dat >/tmp/json 2>/tmp/errors
is "$(grep -o '"cause": "[a-z-]*"' /tmp/json | head -n 1)" '"cause": "timer"' "JSON has the cause"

planted holder >/tmp/planted 2>&1 &
ok "why --live" eval "rbmap why --live -d 1 -p 'v-*' >/tmp/output 2>/tmp/errors" || diag "$(cat /tmp/errors)"
wait $!
is "$(find /tmp -name 'rbmap-why-*')" "" "it leaves no file"

if [ -z "${SHORT:-}" ]; then
	alone holder "$held"
	alone inversion "$inverted"
	alone convoy "$convoy"
	alone irqs-off "$irqs_off"
	alone hrtimer "$hrtimer"
	alone irq "$irq"
	alone network "$network"
	alone worker "$worker"
	alone stopped "$stopped"
	if [ "$disk" ]; then
		alone fsync "$fsync"
		alone read "$read"
		alone faults "$faults"
	fi
fi
[ -z "$grouped" ] || { rmdir /tmp/cgroup/small /tmp/cgroup/high /tmp/cgroup/tight; umount /tmp/cgroup; }
ok "slow unloads" rmmod slow
for module in null_blk configfs; do
	! grep -q "^$module " /proc/modules || ok "$module unloads" rmmod $module
done
ok "rbmap unloads" rmmod rbmap
done_testing
