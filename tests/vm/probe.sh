#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap probe: events of tracepoints that are made at run time.  What they record
# is what the built-in events of the same tracepoints record.
# shellcheck disable=SC2317 # called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
out=/tmp/out
err=/tmp/err

# The kernel's own types, or those that were made for it.
btf=
if [ ! -e /sys/kernel/btf/vmlinux ]; then
	btf="--btf /tests/types.btf"
	ok "this kernel's types are here" test -s /tests/types.btf || done_testing
fi

# add ARGUMENT...
add()
{
	# shellcheck disable=SC2086 # words
	rbmap probe add $btf "$@" >$out 2>$err
}

# refused PATTERN ARGUMENT...: one line says why, and nothing is added
refused()
{
	pattern=$1
	shift
	before=$(rbmap probe list)
	add "$@"
	status=$?
	like "$status $(cat $err)" "^1 rbmap: .*$pattern" "add $*: /$pattern/"
	is "$(wc -l <$err) $(rbmap probe list)" "1 $before" "in a line, and nothing is added"
}

work()
{
	n=0
	while [ $n -lt "$1" ]; do
		/bin/true | cat
		n=$((n + 1))
	done
}

add sched_switch
like "$(cat $err)" "module is not loaded: run 'rbmap load' as root" "without the module"
rbmap probe list >$out 2>$err
is "$? $(wc -l <$err)" "1 1" "list without the module"
ok "module loads" load_module rbmap buffer_size_kb=4096 || done_testing

# --- add, list, remove
is "$(rbmap probe list)" "" "there is none"
is "$(rbmap probe list --json)" "[]" "none in JSON"
ok "add" add 'sched_switch prev->pid next->comm'
# shellcheck disable=SC2016 # $arg2 is the kernel's
like "$(rbmap probe list)" \
	'^tracepoints:sched_switch +sched_switch prev_pid=\+[0-9]+\(\$arg2\):s32 next_comm=\+[0-9]+\(\$arg3\):string$' \
	"list"
like "$(rbmap probe list --json)" '"event": "sched_switch"' "list --json"
like "$(rbmap probe list --json)" '"type": "string"' "with types"
like "$(rbmap list tracepoints)" '^tracepoints:sched_switch' "it is an event like others"
ok "its format has the fields" grep -q 'field:s32 prev_pid;' \
	$root/events/tracepoints/sched_switch/format
refused 'there is an event tracepoints:sched_switch already: .*-n' sched_switch
refused "no tracepoint 'sched_swich': did you mean" sched_swich
refused "has no member 'pidd': did you mean" 'sched_switch prev->pidd'
refused 'is a structure, choose a member' 'sched_switch prev->se'
refused 'that field already: choose another name' 'sched_wakeup __faults=p->pid'
ok "one of another name" add -n again -g mine 'sched_switch prev->prio'
ok "a raw one" add -g mine sched_wakeup
ok "several" sh -c "printf 'sched_waking p->pid\nsoftirq_entry\n' | rbmap probe add $btf -g more -f -"
is "$(rbmap probe list | wc -l)" 5 "all are listed"
rbmap enable mine more
ok "remove one that is on" rbmap probe remove mine:again
ok "remove a group" rbmap probe remove more
is "$(rbmap probe list | wc -l)" 2 "two are left"
rbmap probe remove mine:agian sched_switch >$out 2>$err
like "$? $(cat $err)" "^1 rbmap: no probe 'mine:agian': 'rbmap probe list' shows" \
	"a wrong name: nothing is removed"
is "$(rbmap probe list | wc -l)" 2 "still two"
ok "remove all" rbmap probe remove --all
is "$(rbmap probe list)" "" "none is left"
fails "nor its directory" test -e $root/events/tracepoints
ok "remove all of none" rbmap probe remove --all
/tests/setpriv --reuid 1000 --regid 1000 --clear-groups \
	rbmap probe list >$out 2>$err
like "$(cat $err)" "no permission to read $root/dynamic_events: run rbmap as root" \
	"list as a user"
# shellcheck disable=SC2086
/tests/setpriv --reuid 1000 --regid 1000 --clear-groups \
	rbmap probe add $btf sched_switch >$out 2>$err
