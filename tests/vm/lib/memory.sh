# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# For shell tests in the guest that look whether memory comes back:
# . /tests/lib/memory.sh, behind guest.sh

memory()
{
	local turn=0

	settle
	# Takes what is free in the CPUs' own lists along: since 6.7 they can have an
	# eighth of all, and get shorter with each look at the statistics.
	echo 1 >/proc/sys/vm/compact_memory 2>/dev/null
	while [ $turn -lt 50 ]; do
		cat /proc/sys/vm/stat_refresh >/dev/null
		turn=$((turn + 1))
	done
	echo "$(meminfo_kb MemFree) $(meminfo_kb SUnreclaim) $(vmalloc_kb rbmap) $(meminfo_kb Percpu)"
}

# measured COMMAND...: what memory() says before and after is in $before, $after
measured()
{
	before=$(memory)
	"$@" || not_ok "failed: $*"
	after=$(memory)
	diag "MemFree, SUnreclaim, vmalloc, Percpu (KiB): $before; later $after"
}

# grown: KiB by which each has grown
grown()
{
	# shellcheck disable=SC2086 # words
	set -- $before $after
	echo "$(($1 - $5)) $(($6 - $2)) $(($7 - $3)) $(($8 - $4))"
}

# within FREE SLAB KIB...: no more than noise
within()
{
	[ "$3" -le "$1" ] && [ "$4" -le "$2" ] && [ "$5" -le 0 ] && [ "$6" -le 64 ]
}

# gives_back TEXT FREE SLAB COMMAND...: memory is what it was, but for so many KiB.
# What is lost now is lost the next time again; noise is not.
gives_back()
{
	what=$1
	free=$2
	slab=$3
	shift 3
	# The first time there are caches to fill.
	"$@"
	for try in 1 2 3 4; do
		measured "$@"
		# shellcheck disable=SC2046 # words
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
