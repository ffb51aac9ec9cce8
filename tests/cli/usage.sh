#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests invalid command lines: rbmap prints one line with the cause and exits with 2.
. "$(dirname "$0")/lib.sh"

commands="load unload create destroy status doctor selftest list enable disable probe new-probe stat stream record snapshot recover report cut tracefs-dir ship collect fleet"

says 2 "no command 'recrod': similar names: record" recrod
says 2 "no command 'nonsense': 'rbmap --help' lists the commands" nonsense
says 2 "no command 'start': 'rbmap enable EVENT'" start
says 2 "no command 'stop': 'rbmap disable EVENT'" stop
says 2 "no command 'show': 'rbmap stream --no-follow'" show
says 2 "no command 'extract': 'rbmap snapshot'" extract
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
for version in version -v -V --version; do
	ok "$version prints the version" eval "'$RBMAP' $version | grep -qE '^rbmap [0-9]+\.[0-9]+'"
done
# A man of our own says which page is shown.
printf '#!/bin/sh\necho "page $*"\n' >"$dir/man"
chmod +x "$dir/man"
for topic in filter dynamic_events json; do
	ok "help $topic shows the manual page" \
		[ "$(PATH=$dir:$PATH "$RBMAP" help $topic)" = "page rbmap-$topic" ]
done
ok "help names the page if it cannot run man(1)" eval \
	"PATH=/nonexistent '$RBMAP' help filter 2>&1 | grep -q 'rbmap-filter(5) is in share/man/man5'"
says 2 "no command 'reset': 'echo 1 > /sys/kernel/rbmap/reset' empties the rings" reset
says 2 "no command 'script': 'rbmap report'" script
says 2 "no command 'split': 'rbmap cut' writes a part" split
"$RBMAP" >"$dir/out" 2>"$dir/errors"
ok "rbmap without a command exits with 2" [ $? = 2 ]
ok "rbmap without a command prints the usage on stderr" grep -q "^usage:" "$dir/errors"

says 2 "invalid parameter 'buffer_size_kb': give PARAMETER=VALUE" load buffer_size_kb
says 2 "invalid parameter '=4': give PARAMETER=VALUE" load =4
says 2 "invalid parameter 'a=1 b=2': it contains a blank or a quote" load 'a=1 b=2'
says 2 "option '-m' requires a value" load -m
says 2 "unexpected argument 'x'" unload x
says 2 "unexpected argument 'x'" status x
says 2 "unexpected argument 'x'" selftest x
says 2 "invalid number of seconds '0'" selftest --seconds 0
says 2 "invalid number of seconds 'x'" selftest -s x
says 2 "--seconds is less than 1" selftest --seconds 0.5
says 2 "option '-m' requires a value" selftest -m
says 2 "--thorough tests the running kernel: use it without -k and -r" doctor --thorough -r /
says 2 "--thorough tests the running kernel: use it without -k and -r" doctor -t -k 6.1.0
says 2 "create: the name of a buffer is missing" create
says 2 "destroy: the name of a buffer is missing" destroy
says 2 "unexpected argument 'y'" destroy x y
for name in '' . .x a/b cpu0 marker snapshot create destroy 'a b' abcdefghijklmnopqrstuvwxyz0123456; do
	says 2 "invalid buffer name '$name'" create "$name"
	says 2 "invalid buffer name '$name'" stat -B "$name"
done
for command in status list enable disable stat stream record snapshot tracefs-dir; do
	says 2 "option '-B' requires a value" "$command" -B
