#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Buffers that a module owns. The module writes to them with the inline functions from
# all contexts, and destroys them while others read them. SHORT=1 has
# fewer events and rounds.
# shellcheck disable=SC2086,SC2217,SC2317 # names without blanks; files that are only held open; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

root=/sys/kernel/rbmap
instances=$root/instances
dev=/dev/rbmap
emit=/sys/module/emit/parameters
rounds=${LONG:+1000}${SHORT:+5}
events=${SHORT:+3000}

# error PARAMETER TEXT: writes to a parameter of emit and prints the error
error()
{
	(echo "$2" >"$emit/$1") 2>&1 | sed 's/.*: //'
}

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing
ok "emit loads, with a buffer" load_module emit own=mine own_kb=128 || done_testing

# --- files of the buffer
is "$(cd $dev/mine && find . -type c -name 'c*0' | sort | xargs)" "./cpu0 ./snapshot/cpu0" "the module's buffer has devices"
is "$(cat $instances/mine/owner $instances/mine/raw $instances/mine/buffer_size_kb | xargs)" \
	"emit 1 128" "files name the owner, and that the buffer is raw"
is "$(cd $instances/mine/events && echo *)" "header_event header_page" "a raw buffer has no events"
fails "a raw buffer has no marker" test -e $dev/mine/marker
fails "the default buffer has no owner" test -e $root/owner
is "$( (echo mine >$instances/destroy) 2>&1 | sed 's/.*: //')" "Operation not permitted" \
	"nobody else destroys it"
like "$(last_logged)" 'destroy: mine belongs to the module emit: remove both with rmmod emit' \
	"the log says whose it is"
fails "rbmap is in use" rmmod rbmap

# --- events in the buffer
results "raw: " exact --device $dev/mine/cpu%d --control $instances/mine emit "${events:-10000}" \
	overwrite-map-fast discard-read-fast

# --- calls that are refused
is "$(error try "other 64 $page_kb 0 0")" "" "a second buffer is created"
is "$(error try "mine 64 $page_kb 0 0")" "File exists" "a name that is in use is refused"
is "$(error try "a/b 64 $page_kb 0 0")" "Invalid argument" "a bad name is refused"
is "$(error try "cpu0 64 $page_kb 0 0")" "Invalid argument" "a name of a device is refused"
is "$(error try 'other 64 3 0 0')" "Invalid argument" "a bad size is refused"
is "$(error try "other 64 $page_kb 2 0")" "Invalid argument" "a bad mode is refused"
is "$(error try "other 64 $page_kb 0 9")" "Invalid argument" "a bad clock is refused"
is "$(error try "other 262136 $page_kb 0 0")" "Cannot allocate memory" "a size that exceeds the memory is refused"
is "$(find $dev $instances | grep -c other)" 0 "no file or device of these buffers is left"

# --- buffers that others have created
ok "a named buffer is created" sh -c "echo named >$instances/create"
is "$(error find named)$(error find '')$(error find mine)" "" "a module writes to buffers that it looks up"
is "$(error find none)" "No such file or directory" "looking up an unknown buffer fails"
is "$(summed emitted $instances/named)" \
	1 "the module's event is in the named buffer"
ok "a module holds a named buffer" sh -c "echo named >$emit/hold"
is "$( (echo named >$instances/destroy) 2>&1 | sed 's/.*: //')" "Device or resource busy" \
	"a buffer that a module holds is not destroyed"
ok "the module releases the buffer" sh -c "echo - >$emit/hold"
ok "the released buffer is destroyed" sh -c "echo named >$instances/destroy"

# --- the buffer is destroyed while others have it open
echo 1 >$instances/mine/reset
echo mine >$emit/find
exec 3<$dev/mine/cpu0
cat $dev/mine/cpu* >/tmp/cat 2>/dev/null &
cat=$!
rbmap stream -B mine >/tmp/stream 2>&1 &
stream=$!
retry_until 30 grep -q . /tmp/stream
ok "emit unloads while files are open" timeout "$(patience 60)" rmmod emit
fails "the module's devices are gone" test -e $dev/mine
fails "the module's control files are gone" test -e $instances/mine
ok "a reader of the destroyed buffer reads to the end" sh -c "timeout $(patience 60) cat <&3 >/tmp/rest"
ok "waiting readers of the destroyed buffer end" retry_until 60 sh -c "! kill -0 $cat" 2>/dev/null
ok "rbmap stream says that the module has left" retry_until 30 grep -q 'the module emit was removed' /tmp/stream
ok "rbmap stream waits for the module" kill -0 $stream
kill -INT $stream
ok "rbmap stream ends without it" wait $stream
fails "open files of the destroyed buffer still hold rbmap" rmmod rbmap
ok "the destroyed buffer's name can be used at once" load_module emit own=mine raw=0
ok "a buffer that is not raw has a marker and events" test -c $dev/mine/marker -a -d $instances/mine/events/sched
exec 5>$dev/mine/marker
taskset 1 sh -c "echo before >$dev/mine/marker; echo mine >$emit/find"
exec 6<$dev/mine/cpu0
ok "emit unloads while the marker is open" timeout "$(patience 60)" rmmod emit
is "$( (echo after >&5) 2>&1 | sed 's/.*: //')" "Bad file descriptor" "the marker of a destroyed buffer refuses a write"
is "$(timeout "$(patience 60)" cat <&6 | tr -cs '[:lower:]' '\n' | grep -E 'before|module|after' | xargs)" "before module" \
	"earlier events of the destroyed buffer can be read"
