#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A short test of access rights: capabilities, the user who opened a file, hashed
# addresses. LOCKDOWN=1 adds kernel lockdown, which lasts until the next boot; access.sh
# tests more of it.
# shellcheck disable=SC2016,SC2317 # $arg1 is literal; called by ok
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

root=/sys/kernel/rbmap

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
results "" rights

# Addresses
echo 't:rights/exec sched_process_exec task=$arg1:x64' >$root/dynamic_events
like "$(reported rights:exec '/bin/busybox true')" 'exec: +task=0x[0-9a-f]{1,8}$' \
	"an address is hashed"
echo '-:rights/exec' >$root/dynamic_events

# Lockdown
if [ -z "$LOCKDOWN" ]; then
	ok "module unloads" rmmod rbmap
	done_testing
fi
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
lockdown=/sys/kernel/security/lockdown
if [ ! -e $lockdown ]; then
	skip "this kernel has no lockdown" "lockdown"
	ok "module unloads" rmmod rbmap
	done_testing
fi
echo named >$root/instances/create
mkdir -p /tmp/mounted
ok "mount" mount -t rbmap rbmap /tmp/mounted
echo confidentiality >$lockdown
# shut TEXT COMMAND: COMMAND fails with EPERM
shut()
{
	sh -c "$2" 2>/tmp/error >/dev/null
	like "$(cat /tmp/error)" 'Operation not permitted' "locked down: $1"
}
for node in cpu0 snapshot/cpu0 named/cpu0; do
	shut $node ": </dev/rbmap/$node"
done
shut mkdir 'mkdir /tmp/mounted/instances/x'
shut rmdir 'rmdir /tmp/mounted/instances/named'
shut marker ': >/dev/rbmap/marker'
shut marker_raw ': >/dev/rbmap/marker_raw'
shut trace ': >/dev/rbmap/trace'
shut error_log ': </dev/rbmap/error_log'
shut saved_cmdlines ': </dev/rbmap/saved_cmdlines'
shut symbols '/tests/kptr names ffffffff81000000'
for file in "tracing_on 1" "trace_clock mono" "reset 1" "overwrite 0" \
	"buffer_percent 10" "buffer_size_kb 128" "buffer_subbuf_size_kb 16" "snapshot 1" \
	"events/enable 1" "events/sched/enable 1" "events/sched/sched_switch/enable 1" \
	"events/sched/sched_switch/filter 0" "events/sched/filter 0" "set_event_pid 1" \
	"options/event-fork 1" "set_event irq" "current_tracer nop" \
	"set_graph_function schedule" "trace_options overwrite" "instances/create x" "instances/destroy named" \
	"instances/named/tracing_on 0" "instances/named/kptr 1" "kptr 1" "dynamic_events -:g/e"; do
	shut "${file% *}" "echo ${file#* } >$root/${file% *}"
done
umount /tmp/mounted
ok "module unloads" rmmod rbmap
done_testing
