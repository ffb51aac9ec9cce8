#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Writers compute the local clock in place, and it is sched_clock(): on each CPU, after CPUs
# have come and gone, after a suspend, and after a difference. LONG=1 waits an hour.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

parameters=/sys/module/rbmap/parameters

online_cpus()
{
	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		[ "$(cat "$cpu"/online 2>/dev/null)" = 0 ] || echo "${cpu##*/cpu}"
	done
}

# same TEXT: both clocks agree on each CPU that is on line
same()
{
	for cpu in $(online_cpus); do
		taskset -c "$cpu" sh -c 'echo 20000 >/sys/module/emit/parameters/clocks'
		read -r compared difference </sys/module/emit/parameters/clocks
		is "$compared" 20000 "$1: CPU $cpu has compared"
		at_most "$difference" 100 "$1: CPU $cpu: largest difference in ns"
	done
}

# write_events: fill some sub-buffers on each CPU, more than one look at the clock needs
write_events()
{
	for cpu in $(online_cpus); do
		taskset -c "$cpu" dd if=/dev/zero of=/dev/rbmap/marker bs=1000 count=100 2>/dev/null
	done
}

# ordered: no event is earlier than the one before it on its CPU
ordered()
{
	for cpu in $(online_cpus); do
		rbmap stream -1 -t --cpu "$cpu" 2>/dev/null
		echo
	done >/tmp/lines
	awk 'NF == 0 { last = 0; next }
	     match($0, /[0-9]+\.[0-9]+:/) {
		now = substr($0, RSTART, RLENGTH - 1) + 0
		if (now < last) { print; bad = 1 }
		last = now
	     }
	     END { exit bad }' /tmp/lines
}

# is_inline: do writers compute the clock?
is_inline()
{
	[ "$(cat $parameters/inline_clock)" = Y ]
}

# scale_is_found: with each sub-buffer that is opened the clocks are compared
scale_is_found()
{
	write_events
	is_inline || return 1
	echo 2000 >/sys/module/emit/parameters/clocks
	read -r _ difference </sys/module/emit/parameters/clocks
	[ "$difference" -le 100 ]
}

ok "the module loads" load_module rbmap
ok "emit loads" load_module emit
if [ "$(uname -m)" != x86_64 ]; then
	is "$(cat $parameters/inline_clock 2>/dev/null)" "" "only x86-64 has the setting"
	same "the kernel's clock"
	ok "emit unloads" rmmod emit
	ok "rbmap unloads" rmmod rbmap
	done_testing
fi
is "$(cat $parameters/inline_clock)" Y "writers compute the clock"
same "at load"
write_events
same "after writing"

for cpu in $(online_cpus); do
	[ "$cpu" != 0 ] || continue
	echo 0 >/sys/devices/system/cpu/cpu"$cpu"/online
	echo 1 >/sys/devices/system/cpu/cpu"$cpu"/online
done
write_events
ok "writers compute the clock after CPUs went and came" is_inline
same "after CPUs went and came"

# The clock of the machine wakes it up.
alarm=/sys/class/rtc/rtc0/wakealarm
if [ -w "$alarm" ] && grep -qw mem /sys/power/state; then
	echo 0 >"$alarm"
	echo +2 >"$alarm"
	ok "the machine sleeps, and wakes up" eval "echo mem >/sys/power/state"
	write_events
	ok "writers compute the clock after that" is_inline
	same "after a sleep"
else
	skip "this kernel does not sleep" "a sleep"
fi
if [ "${LONG:-}" ]; then
	sleep 3600
	write_events
	same "after an hour"
fi

for error in 1000000 -1000000 60000000000; do
	echo "$error" >/sys/module/emit/parameters/clock_error
	ok "an error of $error ns is noticed, and the scale found again" retry_until 20 scale_is_found
	same "after an error of $error ns"
done
ok "no time goes back" ordered || diag "$(head -n 3 /tmp/lines)"
# logged: how often the log says that the counter is not used
logged()
{
	dmesg | grep -c 'rbmap: the local clock is read by a call'
}

# shellcheck disable=SC2317 # retry_until calls it
is_called()
{
	write_events
	[ "$(logged)" -gt "$before" ]
}
before=$(logged)
echo 1000000 >/sys/module/emit/parameters/clock_error
ok "after four differences the log says that writers call the kernel" retry_until 20 is_called
write_events
is "$(cat $parameters/inline_clock)" N "and they do"
same "called"
ok "emit unloads" rmmod emit
ok "rbmap unloads" rmmod rbmap

ok "the module loads with inline_clock=0" load_module rbmap inline_clock=0
is "$(cat $parameters/inline_clock)" N "writers call the kernel"
write_events
is "$(cat $parameters/inline_clock)" N "and still do"
ok "rbmap unloads" rmmod rbmap
done_testing
