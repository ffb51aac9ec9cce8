#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Types the habits of users of trace-cmd, perf and bpftrace: each line of the tables of
# docs/habits.md. rbmap takes the words, or says what to write instead.
. "$(dirname "$0")/lib.sh"

top=$(pwd)
case $RBMAP in
/*) ;;
*) RBMAP=$top/$RBMAP ;;
esac
ok "make a recording" "$MAKE_EVENTS" "$dir/trace.dat" <<'EVENTS'
0 1000 10 switch a 10 0 b 11
0 2000 11 switch b 11 0 a 10
0 3000 10 switch a 10 0 b 11
EVENTS
(cd "$dir" && python3 -B "$top/tests/cli/habits.py" "$RBMAP" "$top/docs/habits.md") >"$dir/results" 2>"$dir/errors"
is "$? $(cat "$dir/errors")" "0 " "all habits are tried"
while IFS='	' read -r result habit wrong; do
	if [ "$result" = ok ]; then
		pass "$habit"
	else
		fail "$habit"
		diag "$wrong"
	fi
done <"$dir/results"
done_testing
