#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# source.rbmap.live of the plugin of babeltrace2: all events in their order, received and
# lost events are the emitted ones, as text and as CTF; observers; ends; refused parameters.
# shellcheck disable=SC2016,SC2086,SC2317 # expanded by sh; numbers; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

BABELTRACE_PLUGIN_PATH=/tests/plugins
export BABELTRACE_PLUGIN_PATH
dir=/sys/kernel/rbmap/instances/view

# live PARAMETERS ARGUMENT...: begins to read the buffer view; $reader is the process
live()
{
	params=$1
	shift
	began=$(hundredths)
	babeltrace2 "$@" -c source.rbmap.live -p "buffer=\"view\",$params" >/tmp/text 2>/tmp/errors &
	reader=$!
}

# mark FIRST LAST [CPU]: writes numbered markers. A full ring refuses some.
mark()
{
	taskset -p "$((1 << ${3:-0}))" $$ >/dev/null
	i=$1
	while [ "$i" -le "$2" ]; do
		echo "mark $i"
		i=$((i + 1))
	done >/dev/rbmap/view/marker 2>/dev/null
	taskset -p 3 $$ >/dev/null
}

# ended WHAT: the reader ends without an error
ended()
{
	wait $reader
	is $? 0 "$1"
	grep -v '^WARNING: Tracer' /tmp/errors | diag
}

# Print the sum of the events that babeltrace2 reports as discarded.
discarded()
{
	sed -n 's/^WARNING: Tracer discarded \([0-9]*\) events* .*/\1/p' /tmp/errors |
		awk '{ sum += $1 } END { print sum + 0 }'
}

numbers()
{
	sed -n 's/.*"mark \([0-9]*\).*/\1/p' "${1:-/tmp/text}"
}

# begun: waits until $reader holds the rings
begun()
{
	retry_until 20 sh -c "ls -l /proc/$reader/fd | grep -q view/cpu1"
}

# has_read NUMBER: that many events of the buffer were read
has_read()
{
	[ "$(summed 'read events' $dir)" = "$1" ]
}

# drained: no ring holds an event
drained()
{
	[ "$(summed entries $dir)" = 0 ]
}

# again SETTING...: makes the buffer view anew, which has the markers alone
again()
{
	[ ! -d $dir ] || rbmap destroy view
	rbmap create view "$@" && rbmap enable -B view rbmap:marker
}

ok "module loads" load_module rbmap || done_testing
# A reader reads what is in the rings, also at the end of its time.
for clock in local mono boot; do
	ok "$clock: a buffer" again clock=$clock
	before=$(date +%s)
	mark 1 200
	after=$(date +%s)
	mark 201 300 1
	mark 301 310
	live "observe=no,seconds=1" --clock-seconds
	ended "$clock: the reader ends after its time"
	is "$(numbers | tr '\n' ' ')" "$(seq 310 | tr '\n' ' ')" "$clock: all events in their order"
	is "$(grep -c 'cpu_id = 1 ' /tmp/text)" 100 "$clock: those of CPU 1"
	first=$(sed -n '1s/^\[\([0-9]*\)\..*/\1/p' /tmp/text)
	ok "$clock: the time of the first one is $first, after $before" \
		[ "${first:-0}" -ge "$((before - 1))" -a "${first:-0}" -le "$((after + 1))" ]
	like "$(sed -n 1p /tmp/text)" " rbmap:marker: .*\{ pid = $$, comm = \"$(cat /proc/$$/comm)\", " \
		"$clock: the name of the thread"
done
is "$(summed 'read events' $dir)" 310 "the reader has consumed all events"

# --- losses: a discarding ring is full, an overwriting one loses its oldest events
for overwrite in 0 1; do
	ok "overwrite=$overwrite: a small buffer" again buffer_size_kb=16 overwrite=$overwrite
	mark 1 2000
	live "observe=no,seconds=1"
	ended "overwrite=$overwrite: the reader ends"
	received=$(wc -l </tmp/text)
	lost=$(discarded)
	ok "overwrite=$overwrite: $received events and $lost lost ones are those emitted" \
		[ $((received + lost)) -eq 2000 -a "$lost" -gt 1000 ]
	is "$(numbers | sed -n '$p')" "$([ $overwrite = 1 ] && echo 2000 || echo "$received")" \
		"overwrite=$overwrite: the last event"
