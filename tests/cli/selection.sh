#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the options of all commands that read a recording: --pid, --comm, --cgroup, --cpu,
# --event and --filter. tests/cli/selection.py says once more which events they choose.
# shellcheck disable=SC2154 # says sets output
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
seed=${RBMAP_TEST_SEED:-1}

python3 "$here/selection.py" make "$seed" >"$dir/script"
ok "make a recording of random events, seed $seed" "$MAKE_EVENTS" "$dir/t" <"$dir/script"
"$RBMAP" report --json "$dir/t" >"$dir/all" 2>"$dir/errors"
is "$(cut -d , -f 1 "$dir/errors")" "3000 events" "the recording has all events"

# --- report: each choice leaves the events that a program of its own leaves
while IFS=$'\t' read -r -a words; do
	name=${words[0]}
	python3 "$here/selection.py" expect "$dir/all" "$name" >"$dir/want"
	"$RBMAP" report --json "${words[@]:1}" "$dir/t" >"$dir/got" 2>"$dir/errors"
	ok "report --json ${words[*]:1}" cmp "$dir/want" "$dir/got"
	events=$(grep -c '"ts"' "$dir/want")
	left=$((3000 - events))
	like "$(cat "$dir/errors")" "^$events events, [0-9]+ lost, $left not selected$" \
		"the sums of ${words[*]:1}"
	[ "$name" = none ] || ok "$name selects some events" [ "$events" -gt 0 ]
	"$RBMAP" report --no-plugins "${words[@]:1}" "$dir/t" >"$dir/text" 2>"$dir/more"
	is "$(cat "$dir/more")" "$(cat "$dir/errors")" "text has the same sums"
	is "$(grep -vc 'DROPPED\|cpus=' "$dir/text")" "$events" "and as many lines"
	"$RBMAP" convert --systrace -o - "${words[@]:1}" "$dir/t" >"$dir/systrace" 2>"$dir/more"
	is "$(tail -n 1 "$dir/systrace")" "# $(cat "$dir/errors")" "convert selects the same events"
	is "$(grep -vc '^#' "$dir/systrace")" "$events" "and writes as many lines"
done < <(python3 "$here/selection.py" list)

# Several files, and threads
"$RBMAP" convert --systrace -o "$dir/systrace.all" "$dir/t" 2>"$dir/errors"
"$RBMAP" report --json --threads 3 -p 2 "$dir/t" >"$dir/got" 2>"$dir/errors"
python3 "$here/selection.py" expect "$dir/all" pid | cmp -s - "$dir/got"
ok "threads change nothing" [ $? = 0 ]
"$RBMAP" report -p 2 "$dir/t" "$dir/t" >/dev/null 2>"$dir/two"
"$RBMAP" report -p 2 "$dir/t" >/dev/null 2>"$dir/errors"
is "$(cut -d ' ' -f 1,5 "$dir/two" | tr ' ' '\n')" \
	"$(cut -d ' ' -f 1,5 "$dir/errors" | tr ' ' '\n' | awk '{ print 2 * $1 }')" \
	"two files have twice the events"
middle=$(grep -o '[0-9]*[.][0-9]*: ' "$dir/systrace.all" | sed -n '1500s/: $//p')
"$RBMAP" report -p 2 --since "$middle" "$dir/t" >/dev/null 2>"$dir/errors"
sum=$(awk -F '[ ,]+' '{ print $1 + $5 }' "$dir/errors")
ok "events before --since are not counted as left out" [ "$sum" -lt 1550 ]
ok "events from --since on are" [ "$sum" -gt 1450 ]

# --- the page: ticks are left out, and what tasks do is whole
page()
{
	name=$1
	shift
	"$RBMAP" report --html -o "$dir/$name.html" "$@" "$dir/t" 2>"$dir/errors" ||
		diag "$(cat "$dir/errors")"
	sed -n '/.*id="meta">/,/<.script>/{s/.*id="meta">//;s/<.script>//;p}' "$dir/$name.html" >"$dir/$name.meta"
}
meta()
{
	python3 -c 'import json, sys
meta = json.load(open(sys.argv[1]))
print(*[eval(word, {"meta": meta}) for word in sys.argv[2:]])' "$dir/$1.meta" "${@:2}"
}
page whole
page part -e sched_switch --filter 'prev_prio < 100' -c 1
switches=$("$RBMAP" report -e sched_switch --filter 'prev_prio < 100' -c 1 "$dir/t" 2>&1 >/dev/null)
is "$(meta part 'meta["events"]' 'meta["not_selected"]')" \
	"${switches%% *} $((3000 - ${switches%% *}))" "the page has the selected events as ticks"
is "$(meta part 'meta["kinds"]')" "$(meta whole 'meta["kinds"]')" "and all intervals"
is "$(meta whole '"not_selected" in meta')" False "without options, nothing is selected"
page lanes -p 2,bash --comm cc1
# The lanes of tasks that a condition accepts; those of the chains of why come with them.
lanes_of()
{
	printf '%s' "sum(lane['kind'] == 'task' and lane['interest'] in ('why', 'named') and ($1) "
	printf '%s' "for lane in meta['lanes'] for task in [meta['tasks'][lane.get('index', 0)]])"
}
is "$(meta lanes 'meta["events"]' "$(lanes_of 'task[0] == 2 or task[1] in ("bash", "cc1")')")" \
	"3000 3" "--pid and --comm choose lanes of the page"
is "$(meta lanes "$(lanes_of 'lane["interest"] == "named" and task[0] != 2 and task[1] not in ("bash", "cc1")')")" \
	0 "and no others"

