#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The collector, against hosts that lose, double, damage and reorder messages, and lie; a
# collector that is killed; a full disk; many hosts. Then the administrator's commands.
# shellcheck source=/dev/null
# shellcheck disable=SC2317 # functions are arguments of ok
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/fleet/wait.sh
. "$(dirname "$0")/wait.sh"

: "${RBMAP_FLEET:=build/fleet/rbmap-fleet}" "${FLEET_HOST:=build/tests/fleet/fleet_host}" \
	"${RBMAP_FLEET_ASAN:=build/tests/fleet/asan/rbmap-fleet}" \
	"${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}"
# RBMAP_TEST_SEED repeats the order of messages, and the moments of kills.
: "${RBMAP_TEST_SEED:=$(date +%s)}"
export RBMAP_TEST_SEED
diag "RBMAP_TEST_SEED=$RBMAP_TEST_SEED"
# Each message is written with fsync(), twice: a thousand hosts need a file system in memory.
dir=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
collector=
at_exit "[ -z \"\$collector\" ] || kill -9 \"\$collector\" 2>/dev/null; umount '$dir/small' 2>/dev/null; rm -rf '$dir'"
command="$RBMAP_FLEET_ASAN"

# fresh: begins with an empty transport and an empty collection
fresh()
{
	rm -rf "$dir/t" "$dir/c"
	mkdir -p "$dir/t/collector" "$dir/t/host" "$dir/t/all"
}

# play: publishes the messages of the script on standard input
play()
{
	(cd "$dir" && "$FLEET_HOST" play "dir:$dir/t")
}

# collect SECONDS [OPTION]...: runs a collector until no message came for SECONDS
collect()
{
	seconds=$1
	shift
	"$command" collect -t "dir:$dir/t" -d "$dir/c" --once "$seconds" "$@" >"$dir/out" 2>"$dir/err"
}

sql()
{
	sqlite3 -cmd '.timeout 5000' "$dir/c/index.sqlite" "$1"
}

states()
{
	sql "SELECT host.name || ' ' || incident.name || ' ' || state FROM incident
		JOIN host ON host.id = incident.host ORDER BY 1"
}

refused()
{
	sql "SELECT cause || ' ' || number FROM refused ORDER BY 1" | tr '\n' ';'
}

# replies HOST KIND: the number of messages of a kind that the host has got
replies()
{
	find "$dir/t/host/$1" -name "*.$2.*" 2>/dev/null | wc -l
}

fleet()
{
	"$command" fleet "$@" -d "$dir/c" 2>"$dir/err"
}

same()
{
	cmp "$1" "$2" >&2
}

FLEET_HOST=$(realpath "$FLEET_HOST")
RBMAP_FLEET=$(realpath "$RBMAP_FLEET")
command=$(realpath "$command")
"$MAKE_RECORDING" "$dir/trace.dat" 1500 2>/dev/null
head -c 2500000 /dev/urandom >"$dir/other.dat"
size=$(stat -c %s "$dir/trace.dat")
diag "the recording has $size bytes"
last=$(((size - 1) / 1048576))

# ---- one incident, in any order

fresh
{
	echo "manifest web-1 inc-1 trace.dat reason=it_was_slow trigger-real=1700000000000000000 events=7 lost=unknown"
	for seq in $(seq 0 "$last" | sort -r); do
		echo "part web-1 inc-1 trace.dat seq=$seq"
		echo "part web-1 inc-1 trace.dat seq=$seq"
	done
} | play
ok "collect an incident" collect 1
is "$(states)" "web-1 inc-1 stored" "the incident is stored"
ok "it is the same file" same "$dir/trace.dat" "$dir/c/incidents/web-1/inc-1.dat"
is "$(replies web-1 stored)" 1 "the host is told once"
is "$(sql 'SELECT recording FROM incident')" 1 "it is a recording"
is "$(sql 'SELECT count(*) FROM incoming')" 0 "the index has no more parts"
is "$(find "$dir/t/collector" -type f | wc -l)" 0 "all messages are acknowledged"
is "$(stat -c %a "$dir/c/incidents/web-1/inc-1.dat" "$dir/c/incidents/web-1" | xargs)" "640 750" \
	"others cannot read it"
is "$(find "$dir/c/incoming" -type f | wc -l)" 0 "no file of parts is left"

