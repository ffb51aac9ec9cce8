#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the recordings of tests/corpus in a guest, with trace-cmd of Debian 12 and 13, and
# writes them to a disk as a tar archive. tests/corpus/run starts the guest.
# SHORT=1: a choice of the recordings.
# shellcheck shell=dash
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

disk=/dev/nvme0n1
dir=/tmp/corpus
tracing=/sys/kernel/tracing

# trace_cmd COMMAND...: runs the trace-cmd of $release
trace_cmd()
{
	if [ "$release" = 12 ]; then
		"$loader" --library-path /tmp/lib/12:/tmp/lib /tmp/lib/12/trace-cmd "$@"
	else
		"$loader" --library-path /tmp/lib /tmp/lib/trace-cmd "$@"
	fi
}

# record NAME ARGUMENT...: makes a recording
record()
{
	local name=$release-$1

	shift
	trace_cmd record -o "$dir/$name.dat" "$@" >/tmp/out 2>&1
	ok "$name: trace-cmd record" test $? = 0 -a -s "$dir/$name.dat" || diag </tmp/out
	trace_cmd reset >/dev/null 2>&1
}

record_buffers()
{
	record plain -e sched -e raw_syscalls /tmp/work
	record buffers -e sched_switch -B one -e raw_syscalls -B second -e irq -e sched_switch /tmp/work
	record no-top -B one -e sched_switch -B two -e irq /tmp/work
	record exec -e sched_process_exec -e task_rename -e sys_exit /tmp/work
	record version6 --file-version 6 -e sched -B one -e timer /tmp/work
	record version7 --file-version 7 --compression none -e sched -B one -e timer /tmp/work
	[ $release = 12 ] || record subbuf-8k --subbuf-size 8 -e sched -e raw_syscalls /tmp/work
}

record_times()
{
	local clock

	record date --date -e sched_switch -B one -e sched_waking /tmp/work
	record date6 --file-version 6 --date -e sched_switch -B one -e sched_waking /tmp/work
	record ts-offset --ts-offset 5000000000 -e sched_switch /tmp/work
	record tsc2nsec6 --file-version 6 -C tsc2nsec -e sched_switch /tmp/work
	for clock in ${SHORT:+boot x86-tsc tsc2nsec} \
		${SHORT:-global counter uptime perf mono mono_raw boot tai x86-tsc tsc2nsec}; do
		[ "$clock" = 1 ] || record "clock-$clock" -C "$clock" -e sched_switch /tmp/work
	done
}

record_tracers()
{
	record stack -T -e sched_waking /tmp/work
	record stack6 --file-version 6 -B one -T -e sched_switch /tmp/work
	record constants -e rcu /tmp/work
	record function -p function -l 'vfs_*' /tmp/work
	record function-graph -p function_graph -g ksys_read /tmp/work
	echo 'p:corpus vfs_read count=%dx:u64 name=+0(+0(%di)):string' >$tracing/dynamic_events
	# shellcheck disable=SC2016 # the kernel's own name
	echo 'r:corpus_back vfs_read ret=$retval' >>$tracing/dynamic_events
	record kprobes -e kprobes /tmp/work
	: >$tracing/dynamic_events
	insmod /tests/corpus_printk.ko
	record printk -e sched_switch sh -c 'echo text >/sys/module/corpus_printk/parameters/write; echo mark >/sys/kernel/tracing/trace_marker'
	rmmod corpus_printk
}

# Recordings that are made of others, or of a buffer that was stopped
record_others()
{
	trace_cmd start -e sched_switch >/dev/null 2>&1
	/tmp/work
	trace_cmd stop >/dev/null 2>&1
	ok "$release-extract" trace_cmd extract -o $dir/$release-extract.dat
	trace_cmd reset >/dev/null 2>&1
	(cd $dir && trace_cmd split -i $release-plain.dat -o $release-split.dat -e 100 >/dev/null 2>&1)
	[ ! -e $dir/$release-split.dat.1 ] || mv $dir/$release-split.dat.1 $dir/$release-split.dat
	ok "$release-split" test -s $dir/$release-split.dat
}

mkdir -p /tmp/lib $dir
tar -x -C /tmp/lib -f /tests/libtracefs.tar
loader=$(echo /tmp/lib/ld-linux-*.so.*)
mount -t tracefs tracefs $tracing 2>/dev/null
cat >/tmp/work <<'WORK'
#!/bin/sh
ls / >/dev/null
sleep 0.01
cat /proc/uptime >/dev/null
/tests/reader-m32 2>/dev/null
:
WORK
chmod +x /tmp/work
for release in 12 13; do
	record_buffers
	record_times
	record_tracers
	record_others
done
ok "the recordings are on the disk" tar -c -C $dir -f $disk .
sync
done_testing
