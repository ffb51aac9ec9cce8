#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that a program which prints with librbmap, userspace/examples/print_recording.c, prints
# what rbmap report prints, of recordings of trace-cmd that trace_dat.py makes.
. "$(dirname "$0")/lib.sh"
: "${PRINT_RECORDING:=build/examples/print_recording}"

for version in 6 7/32; do
	for kind in plain losses tsc stack functions printk names compat; do
		file=$dir/$kind.dat
		tests/cli/trace_dat.py $kind $version "$file" || fail "a recording is made"
		for json in "" json; do
			"$PRINT_RECORDING" "$file" $json >"$dir/printed"
			"$RBMAP" report -N ${json:+--json} "$file" 2>/dev/null >"$dir/report"
			ok "$kind, version $version: librbmap prints the same ${json:-text}" \
				cmp "$dir/report" "$dir/printed"
		done
	done
done
"$PRINT_RECORDING" "$dir/none" 2>"$dir/errors"
is "$?" 1 "a file that is missing is an error"
like "$(cat "$dir/errors")" 'No such file' "which is told"
done_testing
