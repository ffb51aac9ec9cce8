#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures how long it takes until a CPU has a ring of 1 GiB, and until the memory is
# free again, BENCH_REPEAT times. Nobody asks for a size of sub-buffers. Prints "row PART
# UNIT CASE WHO VALUE", separated by tabs.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by in_turn
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/bench/lib.sh
. /tests/lib/bench.sh

small=1408 large=1048576

# measure CASE WHO COMMAND: print the row for a command of the shell
measure()
{
	took=$(/tests/took sh -c "$3" 2>/tmp/said) || {
		fail "$2: $1: $(cat /tmp/said)"
		return
	}
	awk -v what="$1" -v who="$2" -v took="$took" 'BEGIN {
		printf "resize\tmillions of instructions\t%s\t%s\t%.2f\n", what, who, took / 1e6
	}' | rows
}

# resized WHO TOP
resized()
{
	measure "from 1408 KiB to 1 GiB" "$1" "echo $large >$2/buffer_size_kb"
	ok "$1: the ring has 1 GiB" [ "$(cat "$2/buffer_size_kb")" -ge $large ]
	measure "from 1 GiB to 1408 KiB" "$1" "echo $small >$2/buffer_size_kb"
}

# created WHO COMMAND COMMAND: create and destroy a buffer
created()
{
	measure "a buffer of 1 GiB is created" "$1" "$2"
	measure "it is destroyed" "$1" "$3"
}

ours_resized()
{
	resized rbmap $ours
	created rbmap "echo large buffer_size_kb=$large >$ours/instances/create" \
		"echo large >$ours/instances/destroy"
}

theirs_resized()
{
	resized ftrace $theirs
	created ftrace "mkdir $theirs/instances/large && \
		echo $large >$theirs/instances/large/buffer_size_kb" \
		"rmdir $theirs/instances/large"
}

mount -t tracefs none $theirs 2>/dev/null
ok "rbmap loads" load_module rbmap || done_testing
echo $small >$theirs/buffer_size_kb
echo $small >$ours/buffer_size_kb
n=0
while [ $n -lt "${BENCH_REPEAT:-3}" ]; do
	in_turn ours_resized theirs_resized
	n=$((n + 1))
done
within_budget resize
ok "rbmap unloads" rmmod rbmap
done_testing