echo "manifest web-1 inc-1 trace.dat" | play
echo "part web-1 inc-1 other.dat seq=0" | play
collect 0.5
is "$(replies web-1 stored)" 2 "the manifest of a stored incident is answered again"
{
	echo "manifest web-1 inc-1 other.dat"
	for seq in 0 1 2; do echo "part web-1 inc-1 other.dat seq=$seq"; done
} | play
collect 0.5
is "$(replies web-1 stored)" 2 "another file of that id is not answered"
ok "and does not replace the file" same "$dir/trace.dat" "$dir/c/incidents/web-1/inc-1.dat"
like "$(refused)" 'another file of the same id 1;' "it is counted"
echo "hello web-1 - - incident=inc-1_$size" | play
collect 0.5
is "$(replies web-1 stored)" 3 "a HELLO is answered for what is stored"

# ---- not a recording; a sum that is wrong; parts that are missing

fresh
{
	echo "manifest db-1 text other.dat"
	for seq in 0 1 2; do echo "part db-1 text other.dat seq=$seq"; done
} | play
collect 0.5
is "$(sql 'SELECT state, recording FROM incident')" "stored|0" "another file is stored and marked"

fresh
wrong=$(sha256sum "$dir/trace.dat" | cut -d' ' -f1)
{
	echo "manifest db-1 bad other.dat sha256=$wrong"
	for seq in 0 1 2; do echo "part db-1 bad other.dat seq=$seq"; done
} | play
collect 0.5
is "$(states)" "db-1 bad damaged" "a wrong SHA-256 is found"
is "$(replies db-1 missing) $(replies db-1 stored)" "1 0" "all parts are asked for"
like "$(strings -a "$dir"/t/host/db-1/bad.missing.*)" 'part = 0-2$' "by their numbers"
like "$(refused)" 'wrong SHA-256 1;' "it is counted"
is "$(find "$dir/c" -name 'bad.*' | wc -l)" 0 "the parts were dropped"
{
	for seq in 0 1 2; do echo "part db-1 bad other.dat seq=$seq"; done
	echo "manifest db-1 bad other.dat"
} | play
collect 0.5
is "$(states)" "db-1 bad stored" "the right manifest and its parts are stored"
ok "as the same file" same "$dir/other.dat" "$dir/c/incidents/db-1/bad.dat"

fresh
{
	echo "part db-1 gap other.dat seq=0"
	echo "manifest db-1 gap other.dat"
} | play
collect 4
is "$(states)" "db-1 gap incoming" "an incident with a gap is not stored"
like "$(strings -a "$dir"/t/host/db-1/gap.missing.*)" 'part = 1-2$' "the gap is asked for"
is "$(sql 'SELECT length(bitmap) FROM incoming')" 1 "the index has a bit for each part"
printf 'part db-1 gap other.dat seq=%d\n' 1 2 | play
collect 0.5
is "$(states)" "db-1 gap stored" "with the parts it is stored"

# ---- lies

fresh
head -c 300 /dev/urandom >"$dir/noise"
echo "manifest evil short other.dat" | play
collect 0.5
{
	echo "part evil inc other.dat seq=0 header=web-1"
	echo "hello evil - - header=web-1 incident=x_100"
	echo "part evil inc other.dat seq=0 damage=1"
	echo "raw evil noise noise"
	echo "stored evil inc -"
	echo "part evil huge other.dat seq=99999999999"
	echo "part evil huge other.dat seq=18446744073709551615"
	echo "manifest evil huge other.dat size=1 size=9223372036854775807 parts=8796093022208"
	echo "manifest evil odd other.dat size=5000000 parts=2"
	echo "manifest evil odd other.dat sha256=../../x"
	echo "part evil $(printf '%0100d' 1) other.dat seq=0"
	echo "hello evil - - incident=../x_5 incident=big_99999999999999 incident=none"
	echo "answer evil no-such-command - state=taken"
	echo "part evil short other.dat seq=0 size=1000"
	echo "part evil short other.dat seq=7"
} | play
ok "a liar is survived" collect 0.5
is "$(sql "SELECT name FROM host ORDER BY 1" | xargs)" "evil" "it speaks for no other host"
is "$(sql "SELECT sum(number) FROM refused")" 17 "each lie is counted"
is "$(sql "SELECT count(*) FROM refused")" "$(sql "SELECT count(DISTINCT cause) FROM refused")" \
	"in one row for each cause"
