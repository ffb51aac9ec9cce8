#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `rbmap ship` with the rings of the module. A snapshot that the fleet asks for comes as it is.
# A stream beside a recorder is complete, over a new size of the rings and kills of the agent.
# shellcheck disable=SC2086,SC2317 # numbers; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

fleet=/tmp/fleet
view=/sys/kernel/rbmap/instances/view
mkdir -p $fleet/incidents $fleet/t

ship()
{
	rbmap ship --settings $fleet/ship.conf 2>>$fleet/ship.log &
	agent=$!
}

# emit FIRST LAST CPU: writes numbered markers to the buffer view
emit()
{
	taskset -p $((1 << $3)) $$ >/dev/null
	i=$1
	while [ "$i" -le "$2" ]; do
		echo "mark $i"
		i=$((i + 1))
	done >/dev/rbmap/view/marker
	taskset -p 3 $$ >/dev/null
}

# streamed: prints the sum of events that came and of those that were lost
streamed()
{
	rm -rf $fleet/out
	rbmap fleet stream -d $fleet/c -o $fleet/out >/dev/null 2>&1 || return 0
	awk '$1 == "events" || $1 == "lost" { sum += $3 } END { print sum + 0 }' $fleet/out/manifest.txt
}

has_streamed()
{
	[ "$(streamed)" = "$1" ]
}

# has_each FILE LAST: it has the markers from 1 to LAST, each once
has_each()
{
	rbmap report "$1" 2>/dev/null | sed -n 's/.* marker: *mark //p' | sort -n >/tmp/numbers
	seq "$2" | cmp - /tmp/numbers
}

ok "module loads" load_module rbmap || done_testing
cat >$fleet/recorder.conf <<END
event = rbmap:marker
flight-recorder = yes
directory = $fleet/incidents
buffer-size = 512K
END
rbmap record --settings $fleet/recorder.conf 2>$fleet/recorder.log &
recorder=$!
ok "a flight recorder runs" retry_until 30 grep -q "writes its events" $fleet/recorder.log
ok "a buffer for streams" rbmap create view buffer_size_kb=256
ok "with the markers" rbmap enable -B view rbmap:marker
cat >$fleet/ship.conf <<END
transport = dir:$fleet/t
host = web1
incidents = $fleet/incidents
spool = $fleet/spool
snapshot = kill -USR1 $recorder
stream = view
END
ok "a directory carries the messages" rbmap fleet setup dir:$fleet/t
rbmap collect -t dir:$fleet/t -d $fleet/c >/dev/null 2>$fleet/collect.log &
collector=$!
ship

# --- a snapshot
ok "the collector knows the host" retry_until 60 sh -c "rbmap fleet hosts -d $fleet/c | grep -q web1"
echo "request 4711" >/dev/rbmap/marker
said rbmap fleet snapshot -t dir:$fleet/t -d $fleet/c --reason "slow answers" --wait 60
is $status 0 "each host has answered the command" || {
	echo "$output" | diag
	diag <$fleet/ship.log
	diag <$fleet/collect.log
	done_testing
}
id=$(echo "$output" | grep -o 'snapshot-[^ ]*' | head -n 1)
like "$(rbmap fleet show -d $fleet/c "$id")" "web1" "the host has sent its file"
ok "it is fetched" rbmap fleet fetch -d $fleet/c -o $fleet/files "$id"
fetched=$(find $fleet/files -name '*.dat')
ok "the file is the local one, byte for byte" cmp "$fetched" $fleet/incidents/*.dat
like "$(rbmap report "$fetched" 2>/dev/null)" "marker: *request 4711" "it has what happened before"
kill $recorder
wait $recorder

# --- streams beside a recorder, which consumes the same events
begun=$(date +%s)
rbmap record -q -B view -o $fleet/local.dat 2>$fleet/local.log &
local=$!
ok "a recorder consumes the buffer" retry_until 30 sh -c "ls -l /proc/$local/fd | grep -q view/cpu1"
emit 1 2000 0
emit 2001 4000 1
ok "the agent sends what the recorder takes" retry_until 60 has_streamed 4001 || done_testing
kill -9 $agent
wait $agent
emit 4001 5000 0
ship
emit 5001 6000 1
ok "an agent that was killed goes on" retry_until 60 has_streamed 6001
ok "the rings get another size" sh -c "echo 512 >$view/buffer_size_kb"
emit 6001 7000 0
emit 7001 8000 1
ok "the agent goes on in the new rings" retry_until 60 has_streamed 8001
kill -INT $local
wait $local
is $? 0 "the recorder ends"
diag "$(($(date +%s) - begun)) s"
ok "the recorder has lost nothing by it" has_each $fleet/local.dat 8000
ok "the stream has each event once" has_each $fleet/out/web1.dat 8000
is "$(sed -n 's/^lost = //p' $fleet/out/manifest.txt)" 0 "it has lost nothing"

# --- an agent that is away: the events that the rings have lost meanwhile are counted
kill $agent
wait $agent
is $? 0 "the agent ends"
emit 8001 30000 0
emit 30001 30010 1
ship
ok "events that came + events that were lost are those emitted" \
	retry_until 90 has_streamed 30011
lost=$(sed -n 's/^lost = //p' $fleet/out/manifest.txt)
ok "$lost events were lost" [ "${lost:-0}" -gt 100 ]

# --- events of which the kernel has no record: a CPU that comes on line has some
sum_missed()
{
	cat $view/per_cpu/cpu*/stats | awk '/^missed: / { sum += $2 } END { print sum + 0 }'
}
missed()
{
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu1/online
	[ "$(sum_missed)" -gt 0 ]
}
# The agent reads their number every ten seconds.
has_missed()
{
	streamed >/dev/null
	[ "$(sed -n 's/^missed = //p' $fleet/out/manifest.txt)" = "$(sum_missed)" ]
}
if rbmap enable -B view rcu:rcu_utilization x86_fpu 2>/dev/null; then
	ok "events are missed" retry_until 60 missed
	rbmap disable -B view all
	ok "the stream has their number" retry_until 60 has_missed
fi

said rbmap destroy view
is $status 1 "a buffer that is streamed stays"
like "$output" "in use" "the message says why"
kill $agent
wait $agent
ok "without the agent it goes" rbmap destroy view
kill $collector
wait $collector
is $? 0 "the collector ends"
diag <$fleet/ship.log
diag <$fleet/collect.log
ok "module unloads" rmmod rbmap
done_testing
