#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests invalid command lines: rbmap prints one line with the cause and exits with 2.
. "$(dirname "$0")/tap.sh"

commands="load unload create destroy status doctor list enable disable probe new-probe stat stream record snapshot report tracefs-dir"

says 2 "no command 'recrod'" recrod
says 2 "no option '--nonsense'" --nonsense
says 2 "no command 'x'" help x
for command in $commands; do
	says 2 "$command: no option '--nonsense' \(see 'rbmap $command --help'\)" \
		"$command" --nonsense
	says 2 "$command: no option '-Z'" "$command" -Z
	says 2 "$command: option '--help=x' takes no value" "$command" --help=x
	ok "$command --help" eval "'$RBMAP' $command --help >'$dir/a' 2>&1"
	ok "help $command prints the same" eval "'$RBMAP' help $command | cmp -s - '$dir/a'"
	ok "$command --help names its man page" grep -q "rbmap-$command(1)" "$dir/a"
	ok "$command --help keeps to 80 columns" eval "! grep -qE '.{81}' '$dir/a'"
	ok "--help lists $command" eval "'$RBMAP' --help | grep -q '^  $command '"
done
ok "--version" eval "'$RBMAP' --version | grep -qE '^rbmap [0-9]+\.[0-9]+'"
"$RBMAP" >"$dir/out" 2>"$dir/errors"
ok "rbmap without a command exits with 2" [ $? = 2 ]
ok "rbmap without a command prints the usage on stderr" grep -q "^usage:" "$dir/errors"

says 2 "'buffer_size_kb' is no PARAMETER=VALUE" load buffer_size_kb
says 2 "'=4' is no PARAMETER=VALUE" load =4
says 2 "a blank or a quote in 'a=1 b=2'" load 'a=1 b=2'
says 2 "option '-m' wants a value" load -m
says 2 "what is 'x' for" unload x
says 2 "what is 'x' for" status x
says 2 "create: which buffer" create
says 2 "destroy: which buffer" destroy
says 2 "what is 'y' for" destroy x y
for name in '' . .x a/b cpu0 marker snapshot create destroy 'a b' abcdefghijklmnopqrstuvwxyz0123456; do
	says 2 "'$name' is no name for a buffer" create "$name"
	says 2 "'$name' is no name of a buffer" stat -B "$name"
done
for command in status list enable disable stat stream record snapshot tracefs-dir; do
	says 2 "option '-B' wants a value" "$command" -B
done
says 2 "what is 'y'\\? There are buffer_size_kb=N" create x y
says 2 "what is 'overwrite='" create x overwrite=
says 2 "what is 'clock=a b'" create x 'clock=a b'
says 2 "which events" enable
says 2 "probe: add, list, remove or fields" probe
says 2 "what is 'ad'\\? There are add, list, remove and fields" probe ad
says 2 "add: which tracepoint" probe add
says 2 "add: which tracepoint" probe add ' '
says 2 "add: --file has the tracepoints" probe add -f x y
says 2 "add: --file has the tracepoints" probe add -f x -n y
says 2 "add has no option '--json'" probe add --json x
says 2 "list has no option '--all'" probe list --all
says 2 "no option '--nonsense'" probe add --nonsense
says 2 "option '-n' wants a value" probe add -n
says 2 "'9' is no name for an event" probe add -n 9 x
says 2 "'a-b' is no name for a group" probe add -g a-b x
says 2 "list: what is 'x' for" probe list x
says 2 "remove: which probes\\? --all" probe remove
says 2 "remove: either names or --all" probe remove --all x
says 1 "cannot read /nowhere: No such file" probe add --btf /nowhere x
says 1 "cannot read /nowhere: No such file" probe fields --btf /nowhere
says 2 "what is the event to be called" new-probe
says 2 "of which tracepoint" new-probe x
says 2 "what is 'z' for" new-probe x y d z
says 2 "'a-b' is no name for an event" new-probe a-b y
says 2 "'' is no name for a group" new-probe -g '' x y
says 2 "there is a module rbmap already" new-probe rbmap y
says 2 "which events" disable
says 2 "'0' is no number of seconds" stat -i 0
says 2 "'1x' is no number of seconds" stat -i 1x
says 2 "what is '1' for" stat 1
says 2 "'-1' is no number of seconds" record -d -1
says 2 "'abc' is no number of seconds" record -d abc
says 2 "option -o wants the name of a file" record -o ''
says 2 "a command goes behind --" record sleep 1
says 2 "no command after --" record --
says 2 "--trigger is for a --flight-recorder" record --trigger x
says 2 "one --trigger at a time" record -f -t x -t y
says 2 "option -o wants the name of a file" snapshot -o ''
says 2 "what is 'x' for" snapshot x
says 2 "'x' is no number of a CPU" report --cpu x
says 2 "One recording at a time" report a b
says 2 "which directory" tracefs-dir
says 2 "which directory" tracefs-dir --remove ''
says 2 "what is 'b' for" tracefs-dir a b
says 1 "cannot remove /nowhere: No such file" tracefs-dir --remove /nowhere
says 1 "$dir was not made by rbmap tracefs-dir: it is left alone" tracefs-dir --remove "$dir"
done_testing
