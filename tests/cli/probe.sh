#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests rbmap probe and rbmap new-probe with the types of an invented kernel.
# shellcheck disable=SC2317 # `ok` calls the functions
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${MAKE_BTF:=build/tests/unit/cli/plain/cli_make_btf}"

btf=$dir/btf
"$MAKE_BTF" >"$btf"

# prints TEXT ARGUMENT...: rbmap must succeed and print exactly TEXT
prints()
{
	wanted=$1
	shift
	output=$("$RBMAP" "$@" 2>&1)
	status=$?
	if [ $status = 0 ] && [ "$output" = "$wanted" ]; then
		pass "rbmap $*"
	else
		fail "rbmap $*"
		diag "status $status"
		diag "$output"
	fi
}

# --- probe
# shellcheck disable=SC2016 # the kernel expands $arg1
line='t:tracepoints/work work task_pid=+8($arg1):s32 c=+16($arg1):string'
prints "$line" probe add --btf "$btf" --dry-run 'work task->pid c=task->comm'
prints "$line" probe add -d -b "$btf" work 'task->pid' 'c=task->comm'
# shellcheck disable=SC2016
prints 't:mine/it quiet arg1=$arg1:u32 arg2=$arg2:x64' \
	probe add -d -b "$btf" -g mine -n it quiet
printf '# two\nwork task->pid c=task->comm\n\n  quiet  arg1\n' >"$dir/list"
# shellcheck disable=SC2016
prints "$line
t:tracepoints/quiet quiet arg1="'$arg1:u32' probe add -d -b "$btf" -f "$dir/list"
ok "probe add --file - reads standard input" eval "'$RBMAP' probe add -d -b '$btf' -f - <'$dir/list' | grep -q quiet"
echo 'work task->pit' >>"$dir/list"
says 1 "has no member 'pit'" probe add -d -b "$btf" -f "$dir/list"
ok "probe add --file prints nothing if one line is wrong" test -z "$output"
says 1 "cannot read /nowhere: No such file" probe add -d -b "$btf" -f /nowhere
says 1 "work: task \(struct task_struct\) has no member 'pit'" \
	probe add -d -b "$btf" 'work task->pit'
says 1 "no tracepoint 'wurk': similar names: work" probe add -d -b "$btf" wurk
says 1 "vfs_work is a function and no tracepoint, .*: 'rbmap probe fields' lists them" \
	probe add -d -b "$btf" vfs_work
says 1 "no tracepoint 'wurk'" probe fields -b "$btf" wurk
says 1 "'n=task' is not a path" probe fields -b "$btf" work n=task
says 1 "'task:u8' is not a path" probe fields -b "$btf" work task:u8
prints "bare
held
many
none
quiet
work" probe fields -b "$btf"
prints "arg1                            unsigned int
arg2                            struct task_struct *" probe fields -b "$btf" quiet
prints "task->inner.a                   unsigned int
task->inner.b                   unsigned int
task->inner.label               const char *" probe fields -b "$btf" work 'task->inner'
prints "task->inners[1].a               unsigned int
task->inners[1].b               unsigned int
task->inners[1].label           const char *
count                           int" probe fields -b "$btf" work 'task->inners[1]' count
ok "probe fields lists a bit-field as such" eval "'$RBMAP' probe fields -b '$btf' work task |
	grep -qx 'task->high *int : 7'"

# --- new-probe
kernel=$dir/kernel
mkdir -p "$kernel/include/trace/events" "$dir/empty"
touch "$kernel/Makefile" "$dir/empty/Makefile"
printf 'TRACE_EVENT(work_done,\n\tTP_PROTO()\n' >"$kernel/include/trace/events/a.h"
printf 'TRACE_EVENT(work,\n\tTP_PROTO()\n' >"$kernel/include/trace/events/b.h"
printf 'DEFINE_EVENT(work, x,\n\tTP_PROTO()\n' >"$kernel/include/trace/events/c.h"

says 1 "headers of kernel nowhere are not installed" \
	new-probe -k nowhere my work "$dir/my"
says 1 ".*/vmlinux, which describes the types of that kernel, does not exist: give a vmlinux with --btf" \
	new-probe -k "$kernel" my work "$dir/my"
says 1 "no header in .*/empty declares the tracepoint work" \
	new-probe -k "$dir/empty" -b "$btf" my work "$dir/my"
says 1 "no tracepoint 'wurk'" new-probe -k "$kernel" -b "$btf" my wurk "$dir/my"
printf 'TRACE_EVENT(held,\n' >"$kernel/include/trace/events/d.h"
says 1 "no argument of the tracepoint held can be a field: 'rbmap probe add held'" \
	new-probe -k "$kernel" -b "$btf" my held "$dir/my"
says 1 "cannot make the directory /nowhere/my: No such file" \
	new-probe -k "$kernel" -b "$btf" my work /nowhere/my
ok "failed new-probe commands write no file" test ! -e "$dir/my"

ok "new-probe succeeds" eval "'$RBMAP' new-probe -k '$kernel' -b '$btf' my work '$dir/my' >'$dir/out'"
ok "new-probe prints the next commands" grep -q "^Then:  make -C $dir/my && insmod $dir/my/my.ko && " "$dir/out"
cat >"$dir/wanted" <<'END'
// SPDX-License-Identifier: GPL-2.0
/* The event probes:my, of the tracepoint work. */
#include <linux/module.h>
#include <linux/sched.h>
#include <trace/events/b.h>
#include <rbmap/probe.h>

RBMAP_PROBE(my, work,
	TP_PROTO(struct task_struct *task, int count, bool flag,
		 const char *name, struct inner pair, unsigned long behind),
	TP_ARGS(task, count, flag, name, pair, behind),
	TP_STRUCT__entry(
		__field(pid_t, task_pid)
		__array(char, task_comm, TASK_COMM_LEN)
		__field(int, count)
		__field(bool, flag)
		__string(name, name)
		__field(unsigned long, behind)
	),
	TP_fast_assign(
		__entry->task_pid = task->pid;
		memcpy(__entry->task_comm, task->comm, TASK_COMM_LEN);
		__entry->count = count;
		__entry->flag = flag;
		__assign_str(name);
		__entry->behind = behind;
	),
	TP_printk("task_pid=%d task_comm=%s count=%d flag=%d name=%s behind=%lu",
		  __entry->task_pid, __entry->task_comm, __entry->count,
		  __entry->flag, __get_str(name), __entry->behind));

RBMAP_MODULE_PROBES("probes", my);
MODULE_DESCRIPTION("rbmap event my of work");
MODULE_LICENSE("GPL");
END
diff "$dir/wanted" "$dir/my/my.c" >"$dir/diff"
ok "new-probe writes the expected source" test ! -s "$dir/diff"
diag <"$dir/diff"
ok "the new makefile names the object" grep -qx 'obj-m := my.o' "$dir/my/Makefile"
ok "the new makefile names the kernel" grep -qx "KDIR ?= $(realpath "$kernel")" "$dir/my/Makefile"
ok "the new makefile includes probe.mk" grep -qE '^include (.*/)?rbmap/probe.mk$' "$dir/my/Makefile"
says 1 "/my/my.c exists already: choose another directory" \
	new-probe -k "$kernel" -b "$btf" my work "$dir/my"
says 1 "/my/Makefile exists already" \
	new-probe -k "$kernel" -b "$btf" other work "$dir/my"
ok "new-probe does not write into a directory in use" test ! -e "$dir/my/other.c"
done_testing
