#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every view of a merged recording says which host a task, an idle task and a CPU belong to.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"

: "${RBMAP:=build/rbmap}" "${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"
: "${PYTHON3:=/usr/bin/python3}"
export RBMAP
dir=$(mktemp -d)
at_exit "rm -rf '$dir'"

quiet()
{
	"$@" >/dev/null 2>&1
}

# The hosts have the same tasks and CPUs. On "db" the CPU is idle before the task gets it, and an
# interrupt of the idle CPU wakes the task.
"$MAKE_EVENTS" "$dir/web.dat" "[mono]" 1000000000,1700000000000000000,37 <<'END'
0 1000900000 20 switch victim 20 1 waker 10
0 1001000005 10 waking victim 20
0 1001010005 10 switch waker 10 1 victim 20
0 1001050025 20 switch victim 20 1 waker 10
1 lost 7
/shop/web: 10:1
1 1001060000 900 other 3
END
"$MAKE_EVENTS" "$dir/db.dat" "[mono]" 1000000000,1700000000000000000,37 <<'END'
0 1000800000 10 waking victim 20
0 1000810000 10 switch waker 10 1 victim 20
0 1000900000 20 switch victim 20 1 swapper/0 0
0 1000900500 0/8 irq 5 timer
0 1001000005 0/8 waking victim 20
0 1001000006 0/8 irq_exit 5
0 1001030015 0 switch swapper/0 0 0 victim 20
0 1001050025 20 switch victim 20 1 waker 10
1 lost 3
quota 10000 100000 /shop
/shop: 10
1 1001060000 900 other 3
END
ok "recordings of two hosts are merged" quiet \
	"$RBMAP" fleet merge -o "$dir/both.dat" "web=$dir/web.dat" "db=$dir/db.dat"
ok "a part of that is cut" quiet "$RBMAP" cut --since -1 -o "$dir/cut.dat" "$dir/both.dat"

# view NAME TASK IDLE CPU: the output of a view, which is in $dir/view, has these patterns.
view()
{
	local name=$1 kind
	shift
	for kind in task "idle task" CPU; do
		if [ "$1" != - ]; then
			ok "$name: the host of a $kind" grep -aqE -- "$1" "$dir/view" ||
				head -c 1500 "$dir/view" | diag "$(cat)"
		fi
		shift
	done
}

# make COMMAND...: store what a view prints
make_view()
{
	"$@" >"$dir/view" 2>"$dir/errors" || diag "$* : $(cat "$dir/errors")"
}

for file in both cut; do
	make_view "$RBMAP" report "$dir/$file.dat"
	view "report of $file.dat" ' db:victim-4194324 ' ' db:<idle>-0 ' '\[db:004\]'
	view "report of $file.dat" '.' '.' '^CPU:db:5 \[3 EVENTS DROPPED\]$'
	make_view "$RBMAP" report --json "$dir/$file.dat"
	view "report --json of $file.dat" '"pid": 4194324, "comm": "db:victim", "host": "db"' \
		'"pid": 0, "comm": "db:<idle>", "host": "db"' '"cpu": 0, .*"host": "web"'
	view "report --json of $file.dat" '.' '.' '\{"cpu": 5, "host": "db", "lost": 3\}'
	make_view "$RBMAP" latency "$dir/$file.dat"
	view "latency of $file.dat" '^db:victim-4194324 ' 'an interrupt of idle on CPU 4 of db' \
		'on CPU 4 of db$'
done
make_view "$RBMAP" report "$dir/both.dat" "$dir/web.dat"
view "report of several files" ' db:victim-4194324 ' ' db:<idle>-0 ' '\[db:004\]'
make_view "$RBMAP" latency --by cpu "$dir/both.dat"
view "latency --by cpu" '.' '.' '^CPU 4 of db '
make_view "$RBMAP" latency --json "$dir/both.dat"
tr -d ' \n' <"$dir/view" >"$dir/one"
mv "$dir/one" "$dir/view"
view "latency --json" '"pid":4194324,"comm":"db:victim","host":"db"' \
	'"pid":0,"comm":null,"host":"db"' '"pid":20,"comm":"web:victim","host":"web","cpu":0'
make_view "$RBMAP" latency --by cpu --json "$dir/both.dat"
tr -d ' \n' <"$dir/view" >"$dir/one"
mv "$dir/one" "$dir/view"
view "latency --by cpu --json" '.' '.' '"cpu":4,"host":"db","count"'
make_view "$RBMAP" why --worst 9 "$dir/both.dat"
view "why" 'web:victim-20 was runnable 10.0 ms' 'CPU 4 of db' 'on CPU 0 of web, where web:waker-10'
make_view "$RBMAP" why --worst 9 --json "$dir/both.dat"
tr -d ' \n' <"$dir/view" >"$dir/one"
mv "$dir/one" "$dir/view"
view "why --json" '"pid":20,"comm":"web:victim","host":"web"' '"pid":4194324,[^}]*"host":"db"' \
	'"cpu":0,"host":"web"'