exec 3<&- 5>&- 6<&-

# --- the example: a driver's events, in its own words
sector=/sys/module/driver_ring/parameters/sector
ok "the example loads" load_module driver_ring
is "$(cat $instances/driver_ring/raw $instances/driver_ring/events/driver_ring/enable | xargs)" "0 1" \
	"its buffer has its events, and they are enabled"
format=$instances/driver_ring/events/driver_ring/request/format
# The common fields have four bytes more if they count lazy preemption.
common=8
! grep -q common_preempt_lazy_count $format || common=12
like "$(cat $format)" "field:u32 sector;.*offset:$common;" "an event has a format"
is "$(cat $root/events/driver_ring/request/enable)" 0 "another buffer does not record them"
out=$(rbmap stream -B driver_ring --observe --no-follow 2>/dev/null)
like "$out" '-[0-9]+ .* reset: reset: the driver was loaded$' "rbmap stream prints a string of the driver's"
like "$out" '-[0-9]+ .* request: 4096 bytes at sector 42$' "rbmap stream prints the driver's words"
ok "rbmap record saves the driver's ring" rbmap record -B driver_ring -q -d 0 -o /tmp/driver.dat
like "$(rbmap report /tmp/driver.dat)" 'request: +4096 bytes at sector 42' "rbmap report prints them"
rbmap report --json /tmp/driver.dat >/tmp/driver.json
like "$(cat /tmp/driver.json)" '"system": "driver_ring", "event": "request".*"fields": [{]"sector": 42, "bytes": 4096[}]' "JSON has the fields"
ok "the recording is converted for Perfetto" rbmap convert --perfetto -o /tmp/driver.pf /tmp/driver.dat
ok "Perfetto has the driver's words" grep -aq 'sector' /tmp/driver.pf
rbmap top --json -i 0.3 -B driver_ring >/tmp/top 2>/tmp/top.errors &
top=$!
ok "rbmap top counts the driver's events" retry_until 30 has_mapped $top
# Those of before its first interval do not count.
counts()
{
	echo 4 >$sector
	grep -q '"driver_ring:request"' /tmp/top
}
ok "by their names" retry_until 30 counts
ok "the driver is removed beside rbmap top" rmmod driver_ring
ok "rbmap top says so" retry_until 30 grep -q 'the module driver_ring was removed' /tmp/top.errors
: >/tmp/top
ok "the driver is loaded again beside rbmap top" load_module driver_ring
ok "rbmap top says that, too" retry_until 30 grep -q 'driver_ring was loaded again' /tmp/top.errors
ok "it counts the events of the next buffer" retry_until 30 counts || diag "$(cat /tmp/top.errors)"
kill -INT $top
ok "rbmap top ends" wait $top
like "$(cat /tmp/top.errors)" '[0-9]+ events (read|seen)' "and prints the sums" || diag "$(cat /tmp/top.errors)"
ok "a page is made of it" rbmap report --html -o /tmp/driver.html /tmp/driver.dat
ok "the page has the event's name" grep -q 'driver_ring' /tmp/driver.html
echo 7 >$sector
is "$(rbmap stream -B driver_ring --no-follow 2>/dev/null | grep -c 'request: 512 bytes at sector 7$')" 1 \
	"a call writes one event"
ok "another recorder takes them" rbmap record -q -e driver_ring -o /tmp/other.dat -- sh -c "echo 8 >$sector; echo 9 >$sector"
is "$(rbmap report /tmp/other.dat | grep -c 'request: .*sector [89]')" 2 "it has the calls"
is "$(rbmap stream -B driver_ring --no-follow 2>/dev/null | grep -c 'request: .*sector [89]')" 2 "the driver's ring has them, too"
ok "a filter is set" sh -c "echo 'sector == 11' >$instances/driver_ring/events/driver_ring/request/filter"
echo 10 >$sector
echo 11 >$sector
is "$(rbmap stream -B driver_ring --no-follow 2>/dev/null | grep -o 'sector [0-9]*' | xargs)" "sector 11" "it is applied"
echo 0 >$instances/driver_ring/events/driver_ring/request/filter
for nr in 1 2 3 4 5 6 7 8 9; do
	echo "r$nr" >$instances/create
	echo 1 >$instances/r$nr/events/driver_ring/reset/enable
	echo 1 >$instances/r$nr/events/driver_ring/request/enable