rows=$(sql "SELECT (SELECT count(*) FROM refused) + (SELECT count(*) FROM incident)")
for i in $(seq 20); do echo "part evil inc other.dat seq=$i header=web-$i"; done | play
collect 0.5
is "$(sql "SELECT (SELECT count(*) FROM refused) + (SELECT count(*) FROM incident)")" "$rows" \
	"more lies do not add rows"
is "$(find "$dir/t/collector" -type f | wc -l)" 0 "lies are acknowledged"

fresh
for i in $(seq 100); do echo "part greedy inc-$i other.dat seq=0"; done | play
collect 0.5 --max-host 10M
is "$(find "$dir/c/incoming" -type f | wc -l)" 10 "a host has its share of the disk"
like "$(refused)" "more than the host's share 90;" "the rest is counted"
for i in $(seq 70); do echo "part many inc-$i other.dat seq=0"; done | play
collect 0.5
is "$(find "$dir/c/incoming/many" -type f | wc -l)" 64 "and a number of incidents at once"
for seq in 0 1 2; do echo "part small inc other.dat seq=$seq"; done | play
echo "manifest small inc other.dat" | play
echo "hello small - - incident=inc_2500000" | play
collect 0.5 --max-incident 2M
is "$(replies small permit)" 0 "an incident beyond --max-incident gets no permit"
is "$(sql "SELECT count(*) FROM incident JOIN host ON host.id = host WHERE host.name = 'small' AND state = 'stored'")" \
	0 "and is not stored"

# ---- losses and permits

fresh
echo "part web-1 gone other.dat seq=0" | play
collect 0.5
echo "loss web-1 gone - size=2500000 events=5 lost=unknown cause=spool_full" | play
echo "loss web-2 gone2 - size=1 events=5 cause=spool_full" | play
collect 0.5
is "$(states | xargs)" "web-1 gone lost web-2 gone2 lost" "losses are in the index"
is "$(replies web-1 stored) $(replies web-2 stored)" "1 1" "and answered"
is "$(find "$dir/c/incoming" -type f | wc -l)" 0 "the parts of a lost incident are removed"

fresh
for host in a b c d e; do
	echo "hello $host - - incident=one_1000 incident=two_1000 events=$(printf '%d' "'$host") lost=3"
done | play
collect 0.5 --permits 2
is "$(find "$dir/t/host" -name '*.permit.*' | wc -l)" 2 "so many permits as --permits says"
is "$(find "$dir/t/host" -name 'one.permit.*' | wc -l)" 2 "the oldest incident comes first"
printf 'first' >"$dir/first"
for host in a b c d e; do
	[ -d "$dir/t/host/$host" ] || continue
	echo "part $host one first seq=0"
	echo "manifest $host one first"