make_view "$RBMAP" report --html -o - "$dir/both.dat"
tr -d ' \n' <"$dir/view" >"$dir/one"
mv "$dir/one" "$dir/view"
view "report --html" '\[4194324,"db:victim"' '.' '"hosts":\[\["web",0,4\],\["db",4,4\]\]'
make_view "$RBMAP" convert --systrace -o - "$dir/both.dat"
view "convert --systrace, whose CPUs are numbers" ' db:victim-4194324 ' 'db:<idle>-0 +\[004\]' -
"$RBMAP" convert --perfetto -o "$dir/perfetto" "$dir/both.dat" 2>/dev/null
protoc --decode=perfetto.Trace -I userspace/cli/convert perfetto.proto <"$dir/perfetto" >"$dir/view"
view "convert --perfetto, where the idle task is that of its CPU" 'name: "db:victim"' - \
	'processor: "CPU 4 of db"'
make_view env BABELTRACE_PLUGIN_PATH=build/babeltrace2 LD_LIBRARY_PATH=build/lib \
	babeltrace2 --fields=all -c source.rbmap.dat --params="inputs=[\"$dir/both.dat\"]"
view "babeltrace2" 'comm = "db:from_the_table"' 'cpu_id = 4, .*host = "db".*comm = "db:<idle>"' \
	'cpu_id = 1, .*host = "web"'
make_view env BABELTRACE_PLUGIN_PATH=build/babeltrace2 LD_LIBRARY_PATH=build/lib \
	babeltrace2 -c source.rbmap.dat --params="inputs=[\"$dir/both.dat\"]" \
	-c sink.ctf.fs --params="path=\"$dir/ctf\""
make_view babeltrace2 --fields=all "$dir/ctf"
view "CTF" 'comm = "db:from_the_table"' 'cpu_id = 4, .*host = "db".*comm = "db:<idle>"' \
	'cpu_id = 1, .*host = "web"'

# Python
cat >"$dir/views.py" <<'END'
import sys
import rbmap

with rbmap.Recording(sys.argv[1]) as recording:
    for event in recording:
        print("event", event.pid, event.comm, event.cpu, event.host)
    print("host", recording.host(4), recording.host(0), recording.host(99))
    for name in "sched_switch", "other":
        for row in recording.to_pandas(name).itertuples():
            print("row", row.pid, row.comm, row.cpu, row.host)
    print("selected", *(event.comm for event in recording.select(comm="db:*")))
    print("both", *(event.comm for event in recording.select(tasks="from_the_table")))
    latency = recording.latency()
    for row in latency.worst.itertuples():
        print("worst", row.kind, row.pid, row.cpu, row.host, row.waker_host)
    for row in recording.latency("runqueue", by="cpu").summary.itertuples():
        print("cpus", row.cpu, row.host)
    why = recording.why()
    for row in why.stalls.itertuples():
        print("stall", row.pid, row.host)
    for row in why.causes.itertuples():
        print("cause", row.cause, row.cpu, row.host)
END
make_view env LD_LIBRARY_PATH=build/lib PYTHONPATH=build/python "$PYTHON3" "$dir/views.py" "$dir/both.dat"
view "Python's events" '^event 4195204 db:from_the_table 5 db$' '^event 0 db:<idle> 4 db$' \
	'^host db web None$'
view "Python's DataFrames" '^row 4195204 db:from_the_table 5 db$' '^row 0 db:<idle> 4 db$' \
	'^row 20 <...> 0 web$'
view "Python's select()" '^selected .*db:from_the_table' '^selected .*db:<idle>' '^both web:from_the_table db:from_the_table$'
is "$(grep -c '^selected .*web:' "$dir/view")" 0 "Python's select() leaves the other host out"
view "Python's latency()" '^worst runqueue 4194324 4 db db$' '^worst irq 0 4 db ' '^cpus 4 db$'
view "Python's why()" '^stall 20 web$' '.' '^cause occupied 0(\.0)? web$'

# --- options know the hosts, too
events()
{
	"$RBMAP" report "$@" "$dir/both.dat" 2>/dev/null | grep -c '\[[a-z]*:00[0-7]\]'
}
is "$(events --comm 'db:<idle>') $(events --comm 'web:<idle>')" "5 0" \
	"a pattern selects the idle tasks of a host"
is "$(events -p '<idle>')" 5 "a name selects the idle tasks of all hosts"
is "$(events --cgroup /db) $(events --cgroup /web/shop)" "3 4" \
	"a path selects the cgroups of a host"
make_view "$RBMAP" report --with-cgroup "$dir/both.dat"
view "cgroups" '^/web/shop/web \(1\) .*web:waker-10 ' '^- .*<idle>' '^/db/shop .*\[db:004\]'
is "$(events -e irq_handler_entry --filter 'COMM == "swapper/0"')" 1 \
	"a filter has the kernel's names of idle tasks"
done_testing