done
echo 12 >$sector
is "$(summed emitted $instances/r1) $(summed emitted $instances/r9)" "1 1" "nine buffers record the event"
for nr in 1 2 3 4 5 6 7 8 9; do
	echo "r$nr" >$instances/destroy
done
echo 13 >$sector
is "$(rbmap stream -B driver_ring --no-follow 2>/dev/null | grep -o 'sector [0-9]*' | xargs)" "sector 12 sector 13" \
	"the driver's ring goes on without them"
like "$(rbmap destroy driver_ring 2>&1)" "belongs to the kernel module driver_ring, .*: rmmod driver_ring" \
	"rbmap destroy names the owner"
ok "rbmap stat -B" rbmap stat -B driver_ring
ok "rbmap status -B" rbmap status -B driver_ring

# --- the driver is loaded again while it is read
rbmap stream -B driver_ring >/tmp/live 2>/tmp/live.err &
live=$!
echo 20 >$sector
ok "rbmap stream has begun" retry_until 30 grep -q 'sector 20$' /tmp/live
echo 21 >$sector
ok "the example unloads while it is read" timeout "$(patience 60)" rmmod driver_ring
ok "rbmap stream says so" retry_until 30 grep -q 'the module driver_ring was removed' /tmp/live.err
is "$(grep -c 'sector 21$' /tmp/live)" 1 "it has read the last event"
ok "the example loads again" load_module driver_ring sector=22
ok "rbmap stream goes on with the names of the new driver" \
	retry_until 30 grep -q 'request: 4096 bytes at sector 22$' /tmp/live
like "$(cat /tmp/live.err)" 'driver_ring was loaded again after .*: 0 events of the new buffer are lost' \
	"rbmap stream says what it lost"
kill -INT $live
ok "rbmap stream ends" wait $live
like "$(tail -n 1 /tmp/live.err)" '^[1-9][0-9]* events read, 0 lost$' "it has lost nothing"
rbmap record -B driver_ring -o /tmp/ends.dat 2>/tmp/ends.err &
record=$!
ok "rbmap record has begun" retry_until 30 test -e /tmp/ends.dat
echo 0 >$instances/driver_ring/events/driver_ring/request/enable
echo 23 >$sector
echo 1 >$instances/driver_ring/events/driver_ring/request/enable
echo 24 >$sector
ok "the example unloads while it is recorded" timeout "$(patience 60)" rmmod driver_ring
wait $record
is $? 4 "rbmap record ends with the driver, and its status says so"
like "$(cat /tmp/ends.err)" 'module that owns the buffer was removed: .* has all events until then' "it says why"
is "$(rbmap report /tmp/ends.dat 2>/dev/null | grep -o 'sector 2[34]$' | xargs)" "sector 24" \
	"the file has the last event, and none that was disabled"
fails "its events are gone" test -e $root/events/driver_ring
ok "the example loads once more" load_module driver_ring sector=25
echo 26 >$sector
ok "another rbmap record takes the next load" rbmap record -q -B driver_ring -d 0 -o /tmp/next.dat
is "$(rbmap report /tmp/next.dat 2>/dev/null | grep -o 'sector 2[56]$' | xargs)" "sector 25 sector 26" \
	"from the first event on"
ok "the example unloads" rmmod driver_ring

# --- created again and again, written on all CPUs and read
ok "emit loads" load_module emit
readers()
{
	while :; do
		for at in 0 1; do
			cat $dev/churn$at/cpu* $dev/churn$at/snapshot/cpu* $instances/churn$at/per_cpu/cpu*/stats
			echo 1 >$instances/churn$at/snapshot
			echo 1 >$instances/churn$at/events/enable
		done
	done
} >/dev/null 2>&1
readers &
load=$!
rbmap stream -B churn0 >/dev/null 2>&1 &
churn()
{
	echo ${rounds:-20} >$emit/churn
}
gives_back "a module's buffer is created and destroyed ${rounds:-20} times" 1024 512 churn
kill $load
wait $load 2>/dev/null
is "$(find $dev $instances | grep -c churn)" 0 "no file or device of these is left"
ok "emit unloads" rmmod emit
ok "module unloads" retry_until 30 rmmod rbmap
done_testing