done

# --- CTF, with losses between the events of a reader that is stopped
# A machine that is slow needs a longer time.
for seconds in 4 20 100; do
	ok "a small buffer for CTF" again buffer_size_kb=16
	rm -rf /tmp/ctf
	began=$(hundredths)
	babeltrace2 -c source.rbmap.live -p "buffer=\"view\",observe=no,seconds=$seconds" \
		-c sink.ctf.fs -p 'path="/tmp/ctf"' >/tmp/output 2>/tmp/errors &
	reader=$!
	ok "the converter begins" begun
	mark 1 20
	retry_until 20 has_read 20
	kill -STOP $reader
	mark 21 2000
	kill -CONT $reader
	retry_until 20 drained
	mark 2001 2010 1
	in_time $seconds $began
	late=$?
	ended "to CTF"
	[ $late != 0 ] || break
done
babeltrace2 /tmp/ctf >/tmp/text 2>/tmp/errors
is $? 0 "the CTF can be read"
received=$(wc -l </tmp/text)
lost=$(discarded)
ok "CTF: $received events and $lost lost ones are those emitted" \
	[ $((received + lost)) -eq 2010 -a "$lost" -gt 1000 ]
is "$(numbers | sed -n 1p) $(numbers | sed -n '$p')" "1 2010" "CTF: the first and the last event"

# --- observers, and a graph that sorts its messages by time
ok "another buffer" again
mark 1 50 1
mark 51 100
live 'seconds=1' --clock-cycles
babeltrace2 --clock-cycles -c source.rbmap.live -p 'buffer="view",observe=yes,seconds=1' \
	>/tmp/other 2>&1 &
other=$!
ended "an observer"
wait $other
is "$(numbers | sort -n | tr '\n' ' ')" "$(seq 100 | tr '\n' ' ')" "it has all events"
is "$(numbers /tmp/other | sort -n | tr '\n' ' ')" "$(seq 100 | tr '\n' ' ')" "another one, too"
ok "times never go back" sh -c "cut -d ']' -f 1 /tmp/text | tr -d '[' | sort -c"
is "$(summed 'read events' $dir)" 0 "the events stay in the rings"

# --- other ends. babeltrace2 keeps its last lines until it ends.
# The tests run in the background, where processes ignore SIGINT: env stops that.
ok "a buffer to interrupt" again
mark 1 3
/tests/coreutils/env --default-signal=INT babeltrace2 -c source.rbmap.live \
	-p 'buffer="view",observe=no' >/tmp/text 2>/tmp/errors &
reader=$!
ok "a reader begins" begun
ok "it reads the events" retry_until 20 has_read 3
kill -INT $reader
wait $reader
is "$(numbers | tr '\n' ' ')" "1 2 3 " "it prints them when it is interrupted"
live 'observe=no'
ok "another reader begins" begun
said rmmod rbmap
is $status 1 "a reader holds the module"
kill -KILL $reader
wait $reader
ok "a new event" rbmap probe add sched_process_fork
for seconds in 2 10 50; do
	live "observe=yes,seconds=$seconds"
	ok "a reader begins" begun
	rbmap enable -B view tracepoints
	true | true
	in_time $seconds $began
	late=$?
	ended "a reader that began before a new event is enabled"
	[ $late != 0 ] || break
	rbmap disable -B view tracepoints
done
like "$(grep sched_process_fork /tmp/text | sed -n 1p)" 'tracepoints:sched_process_fork: ' \
	"it has the name of the event"
rbmap disable -B view tracepoints

# --- what is refused
# refused PATTERN PARAMETERS
refused()
{
	said babeltrace2 -c source.rbmap.live -p "$2"
	like "$status $(echo "$output" | tr '\n' ' ')" "^1 .*$1" "$2"
}
refused "no_such: No such file or directory" 'buffer="no_such"'
refused "must be the name of a buffer" 'buffer="../view"'
refused "must be the name of a buffer" 'buffer=3'
refused "must be yes or no" 'observe=3'
refused "must be a number above 0" 'seconds=-1'
refused "three parameters" 'events="sched"'
ok "remove the new event" rbmap probe remove --all
ok "no buffer is left" rbmap destroy view
ok "module unloads" rmmod rbmap
refused "is not loaded" 'seconds=1'
done_testing
