#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Buffers of a module's own, which writes to them inline and from all contexts,
# and takes them away while others read them.
# shellcheck disable=SC2086,SC2217,SC2317 # names without blanks; what is held; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/memory.sh
. /tests/lib/memory.sh

root=/sys/kernel/rbmap
instances=$root/instances
dev=/dev/rbmap
emit=/sys/module/emit/parameters
rounds=${LONG:+1000}
cpus=$(grep -c '^processor' /proc/cpuinfo)

# error PARAMETER TEXT: what emit's write fails with
error()
{
	(echo "$2" >"$emit/$1") 2>&1 | sed 's/.*: //'
}

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing
ok "emit loads, with a buffer" load_module emit own=mine own_kb=128 || done_testing

# --- what it is
is "$(cd $dev/mine && find . -type c -name 'c*0' | sort | xargs)" "./cpu0 ./snapshot/cpu0" "its devices"
is "$(cat $instances/mine/owner $instances/mine/raw $instances/mine/buffer_size_kb | xargs)" \
	"emit 1 128" "whose it is, and that it is raw"
is "$(cd $instances/mine/events && echo *)" "header_event header_page" "it has no events"
fails "nor a marker" test -e $dev/mine/marker
fails "the default one has no owner" test -e $root/owner
is "$( (echo mine >$instances/destroy) 2>&1 | sed 's/.*: //')" "Operation not permitted" \
	"nobody else destroys it"
like "$(last_logged)" 'destroy: mine belongs to the module emit, and goes with it: rmmod emit' \
	"the log says whose it is"
fails "rbmap is in use" rmmod rbmap

# --- what is written to it
results "raw: " exact --device $dev/mine/cpu%d --control $instances/mine emit 10000 \
	overwrite-map-fast discard-read-fast

# --- what it refuses
is "$(error try "other 64 $page_kb 0 0")" "" "another one"
is "$(error try "mine 64 $page_kb 0 0")" "File exists" "a name that there is"
is "$(error try "a/b 64 $page_kb 0 0")" "Invalid argument" "a bad name"
is "$(error try "cpu0 64 $page_kb 0 0")" "Invalid argument" "a name of something else"
is "$(error try 'other 64 3 0 0')" "Invalid argument" "a bad size"
is "$(error try "other 64 $page_kb 2 0")" "Invalid argument" "a bad mode"
is "$(error try "other 64 $page_kb 0 9")" "Invalid argument" "a bad clock"
is "$(error try "other 262136 $page_kb 0 0")" "Cannot allocate memory" "a size that memory can't give"
is "$(find $dev $instances | grep -c other)" 0 "nothing is left of them"

# --- buffers of others
ok "create" sh -c "echo named >$instances/create"
is "$(error find named)$(error find '')$(error find mine)" "" "a module writes to those that it finds"
is "$(error find none)" "No such file or directory" "and not to one that is not there"
is "$(summed emitted $instances/named)" \
	1 "it is there"
ok "it keeps one" sh -c "echo named >$emit/hold"
is "$( (echo named >$instances/destroy) 2>&1 | sed 's/.*: //')" "Device or resource busy" \
	"that is not destroyed"
ok "and gives it back" sh -c "echo - >$emit/hold"
ok "destroy" sh -c "echo named >$instances/destroy"

# --- it goes while others have it open
echo 1 >$instances/mine/reset
echo mine >$emit/find
exec 3<$dev/mine/cpu0
cat $dev/mine/cpu* >/tmp/cat 2>/dev/null &
cat=$!
timeout 60 rbmap stream -B mine >/tmp/stream 2>&1 &
stream=$!
retry_until 30 grep -q . /tmp/stream
ok "emit unloads while files are open" timeout 60 rmmod emit
fails "its devices are gone" test -e $dev/mine
fails "and its files" test -e $instances/mine
ok "who reads comes to the end" sh -c "timeout 60 cat <&3 >/tmp/rest"
ok "who waits does, too" retry_until 60 sh -c "! kill -0 $cat $stream" 2>/dev/null
is "$(grep -c 'ring was retired' /tmp/stream)" $((cpus + 1)) "and is told, of each CPU and of all"
fails "rbmap is in use still" rmmod rbmap
ok "the name is free at once" load_module emit own=mine raw=0
ok "one that is not raw has all the rest" test -c $dev/mine/marker -a -d $instances/mine/events/sched
exec 5>$dev/mine/marker
taskset 1 sh -c "echo before >$dev/mine/marker; echo mine >$emit/find"
exec 6<$dev/mine/cpu0
ok "emit unloads while the marker is open" timeout 60 rmmod emit
is "$( (echo after >&5) 2>&1 | sed 's/.*: //')" "Bad file descriptor" "nothing is written to it any more"
is "$(timeout 60 cat <&6 | tr -cs '[:lower:]' '\n' | grep -E 'before|module|after' | xargs)" "before module" \
	"and what is left is read"
exec 3<&- 5>&- 6<&-

# --- the example
ok "the example loads" load_module driver_ring
like "$(rbmap stream -B driver_ring --no-follow 2>/dev/null)" \
	'^CPU:[0-9]+ +[0-9.]+: 12 bytes: 2a 00 00 00 00 10 00 00 .*[|][*]' "rbmap stream prints its bytes"
like "$(rbmap record -B driver_ring -d 0 -o /tmp/raw.dat 2>&1)" \
	"'driver_ring' is raw: its module, driver_ring, alone knows" "rbmap record does without them"
like "$(rbmap destroy driver_ring 2>&1)" "belongs to the kernel module driver_ring .*: rmmod driver_ring" \
	"rbmap destroy says whose it is"
ok "rbmap stat -B" rbmap stat -B driver_ring
ok "rbmap status -B" rbmap status -B driver_ring
ok "it unloads" rmmod driver_ring

# --- again and again, written on all CPUs and read
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
gives_back "${rounds:-20} times made and destroyed" 1024 512 churn
kill $load
wait $load 2>/dev/null
is "$(find $dev $instances | grep -c churn)" 0 "all of them are gone"
ok "emit unloads" rmmod emit
ok "module unloads" retry_until 30 rmmod rbmap
done_testing
