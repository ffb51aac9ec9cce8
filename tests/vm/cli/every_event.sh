#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A user's day with events of all kinds, most of them not built in. Twenty events of twenty
# systems are named, recorded, filtered, reported and seen in each view. Then all events are
# recorded at once. Events that the kernel misses are counted as lost.
# shellcheck disable=SC2317 # ok and retry_until call the functions
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
names='task:task_newtask kmem:mm_page_alloc mmap:vm_unmapped_area pagemap:mm_lru_insertion
	rcu:rcu_utilization workqueue:workqueue_activate_work timer:timer_init
	irq_vectors:local_timer_entry cgroup:cgroup_mkdir writeback:writeback_mark_inode_dirty
	percpu:percpu_alloc_percpu module:module_load printk:console exceptions:page_fault_user
	cpuhp:cpuhp_enter oom:oom_score_adj_update vmscan:mm_shrink_slab_start
	compaction:mm_compaction_begin tlb:tlb_flush x86_fpu:x86_fpu_regs_deactivated'

cd /tmp || exit 1
ok "module loads" load_module rbmap || done_testing
mkdir -p cgroup /sys/kernel/tracing
mount -t cgroup2 none cgroup
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing

# Some events, and each one that is named
cat >some <<'EOF'
mkdir cgroup/work && rmdir cgroup/work
insmod "$1" && rmmod my_fork
echo "every event" >/dev/kmsg
echo 1 >/proc/self/oom_score_adj
EOF
cat some - >work <<'EOF'
echo 2 >/proc/sys/vm/drop_caches
echo 1 >/proc/sys/vm/compact_memory
for i in 1 2 3 4 5 6 7 8; do
	dd if=/dev/zero of=dirty bs=4k count=8 2>/dev/null
done
rm dirty
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
EOF

# lines REPORT: prints the number of events
lines()
{
	grep -c '\[[0-9][0-9][0-9]\]' "$1"
}

# --- list
is "$(rbmap list 'kmem:rss_stat' | xargs)" "kmem:rss_stat kernel" \
	"an event that nobody has named is listed, with its source"
like "$(rbmap list -v task_rename)" 'char\[16\] oldcomm' "list -v prints its fields"
like "$(rbmap list -v page_fault_user)" "prints: .*error_code" "and its print format"
like "$(rbmap list -v irq:softirq_raise)" "unsigned int vec: 0=HI, 1=TIMER" \
	"and the names of values"
like "$(rbmap list --json -v kmem:rss_stat | tr -d '\n')" \
	'"source": "kernel".*"fields": \[.*"name": "member".*"offset"' "in JSON, too"
rbmap list | grep -v ' unavailable: ' | awk '{ print $1 }' | sort >listed
is "$(cat listed)" "$(sort $root/available_events)" \
	"all available events are listed"
unavailable=$(rbmap list | grep -c ' unavailable: ')
is "$(rbmap status | grep -c '^  unavailable  ')" "$unavailable" "status has the same unavailable ones as list"
like "$(rbmap doctor 2>&1)" "events .*[0-9] available, $unavailable not available|^.*events +[0-9]+\$" "and doctor"
fails "list makes no directories" test -e $root/events/kmem/rss_stat

# --- record, and each view
options='' missing=''
for name in $names; do
	grep -qx "$name" listed && options="$options -e $name" || missing="$missing $name"
done
is "$missing" "" "this kernel has the twenty events"
# shellcheck disable=SC2086 # options
rbmap record $options -o day.dat -- sh work /modules/my_fork.ko 2>errors
is "$?" 0 "they are recorded together"
diag "$(cat errors)"
rbmap report day.dat >day 2>sums
silent=''
for name in $names; do
	grep -q " ${name#*:}: " day || silent="$silent $name"
done
is "$silent" "" "each of them is in the report"
is "$(sed -n 's/ events read.*//p' errors)" "$(lines day)" "the report has all events"
is "$(sed -n 's/^[0-9]* events, \([0-9]* lost\)$/\1/p' sums)" "$(sed -n 's/^[0-9]* events read, //p' errors)" \
	"report and recorder say the same number of lost events"
is "$(rbmap report --json day.dat 2>/dev/null | grep -c '"event"')" "$(lines day)" "JSON has all events"
ok "a page for a browser" rbmap report --html -o day.html day.dat
like "$(tr -d '\n' <day.html | grep -o task_newtask | head -n 1)" task_newtask "has the events' names"
ok "Perfetto's format" rbmap convert --perfetto -o day.perfetto day.dat
ok "ftrace's text" rbmap convert --systrace -o day.systrace day.dat
is "$(grep -c ' task_newtask: ' day.systrace)" "$(grep -c ' task_newtask: ' day)" "has the events"
fails "the default buffer does not have them" test -e $root/events/pagemap/mm_lru_insertion

