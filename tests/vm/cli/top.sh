#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# rbmap top: its numbers are those of the events that were written, as text, as JSON and
# on a terminal of tmux. SHORT=1 presses fewer keys.
# shellcheck disable=SC2016,SC2317 # for an inner shell; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

ok "module loads" load_module rbmap || done_testing

# top ARGUMENT...: output and errors are in files
top()
{
	rbmap top "$@" >/tmp/output 2>/tmp/errors
}

# write CPU COUNT: a task with the name of the CPU writes markers on it
write()
{
	cat >"/tmp/writer$1" <<-END
		#!/bin/sh
		i=0
		while [ \$i -lt $2 ]; do
			echo \$i
			i=\$((i + 1))
		done >/dev/rbmap/marker
	END
	chmod +x "/tmp/writer$1"
	taskset $((1 << $1)) "/tmp/writer$1"
}

# sum_of KEY: prints the sum of a number in all lines of JSON
sum_of()
{
	grep -oE "\"$1\": ?[0-9]+" /tmp/output | awk '{ sum += $NF } END { print sum + 0 }'
}

# rows_of LIST: prints the sum of the rows' events
rows_of()
{
	sed 's/.*"'"$1"'": *\[\([^]]*\)\].*/\1/' /tmp/output | grep -oE '"events": ?[0-9]+' |
		awk '{ sum += $NF } END { print sum + 0 }'
}

in_own_buffer()
{
	grep -qs 1 "$root"/instances/record*/events/"$1"/enable
}

# begin ARGUMENT...: starts rbmap top without an end, and waits for its first interval. Events of
# before that do not count.
begin()
{
	rbmap top "$@" >/tmp/output 2>/tmp/errors &
	top=$!
	retry_until 20 grep -q rbmap.top /tmp/output
}

# end: ends it, with its status
end()
{
	kill -INT "$top"
	wait "$top"
}

# has_counted KEY NUMBER: the lines of JSON have that sum
has_counted()
{
	[ "$(sum_of "$1")" = "$2" ]
}

# --- JSON: each event is counted once
ok "it begins" begin --json -i 0.2 -e rbmap:marker
ok "it enables the events in a buffer of its own" in_own_buffer rbmap/marker
write 0 700
write 1 300
ok "1000 events were read" retry_until 20 has_counted events_read 1000
ok "the kernel's counters say the same" retry_until 20 has_counted emitted 1000
end
is $? 0 "rbmap top --json"
is "$(sum_of events_read) $(sum_of emitted)" "1000 1000" "there are no more"
is "$(rows_of by_event)/$(rows_of by_task)/$(rows_of by_cpu)/$(rows_of by_cgroup)" \
	1000/1000/1000/1000 "events, tasks, CPUs and cgroups have each event once"
like "$(cat /tmp/errors)" '^1000 events read, 0 lost$' "so say the sums"
like "$(cat /tmp/output)" '"name": ?"writer0-[0-9]+", ?"events": ?[1-9]' "a task has its name"
is "$(find $root/instances -name 'record*')" "" "no buffer is left"
top --json -i 0.1 -n 6 -e rbmap:marker
is "$? $(grep -c '^{' /tmp/output)" "0 6" "rbmap top --json -n 6: there are six lines"

# --- text
ok "it begins" begin --batch -i 0.5 --by task -e rbmap:marker
write 1 500
ok "there is a row of the task" retry_until 20 grep -q writer1 /tmp/output
end
is $? 0 "rbmap top --batch"
like "$(grep writer1 /tmp/output | head -n 1)" '^ *[0-9.]+ +100 %  writer1-[0-9]+ .*rbmap:marker 100 %$' \
	"the row has the task, and the event" || diag "$(cat /tmp/output)"
at_most "$(wc -L </tmp/output)" 100 "columns"
ok "by default: sched and irq" top --batch -n 2 -i 0.5
is "$(grep -c '^rbmap top ' /tmp/output)" 2 "there are two pictures"
like "$(cat /tmp/output)" 'sched:sched_switch +' "there are switches"
like "$(cat /tmp/output)" 'Cost    rbmap top [0-9.]+ % of a CPU' "it tells its own cost"
ok "system calls" top --batch -n 1 -e raw_syscalls
fails "it leaves its own system calls out" grep -q ' rbmap-[0-9]' /tmp/output || diag "$(cat /tmp/output)"
ok "--search" top --batch -n 1 --search WITCH
is "$(grep -E '^ +[0-9.]+ +[0-9]+ %' /tmp/output | grep -vc sched_switch)" 0 "only rows with this text are there"
ok "--self-cost" top --batch -n 2 --self-cost
like "$(cat /tmp/output)" 'a probe [0-9]+ ns, 1 % of them over [0-9]+ ns' "the probes were measured"
is "$(cat $root/self_cost)" 0 "the measurement has ended"

# --- losses
calls=100000
[ -z "${SHORT:-}" ] || calls=4000
has_lost()
{
	[ "$(sum_of lost)" -gt 0 ]
}
ok "it begins with small rings" begin --json -i 0.5 -b 8 --subbuf 4 -e raw_syscalls --self
dd if=/dev/zero of=/dev/null bs=1 count=$calls 2>/dev/null
ok "events are lost" retry_until 20 has_lost
end
is "$(sum_of lost)" $(($(sum_of dropped_full) + $(sum_of overrun) + $(sum_of dropped_lapped) + $(sum_of dropped_nested))) \
	"each loss has a cause"