page groups --cgroup web.service
is "$(meta groups 'meta["events"]' \
	"$(lanes_of 'meta["cgroups"][(task + [0, 0])[3] - 1].split("/").count("web.service")')")" \
	"3000 2" "--cgroup does, too"

# --- latency: intervals, whose events are all used
cat >"$dir/script" <<'END'
0 1000 10 switch waiter 10 1 other 11
1 1500 20 waking waiter 10
1 1500 20 wakeup waiter 10
0 2500 11 switch other 11 1 waiter 10 120 40
0 3000 10 switch waiter 10 1 other 11
1 4000 20 switch waker 20 1 late 30
1 5000 30 waking waker 20
1 5000 30 wakeup waker 20
1 9000 30 switch late 30 1 waker 20 120 130
2 9500 40 switch hog 40 1 end 41
END
ok "make a recording of waits" "$MAKE_EVENTS" "$dir/waits" <"$dir/script"
# shellcheck disable=SC2120 # none at first
latency()
{
	"$RBMAP" latency -k runqueue "$@" "$dir/waits" 2>"$dir/errors" |
		sed -n 's/^\([a-z]*-[0-9]*\)  *[0-9].*/\1/p' | sort | paste -sd ' '
}
# shellcheck disable=SC2119 # none
is "$(latency)" "waiter-10 waker-20" "the waits of all tasks"
is "$(cat "$dir/errors")" "10 events, 0 lost" "without options, nothing is selected"
while IFS='|' read -r options want left; do
	# shellcheck disable=SC2086 # words
	is "$(eval latency $options)" "$want" "latency $options"
	is "$(cat "$dir/errors")" "10 events, 0 lost, $left intervals not selected" "its sums"
done <<'END'
-p 10|waiter-10|1
-p wak*|waker-20|1
-p 10,20|waiter-10 waker-20|0
--comm 'wai*'|waiter-10|1
--comm other||2
-c 1|waker-20|1
--cpus 0-1|waiter-10 waker-20|0
--filter 'next_prio < 100'|waiter-10|1
--filter 'COMM == "late"'|waker-20|1
-e sched_switch|waiter-10 waker-20|0
-e sched_waking||2
-e sched_switch --filter 'prev_pid == 30' -p 10||2
END
json()
{
	"$RBMAP" latency --json "$@" "$dir/waits" 2>/dev/null | python3 -c 'import json, sys
print(json.load(sys.stdin).get("not_selected"))'
}
is "$(json -k runqueue -p 10)" 1 "JSON has their number"
is "$(json)" None "if there is a selection"

# --- why: the waits of a task, with causes in the events of others
why()
{
	"$RBMAP" why "$@" "$dir/waits" 2>"$dir/errors" | head -n 1
}
like "$(why -p waiter)" "^waiter-10 " "why -p NAME"
like "$(cat "$dir/errors")" "^10 events, 0 lost, [1-9][0-9]* waits not selected$" "its sums"
like "$(why -c 1)" "^waker-20 " "why -c 1"
like "$(why --filter 'next_prio < 100')" "^waiter-10 " "why --filter"
like "$(why --filter 'next_prio < 100')" "waker-20|other-11" "the cause is in other tasks' events"
is "$(why -e sched_waking)" "No such wait is in the recording." "no wait ends with a wake-up"
is "$("$RBMAP" why --json -p waiter "$dir/waits" 2>/dev/null | python3 -c 'import json, sys
print(json.load(sys.stdin)["not_selected"] > 0)')" True "JSON has the number of other waits"

# --- errors
for command in "report" "latency" "why" "convert --systrace -o $dir/out" "report --html -o $dir/out"; do
	# shellcheck disable=SC2086 # words
	{
		says 1 "--filter: no selected event of $dir/t has the field 'prev_pri': similar names: prev_prio" \
			$command --filter 'prev_pri < 1' "$dir/t"
		says 1 "--filter 'prev_prio <': .*, at character [0-9]+$" $command --filter 'prev_prio <' "$dir/t"
		says 1 "--filter: no selected event of $dir/t has the field 'irq'" \
			$command -e sched_switch --filter 'irq == 1' "$dir/t"
		says 1 "--filter 'irq == 1 && prev_prio == 1': no event of $dir/t has all these fields" \
			$command --filter 'irq == 1 && prev_prio == 1' "$dir/t"
		says 1 "$dir/t has no event 'sched_swich': similar names: sched:sched_switch" \
			$command -e sched_swich "$dir/t"
		says 1 "$dir/t has no task in a cgroup 'web.servic': similar names: /a.slice/web.service" \
			$command --cgroup web.servic "$dir/t"
		says 1 "--cgroup: $dir/waits does not have the cgroups of its tasks: 'rbmap record' stores them" \
			$command --cgroup web "$dir/waits"
		says 1 "$dir/t has no CPU 9: it has 4 CPUs, from 0 on" $command -c 0,9 "$dir/t"
		says 2 "invalid list of CPUs '1-0': want numbers and ranges" $command -c 1-0 "$dir/t"
		says 2 "a word of --pid is empty" $command -p 1, "$dir/t"
		says 2 "invalid pid '2147483648'" $command -p 2147483648 "$dir/t"
	}
done
ok "no file is left" test ! -e "$dir/out"
for options in "-e sched" "--filter a==1" "--cgroup /a"; do
	# shellcheck disable=SC2086 # words
	says 2 "--event, --filter and --cgroup are for a recording: without --live" \
		latency --live $options
done
done_testing
