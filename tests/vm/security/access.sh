#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Access rights: memory that other processes used, the kernel's stack and its addresses,
# and the group of the udev rule. The last part locks the kernel down, which cannot be
# undone. The guest boots with init_on_alloc=0, so that memory which rbmap does not zero
# shows old contents. SHORT=1: two of the three sizes, and fewer files.
# shellcheck disable=SC2086,SC2317 # split into words; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
cpus=$(grep -c '^processor' /proc/cpuinfo)

# --- memory
for subbuf in "$page_kb" 64 1024; do
	[ -z "${SHORT:-}" ] || [ "$subbuf" != 64 ] || continue
	diag "$(/tests/access pattern) MB had a pattern before"
	ok "load with sub-buffers of $subbuf KiB" load_module rbmap \
		subbuf_size_kb="$subbuf" buffer_size_kb=30000 || done_testing
	results "$subbuf KiB: " /tests/access zeroed
	ok "unload" rmmod rbmap
done

# --- addresses

# collect PARAMETER: record events of all kinds; /tmp/kinds lists those with addresses
collect()
{
	load_module rbmap buffer_size_kb=16384 "$1" || return 1
	ip link set lo up
	echo 1 >$root/events/enable
	load_module emit
	cpu=0
	while [ $cpu -lt "$cpus" ]; do
		taskset $((1 << cpu)) sh -c 'echo x >/dev/rbmap/marker; /bin/busybox true; sleep 0.1'
		cpu=$((cpu + 1))
	done
	printf 'id: data' >/dev/rbmap/marker_raw
	# Writing to the console raises the serial port's interrupts, which have a
	# handler.
	echo 'access.sh: interrupts' >/dev/console
	echo '<3>access.sh: a line of the log' >/dev/kmsg
	ping -c 1 -W 1 127.0.0.1 >/dev/null
	# A task that wakes up on another CPU is migrated.
	sh -c 'for i in 1 2 3 4 5 6 7 8; do taskset -p $((1 << i % 2)) $$; /bin/busybox true; done' \
		>/dev/null
	echo 0 >$root/events/enable
	/tests/access addresses >/tmp/kinds
	sed 's/^/# /' /tmp/kinds
	rmmod emit
}

