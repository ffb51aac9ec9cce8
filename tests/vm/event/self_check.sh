#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The first event of the kernel makes rbmap check the records that the kernel fills. With
# records that are spoiled in each way, rbmap uses a perf event for each event and CPU, whose
# records equal ftrace's. If those are spoiled, too, it refuses the events with the reason.
# SHORT=1 spoils in two ways.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

events=$root/events
theirs=/sys/kernel/tracing
[ -e $theirs/events ] || mount -t tracefs none $theirs
# The check's own number, and the kernel's
alias=57343 all=0

# --- as it should be
ok "module loads" load_module rbmap || done_testing
is "$(cat $root/kernel_events)" unchecked "nobody has checked anything before the first use"
like "$(rbmap status)" "kernel events   not used yet" "status says so"
ok "an event of the kernel is named" put set_event kmem:rss_stat
is "$(cat $root/kernel_events)" alias "the check has found nothing wrong"
like "$(rbmap status)" "kernel events   by records of the kernel that nobody else gets" "status says so"
like "$(rbmap status --json)" '"kernel_events": "alias"' "in JSON, too"
like "$(rbmap doctor)" "ok +records +by records of the kernel" "and doctor"
ok "module unloads" rmmod rbmap

# spoiled PART FROM: loads rbmap, with such records
spoiled()
{
	ok "rbmap loads" load_module rbmap buffer_size_kb=16384 kptr=1 || done_testing
	ok "$1: a module spoils records from number $2 on" load_module spoil part="$1" from="$2" || done_testing
}

unspoiled()
{
	ok "the modules unload" rmmod spoil rbmap || done_testing
}

# --- one way is worse than the other
parts='record=no record arrived
size=a record had another size
number=a record had another number or task
task=a record had another number or task
flags=a record had other flags
count=a record had another preemption count
text=a record had other fields'
[ -z "${SHORT:-}" ] || parts=$(echo "$parts" | sed -n '1p; $p')
for part in $(echo "$parts" | cut -d= -f1); do
	reason=$(echo "$parts" | sed -n "s/^$part=//p")
	spoiled "$part" $alias
	ok "the event is named" put set_event kmem:rss_stat
	is "$(cat $root/kernel_events)" "perf: $reason" "the check finds that"
	[ "$part" = text ] || unspoiled
done
like "$(rbmap status)" "kernel events   by a perf event for each event and CPU, because $reason" \
	"status has the reason"
like "$(rbmap doctor)" "note +records +by a perf event for each event and CPU, because $reason" \
	"so has doctor"
is "$(cat $events/kmem/rss_stat/source)" foreign "the source is another one"
put set_event ' '

# The same moments as ftrace
for file in /proc/irq/*/smp_affinity; do
	echo 1 >"$file"
done 2>/dev/null
names='kmem/rss_stat sched/sched_stat_runtime task/task_newtask task/task_rename timer/timer_init
	signal/signal_generate rcu/rcu_utilization percpu/percpu_alloc_percpu
	workqueue/workqueue_queue_work'
# shellcheck disable=SC2086 # names
results "" records $names
different='' made=0 systems=''
# ext4 is a module of some kernels, and is not loaded here.
[ ! -e $theirs/events/ext4 ] || systems='ext4:*'
ok "many events can be named" put available_events "$systems net:* kmem:* sched:* neigh:* writeback:*"
for file in "$events"/*/*/format; do
	event=${file#"$events"/}
	event=${event%/format}
	[ "$(cat "$events/$event/source")" = foreign ] || continue
	made=$((made + 1))
	sed 's/^ID: .*/ID: N/' "$theirs/events/$event/format" >/tmp/theirs
	sed 's/^ID: .*/ID: N/' "$events/$event/format" >/tmp/ours
	if ! cmp -s /tmp/theirs /tmp/ours; then
		different="$different $event"
		diag "$event" "$(diff /tmp/theirs /tmp/ours | head -n 4)"
	fi
done
is "$different" "" "all $made formats are ftrace's"

# The release of their perf events waits for the kernel, and others wait for it meanwhile. So
# it begins a second after the last event was attached, and not after the first was detached.
kept()
{
	put set_event 'writeback:*'
	echo 0 >/sys/module/failing/parameters/nth
	put set_event ' '
	usleep 700000
	put set_event writeback:writeback_start
	usleep 600000
	released=$(wc -w </sys/module/failing/parameters/calls)
	put set_event ' '
	[ "$released" = 0 ]
}
if [ -z "${SHORT:-}" ] && load_module failing functions=perf_event_release_kernel; then
	# A machine that stood still for a second between two writes has released some.
	ok "perf events are not released while they are attached again" retry_until 60 kept
	ok "the module that counts releases unloads" rmmod failing
fi

# The kernel waits for RCU with each release of a perf event. 5.10 refuses a kprobe there,
# because it builds the file without a place for ftrace.
if [ -e $theirs/kprobe_events ] && printf 'p:mine/%s %s\n' begin rcu_expedite_gp \
	release perf_event_release_kernel end rcu_unexpedite_gp 2>/dev/null >$theirs/kprobe_events; then
	ok "two events are recorded" put set_event 'kmem:rss_stat writeback:writeback_start'
	echo 1 >$theirs/events/mine/enable
	echo >$theirs/trace
	put set_event ' '
	unspoiled
	echo 0 >$theirs/events/mine/enable
	# The listeners of all aliases are released last, with one wait.
	is "$(awk -v cpus="$(nproc)" '/: begin:/ { n++ } /: end:/ { n-- }
		/: release:/ { if (n > 0) short++; else long++ }
		END { print n + 0, (long <= cpus), (short >= 2) }' $theirs/trace)" "0 1 1" \
		"all their perf events are released with short waits for RCU"
	diag "$(grep -cE ': (begin|end):' $theirs/trace) switches of waits, $(grep -c ': release:' $theirs/trace) releases"
	echo >$theirs/kprobe_events
else
	skip "this kernel refuses a kprobe" "all perf events are released with short waits"
	unspoiled
fi

# Addresses that the kernel leaves in bytes which it does not set
ok "rbmap loads with hashed addresses" load_module rbmap buffer_size_kb=16384
ok "a module spoils records" load_module spoil part=text from=$alias
# shellcheck disable=SC2086 # names
results "" records addresses $names
unspoiled

# --- no way
spoiled text $all
refused set_event kmem:rss_stat "Invalid argument"
is "$(cat $root/kernel_events)" "none: a record had other fields" "the check finds nothing better"
like "$(cat /dev/rbmap/error_log)" "the kernel's own cannot be recorded \(a record had other fields\), but rbmap probe" \
	"the refusal names the cause and the cure"
like "$(rbmap status)" "kernel events   by probes with the tracepoints' arguments, because a record had other fields" \
	"status says what there is instead"
like "$(rbmap doctor)" "note +records +by probes with the tracepoints' arguments, because a record had other fields" \
	"so does doctor"
said rbmap record -e rcu:rcu_utilization -o probe.dat -- sleep 1
if [ -e /sys/kernel/btf/vmlinux ]; then
	like "$status $output" "^0 .*rcu:rcu_utilization is not built in: made it from the tracepoint's arguments" \
		"the command makes a probe"
	like "$(rbmap report probe.dat 2>/dev/null)" ' rcu_utilization: ' "which records"
else
	like "$status $output" "^1 .*this kernel does not describe its types: 'rbmap probe add --btf" \
		"without BTF the command says how to make a probe"
fi
fails "available_events lists none of them" grep -q kmem:rss_stat $root/available_events
ok "built-in events can be recorded" put set_event sched:sched_switch
put set_event ' '
unspoiled
done_testing
