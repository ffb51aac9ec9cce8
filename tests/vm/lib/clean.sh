# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Makes a guest again what it was before a test, for lib/init. A test that failed or was
# killed may leave anything: the next test must not fail for that.
#
# - left_list gets what a test has left, a line for each kind
# - stuck_list gets what cannot be undone because something is wrong: these are failures
# - kept_list gets what cannot be undone by design, as a kernel that is locked down

state=/run/vm/state
left_list=/run/vm/left
stuck_list=/run/vm/stuck
kept_list=/run/vm/kept
tracing=/sys/kernel/tracing

# Files with settings that tests change. Files that do not exist count as unchanged.
settings()
{
	local file

	for file in /sys/devices/system/cpu/cpu[0-9]*/online /sys/kernel/rcu_expedited \
		/proc/sys/kernel/hostname /proc/sys/kernel/modules_disabled \
		/proc/sys/kernel/printk /proc/sys/kernel/printk_devkmsg \
		/proc/sys/kernel/unknown_nmi_panic /proc/sys/kernel/panic_on_unrecovered_nmi \
		/proc/sys/kernel/kptr_restrict /proc/sys/kernel/dmesg_restrict \
		/proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/pid_max \
		/proc/sys/kernel/threads-max /proc/sys/kernel/sched_rt_runtime_us \
		/proc/sys/kernel/ftrace_enabled /proc/sys/vm/overcommit_memory \
		/proc/sys/vm/min_free_kbytes /proc/sys/vm/panic_on_oom \
		/proc/sys/vm/nr_hugepages /proc/sys/fs/pipe-max-size \
		/proc/sys/fs/pipe-user-pages-soft /proc/sys/fs/pipe-user-pages-hard \
		/sys/kernel/security/lockdown /sys/module/printk/parameters/ignore_loglevel \
		$tracing/current_tracer $tracing/trace_clock $tracing/tracing_on \
		$tracing/tracing_cpumask; do
		[ ! -e "$file" ] || echo "$file"
	done
}

# Prints each setting and its value.
values()
{
	local file value

	for file in $(settings); do
		value=''
		# A write-only or vanished file has no value.
		{ read -r value <"$file"; } 2>/dev/null
		echo "$file $value"
	done
}

# Prints the names of the loaded modules, the youngest first.
module_names()
{
	cut -d ' ' -f 1 /proc/modules
}

# Prints the places where something is mounted, as /proc/mounts writes them, and what.
mounted()
{
	cut -d ' ' -f 2,3 /proc/mounts
}

# Prints the files of all file systems that are stored in memory.
files()
{
	find / /tmp /run /dev/shm -xdev
}

# added BEFORE: prints the lines of the input that BEFORE lacks
added()
{
	awk 'FILENAME == ARGV[1] { before[$0]++; next } before[$0]-- < 1' "$1" -
}

# Notes the state that clean_up restores.
note_state()
{
	mkdir -p $state
	cp /etc/passwd /etc/group $state/
	: >$state/files >$left_list >$stuck_list >$kept_list
	values >$state/values
	module_names >$state/modules
	mounted >$state/mounts
	files >$state/files
}

# Sets processes to the names and numbers of the processes that are left. Kernel threads
# and zombies have no program, and init and its subshells belong to no test.
find_processes()
{
	local exe pid comm

	processes=''
	for exe in /proc/[0-9]*/exe; do
		[ -e "$exe" ] || continue
		pid=${exe%/exe}
		comm=init
		{ read -r comm <"$pid/comm"; } 2>/dev/null
		[ "$comm" = init ] || processes="$processes $comm (${pid#/proc/})"
	done
}

