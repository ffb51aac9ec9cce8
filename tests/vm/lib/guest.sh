# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For shell tests in the guest: . /tests/lib/guest.sh, which reads the functions for
# results, too

# shellcheck source=/dev/null
. "${TESTS:-/tests}/lib/tap.sh"

# KiB of a page, which is also the smallest sub-buffer
page_kb=$(awk '$1 == "KernelPageSize:" { print $2; exit }' /proc/self/smaps)

# said COMMAND...: stores the output in $output and the status in $status
said()
{
	output=$("$@" 2>&1)
	status=$?
}

# read_slowness: sets slowness to the number of times that everything takes longer than on
# an idle machine, which tests/vm/run measures
read_slowness()
{
	slowness=${RBMAP_TEST_SLOW:-1}
	[ ! -e /run/vm/slow ] || read -r slowness </run/vm/slow
}

# patience SECONDS: prints SECONDS of an idle machine as seconds of this one
patience()
{
	read_slowness
	echo $(($1 * slowness))
}

# retry_until SECONDS COMMAND...: repeats COMMAND until it succeeds or the time is over. The
# limit ends hopeless cases. It is longer on a machine that is busy, or has become so.
retry_until()
{
	local begin seconds=$1

	begin=$(date +%s)
	shift
	while ! "$@"; do
		read_slowness
		if [ $(($(date +%s) - begin)) -gt $((seconds * slowness)) ]; then
			diag "gave up after $((seconds * slowness)) s: $*"
			return 1
		fi
		sleep 0.1
	done
}

# hundredths: prints the time since the boot in hundredths of a second
hundredths()
{
	local uptime

	read -r uptime _ </proc/uptime
	echo "${uptime%.*}${uptime#*.}"
}

# in_time SECONDS BEGAN: succeeds if fewer have passed since BEGAN, which hundredths has printed
in_time()
{
	[ $(($(hundredths) - $2)) -lt $(($1 * 100)) ]
}

# runs PID NAME: succeeds if the process has become program NAME, so that it has its files
runs()
{
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}

# has_mapped PID: succeeds if the process has mapped a ring. A command that has a buffer of
# its own has made all settings by then: some of them empty the rings.
has_mapped()
{
	grep -qs /dev/rbmap/ "/proc/$1/maps"
}

# has_open PID PATH: succeeds if the process has a file open whose path begins with PATH
has_open()
{
	find "/proc/$1/fd" -type l -exec readlink {} \; 2>/dev/null | grep -q "^$2"
}

# sleeps PID: succeeds if the process waits in a call
sleeps()
{
	grep -qs '^State:.S' "/proc/$1/status"
}

# reported EVENTS COMMAND: records EVENTS while COMMAND runs, and prints them;
# /tmp/recorded.dat has the recording, /tmp/error the error messages
reported()
{
	rbmap record --default -e "$1" -o /tmp/recorded.dat -- sh -c "$2" >/dev/null 2>/tmp/error &&
		rbmap report /tmp/recorded.dat 2>>/tmp/error
}

# Prints the last line that rbmap logged. Other lines may follow it: debugging checks
# log reports, too.
last_logged()
{
	dmesg | grep 'rbmap: ' | tail -n 1
}

# summed KEY [DIRECTORY]: prints the sum of a counter over all CPUs; without DIRECTORY,
# of the default buffer
summed()
{
	awk -F ': *' -v key="$1" '$1 == key { sum += $2 } END { print sum + 0 }' \
		"${2:-/sys/kernel/rbmap}"/per_cpu/cpu*/stats
}

# load_module NAME [PARAMETER...]: loads a module that was given with --module
load_module()
{
	local module=$1

	shift
	insmod "${MODULES:-/modules}/$module.ko" "$@"
}

# install_module: installs rbmap and rbmap_selftest where the command finds them, until the
# script ends: other tests expect that no module is installed
install_module()
{
	local modules installed

	modules=/lib/modules/$(uname -r)
	installed=$modules/extra/rbmap
	[ -e "$modules" ] || installed=$modules
	mkdir -p "$modules/extra"
	at_exit "rm -r '$installed'*"
	cp /modules/rbmap.ko /modules/rbmap_selftest.ko "$modules/extra/"
	/tests/depmod -a
}

# tool NAME: stores stdin as a program in the folder $tools, which comes first in PATH
tool()
{
	cat >"$tools/$1"
	chmod +x "$tools/$1"
}

is_loaded()
{
	grep -q "^$1 " /proc/modules
}

# settle: prepares a measurement of memory. Pages are cached in per-CPU lists, and freed
# memory waits for RCU, so a comparison must also allow for some noise.
settle()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	echo 3 >/proc/sys/vm/drop_caches
}

# meminfo_kb FIELD: prints Slab, SUnreclaim, VmallocUsed, Percpu, MemFree… in KiB
meminfo_kb()
{
	awk -v field="$1:" '$1 == field { print $2 }' /proc/meminfo
}

# slab_objects CACHE: prints the number of active objects
slab_objects()
{
	awk -v cache="$1" '$1 == cache { print $2 }' /proc/slabinfo
}

# vmalloc_kb MODULE: prints the KiB that functions of a module hold in vmalloc areas
vmalloc_kb()
{
	grep "\[$1\]" /proc/vmallocinfo | awk '{ sum += $2 } END { print int(sum / 1024) }'
}

# has_nmis: succeeds if this kernel has NMIs. arm64 has them only if the kernel builds
# them from interrupts.
has_nmis()
{
	[ -e /proc/sys/kernel/unknown_nmi_panic ]
}

# nmis COUNT [MILLISECONDS]: requests COUNT non-maskable interrupts on all processors,
# one every MILLISECONDS (10). They end with the test at the latest. The kernel logs a
# message for each that no handler claims.
nmis()
{
	echo 0 >/proc/sys/kernel/unknown_nmi_panic
	echo 0 >/proc/sys/kernel/panic_on_unrecovered_nmi
	echo "@@nmi $1 ${2:-10}"
}