done | play
rm -r "$dir"/t/host/*
collect 0.5 --permits 2
is "$(find "$dir/t/host" -name 'one.permit.*' | wc -l)" 2 "the next permits are for hosts that had none"
is "$(sql 'SELECT count(*) FROM incident')" 10 "all are in the index"
echo "hello a - -" | play
collect 0.5
is "$(sql "SELECT count(*) FROM incident JOIN host ON host.id = host WHERE host.name = 'a' AND state = 'announced'")" \
	0 "what a host has no longer is forgotten"

# ---- many hosts at once, with losses

fresh
mkdir "$dir/files"
# begin [OPTION]...: starts a collector
begin()
{
	"$command" collect -t "dir:$dir/t" -d "$dir/c" "$@" >"$dir/out" 2>"$dir/err" &
	collector=$!
}

# stop: ends it with SIGTERM
stop()
{
	kill "$collector"
	wait "$collector"
	status=$?
	collector=
	return "$status"
}

# equal NUMBER: compares the files of the swarm with those that were stored
equal()
{
	for i in $(seq 0 $(($1 - 1))); do
		cmp -s "$dir/files/swarm-$i.dat" "$dir/c/incidents/swarm-$i/"*.dat || echo "swarm-$i differs"
	done
}

command=$RBMAP_FLEET
begin --permits 32
check "200 hosts that lose and double messages store all" \
	"$FLEET_HOST" swarm "dir:$dir/t" 200 "$dir/files" 20000 60 chaos
ok "SIGTERM ends the collector" stop
is "$(equal 200)" "" "each file is the same"

# ---- killed at any moment

fresh
rm "$dir/files/"*
"$FLEET_HOST" swarm "dir:$dir/t" 8 "$dir/files" 9000000 60 chaos >"$dir/swarm" 2>&1 &
swarm=$!
pauses=$(awk -v seed="$RBMAP_TEST_SEED" 'BEGIN {
	srand(seed)
	for (i = 0; i < 20; i++)
		printf "%.2f ", 0.1 + 0.8 * rand()
}')
for pause in $pauses; do
	begin
	sleep "$pause"
	kill -9 "$collector"
	wait "$collector" 2>/dev/null
done
killed=$(sql "SELECT count(*) FROM incident WHERE state = 'stored'")
begin
wait "$swarm"
is "$(cat "$dir/swarm")" "0 of 8 hosts have an incident that is not stored" \
	"after 20 times kill -9 all are stored ($killed before the last round)"
stop
is "$(equal 8)" "" "each file is the same"
is "$(sql "SELECT count(*) FROM refused")" 0 "no part was damaged"
is "$(sql 'PRAGMA integrity_check')" ok "the index is sound"

# ---- a full disk

# store_8m: publishes an incident of 8 MiB
store_8m()
{
	head -c 8388608 /dev/urandom >"$dir/large.dat"
	{
		echo "manifest full inc large.dat"
		for seq in 0 1 2 3 4 5 6 7; do echo "part full inc large.dat seq=$seq"; done
	} | play
}

is_stored()
{
	[ "$(sql "SELECT count(*) FROM incident WHERE state = 'stored'")" = 1 ]
}

fresh
mkdir "$dir/small"
if mount -t tmpfs -o size=6M none "$dir/small" 2>/dev/null; then
	ln -s "$dir/small" "$dir/c"
	store_8m
	begin
	ok "a full disk is reported" retry_until 600 grep -q 'No space left' "$dir/err"
	sleep 2
	is "$(grep -c . "$dir/err")" 1 "once"
	is "$(find "$dir/t/collector" -type f | wc -l)" 9 "nothing is acknowledged"
	mount -o remount,size=64M "$dir/small"
	ok "with room it goes on" retry_until 600 is_stored
	stop
	like "$(cat "$dir/err")" 'collected again' "and says so"
	ok "the file is the same" same "$dir/large.dat" "$dir/c/incidents/full/inc.dat"
	umount "$dir/small"
else
	skip "this needs root" "a full disk"
fi

fresh
store_8m
(
	ulimit -f 4096
	timeout 20 "$RBMAP_FLEET" collect -t "dir:$dir/t" -d "$dir/c" --once 2 >/dev/null 2>"$dir/err"
)
like "$(cat "$dir/err")" 'File too large' "a limit on the size of files is reported"
is "$(find "$dir/t/collector" -type f | wc -l)" 9 "nothing is acknowledged"
collect 0.5
ok "without it the file is stored" same "$dir/large.dat" "$dir/c/incidents/full/inc.dat"

# ---- a permit that is lost on its way

permit_is_given()
{
	permit=$(find "$dir/t/host" -name 'one.permit.*' 2>/dev/null)
	[ -n "$permit" ]
}

fresh
echo "hello a - - incident=one_1000 incident=two_1000" | play
begin
ok "a permit is given" retry_until 600 permit_is_given
rm "$permit"
echo "hello a - - incident=one_1000 incident=two_1000" | play
ok "a host that says HELLO without it gets the same one" retry_until 600 test -e "$permit"
is "$(replies a permit)" 1 "and no other one"
stop

# ---- memory

fresh
rm "$dir/files/"*
begin
check "2000 hosts store an incident each" \
	"$FLEET_HOST" swarm "dir:$dir/t" 2000 "$dir/files" 4000 90
memory=$(sed -n 's/VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$collector/status")
stop
at_most "$memory" 524288 "memory of the collector in KiB"
is "$(sql "SELECT count(*) FROM incident WHERE state = 'stored'")" 2000 "all are stored"

# ---- the collector's options

command=$(realpath "$RBMAP_FLEET_ASAN")
begin
retry_until 600 eval "! flock -n '$dir/c/.lock' true"
"$command" collect -t "dir:$dir/t" -d "$dir/c" --once 1 >/dev/null 2>"$dir/second"
is $? 1 "a second collector ends"
like "$(cat "$dir/second")" 'another collector writes to' "because of the first"
stop

# kept: the incidents that are stored, the oldest first
kept()
{
	sql "SELECT name FROM incident WHERE state = 'stored' ORDER BY changed"
}

all=$(kept)
collect 0.5 --keep-size 1M
stored=$(sql "SELECT sum(size) FROM incident WHERE state = 'stored'")
at_most "$stored" 1048576 "--keep-size removes incidents"
is "$(find "$dir/c/incidents" -type f | wc -l)" "$(sql "SELECT count(*) FROM incident WHERE state = 'stored'")" \
	"and their files"
is "$(sql "SELECT count(*) FROM incident WHERE state = 'removed'")" \
	$((2000 - $(find "$dir/c/incidents" -type f | wc -l))) "the index lists them"
is "$(kept)" "$(printf '%s\n' "$all" | tail -n "$(kept | wc -l)")" "the oldest are removed"
sql "UPDATE incident SET changed = changed - 3 * 86400 * 1000000000 WHERE id IN
	(SELECT id FROM incident WHERE state = 'stored' ORDER BY changed LIMIT 5)"
all=$(kept)
collect 0.5 --keep-days 4
is "$(kept)" "$all" "--keep-days keeps what is younger"
collect 0.5 --keep-days 2
is "$(kept)" "$(printf '%s\n' "$all" | tail -n +6)" "and removes what is older"
is "$(find "$dir/c/incidents" -type f | wc -l)" "$(kept | wc -l)" "with its files"
"$command" collect -d "$dir/c" >/dev/null 2>&1
is $? 2 "a collector needs a transport"
printf 'transport = dir:%s\ndirectory = %s\nonce = 0.2\n' "$dir/t" "$dir/c" >"$dir/settings"
check "options come from a file" "$RBMAP_FLEET" collect --settings "$dir/settings"

# ---- the administrator

fresh
ok "an empty collection" collect 0.2
for host in web-1 web-2 web-3 db-1; do
	echo "hello $host - - events=100 lost=3 spool-bytes=4096 version=1 kernel=6.1$(printf '\033')[31m"
done | play
collect 0.2
# snapshot HOSTS SECONDS: asks hosts for a snapshot
snapshot()
{
	"$command" fleet snapshot -t "dir:$dir/t" -d "$dir/c" --hosts "$1" --reason 'it was slow' \
		--wait "$2" >"$dir/answers" 2>"$dir/err"
}

snapshot 'web-*' 0.1
is $? 3 "hosts that do not answer are missing"
like "$(cat "$dir/answers")" '^web-1 +no answer .*last seen 20' "each of them is listed"
like "$(cat "$dir/answers")" '^0 of 3 hosts have answered' "in the sums, too"
id=$(basename "$(find "$dir/t/all" -type f)")
ok "a command is sent" test -n "$id"
real=$(sql "SELECT time FROM command")
{
	echo "answer web-1 $id - state=taken incident=inc-1 oldest-real=$((real - 5000000000)) late=0 received-real=$((real + 20000000)) clock-error=1000"
	echo "answer web-2 $id - state=failed error=no_recorder"
	echo "manifest web-1 inc-1 trace.dat command=$id events=7 reason=it$(printf '\033')[31mwas"
	for seq in $(seq 0 "$last"); do echo "part web-1 inc-1 trace.dat seq=$seq"; done
} | play
collect 0.2
fleet show "$id" >"$dir/answers"
is $? 3 "a host that has not answered is missing"
like "$(cat "$dir/answers")" '^web-1 +stored +20\.0 ms +-5\.000 s +no +1 us +inc-1' "an answer, and how late it is"
like "$(cat "$dir/answers")" '^web-2 +failed .*no recorder' "an answer that failed"
like "$(cat "$dir/answers")" '^web-3 +no answer .*last seen 20' "a host without an answer"
like "$(cat "$dir/answers")" '^2 of 3 hosts have answered, 1 failed, 1 incidents are stored' "the sums"
ok "hosts of other names are not asked" sh -c "! grep -q db-1 '$dir/answers'"
snapshot 'nobody*' 0.1
is $? 3 "hosts that nobody knows are missing"
like "$(cat "$dir/err")" "knows no host with a name like 'nobody\*'" "the pattern is named"
# command_of PATTERN: prints the command to hosts of this pattern
command_of()
{
	sql "SELECT name FROM command WHERE hosts = '$1'"
}
has_command()
{
	[ -n "$(command_of "$1")" ] && test -e "$dir/t/all/$(command_of "$1")"
}
begin
snapshot 'db-*' 1000 &
asker=$!
ok "a command waits for its answer" retry_until 600 has_command 'db-*'
echo "answer db-1 $(command_of 'db-*') - state=failed error=no_recorder" | play
wait "$asker"
is $? 3 "it ends when the last host has answered"
like "$(cat "$dir/answers")" '^1 of 1 hosts have answered, 1 failed' "with the answer"
stop
fleet show "$id" --json >"$dir/json"
is $? 3 "show has the same status"
is "$(python3 -c "import json; d = json.load(open('$dir/json')); print(d['known'], d['answered'], d['stored'], d['answers'][0]['received-real'] - d['time'])")" \
	"3 2 1 20000000" "JSON has the same numbers"
fleet show inc-1 >"$dir/shown"
is $? 0 "show an incident"
like "$(cat "$dir/shown")" '^  command +snapshot-' "with its manifest"
ok "control characters are escaped" sh -c "! { cat '$dir/shown'; '$command' fleet hosts -d '$dir/c'; } | grep -q '$(printf '\033')'"
like "$(fleet incidents --hosts 'web-*')" '^web-1 +inc-1 .* stored ' "list incidents"
is "$(fleet incidents --hosts 'db-*' | wc -l)" 1 "of some hosts"
is "$(fleet incidents --since -1h | wc -l) $(fleet incidents --until -1h | wc -l)" "2 1" "of some time"
check "the list in JSON" python3 -c "import json, subprocess
rows = json.loads(subprocess.check_output(['$command', 'fleet', 'incidents', '--json', '-d', '$dir/c']))
assert [r['incident'] for r in rows] == ['inc-1'] and rows[0]['recording'] is True"
like "$(fleet top)" '^web-1 +100 +3 .* 4 KiB +0 +1 ' "top has the numbers of HELLO"
check "top and hosts in JSON" python3 -c "import json, subprocess
for name in 'top', 'hosts':
    rows = json.loads(subprocess.check_output(['$command', 'fleet', name, '--json', '-d', '$dir/c']))
    assert len(rows) == 4, name"
fleet fetch inc-1 -o "$dir/fetched"
is $? 0 "fetch an incident"
ok "it is the same file" same "$dir/trace.dat" "$dir/fetched/web-1/inc-1.dat"
like "$(cat "$dir/fetched/manifest.txt")" '^copy = web-1/inc-1.dat$' "manifest.txt names the copy"
fleet fetch inc-1 -o "$dir/fetched"
is "$? $(grep -c 'exists: remove it' "$dir/err")" "1 1" "a file is not replaced"
fleet fetch "$id" -o "$dir/all"
is $? 3 "fetch what a command has brought"
ok "it has the file" same "$dir/trace.dat" "$dir/all/web-1/inc-1.dat"
printf 'x' | dd of="$dir/c/incidents/web-1/inc-1.dat" bs=1 seek=5000 conv=notrunc 2>/dev/null
fleet fetch inc-1 -o "$dir/damaged"
is "$? $(grep -c 'SHA-256 is wrong' "$dir/err") $(find "$dir/damaged" -name '*.dat' | wc -l)" "3 1 0" \
	"a file that is damaged on the disk is not copied"
fleet show no-such-id
is $? 1 "an unknown id is an error"
fleet fetch inc-1
is $? 2 "fetch needs a directory"
fleet incidents --since yesterday
is $? 2 "an invalid time"
"$command" fleet incidents -d "$dir/no-such-directory" 2>"$dir/err"
is $? 1 "a directory without an index is an error"
like "$(cat "$dir/err")" 'run it where .rbmap collect. runs' "with a remedy"
done_testing
