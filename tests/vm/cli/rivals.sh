#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap why beside perf and trace-cmd, on faults of planted.c that all record at once. The
# waits of the victims are those of perf sched timehist, and who ended them, too. The test
# prints the words that a reader gets about each victim, for docs/answers.md.
# shellcheck disable=SC2016 # awk's
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
PATH=$PATH:/tests

# The faults, and what names the culprit of each
faults="holder:holder[-[] inversion:codec[-[] convoy:member|lock.convoy worker:slow_work
stopped:debugger[-[] irqs-off:driver[-[] hrtimer:slow_timer irq:slow network:NET_RX
fsync:nullb0|25[0-9],0 read:nullb0|25[0-9],0"
sched=sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new

# tell TOOL FAULT CULPRIT <LINES: how many words there are, and whether one is the culprit
tell()
{
	cat >/tmp/said
	named=no
	! grep -q -E -e "$3" /tmp/said || named=yes
	diag "$1 $2: $(wc -l </tmp/said) lines, $(wc -w </tmp/said) words, culprit named: $named"
}

# lines_of_victim FAULT <OUTPUT: those that have the victim in them
lines_of_victim()
{
	grep -e "v-$1[^a-z]"
}

ok "the modules load" eval "load_module rbmap && load_module slow"
load_module configfs 2>/dev/null
ok "a slow disk" load_module null_blk queue_mode=2 irqmode=2 completion_nsec=20000000 \
	hw_queue_depth=1 submit_queues=1
if ! command -v perf >/dev/null; then
	skip "perf is not installed" "perf sched timehist"
else
	# The same run, three recorders
	names=$(for fault in $faults; do echo "${fault%%:*}"; done | xargs)
	cat >/tmp/beside <<INNER
#!/bin/sh
exec trace-cmd record -q -b 8192 -e sched -e irq -e timer -e workqueue -e block -o /tmp/t.dat planted /dev/nullb0 $names
INNER
	chmod +x /tmp/beside
	ok "record" eval "rbmap record --for why -q -b 16M -o /tmp/r.dat -- \
		perf record -a -m 8192 -e $sched -o /tmp/perf.data -- /tmp/beside >/tmp/recorded 2>&1" ||
		diag "$(cat /tmp/recorded)"
	rbmap why --worst 1000 --json /tmp/r.dat >/tmp/json 2>/tmp/errors
	rbmap why --worst 1000 /tmp/r.dat >/tmp/answers 2>/tmp/errors
	perf --no-pager sched timehist -w -i /tmp/perf.data </dev/null >/tmp/timehist 2>/tmp/errors
	perf --no-pager sched latency -i /tmp/perf.data </dev/null >/tmp/latency 2>/tmp/errors
	trace-cmd report -i /tmp/t.dat >/tmp/report 2>/dev/null
	trace-cmd report -w -i /tmp/t.dat >/tmp/wakeups 2>/dev/null
	ok "perf sees the victims" grep -q 'v-holder' /tmp/timehist || diag "$(head -n 5 /tmp/timehist)"

	# The worst wait of a victim, in ms, is one of those that perf has. On a busy machine it may
	# be none: the victim then waited for a CPU above all. perf leaves out the last wait of a
	# thread that ends. Its column "wait time" has the delay of the next column in it.
	for victim in worker fsync read; do
		ours=$(sed -n "s/^v-$victim-[0-9]* waited \([0-9.]*\) ms .*/\1/p" /tmp/answers | head -n 1)
		if [ -z "$ours" ]; then
			skip "the sentence has no wait in ms" "v-$victim's wait is one of perf's"
			continue
		fi
		grep "v-$victim\[" /tmp/timehist | grep -v awakened >/tmp/theirs
		ok "v-$victim's wait of $ours ms is one of perf's" awk -v a="$ours" \
			'{ b = $(NF - 2); if (a < b * 1.05 + 1 && b < a * 1.05 + 1) found = 1 }
			END { exit !found }' /tmp/theirs || diag "$(head -n 8 /tmp/theirs)"
	done
	for victim in holder inversion; do
		ok "perf, too, says that holder woke v-$victim" \
			grep -q " holder\[.*awakened: v-$victim\[" /tmp/timehist
		like "$(grep -m 1 "^v-$victim-[0-9]* waited" /tmp/answers)" " for holder-[0-9]+, which" \
			"and so does why"
	done
	for fault in $faults; do
		name=${fault%%:*}
		culprit=${fault#*:}
		grep -m 1 -e "^v-$name-" -e "in the name of v-$name-" /tmp/answers | tell "rbmap why" "$name" "$culprit"
		rbmap why -p "v-$name" /tmp/r.dat 2>/dev/null | tell "rbmap why, all lines" "$name" "$culprit"
		lines_of_victim "$name" </tmp/timehist | tell "perf sched timehist -w" "$name" "$culprit"
		lines_of_victim "$name" </tmp/latency | tell "perf sched latency" "$name" "$culprit"
		lines_of_victim "$name" </tmp/wakeups | tell "trace-cmd report -w" "$name" "$culprit"
		lines_of_victim "$name" </tmp/report | tell "trace-cmd report" "$name" "$culprit"
	done
fi
ok "slow unloads" rmmod slow
for module in null_blk configfs; do
	! grep -q "^$module " /proc/modules || ok "$module unloads" rmmod $module
done
ok "rbmap unloads" rmmod rbmap
done_testing
