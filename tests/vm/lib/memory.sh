# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For shell tests in the guest that check whether memory is given back: .
# /tests/lib/memory.sh, after guest.sh

memory()
{
	local turn=0

	settle
	# Count the free pages in the CPUs' own lists, too. Since 6.7 these lists can
	# hold an eighth of all memory, and each refresh of the statistics shrinks them.
	echo 1 >/proc/sys/vm/compact_memory 2>/dev/null
	while [ $turn -lt 50 ]; do
		# The file is empty: reading it refreshes the statistics.
		read -r _ </proc/sys/vm/stat_refresh
		turn=$((turn + 1))
	done
	echo "$(meminfo_kb MemFree) $(meminfo_kb SUnreclaim) $(vmalloc_kb rbmap) $(meminfo_kb Percpu)"
}

# measured FREE SLAB COMMAND...: stores the output of memory() before and after COMMAND
# in $before and $after. The kernel frees some memory seconds later, from work queues
# and RCU callbacks. So memory() is repeated for at most 20 seconds, until the growth is
# within FREE and SLAB KiB. Leaked memory never comes back.
measured()
{
	before=$(memory)
	allowed="$1 $2"
	shift 2
	"$@" || fail "failed: $*"
	retry_until 20 returned ||
		diag "not within FREE and SLAB of $allowed KiB after 20 s"
	diag "MemFree, SUnreclaim, vmalloc, Percpu (KiB): $before; later $after"
}

returned()
{
	after=$(memory)
	# shellcheck disable=SC2046,SC2086 # split into words
	within $allowed $(grown)
}

# grown: prints the KiB by which each number has grown
grown()
{
	# shellcheck disable=SC2086 # split into words
	set -- $before $after
	echo "$(($1 - $5)) $(($6 - $2)) $(($7 - $3)) $(($8 - $4))"
}

# within FREE SLAB KIB...: succeeds if the growth is within the noise
within()
{
	[ "$3" -le "$1" ] && [ "$4" -le "$2" ] && [ "$5" -le 0 ] && [ "$6" -le 64 ]
}

# gives_back TEXT FREE SLAB COMMAND...: COMMAND gives its memory back, except for FREE
# and SLAB KiB. A leak repeats in each try, noise does not.
gives_back()
{
	what=$1
	free=$2
	slab=$3
	shift 3
	# The first run fills caches.
	"$@"
	for try in 1 2 3 4; do
		measured "$free" "$slab" "$@"
		# shellcheck disable=SC2046 # split into words
		! within "$free" "$slab" $(grown) || break
		diag "try $try: not within $free and $slab KiB"
	done
	# shellcheck disable=SC2046
	set -- $(grown)
	at_most "$1" "$free" "$what: KiB less free"
	at_most "$2" "$slab" "$what: KiB more slab"
	at_most "$3" 0 "$what: KiB more vmalloc"
	at_most "$4" 64 "$what: KiB more per-CPU memory"
}