done
says 2 "unknown parameter 'y': use buffer_size_kb=N" create x y
says 2 "unknown parameter 'overwrite='" create x overwrite=
says 2 "unknown parameter 'clock=a b'" create x 'clock=a b'
says 2 "the name of an event is missing" enable
says 2 "probe: the action is missing: use add, list, remove or fields" probe
says 2 "unknown action 'ad': use add, list, remove or fields" probe ad
says 2 "add: the name of a tracepoint is missing" probe add
says 2 "add: the name of a tracepoint is missing" probe add ' '
says 2 "add: --file excludes a TRACEPOINT and -n" probe add -f x y
says 2 "add: --file excludes a TRACEPOINT and -n" probe add -f x -n y
says 2 "add has no option '--json'" probe add --json x
says 2 "list has no option '--all'" probe list --all
says 2 "list has no option '--name'" probe list --name x
says 2 "no option '-a'" probe list -a
says 2 "no option '--json'" probe --json list
says 2 "no option '--nonsense'" probe add --nonsense
says 2 "option '-n' requires a value" probe add -n
says 2 "'9' is not a valid name for an event" probe add -n 9 x
says 2 "'a-b' is not a valid name for a group" probe add -g a-b x
says 2 "list: unexpected argument 'x'" probe list x
says 2 "remove: the name of a probe is missing" probe remove
says 2 "remove: names and --all exclude each other" probe remove --all x
says 1 "cannot read /nowhere: No such file" probe add --btf /nowhere x
says 1 "cannot read /nowhere: No such file" probe fields --btf /nowhere
says 2 "the name of the event is missing" new-probe
says 2 "the name of a tracepoint is missing" new-probe x
says 2 "unexpected argument 'z'" new-probe x y d z
says 2 "'a-b' is not a valid name for an event" new-probe a-b y
says 2 "'' is not a valid name for a group" new-probe -g '' x y
says 2 "the name rbmap is taken by the module itself" new-probe rbmap y
says 2 "the name of an event is missing" disable
says 2 "disable: --filter is an option of 'rbmap enable' only" disable --filter x y
says 2 "invalid number of seconds '0'" stat -i 0
says 2 "invalid number of seconds '1x'" stat -i 1x
says 2 "unexpected argument '1'" stat 1
says 2 "option '--self-cost=x' takes no value" stat --self-cost=x
says 2 "no option '-F'" stream -F x
says 2 "invalid process id '0'" stream -p 0
says 2 "invalid process id 'function': rbmap has no tracers; -e names events" record -p function
says 2 "the name of an event is empty" record -e sched,
says 2 "invalid size '8X'" record -e sched -b 8X
says 2 "invalid size '0'" stream -e sched --subbuf 0
says 2 "invalid list of CPUs '1-0'" stream -e sched --cpus 1-0
says 2 "are for a buffer of the command's own" stream -b 1M
says 2 "name two buffers" record --default -B x -e sched
says 2 "invalid number of events '0'" stream -n 0
says 2 "--filter needs -e" stream --filter x
# shellcheck disable=SC2046 # split into words
says 2 "option -e was given more than 256 times: use a wildcard" stream $(printf -- '-ex %.0s' $(seq 257))
says 2 "invalid number of seconds '-1'" record -d -1
says 2 "invalid number of seconds 'abc'" record -d abc
says 2 "invalid number of seconds 'abc'" record --dura abc
says 2 "invalid number of seconds 'abc'" record -qdabc
says 2 "option -o requires the name of a file" record -o ''
says 2 "no option '-a': all CPUs are recorded anyway" record -a
says 2 "no option '--all-cpus': all CPUs are recorded anyway" record --all-cpus
says 2 "no option '-g': call stacks are not recorded; perf record -g" record -e sched -g
says 2 "no option '-i': name the file alone: rbmap report FILE" report -i trace.dat
says 2 "invalid number of seconds '1d': 10, 0.5, 500ms, 2m" record -d 1d
says 2 "no command after --" record --
says 2 "--trigger needs --flight-recorder" record --trigger x
says 2 "invalid limit '10' of a file: want a size such as 100M, or a time such as 10m" record --rotate 10
says 2 "invalid limit '0M' of a file" record --rotate 0M
says 2 "--rotate writes several files: leave out -f" record --rotate 1M -f
says 2 "--rotate writes several files" record --rotate 1h -o -
says 2 "--keep needs that or --rotate" record --keep 2
says 2 "--trigger-if needs --trigger" record -f --trigger-if x
says 2 "option --trigger was given twice" record -f -t x -t y
says 2 "option -o requires the name of a file" snapshot -o ''
says 2 "-f and '-o -' exclude each other: a flight recorder writes several files" record -f -o -
says 2 "unexpected argument 'x'" snapshot x
says 2 "invalid list of CPUs 'x'" report --cpu x
# shellcheck disable=SC2046 # split into words
says 2 "--pid has more than 256 tasks: use a wildcard" report $(printf -- '-p%d, ' $(seq 257) | tr -d ' ' | sed 's/,$//; s/,-p/,/g')
says 2 "no option '-F': --filter EXPR prints only events" report -F x
says 2 "unexpected argument 'b': --html shows one recording" report --html a b
says 2 'report prints at most 16 recordings' report $(seq 17)
says 2 "the name of a directory is missing" tracefs-dir
says 2 "the name of a directory is missing" tracefs-dir --remove ''
says 2 "unexpected argument 'b'" tracefs-dir a b
says 1 "cannot remove /nowhere: No such file" tracefs-dir --remove /nowhere
says 1 "$dir was not made by rbmap tracefs-dir and is not removed" tracefs-dir --remove "$dir"
done_testing
