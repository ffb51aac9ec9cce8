#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Addresses of the kernel in one buffer and hashes in another one. Names of functions in
# recordings of root, without /proc/kallsyms. The rights to set kptr, to open such a buffer, and
# to ask for names. SHORT=1: fewer recordings, and fewer rounds of switching.
# shellcheck disable=SC2016,SC2086,SC2317 # for an inner shell; names are single words; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
dev=/dev/rbmap
group=1000
timers='timer:hrtimer_start timer:hrtimer_expire_entry'
out=/tmp/kptr.out

# member COMMAND: runs as a user of the group
member()
{
	/tests/kptr member "$1"
}

# kptr BUFFER VALUE: prints the error of writing the setting
kptr()
{
	(echo "$2" >$root/instances/$1/kptr) 2>&1 | sed 's/.*: //'
}

# create NAME: a buffer without events. Its devices are root's alone.
create()
{
	echo "$1" >$root/instances/create
	echo 0 >$root/instances/$1/events/rbmap/enable
}

# switch NAME 0|1: the timers' events
switch()
{
	for event in $timers; do
		echo "$2" >"$root/instances/$1/events/${event%:*}/${event#*:}/enable"
	done
}

# shown NAME: prints the events of a buffer, as root sees them
shown()
{
	rbmap stream -B "$1" --no-follow 2>/dev/null
}

# functions: prints the functions of lines
functions()
{
	sed -n 's/.* function=\([^ ]*\).*/\1/p'
}

ok "module loads" load_module rbmap buffer_size_kb=256 || done_testing
ok "emit loads" load_module emit
is "$(cat $root/kptr)" 0 "kptr of the default buffer is 0"
is "$(stat -c '%a %u' $root/kptr)" "640 0" "root alone writes it"

# --- recordings of root have names, and nobody opens /proc/kallsyms
results "calls: " /tests/kptr calls
mkfifo /tmp/fifo
ok "an open of /proc/kallsyms waits for ever" mount --bind /tmp/fifo /proc/kallsyms
rbmap record -q -e 'timer:*' -o /tmp/named.dat -- sleep 0.1
is $? 0 "rbmap record -e timer:*"
is "$(stat -c %a /tmp/named.dat)" 600 "the recording is root's alone"
rbmap report /tmp/named.dat >$out
like "$(functions <$out | sort | uniq -c)" 'tick_' "functions have names"
is "$(functions <$out | grep -c '^0x')" 0 "all of them"
if [ -z "${SHORT:-}" ]; then
	# Only a part of the functions that the kernel has
	rbmap record -q --no-compress -e 'timer:*' -o /tmp/plain.dat -- sleep 0.1
	is $? 0 "rbmap record --no-compress"
	rbmap report /tmp/plain.dat >$out
	like "$(functions <$out)" 'tick_' "functions of an uncompressed recording have names"
	strings=$(grep -acE '^[0-9a-f]{16} t [^ ]' /tmp/plain.dat)
	ok "it has the names of $strings functions" [ "$strings" -gt 0 -a "$strings" -lt 300 ]
	trace-cmd report /tmp/plain.dat >$out 2>/dev/null
	like "$(functions <$out)" 'tick_' "trace-cmd report has the names, too"
	rbmap record -q -f -e 'timer:*' -o /tmp/flight.dat -d 0.2
	like "$(rbmap report /tmp/flight.dat | functions)" 'tick_' "a flight recorder's file has names"
	rbmap stream -e 'timer:*' -d 0.2 >$out 2>/dev/null
	like "$(functions <$out)" 'tick_' "rbmap stream has names"
	rbmap latency --live -k hrtimer -d 0.5 >$out 2>&1
	like "$(cat $out)" 'tick_' "rbmap latency --live has names"
	rbmap record -q -e 'irq,workqueue,timer,kmem' -o /tmp/many.dat -- sleep 0.1
	like "$(rbmap report /tmp/many.dat | grep -cE 'call_site=[a-z_]+[+]0x')" '^[1-9]' \
		"the callers of kmalloc have names"
fi

# --- modules
if [ -z "${SHORT:-}" ]; then
	rbmap record -q -e 'timer:*' -o /tmp/module.dat -- \
		sh -c 'echo 500 >/sys/module/emit/parameters/run'
	like "$(rbmap report /tmp/module.dat | functions)" 'emit_(irq|softirq)' \
		"functions of a module have names"
fi
rbmap record -q -e 'timer:*' -o /tmp/module.dat -- \
	sh -c 'echo 500 >/sys/module/emit/parameters/run; rmmod emit'