# --- choose
# 1: pages of processes, which the kernel can move. Its own pages have other numbers.
rbmap record -q -e kmem:mm_page_alloc --filter 'migratetype == 1' -o filtered.dat -- sh some /modules/my_fork.ko
rbmap report filtered.dat >filtered 2>/dev/null
ok "a filter lets events through" grep -q 'mm_page_alloc:.* migratetype=1 ' filtered
fails "and only those that it allows" grep -q 'migratetype=[^1]' filtered
rbmap record -q -e 'cgroup:*' -e 'oom:*_update' -o few.dat -- sh some /modules/my_fork.ko
rbmap report few.dat 2>/dev/null | awk '/\[/ { print $4 }' | sort -u >few
ok "wildcards name events" grep -q cgroup_rmdir: few
ok "of several systems" grep -q oom_score_adj_update: few
is "$(grep -vc -e '^cgroup_' -e '^oom_' few)" 0 "and no others"
rbmap stream -e task_rename >streamed 2>/dev/null &
stream=$!
retry_until 30 sh -c "grep -q 1 $root/instances/record-*/events/task/task_rename/enable 2>/dev/null"
sh -c 'exec true'
ok "stream prints an event" retry_until 30 grep -q ' task_rename: ' streamed
kill $stream
wait $stream
rbmap record -q -e kmem:kmem_cache_alloc -o alloc.dat -- true
like "$(rbmap report alloc.dat 2>/dev/null)" ' kmem_cache_alloc: ' \
	"the kernel's own event takes the place of a probe that does not fit"
while [ ! -e stop ]; do /bin/busybox true; done &
rbmap top --batch -i 0.3 -e kmem >pictures 2>&1 &
top=$!
ok "top counts a system" retry_until 30 grep -q ' kmem:' pictures
kill $top
touch stop
wait
said rbmap record -e kmem:mm_page_aloc -o no.dat -- true
like "$status $output" "^1 .*no event 'kmem:mm_page_aloc': similar names: kmem:mm_page_alloc" \
	"a wrong name gets a similar one"

# --- switch
ok "an event is enabled in the default buffer" rbmap enable oom:oom_score_adj_update
echo 2 >/proc/self/oom_score_adj
ok "and disabled" rbmap disable oom
like "$(rbmap stream --no-follow 2>/dev/null)" 'oom_score_adj_update: ' "it has its event"
ok "one that nobody has named is disabled already" rbmap disable compaction

# --- all of them, with exact sums
# With lockdep, each lock is an event, and a longer work fills the memory.
all=work
[ -z "${SHORT:-}" ] && ! grep -qx lock:lock_acquire listed || all=some
rbmap record -e all -b 16M -o all.dat -- sh "$all" /modules/my_fork.ko 2>errors
is "$?" 0 "all events are recorded together"
diag "$(cat errors)"
rbmap report all.dat >all 2>sums
diag "$(cat sums)"
ok "those that are not built in, too" grep -q ' rcu_utilization: ' all
is "$(lines all)" "$(sed -n 's/ events read.*//p' errors)" "the report has all events"
is "$(sed -n 's/^[0-9]* events, \([0-9]* lost\)$/\1/p' sums)" "$(sed -n 's/^[0-9]* events read, //p' errors)" \
	"and the same number of lost ones"

# --- missed
# A CPU that comes on line has events before anybody can listen to them.
ok "a CPU comes on line while its events are recorded" rbmap enable rcu:rcu_utilization x86_fpu
missed()
{
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu1/online
	grep -q '^missed: [1-9]' $root/per_cpu/cpu1/stats
}
ok "events are missed" retry_until 60 missed
# sum_missed: prints how many events all CPUs have missed, by the texts of their counters
sum_missed()
{
	awk '/^missed: / { sum += $2 } END { print sum + 0 }'
}
# Each file of a flight recorder has those since the file before.
rbmap record --flight-recorder --default -o missed-flight 2>flight.log &
recorder=$!
ok "a flight recorder begins" retry_until 30 grep -q "kill -USR1 $recorder" flight.log
ok "it writes a file" rbmap snapshot --recorder $recorder
before=$(cat $root/per_cpu/cpu*/stats | sum_missed)
more_missed()
{
	missed
	[ "$(cat $root/per_cpu/cpu*/stats | sum_missed)" -gt "$before" ]
}
ok "more events are missed" retry_until 60 more_missed
rbmap disable all
kill -INT $recorder
wait $recorder
is "$?" 0 "it writes the last file"
for file in missed-flight missed-flight.1; do
	trace-cmd report --stat $file 2>/dev/null >stat
	ok "$file has events that were missed" [ "$(sum_missed <stat)" -gt 0 ]
	cat stat >>stats
done
is "$(sum_missed <stats)" "$(cat $root/per_cpu/cpu*/stats | sum_missed)" "each of them is in one file"
sum=$(sed -n 's/^missed: //p' $root/per_cpu/cpu1/stats)
like "$(rbmap stat --json | tr -d ' \n')" "\"missed\":$sum" "stat has their number"
like "$(rbmap stat)" "MISSED" "as a cause of loss"

umount cgroup
ok "module unloads" rmmod rbmap
done_testing