like "$(cat $err)" "no permission to write $root/dynamic_events: run rbmap as root" \
	"add as a user"
# shellcheck disable=SC2086
like "$(/tests/setpriv --reuid 1000 --regid 1000 --clear-groups \
	rbmap probe fields $btf sched_switch)" '^prev +struct task_struct \*$' \
	"a user sees the types"

# --- what they record is what the built-in ones record

# pairs NAME KEY...: the values of an event's keys, by CPU
pairs()
{
	name=$1
	shift
	awk -v name="$name:" -v keys="$*" '
	BEGIN { nr = split(keys, key, " ") }
	{
		for (i = 1; i <= NF && $i != name; i++)
			if ($i ~ /^\[[0-9]+\]$/)
				cpu = $i
		if (i > NF)
			next
		text = " " $0
		line = cpu
		for (k = 1; k <= nr; k++) {
			value = text
			if (!sub(".* " key[k] "=", "", value))
				next
			sub(" .*", "", value)
			line = line " " key[k] "=" value
		}
		print line
	}' $out
}

# same EVENT COUNT KEY...: the event and mine:my_EVENT have seen the same, COUNT
# times or more.  Each CPU switches tracing on and off between two of them.
same()
{
	event=$1
	count=$2
	shift 2
	pairs "$event" "$@" | sort -s -k 1,1 >/tmp/built_in
	pairs "my_$event" "$@" | sort -s -k 1,1 >/tmp/ours
	missing=$(diff /tmp/built_in /tmp/ours | grep -c '^[<>]')
	at_most "$missing" 8 "$event: only the first or last of a CPU has no other"
	ok "$event: $(wc -l </tmp/ours) of them, $count or more" \
		test "$(wc -l </tmp/ours)" -ge "$count"
	diag "$(head -n 1 /tmp/ours)"
}

ok "sched_switch" add -g mine -n my_sched_switch \
	'sched_switch prev->comm prev->pid prev->prio next->comm next->pid next->prio'
ok "sched_wakeup" add -g mine -n my_sched_wakeup \
	'sched_wakeup comm=p->comm pid=p->pid prio=p->prio'
ok "sched_process_fork" add -g mine -n my_sched_process_fork \
	'sched_process_fork comm=parent->comm pid=parent->pid child->comm child->pid'
ok "irq_handler_entry" add -g mine -n my_irq_handler_entry \
	'irq_handler_entry irq name=action->name:string'
ok "softirq_entry" add -g mine -n my_softirq_entry 'softirq_entry vec=arg1'
echo 0 >$root/tracing_on
ok "all are enabled" rbmap enable mine sched:sched_switch sched:sched_wakeup \
	sched:sched_process_fork irq:irq_handler_entry irq:softirq_entry
echo 1 >$root/tracing_on
work 15
# What is said comes by the interrupts of a serial line.
diag "half of the work is done"
work 15
diag "all of it"
echo 0 >$root/tracing_on
rbmap disable mine sched irq
rbmap stream --no-follow >$out 2>$err
like "$(cat $err)" '^[0-9]+ events read, 0 lost$' "all were read"
same sched_switch 100 prev_comm prev_pid prev_prio next_comm next_pid next_prio
same sched_wakeup 50 comm pid prio
same sched_process_fork 30 comm pid child_comm child_pid
same irq_handler_entry 1 irq name
same softirq_entry 10 vec
fails "no pointer of these led nowhere" grep -q '(fault)' $out ||
	diag "$(grep -m 5 '(fault)' $out)"
rbmap probe remove --all
echo 1 >$root/tracing_on

# --- what can't be read is told

ok "pointers that may be NULL, bit-fields, arrays" add -n odd \
	'sched_switch mm=prev->mm program=prev->mm->exe_file->f_path.dentry->d_name.name:string load=prev->sched_contributes_to_load bytes=prev->comm:x8[4]'
rbmap stream -e tracepoints:odd -d 0.5 >$out 2>$err
like "$(cat $out)" 'program=\(fault\)' "a thread of the kernel has no mm: (fault)"
like "$(cat $out)" 'load=[01] bytes=' "a bit-field is a bit"
ok "module unloads with a probe there" rmmod rbmap
done_testing
