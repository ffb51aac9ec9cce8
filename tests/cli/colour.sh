#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Colours on a terminal, and none elsewhere. script(1) is the terminal.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# on_terminal [NAME=VALUE]... COMMAND: prints what the command prints on a terminal; an
# escape is ^ there
on_terminal()
{
	script -qec "env -u NO_COLOR TERM=xterm $*" /dev/null </dev/null 2>&1 |
		tr -d '\r' | tr '\033' '^'
}

file=$dir/trace.dat
root=$dir/root
mkdir -p "$root/proc/sys/kernel"
echo 6.1.0-test >"$root/proc/sys/kernel/osrelease"
"$MAKE_RECORDING" "$file" 4
report="'$RBMAP' report '$file'"
like "$(on_terminal "$report")" '^\^\[31mCPU:[0-9] \[[0-9]+ EVENTS DROPPED\]\^\[0m$' \
	"report: losses are red"
for threads in 1 3; do
	is "$(on_terminal "$report --threads $threads" | sed 's/\^\[[0-9]*m//g')" "$(on_terminal NO_COLOR=1 "$report")" \
		"report: nothing but colours is added, $threads threads"
done
fails "report: no colours with NO_COLOR" eval "on_terminal NO_COLOR=1 \"$report\" | grep -qF '^'"
ok "report: an empty NO_COLOR counts for nothing" eval "on_terminal NO_COLOR= \"$report\" | grep -qF '^[31m'"
fails "report: no colours on a dumb terminal" eval "on_terminal TERM=dumb \"$report\" | grep -qF '^'"
fails "report: no colours in a pipe" eval "on_terminal \"$report | cat\" | grep -qF '^'"
fails "report: no colours in JSON" eval "on_terminal \"$report --json\" | grep -qF '^'"
doctor="'$RBMAP' doctor --root '$root'"
like "$(on_terminal "$doctor")" '^\^\[31mfail \^\[0m' "doctor: problems are red"
like "$(on_terminal "$doctor")" '^\^\[33mnote \^\[0m' "doctor: notes are yellow"
like "$(on_terminal "$doctor")" '^ok    ' "doctor: the rest has no colour"
fails "doctor: no colours in a pipe" eval "on_terminal \"$doctor | cat\" | grep -qF '^'"
done_testing
