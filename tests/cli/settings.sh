#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the file of --settings: what it may have, and errors in it.
. "$(dirname "$0")/lib.sh"

file=$dir/settings
# refused LINES PATTERN: rbmap record must report an error in the file with these lines
refused()
{
	printf '%b' "$1" >"$file"
	says 2 "$file:$2" record --settings "$file"
}

refused 'evnt = sched\n' "1: no setting 'evnt': similar names: event"
refused '# events\n\nevent sched\n' "3: invalid line 'event sched': use NAME = VALUE"
refused 'quiet\n' "1: invalid line 'quiet': use NAME = VALUE"
refused 'quiet = maybe\n' "1: the value of 'quiet' must be yes or no"
refused 'event = sched\nbuffer-size = 8X\n' "2: invalid size '8X'"
refused 'keep = 0\n' "1: invalid number '0': want 1 or more"
refused 'keep = many\n' "1: invalid number 'many'"
refused 'event =\n' "1: .*empty"
refused 'settings = other\n' "1: no setting 'settings'"
refused 'e = sched\n' "1: no setting 'e'"
refused 'no line\0end\n' "1: invalid line 'no line': use NAME = VALUE"
refused '= x' "1: no setting ''"
refused "$(printf '%0100000d' 0) = x" "1: no setting '0"
says 1 "cannot read the settings $dir/none: No such file" record --settings "$dir/none"
says 1 "cannot read the settings $dir: Is a directory" record --settings "$dir"

# Errors behind the file are in the command line again.
printf '  quiet=yes\n\tself = no\nevent=sched:sched_*' >"$file"
says 2 "record: invalid size '8X'" record --settings "$file" -b 8X
says 2 'record: -f and .-o -. exclude each other' record --settings "$file" -f -o -

says 2 '--directory and --keep-size need --flight-recorder, and --keep needs that or --rotate' record --directory "$dir"
says 2 '--directory and --keep-size need --flight-recorder, and --keep needs that or --rotate' record --keep 3
says 2 '--keep and --keep-size need --directory' record -f --keep 3
says 2 '-o and --directory exclude each other' record -f -o x --directory "$dir"
says 2 "invalid size 'x'" record -f --directory "$dir" --keep-size x
says 1 'cannot write to the directory /nowhere: No such file' record -f --directory /nowhere
says 1 "cannot write to the directory $file: Not a directory" record -f --directory "$file"
done_testing
