#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Who may see what: memory that was others', the kernel's addresses, the group of
# the udev rule, and in the end, for there is no way back, a kernel that is locked
# down. Booted with init_on_alloc=0: what is not zeroed must show.
# shellcheck disable=SC2086,SC2317 # words; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap
cpus=$(grep -c '^processor' /proc/cpuinfo)

# --- memory
for subbuf in "$page_kb" 64 1024; do
	diag "$(/tests/access pattern) MB had a pattern before"
	ok "load with sub-buffers of $subbuf KiB" load_module rbmap \
		subbuf_size_kb="$subbuf" buffer_size_kb=30000 || done_testing
	results "$subbuf KiB: " /tests/access zeroed
	ok "unload" rmmod rbmap
done

# --- addresses

# collect PARAMETER: events of all kinds, and /tmp/kinds, which have addresses
collect()
{
	load_module rbmap buffer_size_kb=16384 "$1" || return 1
	echo 1 >$root/events/enable
	load_module emit
	cpu=0
	while [ $cpu -lt "$cpus" ]; do
		taskset $((1 << cpu)) sh -c 'echo x >/dev/rbmap/marker; /bin/busybox true; sleep 0.1'
		cpu=$((cpu + 1))
	done
	# Its interrupts are those of a handler.
	echo 'access.sh: interrupts' >/dev/console
	echo '<3>access.sh: a line of the log' >/dev/kmsg
	# Who wakes up elsewhere is migrated.
	sh -c 'for i in 1 2 3 4 5 6 7 8; do taskset -p $((1 << i % 2)) $$; /bin/busybox true; done' \
		>/dev/null
	echo 0 >$root/events/enable
	/tests/access addresses >/tmp/kinds
	sed 's/^/# /' /tmp/kinds
	rmmod emit
}

# is_here SYSTEM:EVENT: this kernel has it
is_here()
{
	[ "$(cat "$root/events/${1%:*}/${1#*:}/status")" = available ]
}

# Some have no cause in this machine.
missing_kinds()
{
	awk '!$2 { print $1 }' /tmp/kinds |
		grep -vE '^(block|net|power|timer|exceptions):|:module_free$' |
		while read -r kind; do
			! is_here "$kind" || echo "$kind"
		done
}

ok "addresses, as it is loaded by default" collect || done_testing
is "$(cat $root/kptr)" 0 "kptr is 0"
is "$(missing_kinds)" "" "there is an event of every kind"
is "$(awk '$3 { print $1 }' /tmp/kinds)" "" "no event has an address of the kernel"
ok "unload" rmmod rbmap
ok "addresses, with kptr=1" collect kptr=1 || done_testing
is "$(cat $root/kptr)" 1 "kptr is 1"
with=$(awk '$3 { print $1 }' /tmp/kinds | sort | xargs)
is "$(echo "$with" | tr ' ' '\n' | grep -vE '^(irq:tasklet_|timer:|workqueue:|net:|kmem:|exceptions:)')" "" \
	"no others have one than these: $with"
for kind in irq:tasklet_entry irq:tasklet_exit timer:hrtimer_start \
	workqueue:workqueue_execute_start kmem:kmalloc kmem:kfree; do
	! is_here "$kind" || like " $with " " $kind " "$kind has: one would be found"
done
like "$(rbmap status)" 'addresses +the kernel' "rbmap status says so"
ok "unload" rmmod rbmap

# --- the group
mkdir -p /run/udev /etc
echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
: >/etc/group
ok "systemd-sysusers makes the group" /tests/systemd-sysusers /tests/rbmap.sysusers
group=$(sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
like "$group" '^[1-9][0-9]*$' "its number"

# as GROUP COMMAND...
as()
{
	/tests/setpriv --reuid 1000 --regid "$1" --clear-groups sh -c "$2"
}

ok "load" load_module rbmap || done_testing
is "$(stat -c '%a %u %g' /dev/rbmap/cpu0 /dev/rbmap/marker | xargs)" "440 0 0 220 0 0" \
	"root's alone without udev"
ok "unload" rmmod rbmap
ln -s udevadm /tests/systemd-udevd
ok "udev runs" /tests/systemd-udevd --daemon
ok "load" load_module rbmap || done_testing
node_is()
{
	[ "$(stat -c '%a %u %g' "$1")" = "$2" ]
}
echo named >$root/instances/create
for node in "cpu0 440" "cpu$((cpus - 1)) 440" "marker 220" "named/cpu0 440" "named/marker 220"; do
	ok "/dev/rbmap/${node% *} becomes the group's" \
		retry_until 20 node_is "/dev/rbmap/${node% *}" "${node#* } 0 $group"
done
echo text >/dev/rbmap/marker
ok "a member reads" as "$group" 'rbmap record -q -d 0 -o /tmp/member'
ok "and writes an event" as "$group" 'echo text >/dev/rbmap/marker'
echo text >/dev/rbmap/named/marker
ok "and reads a named buffer" as "$group" 'rbmap record -q -B named -d 0 -o /tmp/member-named'
fails "others do not read" as 1000 'cat </dev/rbmap/cpu0' 2>/dev/null
fails "others do not write" as 1000 'echo text >/dev/rbmap/marker' 2>/dev/null
for file in tracing_on trace_clock reset overwrite events/enable instances/create \
	instances/destroy instances/named/tracing_on dynamic_events; do
	fails "a member does not write $file" as "$group" "echo 1 >$root/$file" 2>/dev/null
done
chgrp "$group" $root/tracing_on
chmod g+w $root/tracing_on
ok "write permission is enough" as "$group" "echo 1 >$root/tracing_on"
fails "for the file that has it" as "$group" "echo 1 >$root/reset" 2>/dev/null
chgrp "$group" $root/dynamic_events
chmod g+w $root/dynamic_events
fails "but not to read the kernel's memory" \
	as "$group" "echo t:g/e softirq_entry >$root/dynamic_events" 2>/dev/null
is "$(cat $root/dynamic_events)" "" "no event was made"
/tests/udevadm control --exit

# --- lockdown, after the module is there
is "$(cat $root/lockdown)" respected "lockdown is known"
like "$(rbmap status)" 'lockdown +respected' "rbmap status says so"
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
lockdown=/sys/kernel/security/lockdown
if [ ! -e $lockdown ]; then
	skip "this kernel has no lockdown" "lockdown"
	ok "unload" rmmod rbmap
	done_testing
fi

# refused TEXT COMMAND...: EPERM, which a shell has words for
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
refused "a ring of a named buffer" open_read /dev/rbmap/named/cpu0
for file in "tracing_on 1" "trace_clock mono" "reset 1" "overwrite 0" \
	"buffer_percent 10" "events/enable 1" "events/sched/enable 1" \
	"events/sched/sched_switch/enable 1" "instances/create x" "instances/destroy named" \
	"instances/named/tracing_on 0" "dynamic_events -:g/e"; do
	refused "${file% *}" sh -c "echo ${file#* } >$root/${file% *}"
done
rbmap record -d 0 -o /tmp/x 2>/tmp/err
is $? 1 "rbmap record: 1"
like "$(cat /tmp/err)" 'locked down for confidentiality: nobody may trace, nor root' "and why"
rbmap enable sched 2>/tmp/err
is $? 1 "rbmap enable: 1"
like "$(cat /tmp/err)" 'locked down for confidentiality' "and why"
ok "what was open stays open, as with tracefs" [ "$(dd bs=4096 count=1 <&5 2>/dev/null | wc -c)" = 4096 ]
exec 5<&-
ok "unload" rmmod rbmap
done_testing
