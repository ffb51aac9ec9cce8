#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap top without the module: its mistakes, and its JSON. tests/vm/cli/top.sh runs it on a
# kernel.
. "$(dirname "$0")/lib.sh"

says 2 "invalid --by 'process': event, task, cpu or cgroup" top --by process
says 2 "invalid --sort 'lost': rate or name" top --sort lost
says 2 "--search takes at most 63 bytes" top --search "$(printf '%064d' 0)"
says 2 "--filter needs -e" top --filter 'x == 1'
says 2 "unexpected argument 'sched': -e names events" top sched
says 2 "invalid number '1.5'" top -n 1.5

: "${CLI_TOP:=build/tests/unit/cli/plain/cli_top}"
python=$(python_with jsonschema)
"$CLI_TOP" --json >"$dir/lines"
is $? 0 "JSON of two intervals"
is "$(wc -l <"$dir/lines")" 2 "each is a line"
if [ -n "$python" ]; then
	for line in 1 2; do
		sed -n ${line}p "$dir/lines" >"$dir/line$line"
	done
	$python tests/cli/json_object.py docs/rbmap-top.schema.json "$dir/line1" "$dir/line2" 2>"$dir/errors"
	is $? 0 "both are as the schema says"
	diag <"$dir/errors"
else
	skip "python3-jsonschema is not installed" "both are as the schema says"
fi

is "$("$CLI_TOP" --text 2 | tail -n 2)" "(1 more rows: --rows 0 prints all)" \
	"a picture with fewer rows than there are says so"
is "$("$CLI_TOP" --text 3 | grep -c 'more rows')" 0 "one with all rows does not"
is "$("$CLI_TOP" --text 0 | grep -c 'sk-[123] ')" 3 "0 rows are all"
done_testing