# until_tired COMMAND...: repeats COMMAND until it succeeds; fails after about 30 seconds,
# and later on a busy machine. Nothing takes that long which ends at all.
until_tired()
{
	local tries=200

	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

no_process_left()
{
	kill -KILL -1 2>/dev/null
	find_processes
	[ -z "$processes" ]
}

has_ended()
{
	! kill -0 "$1" 2>/dev/null
}

# patiently COMMAND...: runs COMMAND, which may get stuck in the kernel; fails if it does
patiently()
{
	"$@" &
	until_tired has_ended $! && wait $!
}

restore_settings()
{
	local file value now

	values >/run/vm/values
	added $state/values </run/vm/values | while read -r file now; do
		value=$(sed -n "s|^$file ||p" $state/values)
		echo "$value" >"$file" 2>/dev/null
		{ read -r now <"$file"; } 2>/dev/null
		[ "$now" = "$value" ] || echo "$file is '$now', and was '$value'" >>$kept_list
	done
}

# Ends what ftrace does. Filters of its events are removed only if a test has failed,
# because that takes a write for each event.
restore_tracing()
{
	local file line

	[ -e $tracing/set_event ] || return 0
	rmdir $tracing/instances/* 2>/dev/null
	for file in set_event dynamic_events kprobe_events uprobe_events set_event_pid \
		set_event_notrace_pid set_ftrace_pid; do
		line=''
		{ read -r line <$tracing/$file; } 2>/dev/null
		[ -z "$line" ] || [ "$line" = 'no pid' ] || : >$tracing/$file
	done 2>/dev/null
	[ "$1" = 0 ] || for file in $tracing/events/*/filter; do
		echo 0 >"$file"
	done 2>/dev/null
}

# empty KIND DIRECTORY: removes what a test has made in a mounted file system, and what
# keeps its modules
empty()
{
	case $1 in
	cgroup | cgroup2) find "$2" -mindepth 1 -depth -type d -exec rmdir {} \; ;;
	configfs) rmdir "$2"/*/* ;;
	esac 2>/dev/null
}

# Unmounts what was mounted since the boot. A mount that is busy although all processes are
# gone is detached, so that the place is free.
unmount_all()
{
	local where kind place

	mounted | added $state/mounts >/run/vm/mounts
	# The last ones come first, because they may lie in the first ones.
	sed '1!G;h;$!d' /run/vm/mounts | while read -r where kind; do
		echo "the mount $where of $kind" >>$left_list
		place=$(printf %b "$where")
		empty "$kind" "$place"
		umount "$place" 2>/dev/null || {
			umount -l "$place"
			echo "the mount $where of $kind is busy" >>$stuck_list
		}
	done
	mounted >/run/vm/mounts
	added /run/vm/mounts <$state/mounts | sed 's/^/unmounted: /' >>$kept_list
}

# Unloads what was loaded since the boot. Modules that others use go after these.
unload_all()
{
	local rounds=5 name names

	names=$(module_names | added $state/modules)
	[ -n "$names" ] || return 0
	echo "the modules" $names >>$left_list
	[ ! -d /sys/kernel/config ] || empty configfs /sys/kernel/config
	while [ -n "$names" ] && [ $rounds -gt 0 ]; do
		for name in $names; do
			patiently rmmod "$name" 2>/dev/null || rounds=$((rounds - 1))
		done
		names=$(module_names | added $state/modules)
	done
	[ -z "$names" ] || for name in $names; do
		echo "the module $name cannot be unloaded: $(grep "^$name " /proc/modules |
			cut -d ' ' -f 3-5)"
	done >>$stuck_list
	module_names >/run/vm/modules
	added /run/vm/modules <$state/modules | sed 's/^/unloaded: /' >>$kept_list
}

remove_files()
{
	local file

	files >/run/vm/files
	added $state/files </run/vm/files | while IFS= read -r file; do
		case $file in
		/run/vm | /run/vm/*) ;;
		*) rm -rf -- "$file" ;;
		esac
	done
	added /run/vm/files <$state/files | sed 's/^/removed: /' >>$kept_list
	cp $state/passwd $state/group /etc/
}

# clean_up STATUS: restores what note_state has noted, after a test that ended with STATUS.
# Fails if processes are left, which no signal ends.
clean_up()
{
	: >$left_list >$stuck_list >$kept_list
	until_tired no_process_left || return
	cd /tests || cd /
	restore_settings
	restore_tracing "$1"
	unmount_all
	unload_all
	remove_files
}
