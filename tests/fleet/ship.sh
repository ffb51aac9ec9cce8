#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# `rbmap ship` with a collector that a program plays over a directory: what arrives, what is
# lost, kills at random moments, commands, and messages that are damaged or lie.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/fleet/wait.sh
. "$(dirname "$0")/wait.sh"

: "${FLEET:=build/fleet/rbmap-fleet}" "${FLEET_ASAN:=build/tests/fleet/asan/rbmap-fleet}" \
	"${COLLECTOR:=build/tests/fleet/fleet_collector}" \
	"${MAKE_INCIDENT:=build/tests/fleet/fleet_make_incident}" \
	"${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}" "${RBMAP:=build/rbmap}"
dir=$(mktemp -d)
agent=
other_fs=
# shellcheck disable=SC2016 # evaluated at the end
at_exit 'stop_agent; rm -rf "$dir" "$other_fs"'

# The limit in seconds of what is hopeless. Whatever works ends much earlier.
LONG=600

# begin: an empty directory for each case, in $dir/case
begin()
{
	stop_agent
	rm -rf "$dir/case"
	mkdir -p "$dir"/case/inc "$dir"/case/out "$dir"/case/t/{collector,host,all}
	cd "$dir/case" || exit
}
FLEET=$(realpath "$FLEET") FLEET_ASAN=$(realpath "$FLEET_ASAN") RBMAP=$(realpath "$RBMAP")
COLLECTOR=$(realpath "$COLLECTOR") MAKE_INCIDENT=$(realpath "$MAKE_INCIDENT")
MAKE_RECORDING=$(realpath "$MAKE_RECORDING")
export ASAN_OPTIONS=detect_leaks=1

# ship ARGUMENTS...: runs the agent with sanitizers
ship()
{
	"$FLEET_ASAN" ship -t dir:t --host h1 --incidents inc --spool spool "$@"
}

