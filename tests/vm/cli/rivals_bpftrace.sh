#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bpftrace beside rbmap why, on the faults of rivals.sh. The tools measure while the faults
# are planted; one that is started later has seen nothing. The test prints the words that a
# reader gets about each victim, for docs/answers.md.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/faults.sh
. /tests/lib/faults.sh

# The faults, and what names the culprit of each
culprits="holder:\[holder inversion:codec convoy:member|lock.convoy worker:slow_work
stopped:debugger irqs-off:driver hrtimer:slow_timer irq:slow network:NET_RX
fsync:nullb0|25[0-9],.0 read:nullb0|25[0-9],.0"

command -v bpftrace >/dev/null || skip_all "bpftrace is not installed"
test -e /sys/kernel/btf/vmlinux || skip_all "this kernel has no BTF"
faults_begin
grep -q ' /sys/kernel/debug ' /proc/mounts || mount -t debugfs debugfs /sys/kernel/debug
names=$(for fault in $culprits; do echo "${fault%%:*}"; done | xargs)
# bpftrace runs the command as soon as all probes are attached.
# shellcheck disable=SC2086 # words
ok "bpftrace" eval "BPFTRACE_MAP_KEYS_MAX=16384 bpftrace -c '/tests/planted /dev/nullb0 $names' /tests/rivals.bt >/tmp/said 2>/tmp/errors" ||
	diag "$(head -n 5 /tmp/errors)"
diag "$(head -n 3 /tmp/errors)"
diag "all: $(wc -l </tmp/said) lines, $(wc -w </tmp/said) words"
for fault in $culprits; do
	name=${fault%%:*}
	# A stack follows the line of its task, up to a line with a bracket.
	awk -v victim="v-${name}[^a-z]" '/^@/ { of = $0 ~ victim } of' /tmp/said >/tmp/part
	named=no
	! grep -q -E -e "${fault#*:}" /tmp/part || named=yes
	diag "bpftrace $name: $(grep -c '^@' /tmp/part) entries, $(wc -l </tmp/part) lines, $(wc -w </tmp/part) words, culprit named: $named"
done
ok "bpftrace sees the victims" grep -q 'v-holder' /tmp/said || diag "$(head -n 20 /tmp/said)"
diag "$(grep -E '^@(hardirq|softirq|bio)_us' /tmp/said | head -n 20)"
umount /sys/kernel/debug/tracing
faults_end
done_testing
