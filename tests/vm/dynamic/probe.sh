#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap probe creates dynamic events of tracepoints. They must record the same values as
# the built-in events of these tracepoints. SHORT=1: three tracepoints instead of five, and
# fewer errors.
# shellcheck disable=SC2086,SC2317 # an empty word must not be an argument; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
out=/tmp/out
err=/tmp/err

# The kernel's own types, or a file that was built for it.
btf=
if [ ! -e /sys/kernel/btf/vmlinux ]; then
	btf="--btf /tests/types.btf"
	ok "the file with this kernel's types exists" test -s /tests/types.btf || done_testing
fi

# add ARGUMENT...: rbmap probe add, with its output in $out and $err
add()
{
	# shellcheck disable=SC2086 # split into words
	rbmap probe add $btf "$@" >$out 2>$err
}

# refused PATTERN ARGUMENT...: fails with one line that matches, and adds nothing
refused()
{
	pattern=$1
	shift
	before=$(rbmap probe list)
	add "$@"
	status=$?
	like "$status $(cat $err)" "^1 rbmap: .*$pattern" "add $*: /$pattern/"
	is "$(wc -l <$err) $(rbmap probe list)" "1 $before" "one line of error, and no probe is added"
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
like "$(cat $err)" "module is not loaded: run 'rbmap load' as root" "add without the module prints an error"
rbmap probe list >$out 2>$err
is "$? $(wc -l <$err)" "1 1" "list without the module prints one line and fails"
ok "module loads" load_module rbmap buffer_size_kb=4096 || done_testing

# --- add, list, remove
is "$(rbmap probe list)" "" "probe list is empty"
is "$(rbmap probe list --json)" "[]" "probe list --json is empty"
ok "add a probe" add 'sched_switch prev->pid next->comm'
# shellcheck disable=SC2016 # $arg2 is the kernel's
like "$(rbmap probe list)" \
	'^tracepoints:sched_switch +sched_switch prev_pid=\+[0-9]+\(\$arg2\):s32 next_comm=\+[0-9]+\(\$arg3\):string$' \
	"list prints the probe's line"
like "$(rbmap probe list --json)" '"event": "sched_switch"' "list --json has the event"
like "$(rbmap probe list --json)" '"type": "string"' "list --json has the types"
like "$(rbmap list tracepoints)" '^tracepoints:sched_switch' "rbmap list has the probe's event"
ok "the event's format has the fields" grep -q 'field:s32 prev_pid;' \
	$root/events/tracepoints/sched_switch/format
refused 'an event tracepoints:sched_switch exists already: .*-n' sched_switch
refused "no tracepoint 'sched_swich': similar names:" sched_swich
refused "has no member 'pidd': similar names:" 'sched_switch prev->pidd'
[ -n "${SHORT:-}" ] || refused 'is a structure, choose a member' 'sched_switch prev->se'
[ -n "${SHORT:-}" ] || refused 'that field already: choose another name' 'sched_wakeup __faults=p->pid'
ok "add a probe with another name" add -n again -g mine 'sched_switch prev->prio'
ok "add a probe without fields" add -g mine sched_wakeup
ok "add several probes from standard input" sh -c "printf 'sched_waking p->pid\nsoftirq_entry\n' | rbmap probe add $btf -g more -f -"
is "$(rbmap probe list | wc -l)" 5 "all probes are listed"
rbmap enable mine more
ok "remove a probe that is enabled" rbmap probe remove mine:again
ok "remove a group of probes" rbmap probe remove more
is "$(rbmap probe list | wc -l)" 2 "two probes are left"
rbmap probe remove mine:agian sched_switch >$out 2>$err
like "$? $(cat $err)" "^1 rbmap: no probe 'mine:agian': 'rbmap probe list' lists" \
	"a wrong name is refused"
is "$(rbmap probe list | wc -l)" 2 "a wrong name removes no probe"
ok "remove all probes" rbmap probe remove --all
is "$(rbmap probe list)" "" "no probe is left"
fails "the probes' directory is gone" test -e $root/events/tracepoints
ok "remove all succeeds without a probe" rbmap probe remove --all
/tests/setpriv --reuid 1000 --regid 1000 --clear-groups \
	rbmap probe list >$out 2>$err
like "$(cat $err)" "no permission to read $root/dynamic_events: run rbmap as root" \
	"list as a user prints an error"
# shellcheck disable=SC2086
/tests/setpriv --reuid 1000 --regid 1000 --clear-groups \
	rbmap probe add $btf sched_switch >$out 2>$err
like "$(cat $err)" "no permission to write $root/dynamic_events: run rbmap as root" \
	"add as a user prints an error"
# shellcheck disable=SC2086
like "$(/tests/setpriv --reuid 1000 --regid 1000 --clear-groups \
	rbmap probe fields $btf sched_switch)" '^prev +struct task_struct \*$' \
	"a user can list a tracepoint's types"

# --- dynamic events record the same as built-in ones

# pairs NAME KEY...: prints the values of an event's keys, by CPU
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

# same EVENT COUNT KEY...: the event and mine:my_EVENT have recorded the same values,
# COUNT times or more. The first or the last record of a CPU may be alone: tracing may
# be switched on or off between the two probes.
same()
{
	event=$1
	count=$2
	shift 2
	pairs "$event" "$@" | sort -s -k 1,1 >/tmp/built_in
	pairs "my_$event" "$@" | sort -s -k 1,1 >/tmp/ours
	missing=$(diff /tmp/built_in /tmp/ours | grep -c '^[<>]')
	at_most "$missing" 8 "$event: only the first or last of a CPU has no counterpart"
	ok "$event: $(wc -l </tmp/ours) records, $count or more" \
		test "$(wc -l </tmp/ours)" -ge "$count"
	diag "$(head -n 1 /tmp/ours)"
}

ok "sched_switch" add -g mine -n my_sched_switch \
	'sched_switch prev->comm prev->pid prev->prio next->comm next->pid next->prio'
wakeup='' handler=''
if [ -z "${SHORT:-}" ]; then
	wakeup=sched:sched_wakeup handler=irq:irq_handler_entry
	ok "sched_wakeup" add -g mine -n my_sched_wakeup \
		'sched_wakeup comm=p->comm pid=p->pid prio=p->prio'
	ok "irq_handler_entry" add -g mine -n my_irq_handler_entry \
		'irq_handler_entry irq name=action->name:string'
fi
ok "sched_process_fork" add -g mine -n my_sched_process_fork \
	'sched_process_fork comm=parent->comm pid=parent->pid child->comm child->pid'
ok "softirq_entry" add -g mine -n my_softirq_entry 'softirq_entry vec=arg1'
echo 0 >$root/tracing_on
ok "all probes and built-in events are enabled" rbmap enable mine sched:sched_switch $wakeup \
	sched:sched_process_fork $handler irq:softirq_entry
echo 1 >$root/tracing_on
# Half of the work, and a tenth of the records of sched_switch that it causes at least
half=15 tenth=10
[ -z "${SHORT:-}" ] || half=6 tenth=4
work $half
# Printing causes interrupts of the serial line, which are recorded.
diag "half of the work is done"
work $half
diag "all of it"
echo 0 >$root/tracing_on
rbmap disable mine sched irq
rbmap stream --no-follow >$out 2>$err
like "$(cat $err)" '^[0-9]+ events read, 0 lost$' "no event was lost"
same sched_switch $((10 * tenth)) prev_comm prev_pid prev_prio next_comm next_pid next_prio
[ -z "$wakeup" ] || same sched_wakeup $((5 * tenth)) comm pid prio
same sched_process_fork $((3 * tenth)) comm pid child_comm child_pid
[ -z "$handler" ] || same irq_handler_entry 1 irq name
same softirq_entry $tenth vec
fails "each pointer of these events was readable" grep -q '(fault)' $out ||
	diag "$(grep -m 5 '(fault)' $out)"
rbmap probe remove --all
echo 1 >$root/tracing_on

# --- values that cannot be read are reported

ok "pointers that may be NULL, bit-fields, arrays" add -n odd \
	'sched_switch mm=prev->mm program=prev->mm->exe_file->f_path.dentry->d_name.name:string load=prev->sched_contributes_to_load bytes=prev->comm:x8[4]'
rbmap stream -e tracepoints:odd >$out 2>$err &
stream=$!
ok "a thread of the kernel has no mm: (fault)" retry_until 30 grep -q 'program=(fault)' $out
ok "a bit-field is a bit" retry_until 30 grep -q 'load=[01] bytes=' $out
kill $stream
wait $stream
ok "module unloads while a probe exists" rmmod rbmap
done_testing