# start_agent [PROGRAM [ARGUMENTS...]]: runs an agent in the background
start_agent()
{
	local program=${1:-$FLEET_ASAN}

	[ $# -eq 0 ] || shift
	"$program" ship -t dir:t --host h1 --incidents inc --spool spool "$@" 2>>errors &
	agent=$!
}

# stop_agent: ends it by SIGTERM; its status is in $ended
stop_agent()
{
	[ -n "$agent" ] || return 0
	kill "$agent" 2>/dev/null
	wait "$agent"
	ended=$?
	agent=
}

# incident NAME EVENTS LOST [REASON [AGE]]
incident()
{
	"$MAKE_INCIDENT" "inc/$1.dat" "${@:2}"
}

# collect NAME=VALUE...
collect()
{
	"$COLLECTOR" dir:t collect out "$@"
}

# field NAME FILE: prints the value of a line NAME = VALUE
field()
{
	sed -n "s/^$1 = //p" "$2"
}

# arrived NAME [DIR]: compares the file that arrived with DIR/NAME.dat
arrived()
{
	cmp "${2:-inc}/$1.dat" out/"$1"-????????
}

waiting()
{
	"$FLEET" ship status --spool spool --json >status.json || return
	python3 -c '
import json, sys
s = json.load(sys.stdin)
print(len(s["waiting"]), s["waiting_bytes"], s["lost"]["incidents"], s["lost"]["events"], s["running"])' <status.json
}

# until_waits TEXT: waits until the output of `waiting` begins with TEXT
until_waits()
{
	retry_until $LONG waits "$1"
}

# shellcheck disable=SC2317 # retry_until calls it
waits()
{
	[[ $(waiting 2>/dev/null) == "$1"* ]]
}

# ---- usage
like "$("$FLEET" ship 2>&1)" '--transport is missing' "a missing transport is reported"
like "$("$FLEET" ship -t x:/ --incidents / --spool "$dir/s" 2>&1)" "unknown transport 'x:/'" \
	"an unknown transport is reported"
like "$("$FLEET" ship -t dir:/ --host ../h 2>&1)" "invalid name of a host" "a host's name is checked"
like "$("$FLEET" ship status --spool "$dir/none" 2>&1)" 'cannot read the spool' \
	"status reports a spool that is missing"
like "$("$FLEET" ship start 2>&1)" "unknown action 'start'" "an unknown action is reported"

# All settings of the file are valid, also those that are commented out: only the spool is not.
conf=userspace/fleet/agent/ship.conf
sed 's/^#\([a-z].*\)/\1/' "$conf" >"$dir/conf"
printf 'spool = %s\ntransport = dir:/dev/null/none\n' "$dir/none/none" >>"$dir/conf"
like "$("$FLEET" ship --settings "$dir/conf" 2>&1)" "cannot use the spool $dir/none/none: " \
	"the settings that are installed are valid"
echo 'spol-size = 1G' >"$dir/conf"
like "$("$FLEET" ship --settings "$dir/conf" 2>&1)" "conf:1: no setting 'spol-size'" \
	"an unknown setting is reported"

# ---- files arrive byte for byte, with their sums
begin
incident 2026-11-26T14.03.12 100000 7 why
incident 2026-11-26T14.03.13 3 unknown "a trigger"
"$MAKE_RECORDING" inc/2026-11-26T14.03.14.dat 600
"$MAKE_RECORDING" inc/2026-11-26T14.03.15.dat 600 compress
head -c 3000000 /dev/urandom >inc/2026-11-26T14.03.16.dat
: >inc/2026-11-26T14.03.17.dat
sh -c '"$@"' sh "$MAKE_RECORDING" inc/2026-11-26T14.03.18.dat 30 kill 2>/dev/null
touch inc/other.dat "inc/2026-11-26T14.03.19.dat.AbCdEf"
ln -s /etc/passwd inc/2026-11-26T14.03.20.dat
mkfifo inc/2026-11-26T14.03.21.dat
touch -d '10 seconds ago' inc/2026-11-26T14.03.1[67].dat
collect incidents=6 &
ok "--once ends when all is stored" ship --once --timeout $LONG
wait $!
for n in 12 13 14 15 16 17; do
	ok "file $n arrived byte for byte" arrived "2026-11-26T14.03.$n"
done
is "$(find out -name '*.manifest' | wc -l)" 6 "nothing else was sent"
is "$(waiting)" "0 0 0 0 False" "nothing waits any more"
is "$(find spool/data spool/state spool/taking -type f | wc -l)" 0 "the spool is empty"
m=$(echo out/2026-11-26T14.03.12-*.manifest)
is "$(field events "$m") $(field lost "$m") $(field reason "$m")" "100000 7 why" \
	"events, losses and the reason are in the manifest"
is "$(field clock "$m") $(field kernel "$m") $(field parts "$m")" "local 6.1.0-test 3" \
	"clock, kernel and parts are in the manifest"
is "$(($(field trigger-tai "$m") - $(field trigger-real "$m")))" 37000000000 "TAI is 37 s ahead"
is "$(($(field trigger-tai "$m") - $(field newest-tai "$m")))" 1000000 \
	"the newest event is 1 ms older than the trigger"
is "$(($(field newest-tai "$m") - $(field oldest-tai "$m")))" 99999000 \
	"the oldest event is 100 ms older"
is "$(field sha256 "$m")" "$(sha256sum <inc/2026-11-26T14.03.12.dat | cut -d' ' -f1)" \
	"the manifest has the SHA-256"
is "$(field lost out/2026-11-26T14.03.13-*.manifest)" unknown "an unknown number is unknown"
for n in 14 15; do
	m=$(echo out/2026-11-26T14.03.$n-*.manifest)
	like "$("$RBMAP" report "inc/2026-11-26T14.03.$n.dat" 2>&1 >/dev/null)" \
		"^$(field events "$m") events, (more than )?[0-9]+ lost" \
		"file $n has as many events as rbmap report says"
done
is "$(grep -c '^events\|^lost\|^clock =' out/2026-11-26T14.03.16-*.manifest)" 0 \
	"a file that is not a recording has no events"
ok "--once sends nothing again" ship --once --timeout $LONG
is "$(ls t/collector/h1)" "$(cd t/collector/h1 && ls -- hello.*)" "and says HELLO only"
rm t/collector/h1/*
start_agent
retry_until $LONG eval 'ls t/collector/h1/hello.*'
stop_agent
is "$ended" 0 "SIGTERM ends a waiting agent"
is "$(find spool -name '.new-*')" "" "no temporary file is left"

# ---- it says READY, and what waits, to the service manager
notify=$dir/notify
python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(500).decode(), flush=True)' "$notify" >told &
manager=$!
retry_until $LONG test -S "$notify"
export NOTIFY_SOCKET="$notify"
start_agent
unset NOTIFY_SOCKET
retry_until $LONG grep -q '^WATCHDOG=1' told
retry_until $LONG grep -q '^STATUS=0' told
stop_agent
retry_until $LONG grep -q '^STOPPING=1' told
kill "$manager"
wait "$manager" 2>/dev/null
like "$(cat told)" '^READY=1' "the service manager is told that it is ready"
like "$(cat told)" '^STATUS=0 incidents wait' "and what waits"
like "$(cat told)" '^WATCHDOG=1' "and that it is alive"
like "$(cat told)" '^STOPPING=1' "and that it ends"

# ---- the recorder removes its file while it waits; parts are lost on the way
begin
incident 2026-11-26T15.00.00 400000 1
incident 2026-11-26T15.00.01 300000 0
mkdir kept && cp inc/*.dat kept
start_agent
until_waits "2 "
is "$(waiting)" "2 $(cat kept/* | wc -c) 0 0 True" "status sees two incidents and a running agent"
is "$(stat -c %h inc/2026-11-26T15.00.00.dat)" 2 "the spool has a link"
rm inc/*
fails "a second agent does not use the spool" ship --once 2>second
like "$(cat second)" 'another agent uses the spool' "and says why"
collect incidents=2 drop=3
ok "the first file arrived, although its name is gone" arrived 2026-11-26T15.00.00 kept
ok "the second one, too" arrived 2026-11-26T15.00.01 kept
attempts=$(grep -c MANIFEST out/log)
ok "parts that were lost were sent again ($attempts manifests)" [ "$attempts" -gt 2 ]
until_waits "0 "
is "$(waiting)" "0 0 0 0 True" "STORED frees the spool"

# ---- a new incident is noticed at once, also in a directory that comes later
rm -r inc
retry_until $LONG grep -q 'cannot read the incidents in inc' errors
mkdir inc
incident 2026-11-26T15.00.02 10 0
until_waits "1 "
like "$(waiting)" ^1 "an incident in a new directory is taken"
# Without inotify the agent would look again after 5 s, and with it after a minute.
inode=$(printf %x "$(stat -c %i inc)")
ok "the new directory is watched" eval "cat /proc/$agent/fdinfo/* 2>/dev/null | grep -q '^inotify .* ino:$inode '"
begun=$(date +%s)
incident 2026-11-26T15.00.03 10 0
until_waits "2 "
at_most $(($(date +%s) - begun)) 50 "the next one is taken long before a minute is over"
stop_agent
is "$(grep -c 'ERROR: \|runtime error' errors)" 0 "the sanitizers found nothing"

# ---- another file system: copies
begin
other_fs=$(mktemp -d -p /dev/shm) || other_fs=
if [ -n "$other_fs" ] && [ "$(stat -c %d "$other_fs")" != "$(stat -c %d inc)" ]; then
	rmdir inc && ln -s "$other_fs" inc
	incident 2026-11-26T16.00.00 200000 3
	ship --once --timeout 1 2>/dev/null
	is "$(stat -c %h spool/data/*)" 1 "the spool has a copy"
	ok "the copy is the file" cmp inc/*.dat spool/data/*
	mkdir kept && mv inc/*.dat kept
	collect incidents=1 &
	ok "the copy is sent" ship --once --timeout $LONG
	wait $!
	ok "it arrived byte for byte" arrived 2026-11-26T16.00.00 kept
else
	skip "/dev/shm is no other file system" "copies between file systems"
fi

# ---- the spool is full: the oldest goes, and the collector learns what it had
begin
for n in 10 11 12 13 14; do
	incident "2026-11-26T17.00.$n" 100000 "$n"
done
size=$(stat -c %s inc/2026-11-26T17.00.10.dat)
ship --once --timeout 1 --spool-size $((size * 2 / 1024 + 100)) 2>errors
is "$(waiting)" "2 $((size * 2)) 3 300000 False" "two incidents fit, and three are lost"
is "$(grep -c 'is lost: the spool was full' errors)" 3 "each loss is in the log"
collect incidents=2 &
ok "what is left is sent" ship --once --timeout $LONG
wait $!
for n in 10 11 12; do
	l=$(echo out/2026-11-26T17.00.$n-*.loss)
	is "$(field file "$l") $(field size "$l") $(field events "$l") $(field lost "$l") $(field cause "$l")" \
		"2026-11-26T17.00.$n.dat $size 100000 $n the spool was full" "the loss of $n is exact"
done
ok "the newest arrived" arrived 2026-11-26T17.00.14
is "$(waiting)" "0 0 0 0 False" "the records are gone when they are stored"
incident 2026-11-26T17.00.15 200000 0
ship --once --timeout 1 --spool-size 100 2>errors
like "$(cat errors)" 'larger than the spool: use a larger --spool-size' \
	"a file that is larger than the spool is a loss"

# ---- many losses become one
begin
for n in $(seq 10 79); do
	for m in 1 2 3 4; do
		cp "$dir/small.dat" "inc/2026-11-26T18.00.$n.$m.dat" 2>/dev/null || {
			incident "2026-11-26T18.00.$n.$m" 5 2
			cp "inc/2026-11-26T18.00.$n.$m.dat" "$dir/small.dat"
		}
	done
done
size=$(stat -c %s "$dir/small.dat")
ship --once --timeout 1 --spool-size $((size / 1024 + 1)) 2>/dev/null
is "$(waiting)" "1 $size 279 1395 False" "of 280 incidents, 279 are lost, and all are counted"
at_most "$(find spool/losses -type f | wc -l)" 256 "the number of records is bounded"
collect incidents=1 &
ok "the records are sent" ship --once --timeout $LONG
wait $!
is "$(cat out/*.loss | awk -F' = ' '$1 == "events" { sum += $2 } END { print sum }')" 1395 \
	"the collector has all lost events"
is "$(cat out/*.loss | awk -F' = ' '$1 == "lost" { sum += $2 } END { print sum }')" 558 \
	"and those that the recorders had lost"
rm "$dir/small.dat"

# ---- kill -9 at random moments
begin
mkdir kept
seed=${RBMAP_TEST_SEED:-$$}
RANDOM=$seed
diag "RBMAP_TEST_SEED=$seed"
collect incidents=30 drop=7 2>errors.collector &
collector=$!
for n in $(seq 10 39); do
	incident "2026-11-26T19.00.$n" $((RANDOM * 3 + 1)) "$n"
	ln "inc/2026-11-26T19.00.$n.dat" kept
	"$FLEET" ship -t dir:t --host h1 --incidents inc --spool spool 2>/dev/null &
	victim=$!
	sleep "0.$(printf %03d $((RANDOM % 400)))"
	kill -9 "$victim"
	wait "$victim" 2>/dev/null
	# The recorder keeps few files. This one may not be in the spool yet.
	if [ $((RANDOM % 2)) -eq 0 ] &&
		[ -n "$(find spool/data spool/taking -name "*T19.00.${n}[-.]*")" ]; then
		rm "inc/2026-11-26T19.00.$n.dat"
	fi
done
start_agent
wait "$collector"
until_waits "0 "
stop_agent
missing=0
for n in $(seq 10 39); do
	arrived "2026-11-26T19.00.$n" kept >/dev/null 2>&1 || missing=$((missing + 1))
done
is "$missing" 0 "after 30 kills all 30 files arrived byte for byte"
is "$(find out -name '*.loss' | wc -l)" 0 "no loss is reported"
diag "$(grep -c PART out/log) parts were sent"
# Agents that were killed have sent some parts again.
collect empty=yes
rm -rf out && mkdir out
ship --once --timeout $LONG >/dev/null 2>&1
collect empty=yes
is "$(grep -c 'PART\|MANIFEST' out/log)" 0 "nothing is sent again"

# ---- the collector is away for long; the directory, too
begin
incident 2026-11-26T20.00.00 1000 0
mv t gone
start_agent
until_waits "1 "
like "$(waiting)" '^1 .*True' "incidents are taken while the transport is away"
retry_until $LONG eval "'$FLEET' ship status --spool spool | grep '^error: '"
like "$("$FLEET" ship status --spool spool)" '^error: cannot open t' "status has the error"
is "$(grep -c 'cannot open t' errors)" 1 "the error is in the log once"
sleep 3
is "$(grep -c 'cannot open t' errors)" 1 "and not again"
mv gone t
collect incidents=1
ok "the incident arrives when it is back" arrived 2026-11-26T20.00.00
like "$(cat errors)" 'note: the transport works again' "the log says so"
chmod 555 t/collector/h1
stop_agent
ship --once --timeout $LONG 2>errors
is $? 0 "with nothing to send, a HELLO is all that root needs"
chmod 755 t/collector/h1
ship --once --timeout 1 2>errors
incident 2026-11-26T20.00.01 1000 0
ship --once --timeout 1 2>errors
is $? 3 "--once fails with 3 when nothing answers"
like "$(cat errors)" '1 incidents were not stored within 1 s: the collector did not answer' \
	"and says why"

# ---- commands
begin
cat >snap <<END
#!/bin/sh
echo run >>$PWD/runs
exec "$MAKE_INCIDENT" "$PWD/inc/2026-11-26T21.00.\$(date +%N).dat" 1000 4 command
END
chmod +x snap
incident 2026-11-26T21.00.00 10 0 before 100
start_agent "$FLEET_ASAN" --snapshot "$PWD/snap with words"
until_waits "1 "
"$COLLECTOR" dir:t command other "$(printf 'action = snapshot\nhosts = web*\n')"
"$COLLECTOR" dir:t command none "action = snapshot"
"$COLLECTOR" dir:t command strange "$(printf 'action = rm -rf /\nhosts = *\n')"
"$COLLECTOR" dir:t command now "$(printf 'action = snapshot\nhosts = h[0-9]\nreason = x\ntime-real = 5\n')"
collect answers=2 incidents=2
is "$(ls out/*.answer)" "out/now.answer
out/strange.answer" "commands for this host are answered, others are not"
is "$(field state out/now.answer)" taken "the snapshot was taken"
id=$(field incident out/now.answer)
ok "its incident arrived" test -s "out/$id"
is "$(field reason "out/$id.manifest") $(field command "out/$id.manifest")" "command now" \
	"it is the one that the command made"
is "$(field command out/2026-11-26T21.00.00-*.manifest)" "" "the one before is not"
is "$(field oldest-real out/now.answer)" $(($(field oldest-tai "out/$id.manifest") - 37000000000)) \
	"the answer has the time of the oldest event"
is "$(field late out/now.answer)" $(($(field oldest-real out/now.answer) - 5)) \
	"and by how much that is later than the command"
is "$(field state out/strange.answer) $(field error out/strange.answer)" \
	"failed unknown action 'rm -rf /'" "an unknown action fails"
stop_agent
start_agent "$FLEET_ASAN" --snapshot "$PWD/snap"
# The agent reads all commands that are there, one after the other.
for id in w x; do
	"$COLLECTOR" dir:t command "$id" "$(printf 'action = none\nhosts = h1\n')"
	retry_until $LONG ls "t/collector/h1/$id.answer"
done
is "$(wc -l <runs)" 1 "a command is executed once, also after a restart"
stop_agent
# A command can come again long after it was executed, if somebody sends it again.
for id in y z; do
	sed -i "s/^[0-9]* answered now/$(($(date +%s) - 10000)) answered now/" spool/commands
	start_agent "$FLEET_ASAN" --snapshot "$PWD/snap"
	"$COLLECTOR" dir:t command "$id" "$(printf 'action = none\nhosts = h1\ntime-real = 6\n')"
	retry_until $LONG ls "t/collector/h1/$id.answer"
	stop_agent
done
is "$(wc -l <runs)" 1 "and also hours later"
is "$(grep -c 'ERROR: \|runtime error' errors)" 0 "the sanitizers found nothing"

# A command that fails, and an agent that is killed while it executes one
start_agent "$FLEET_ASAN" --snapshot "/bin/sh -c false"
"$COLLECTOR" dir:t command fails "$(printf 'action = snapshot\nhosts = h1\n')"
retry_until $LONG ls t/collector/h1/fails.answer
stop_agent
start_agent "$FLEET_ASAN" --snapshot "$PWD/missing"
"$COLLECTOR" dir:t command lacks "$(printf 'action = snapshot\nhosts = h1\n')"
retry_until $LONG ls t/collector/h1/lacks.answer
stop_agent
start_agent "$FLEET" --snapshot "sleep 20"
"$COLLECTOR" dir:t command killed "$(printf 'action = snapshot\nhosts = h1\n')"
retry_until $LONG grep -q killed spool/commands
kill -9 "$agent"
{ stop_agent; } 2>/dev/null
start_agent "$FLEET_ASAN" --snapshot "$PWD/snap"
retry_until $LONG ls t/collector/h1/killed.answer
collect empty=yes
stop_agent
is "$(field error out/fails.answer)" "the command of the snapshot failed with status 1" \
	"a command that fails is answered"
is "$(field error out/lacks.answer)" "cannot run '$PWD/missing': No such file or directory" \
	"a command that is missing is answered"
is "$(field error out/killed.answer)" "the agent was ended before the incident was there" \
	"a command whose agent was killed is answered"
is "$(wc -l <runs)" 1 "and not executed again"

# ---- messages that are damaged, or lie
begin
incident 2026-11-26T22.00.00 100000 0
echo secret >victim.dat
start_agent
until_waits "1 "
id=$(ls spool/data)
mkdir -p t/host/h1
head -c 100 /dev/urandom >t/host/h1/random
head -c 2000000 /dev/zero >t/host/h1/large
: >t/host/h1/empty
ln -s /etc/passwd t/host/h1/link
mkfifo t/host/h1/fifo
mkdir t/host/h1/folder
head -c 100 /dev/urandom >t/all/random
for kind in stored missing permit part manifest loss hello answer command; do
	"$COLLECTOR" dir:t send h1 $kind "../../../victim" 1
	"$COLLECTOR" dir:t send h1 $kind "../victim.dat" 1
	"$COLLECTOR" dir:t send h1 $kind "" 1
	"$COLLECTOR" dir:t send h1 $kind "unknown-00000000" 1
	"$COLLECTOR" dir:t send h1 $kind "unknown-00000000" 18446744073709551615 "$(printf 'part = 0-99\n')"
done
"$COLLECTOR" dir:t send h1 missing "$id" 1 "$(printf 'part = 5-4\npart = x\npart = 18446744073709551615\npart = 7-18446744073709551615\npart\nmanifest = no\n= = =\n')"
"$COLLECTOR" dir:t send h1 missing "$id" 2 "$(printf 'manifest = yes\n')"
"$COLLECTOR" dir:t send h2 stored "$id" 1
cp t/host/h2/m.* t/all/stored
cp t/host/h2/m.* t/host/h1/stored
"$COLLECTOR" dir:t command "../../tricks" "$(printf 'action = snapshot\nhosts = *\n')"
"$COLLECTOR" dir:t command "$(printf 'x%.0s' $(seq 125))" "$(printf 'action = snapshot\nhosts = *\n')"
"$COLLECTOR" dir:t command pattern "$(printf 'action = snapshot\nhosts = %s\n' "$(printf '*h%.0s' $(seq 100))")"
# A command that comes after all of that is answered. Files that can be read are removed.
"$COLLECTOR" dir:t command last "$(printf 'action = none\nhosts = h1\n')"
retry_until $LONG ls t/collector/h1/last.answer
retry_until $LONG eval '! ls t/host/h1/m.*'
ok "the agent goes on" kill -0 "$agent"
like "$(waiting)" "^1 " "the incident still waits"
is "$(cat victim.dat)" secret "no file outside of the spool was touched"
like "$(cat errors)" 'a message was refused: ' "refused messages are in the log"
at_most "$(grep -c 'a message was refused' errors)" 8 "but not each of them"
collect incidents=1
ok "the incident arrives after all of that" arrived 2026-11-26T22.00.00
stop_agent
is "$ended $(grep -c 'ERROR: \|runtime error' errors)" "0 0" "the sanitizers found nothing"

# A collector that never answers gets nothing but HELLO.
begin
incident 2026-11-26T22.30.00 1000 0
start_agent
retry_until $LONG eval 'ls t/collector/h1/hello.*'
collect permit=no seconds=3
is "$(cut -d' ' -f1 out/log | sort -u)" HELLO "without a permit nothing is sent"
stop_agent
# A file in the spool that somebody changes is not sent for ever.
start_agent
until_waits "1 "
printf x | dd of="$(echo spool/data/*)" bs=1 seek=100 conv=notrunc 2>/dev/null
collect stored=no losses=1
is "$(field cause out/*.loss)" "the file in the spool has changed" "a changed file is a loss"
stop_agent

# ---- what waiting costs
begin
incident 2026-11-26T23.00.00 1000000 0
"$MAKE_RECORDING" inc/2026-11-26T23.00.01.dat 20000 compress
start_agent "$FLEET"
until_waits "2 "
collect incidents=2
is "$(find out -name '*.manifest' | wc -l)" 2 "30 MiB arrived"
until_waits "0 "
ticks()
{
	cut -d' ' -f14,15 "/proc/$agent/stat" | tr ' ' +
}
status_kb()
{
	sed -n "s/^$1:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$agent/status"
}
has_rested()
{
	local before

	before=$(ticks) && sleep 1 && [ "$(ticks)" = "$before" ]
}
is_small()
{
	[ "$(status_kb VmRSS)" -le 8192 ]
}
retry_until $LONG has_rested
# Other programs of the machine make each step dearer now and then, but not all the time.
for _ in 1 2 3 4 5 6; do
	before=$(($(ticks)))
	sleep 10
	spent=$(($(ticks) - before))
	[ "$spent" -gt 2 ] || break
done
# It returns memory 10 s after its start.
retry_until $LONG is_small
diag "CPU while it waits: $spent ticks of 10 ms in 10 s"
diag "memory: VmRSS $(status_kb VmRSS) kB, VmHWM $(status_kb VmHWM) kB"
at_most "$(status_kb VmRSS)" 8192 "kB of memory while it waits"
at_most "$spent" 2 "ticks of CPU while it waits"
stop_agent
is "$ended" 0 "SIGTERM ends it with 0"

done_testing