if [ -z "${SHORT:-}" ]; then
	ok "it begins with small rings" begin --batch -i 0.5 -b 8 --subbuf 4 -e raw_syscalls --self
	dd if=/dev/zero of=/dev/null bs=1 count=$calls 2>/dev/null
	ok "the text has the cause" retry_until 20 grep -qE '^Causes  (overwritten|ring full) [0-9]+/s' /tmp/output ||
		diag "$(cat /tmp/output)"
	end
fi

# --- another buffer: it is observed
ok "a buffer" rbmap create seen
echo 1 >$root/instances/seen/events/rbmap/marker/enable
ok "it begins to observe" begin --json -i 0.5 -B seen
echo one >/dev/rbmap/seen/marker
echo two >/dev/rbmap/seen/marker
ok "it has seen both events" retry_until 20 has_counted events_read 2 || diag "$(cat /tmp/output /tmp/errors)"
end
is $? 0 "rbmap top -B"
is "$(sum_of events_read)" 2 "and no other"
rbmap record -q -B seen -d 0 -o /tmp/seen.dat
is "$(rbmap report /tmp/seen.dat 2>/dev/null | grep -c marker:)" 2 "they are left to the reader"
ok "the buffer goes" rbmap destroy seen

# --- mistakes
fails "no terminal" top
like "$(cat /tmp/errors)" "is not a terminal: 'rbmap top --batch' prints text" "the message names the cure"
fails "--by" top --by nothing
like "$(cat /tmp/errors)" "invalid --by 'nothing': event, task, cpu or cgroup" "the message names the choices"
is "$(find $root/instances -name 'record*')" "" "no buffer is left"

# --- a terminal
screen()
{
	tmux capture-pane -p -t top
}

shows()
{
	screen >/tmp/screen
	grep -qE -e "$1" /tmp/screen
}

# shown REGEX TEXT: passes if a line of the screen matches within seconds
shown()
{
	ok "$2" retry_until 20 shows "$1" || diag "$(cat /tmp/screen /tmp/errors)"
}

keys()
{
	tmux send-keys -t top "$@"
}

has_size()
{
	screen | awk -v lines="$1" -v columns="$2" 'length > columns { bad = 1 } END { exit bad || NR != lines }'
}

export LC_ALL=C.UTF-8 LANG=C.UTF-8
echo "set -g default-terminal screen" >/tmp/tmux.conf
ok "tmux begins" tmux -f /tmp/tmux.conf new-session -d -s top -x 80 -y 24 'rbmap top -b 8M -i 0.5 2>/tmp/errors; echo status $?; sleep 1000'
shown '^rbmap top  [0-9:]+  every 0.5 s  buffer record-[0-9]+  [0-9]+ CPUs' "the head"
shown 'sched:sched_switch ' "there are events"
shown '^e event  t task  c CPU' "the last line tells the keys"
ok "24 lines of 80 columns" has_size 24 80
keys t
shown '^ *EVENTS/s +SHARE  TASK' "t: by task"
shown '[0-9] % +<idle>-0 ' "the idle task writes events"
if [ -z "${SHORT:-}" ]; then
	keys c
	shown '^ +CPU +EVENTS/s +LOST/s' "c: by CPU"
	shown '^ +0 +[0-9.]+ +0 +[0-9]+ % \[' "CPU 0 has a row"
	keys h
	shown 'space +pause' "h: help"
fi

keys e
shown '^ *EVENTS/s +SHARE  EVENT' "e: by event"
keys /
keys irq
shown '^/irq_' "/: the text is shown"
keys Enter
shown 'Only names with "irq"' "the rows are searched"
fails "there are no others" shows 'sched:'
keys Escape
shown 'sched:sched_switch ' "Escape ends the search"
if [ -z "${SHORT:-}" ]; then
	keys Space
	shown 'PAUSED$' "space: pause"
	# tmux draws the last picture line by line.
	settled()
	{
		screen >/tmp/paused
		sleep 0.2
		[ "$(screen)" = "$(cat /tmp/paused)" ]
	}
	ok "the picture is drawn" retry_until 20 settled
	sleep 1.5
	is "$(screen)" "$(cat /tmp/paused)" "the picture stays"
	keys Space
	shown 'every 0.5 s.*CPUs$' "space: it goes on"
	keys +
	shown 'every 1 s' "+: a longer interval"
fi

keys s
sleep 0.2
keys Down
tmux resize-window -t top -x 120 -y 40
ok "40 lines of 120 columns" retry_until 10 has_size 40 120
shown '^e event  t task  c CPU' "the last line is there"
tmux resize-window -t top -x 40 -y 8
shown '^e event  t task' "in 8 lines of 40 columns, too"
tmux resize-window -t top -x 20 -y 3
sleep 0.5
tmux resize-window -t top -x 80 -y 24
keys Home
shown 'sched:sched_switch ' "it has survived 3 lines of 20 columns"
keys q
shown '^status 0$' "q: it ends"
like "$(cat /tmp/errors)" '^[0-9]+ events read, 0 lost$' "and prints the sums"
is "$(find $root/instances -name 'record*')" "" "no buffer is left"
tmux respawn-window -k -t top 'rbmap top -i 0.5'
retry_until 20 shows 'sched:sched_switch '
tmux kill-server
ok "it ends with its terminal" retry_until 10 sh -c "! pidof rbmap >/dev/null"
is "$(find $root/instances -name 'record*')" "" "and leaves no buffer"
ok "module unloads" retry_until 5 rmmod rbmap
done_testing
