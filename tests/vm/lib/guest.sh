# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For shell tests in the guest: . /tests/lib/guest.sh

tap_count=0
tap_failed=0
tap_plan=

# KiB of a page, which is also the smallest sub-buffer
page_kb=$(awk '$1 == "KernelPageSize:" { print $2; exit }' /proc/self/smaps)

# plan N, at the start; or done_testing at the end
plan()
{
	tap_plan=$1
	echo "1..$1"
}

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

done_testing()
{
	[ -n "$tap_plan" ] || plan "$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

pass()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $*"
}

not_ok()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $*"
	return 1
}

# skip WHY TEXT: prints a result that is skipped
skip()
{
	local why=$1

	shift
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $* # SKIP $why"
}

# ok TEXT COMMAND...: passes if COMMAND succeeds
ok()
{
	local text=$1

	shift
	if "$@"; then
		pass "$text"
	else
		not_ok "$text"
		diag "failed: $*"
		return 1
	fi
}

# fails TEXT COMMAND...: passes if COMMAND fails
fails()
{
	local text=$1

	shift
	if "$@"; then
		not_ok "$text"
		diag "should have failed: $*"
		return 1
	fi
	pass "$text"
}

# is GOT WANTED TEXT: passes if both are equal
is()
{
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		not_ok "$3"
		diag "got:    $1"
		diag "wanted: $2"
		return 1
	fi
}

# like GOT REGEX TEXT: passes if a line matches
like()
{
	if printf '%s\n' "$1" | grep -qE -e "$2"; then
		pass "$3"
	else
		not_ok "$3"
		diag "got:    $1"
		diag "wanted: /$2/"
		return 1
	fi
}

# at_most GOT LIMIT TEXT: passes if the number GOT is at most LIMIT
at_most()
{
	if [ "$1" -le "$2" ]; then
		pass "$3 ($1, at most $2)"
	else
		not_ok "$3 ($1, at most $2)"
		return 1
	fi
}

# said COMMAND...: stores the output in $output and the status in $status
said()
{
	output=$("$@" 2>&1)
	status=$?
}

# retry_until SECONDS COMMAND...: repeats COMMAND until it succeeds or the time is over
retry_until()
{
	local end

	end=$(($(date +%s) + $1))
	shift
	while ! "$@"; do
		[ "$(date +%s)" -le $end ] || return 1
		sleep 0.1
	done
}

# results TEXT COMMAND...: reports the results of a program that prints TAP, with TEXT
# before each
results()
{
	results_text=$1
	shift
	results_got=
	[ -p /tmp/results ] || mkfifo /tmp/results
	"$@" >/tmp/results &
	results_pid=$!
	while IFS= read -r line; do
		text=${line#*- }
		case $line in
		'ok '*'# SKIP '*) skip "${text##*# SKIP }" "$results_text${text%# SKIP*}" ;;
		'ok '*) pass "$results_text$text" ;;
		'not ok '*) not_ok "$results_text$text" ;;
		1..*) results_got=1 ;;
		'Bail out!'*) not_ok "$results_text$line" ;;
		*) echo "$line" ;;
		esac
	done </tmp/results
	wait "$results_pid"
	results_status=$?
	[ -n "$results_got" ] || not_ok "${results_text}ended early (status $results_status)"
}

# reported EVENTS COMMAND: records EVENTS while COMMAND runs, and prints them;
# /tmp/recorded.dat has the recording, /tmp/error the error messages
reported()
{
	rbmap record -e "$1" -o /tmp/recorded.dat -- sh -c "$2" >/dev/null 2>/tmp/error &&
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
	cat "${2:-/sys/kernel/rbmap}"/per_cpu/cpu*/stats |
		awk -F ': *' -v key="$1" '$1 == key { sum += $2 } END { print sum + 0 }'
}

# load_module NAME [PARAMETER...]: loads a module that was given with --module
load_module()
{
	local module=$1

	shift
	insmod "/modules/$module.ko" "$@"
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