rbmap report /tmp/module.dat | functions | sort -u >$out
like "$(cat $out)" '^0x[0-9a-f]{16}' "functions of a module that was unloaded are addresses"
is "$(grep -c emit $out)" 0 "they have no names"
like "$(cat $out)" 'tick_' "others have names"
umount /proc/kallsyms

# --- kptr_restrict
echo 2 >/proc/sys/kernel/kptr_restrict
if [ -z "${SHORT:-}" ]; then
	rbmap record -e 'timer:*' -o /tmp/hidden.dat -- sleep 0.1 2>$out
	is $? 0 "kptr_restrict=2: rbmap record records"
	like "$(cat $out)" 'addresses of functions are hashed: kernel.kptr_restrict' "it says why"
	rbmap report /tmp/hidden.dat | functions | sort -u >$out
	is "$(grep -cvE '^(0x)?[0-9a-f]{1,8}$' $out)" 0 "functions are hashed"
fi
create restricted
is "$(kptr restricted 1)" "Operation not permitted" "kptr_restrict=2: kptr is refused"
echo 0 >/proc/sys/kernel/kptr_restrict
is "$(/tests/kptr without "echo 1 >$root/instances/restricted/kptr" 2>&1 | sed 's/.*: //')" \
	"Operation not permitted" "without CAP_SYSLOG kptr is refused"
is "$(cat $root/instances/restricted/kptr)" 0 "it is 0"
echo restricted >$root/instances/destroy

# --- who can read the buffer
create secret
for mode in 444 440; do
	[ $mode = 444 ] || chgrp $group $dev/secret/snapshot/cpu0
	chmod $mode $dev/secret/snapshot/cpu0
	is "$(kptr secret 1)" "Device or resource busy" "mode $mode, group $(stat -c %g $dev/secret/snapshot/cpu0): kptr is refused"
done
like "$(last_logged)" 'kptr: refused: others may read the events' "the log says why"
chgrp 0 $dev/secret/snapshot/cpu0
chown 1000 $dev/secret/cpu0
is "$(kptr secret 1)" "Device or resource busy" "an owner other than root: kptr is refused"
chown 0 $dev/secret/cpu0
for value in 2 x -1; do
	is "$(kptr secret $value)" "Invalid argument" "$value is refused"
done
results "files: " /tests/kptr files secret
results "pipes: " /tests/kptr pipes secret

# --- the same event in both buffers
create shared
create filtered
chgrp $group $dev/shared/cpu* $dev/filtered/cpu* $root/instances/shared/events/timer/*/format
is "$(kptr secret 1)" "" "kptr is set"
is "$(cat $root/instances/secret/kptr $root/instances/shared/kptr | xargs)" "1 0" \
	"it is a setting of one buffer"
# Hashed values are less than this number.
echo 'function >= 0x100000000' >$root/instances/filtered/events/timer/hrtimer_expire_entry/filter
echo 't:k/raw hrtimer_expire_entry timer=$arg1:x64' >$root/dynamic_events
echo workqueue:workqueue_queue_work >>$root/instances/shared/set_event
echo workqueue:workqueue_queue_work >>$root/instances/secret/set_event
# Each event that another buffer gets comes while this one records.
for name in secret shared; do
	switch $name 1
	echo 1 >$root/instances/$name/events/k/raw/enable
done
echo 1 >$root/instances/filtered/events/timer/hrtimer_expire_entry/enable
# observed NAME: writes the events of a buffer, and consumes none
observed()
{
	rbmap stream -B "$1" --observe --no-follow 2>/dev/null >"/tmp/$1"
}
# both EVENT FIELD: prints, of events with the same time, the value in both buffers
both()
{
	awk -v event=" $1: " -v field="$2=" '
		index($0, event) {
			match($0, /[0-9]+\.[0-9]+: /)
			time = substr($0, 1, RSTART + RLENGTH)
			value = substr($0, index($0, field) + length(field))
			sub(/ .*/, "", value)
			if (FILENAME == "/tmp/shared")
				hashed[time] = value
			else if (time in hashed)
				print hashed[time], value
		}' /tmp/shared /tmp/secret
}
# come: each kind of event is in both buffers, and some are of CPU 0
come()
{
	observed shared
	observed secret
	both hrtimer_expire_entry function | grep -q ' tick_' && both raw timer | grep -q . &&
		both workqueue_queue_work function | grep -q . && grep -q '\[000\].* hrtimer_' /tmp/secret
}
ok "the events come" retry_until 30 come
for name in shared filtered secret; do
	switch $name 0
	echo 0 >$root/instances/$name/events/enable