# is_here SYSTEM:EVENT: succeeds if this kernel has the event
is_here()
{
	[ "$(cat "$root/events/${1%:*}/${1#*:}/status")" = available ]
}

# Some events have no cause on this machine.
missing_kinds()
{
	awk '!$2 { print $1 }' /tmp/kinds |
		grep -vE -e '^(block|net|power|timer|exceptions|tcp|napi|filemap):' \
			-e ':(module_free|sched_stat_(iowait|blocked)|irq_work_(entry|exit))$' \
			-e ':(ipi_(raise|send_cpumask|entry|exit)|call_function_(entry|exit))$' \
			-e '^sock:(sock_(rcvqueue_full|exceed_buf_limit)|inet_)' \
			-e '^writeback:.*(page|folio|writeback|enqueue)$' |
		while read -r kind; do
			! is_here "$kind" || echo "$kind"
		done
}

# Without it the kernel has no times of waits and sleeps.
echo 1 >/proc/sys/kernel/sched_schedstats
# Some kinds need a chance. A try in which one has no event is repeated.
for try in 1 2 3 4 5; do
	ok "addresses, as it is loaded by default" collect || done_testing
	is "$(cat $root/kptr)" 0 "kptr is 0"
	missing=$(missing_kinds)
	if [ -z "$missing" ] || [ $try = 5 ]; then
		break
	fi
	diag "try $try: no event of" $missing
	rmmod rbmap
done
is "$missing" "" "there is an event of every kind"
is "$(awk '$3 { print $1 }' /tmp/kinds)" "" "no event has an address of the kernel"
ok "unload" rmmod rbmap
ok "addresses, with kptr=1" collect kptr=1 || done_testing
is "$(cat $root/kptr)" 1 "kptr is 1"
with=$(awk '$3 { print $1 }' /tmp/kinds | sort | xargs)
is "$(echo "$with" | tr ' ' '\n' | grep -vE '^(irq:tasklet_|timer:|workqueue:|net:|kmem:|exceptions:|ipi:|tcp:|sock:|skb:|napi:)')" "" \
	"only these events have an address: $with"
for kind in irq:tasklet_entry irq:tasklet_exit timer:hrtimer_start \
	workqueue:workqueue_execute_start kmem:kmalloc kmem:kfree; do
	! is_here "$kind" || like " $with " " $kind " "$kind has an address with kptr=1"
done
like "$(rbmap status)" 'addresses +unchanged' "rbmap status says that addresses are not hashed"
ok "unload" rmmod rbmap

# --- the stack: for a text that ends in a newline, one byte of its array stays
# unwritten
ok "load" load_module rbmap buffer_size_kb=4096 || done_testing
echo on >/proc/sys/kernel/printk_devkmsg
level=$(cut -f 1 /proc/sys/kernel/printk)
echo 1 >/proc/sys/kernel/printk
echo 'msg != "x"' >$root/events/printk/console/filter
echo 1 >$root/events/printk/console/enable
text=x
while [ ${#text} -le 300 ]; do
	printf '%s\n\n' "$text" >/dev/kmsg
	text=x$text
done
echo 0 >$root/events/printk/console/enable
echo "$level" >/proc/sys/kernel/printk
results "the stack: " /tests/access console

# --- addresses, found by means of a filter

# frees: how many kfree events a piece of work causes
frees()
{
	echo 1 >$root/reset
	echo 1 >$root/events/kmem/kfree/enable
	/bin/busybox true
	cat $root/events/sched/*/format >/dev/null
	echo 0 >$root/events/kmem/kfree/enable
	summed entries
}

# The lowest bit that is searched
lowest=32
[ -z "${SHORT:-}" ] || lowest=44

# search FIELD: finds the address in a field bit by bit, by halving the range; prints
# nothing if no event has more than 32 bits in the field
search()
{
	found=0 high=
	for bit in $(seq 63 -1 $lowest); do
		try=$(printf '0x%x' $((found | 1 << bit)))
		echo "$1 >= $try" >$root/events/kmem/kfree/filter
		[ "$(frees)" = 0 ] || {
			found=$((found | 1 << bit))
			high=1
		}
	done
	[ -z "$high" ] || printf '%x' $((found >> 32))
}

[ -n "${SHORT:-}" ] || is "$(search call_site)" "" "thirty filters find no address in call_site"
is "$(search ptr)" "" "thirty filters find no address in ptr"
echo 'call_site > 0' >$root/events/kmem/kfree/filter
like "$(frees)" '^[1-9]' "kfree events were recorded"
ok "unload" rmmod rbmap
ok "load with kptr=1" load_module rbmap kptr=1 || done_testing
like "$(search call_site)" '^ffff' "the same filters find the address"
ok "unload" rmmod rbmap

# --- the group
mkdir -p /run/udev /etc
echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
: >/etc/group
ok "systemd-sysusers makes the group" /tests/systemd-sysusers /tests/rbmap.sysusers
group=$(sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
like "$group" '^[1-9][0-9]*$' "the group has a number"

# as GROUP COMMAND...
as()
{
	/tests/setpriv --reuid 1000 --regid "$1" --clear-groups sh -c "$2"
}

# others_may DIRECTORY: lists files that users other than root and the group can use
others_may()
{
	find "$1" -type f -exec stat -c '%a %n' {} + | grep -v '^[0-7]*0 '
}

ok "load" load_module rbmap || done_testing
is "$(stat -c '%a %u %g' /dev/rbmap/cpu0 /dev/rbmap/marker | xargs)" "440 0 0 220 0 0" \
	"devices belong to root without udev"
echo early >$root/instances/create
is "$(others_may $root)" "" "other users have no access to any control file"
is "$(find $root -exec stat -c '%u %g' {} + | sort -u)" "0 0" "all control files belong to root"
is "$(stat -c %a $root/dynamic_events)" 600 "only root can read dynamic_events"
ok "unload" rmmod rbmap
ok "load with a group" load_module rbmap gid=77 || done_testing
is "$(find $root -exec stat -c %g {} + | sort -u)" 77 "gid=77: all files belong to group 77"
ok "unload" rmmod rbmap
ok "rbmap load" rbmap load -m /modules/rbmap.ko
is "$(find $root -exec stat -c %g {} + | sort -u)" "$group" "rbmap load finds the group by its name"
ok "unload" rmmod rbmap
ok "rbmap load gid=78" rbmap load -m /modules/rbmap.ko gid=78
is "$(stat -c %g $root/tracing_on)" 78 "rbmap load gid=78 sets group 78"
ok "unload" rmmod rbmap
ln -s udevadm /tests/systemd-udevd
ok "udev runs" /tests/systemd-udevd --daemon
ok "load" load_module rbmap || done_testing
node_is()
{
	[ "$(stat -c '%a %u %g' "$1")" = "$2" ]
}
echo named >$root/instances/create
for node in "cpu0 440" "cpu$((cpus - 1)) 440" "marker 220" "marker_raw 220" \
	"named/cpu0 440" "named/marker 220" "named/marker_raw 220"; do
	ok "udev gives /dev/rbmap/${node% *} to the group" \
		retry_until 20 node_is "/dev/rbmap/${node% *}" "${node#* } 0 $group"
done
# Udev leaves the devices of a recorder's own buffer to root.
rbmap record -q -e timer:tick_stop -o /tmp/own -- \
	sh -c '/tests/udevadm settle; stat -c "%a %u %g" /dev/rbmap/record-*/cpu0 /dev/rbmap/record-*/marker' >/tmp/nodes 2>&1
is "$(xargs </tmp/nodes)" "440 0 0 220 0 0" "a recorder's own devices stay root's"
files_are()
{
	[ "$(find "$1" -exec stat -c %g {} + | sort -u)" = "$group" ]
}

ok "udev gives all control files to the group" retry_until 20 files_are $root
is "$(cat /sys/module/rbmap/parameters/gid)" "$group" "the parameter gid has the group, for later files"
echo later >$root/instances/create
ok "files of a later buffer belong to the group" files_are $root/instances/later
echo 't:t/later softirq_entry' >$root/dynamic_events
ok "files of a later event belong to the group" files_are $root/events/t
echo '-:t/later' >$root/dynamic_events
is "$(others_may $root)" "" "still no control file for other users"
ok "a member lists the events" as "$group" 'rbmap list | grep -q sched_switch'
ok "a member reads the counters" as "$group" 'rbmap stat >/dev/null'
for file in per_cpu/cpu0/stats events/sched/sched_switch/format events/sched/sched_switch/filter \
	events/header_page set_event_pid version instances/later/tracing_on; do
	ok "a member reads $file" as "$group" "cat $root/$file >/dev/null"
	fails "other users do not read $file" as 1000 "cat $root/$file" 2>/dev/null
done
fails "a member does not read dynamic_events" as "$group" "cat $root/dynamic_events" 2>/dev/null
echo later >$root/instances/destroy
echo text >/dev/rbmap/marker
ok "a member records" as "$group" 'rbmap record -q -d 0 -o /tmp/member'
ok "a member writes an event" as "$group" 'echo text >/dev/rbmap/marker'
echo text >/dev/rbmap/named/marker
ok "a member records a named buffer" as "$group" 'rbmap record -q -B named -d 0 -o /tmp/member-named'
fails "other users do not read a ring" as 1000 'cat </dev/rbmap/cpu0' 2>/dev/null
fails "other users do not write to the marker" as 1000 'echo text >/dev/rbmap/marker' 2>/dev/null
for file in tracing_on trace_clock reset overwrite events/enable instances/create \
	instances/destroy instances/named/tracing_on dynamic_events; do
	fails "a member does not write $file" as "$group" "echo 1 >$root/$file" 2>/dev/null
done
chgrp "$group" $root/tracing_on
chmod g+w $root/tracing_on
ok "a member with write permission writes to tracing_on" as "$group" "echo 1 >$root/tracing_on"
fails "a member without write permission does not write to reset" as "$group" "echo 1 >$root/reset" 2>/dev/null
chgrp "$group" $root/dynamic_events
chmod g+w $root/dynamic_events
fails "write permission does not let a member fetch the kernel's memory" \
	as "$group" "echo t:g/e softirq_entry >$root/dynamic_events" 2>/dev/null
is "$(cat $root/dynamic_events)" "" "no dynamic event was added"
/tests/udevadm control --exit

# --- lockdown, switched on after the module was loaded
is "$(cat $root/lockdown)" respected "the file lockdown reads respected"
like "$(rbmap status)" 'lockdown +respected' "rbmap status says so"
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
lockdown=/sys/kernel/security/lockdown
if [ ! -e $lockdown ]; then
	skip "this kernel has no lockdown" "lockdown"
	ok "unload" rmmod rbmap
	done_testing
fi

# refused TEXT COMMAND...: COMMAND must fail with the shell's message for EPERM
refused()
{
	text=$1
	shift
	"$@" 2>/tmp/err >/dev/null
	is $? 1 "$text: refused"
	like "$(cat /tmp/err)" 'Operation not permitted' "$text: EPERM"
}

open_read()
{
	sh -c ": <$1"
}

echo integrity >$lockdown
ok "integrity: a ring can be read" open_read /dev/rbmap/cpu0
ok "integrity: events can be enabled" sh -c "echo 1 >$root/events/sched/sched_switch/enable"
exec 5</dev/rbmap/cpu0
echo confidentiality >$lockdown
refused "tracefs itself" open_read /sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw
refused "a ring" open_read /dev/rbmap/cpu0
refused "the marker" sh -c ': >/dev/rbmap/marker'
refused "the marker of raw data" sh -c ': >/dev/rbmap/marker_raw'
refused "a ring of a named buffer" open_read /dev/rbmap/named/cpu0
for file in "tracing_on 1" "trace_clock mono" "reset 1" "overwrite 0" \
	"buffer_percent 10" "events/enable 1" "events/sched/enable 1" \
	"events/sched/sched_switch/enable 1" "instances/create x" "instances/destroy named" \
	"instances/named/tracing_on 0" "dynamic_events -:g/e"; do
	refused "${file% *}" sh -c "echo ${file#* } >$root/${file% *}"
done
rbmap record -d 0 -o /tmp/x 2>/tmp/err
is $? 1 "rbmap record: 1"
like "$(cat /tmp/err)" 'locked down for confidentiality and forbids tracing, even to root' "rbmap record prints the reason: lockdown"
rbmap enable sched 2>/tmp/err
is $? 1 "rbmap enable: 1"
like "$(cat /tmp/err)" 'locked down for confidentiality' "rbmap enable prints the reason: lockdown"
ok "a file that was open can still be read, as with tracefs" [ "$(dd bs=4096 count=1 <&5 2>/dev/null | wc -c)" = 4096 ]
exec 5<&-
ok "unload" rmmod rbmap
done_testing
