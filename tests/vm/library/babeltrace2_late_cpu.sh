#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A CPU comes online for the first time while source.rbmap.live reads. All events are there, as
# text and as CTF, also if the CPU comes a moment before the end. A CPU that never comes holds
# back no event of the others, and has no stream in CTF.
# shellcheck disable=SC2086,SC2317 # names without blanks; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/cpu1.sh
. /tests/lib/cpu1.sh

BABELTRACE_PLUGIN_PATH=/tests/plugins
export BABELTRACE_PLUGIN_PATH
if [ ! -w $online ] || [ "$(cat $online)" = 1 ]; then
	skip_all "no CPU that is off line: boot with maxcpus=1"
fi

# on_cpu0 N: writes N events on CPU 0
on_cpu0()
{
	taskset 1 sh -c "i=0; while [ \$i -lt $1 ]; do echo x; i=\$((i + 1)); done >/dev/rbmap/marker"
}

# live PARAMETERS ARGUMENT...: begins to read; $reader is the process
live()
{
	params=$1
	shift
	[ $# -gt 0 ] || set -- -c sink.text.pretty -p 'clock-cycles=true'
	began=$(hundredths)
	babeltrace2 -c source.rbmap.live -p "$params" "$@" >/tmp/text 2>/tmp/errors &
	reader=$!
	ok "$params $*: it begins" retry_until 30 sh -c "ls -l /proc/$reader/fd | grep -q rbmap/cpu0"
}

# ended WHAT: the reader ends without an error and without a loss
ended()
{
	wait $reader
	is "$? $(cat /tmp/errors)" "0 " "$1: it ends well, and nothing is lost"
}

# events: prints the numbers of events of CPU 0 and of CPU 1
events()
{
	echo "$(grep -c 'cpu_id = 0 }.* pid = ' /tmp/text) $(grep -c 'cpu_id = 1 }.* pid = ' /tmp/text)"
}

# reload: unloads the module, and loads it while CPU 1 is off line
reload()
{
	ok "the module unloads" rmmod rbmap
	echo 0 >$online
	ok "the module loads" load_module rbmap buffer_size_kb=512
}

ok "the module loads" load_module rbmap buffer_size_kb=512 || done_testing
# A machine that is slow needs a longer time.
for observe in no yes; do
	for seconds in 4 20 100; do
		live "observe=$observe,seconds=$seconds"
		on_cpu0 10
		echo 1 >$online
		ok "CPU 1 has a device" retry_until 30 test -e /dev/rbmap/cpu1
		on_cpu1 50
		on_cpu0 10
		in_time $seconds $began
		late=$?
		ended "observe=$observe"
		[ $late != 0 ] || break
		reload
	done
	is "$(events)" "20 50" "observe=$observe: all events of both CPUs"
	ok "observe=$observe: times never go back" sh -c "cut -d ']' -f 1 /tmp/text | tr -d '[' | sort -c"
	reload
done

# babeltrace2 takes a few messages of a CPU, and then waits for the times of all others.
live "observe=no"
on_cpu0 1000
ok "a CPU that never comes holds back no event" retry_until 30 \
	sh -c "[ \"\$(sed -n 's/^read events: //p' $rb/per_cpu/cpu0/stats)\" = 1000 ]"
kill -KILL $reader
wait $reader
rm -rf /tmp/ctf
on_cpu0 10
live "observe=no,seconds=1" -c sink.ctf.fs -p 'path="/tmp/ctf"'
ended "CTF without CPU 1"
babeltrace2 /tmp/ctf >/tmp/text 2>&1
is "$(events)" "10 0" "CTF has the events"
is "$(find /tmp/ctf -type f ! -name metadata | wc -l)" 1 "CTF has no stream of a CPU that never came"

for seconds in 4 20 100; do
	rm -rf /tmp/ctf
	live "observe=no,seconds=$seconds" -c sink.ctf.fs -p 'path="/tmp/ctf"'
	on_cpu0 10
	echo 1 >$online
	ok "CPU 1 has a device" retry_until 30 test -e /dev/rbmap/cpu1
	on_cpu1 50
	in_time $seconds $began
	late=$?
	ended "CTF"
	[ $late != 0 ] || break
	reload
done
babeltrace2 /tmp/ctf >/tmp/text 2>&1
is "$(events)" "10 50" "CTF has the events of both CPUs"
reload

# It is stopped while the CPU comes, and goes on after its end.
for seconds in 2 10 50; do
	live "observe=no,seconds=$seconds"
	kill -STOP $reader
	in_time $seconds $began && break
	kill -CONT $reader
	ended "too late to be stopped"
done
on_cpu0 10
echo 1 >$online
ok "CPU 1 has a device" retry_until 30 test -e /dev/rbmap/cpu1
on_cpu1 50
sleep $((seconds + 1))
kill -CONT $reader
ended "a moment before the end"
is "$(events)" "10 50" "a moment before the end: all events of both CPUs"
ok "the module unloads" rmmod rbmap
done_testing