done
ok "a ring of the buffer has addresses" [ "$(/tests/kptr find $dev/secret/cpu0)" -gt 0 ]
is "$(for cpu in "$dev"/shared/cpu*; do member "/tests/kptr find $cpu"; done | sort -u)" 0 \
	"no ring that the group reads has any"
is "$(summed entries $root/instances/filtered)" 0 "no filter of a buffer with hashes finds an address"
shown shared >/tmp/shared
shown secret >/tmp/secret
both hrtimer_expire_entry function >$out
like "$(cat $out)" '^(0x)?[0-9a-f]{1,8} tick_' "a hash for the group, a name for root"
is "$(grep -cvE '^(0x)?[0-9a-f]{1,8} [a-z_]' $out)" 0 "in each event of the same time"
both raw timer >$out
like "$(cat $out)" '^0x[0-9a-f]{1,8} 0xffff[0-9a-f]{12}' "an event made at run time, too"
both workqueue_queue_work function >$out
like "$(cat $out)" '^(0x)?[0-9a-f]{1,8} [a-z_]' "an event of the kernel, too"
# count FILE: the events of a buffer
count()
{
	grep -c ' hrtimer_expire_entry: ' "$1"
}
ok "each event is in both buffers" [ "$(count /tmp/secret)" -ge "$(count /tmp/shared)" ]

# --- the group cannot be let in
chgrp $group $dev/secret/cpu*
chmod 444 $dev/secret/cpu0
is "$(member "cat $dev/secret/cpu0 2>&1 | sed 's/.*: //'")" "Operation not permitted" \
	"a member cannot open a ring with mode 444"
mknod /tmp/node c $((0x$(stat -c %t $dev/secret/cpu0))) $((0x$(stat -c %T $dev/secret/cpu0)))
chmod 444 /tmp/node
is "$(member "cat /tmp/node 2>&1 | sed 's/.*: //'")" "Operation not permitted" \
	"nor another node with its number"
ok "root opens it" sh -c ": <$dev/secret/cpu0"
ok "a member opens the other buffer's" member ": <$dev/shared/cpu0"
echo 1 >$root/instances/secret/snapshot
is "$(kptr secret 0)" "" "kptr is cleared"
is "$(summed entries $root/instances/secret)" 0 "no event is left"
is "$(cat $dev/secret/snapshot/cpu0 2>&1 | sed 's/.*: //')" "No data available" "no snapshot is left"
is "$(member "/tests/kptr find $dev/secret/cpu0")" 0 "a member opens the ring, and finds no address"
switch secret 1
has_events()
{
	[ "$(summed entries $root/instances/secret)" -gt 0 ]
}
ok "new events come" retry_until 20 has_events
switch secret 0
is "$(shown secret | functions | grep -cvE '^(0x)?[0-9a-f]{1,8}$')" 0 "new events have hashes"

# --- switching while the events fire
chgrp 0 $dev/secret/cpu*
chmod 440 $dev/secret/cpu0
switch shared 1
switch secret 1
n=0
rounds=10
[ -z "${SHORT:-}" ] || rounds=2
# found NAME: prints how many words of all rings look like addresses
found()
{
	for cpu in "$dev/$1"/cpu*; do
		/tests/kptr find "$cpu"
	done | awk '{ sum += $1 } END { print sum }'
}
while [ $n -lt $rounds ]; do
	kptr secret 1
	# Without the hashed events of before, which would come first
	echo 1 >$root/instances/secret/reset
	sleep 0.05
	[ "$(found secret)" -gt 0 ] || echo "round $n: kptr=1, and no address"
	kptr secret 0
	sleep 0.05
	[ "$(found secret)" = 0 ] || echo "round $n: kptr=0, and an address"
	n=$((n + 1))
done >$out
is "$(xargs <$out)" "" "kptr is set and cleared while events fire"
switch shared 0
switch secret 0
is "$(found shared) $(found secret)" "0 0" "no ring has an address"
echo '-:k/raw' >$root/dynamic_events
for name in secret shared filtered; do
	echo $name >$root/instances/destroy
done
ok "module unloads" rmmod rbmap

# --- the parameter
ok "module loads with kptr=1" load_module rbmap kptr=1
create all
is "$(cat $root/kptr $root/instances/all/kptr | xargs)" "1 1" "kptr=1 is for all buffers"
is "$(kptr all 0)" "Operation not permitted" "then no buffer clears it"
ok "others open such a buffer" sh -c "chmod 444 $dev/all/cpu0; exec /tests/kptr member ': <$dev/all/cpu0'"
echo all >$root/instances/destroy
ok "module unloads" rmmod rbmap
done_testing
