#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tests/bench/here, with modules that were built before: it prints each part in
# nanoseconds and in cycles, and leaves the machine as it was.
# shellcheck disable=SC2317 # functions that "ok" calls
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

here=/src/tests/bench/here
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
cp /tests/rival /modules/
before=$(cat /sys/kernel/tracing/buffer_size_kb)

said $here --repeat x
is "$status" 2 "a repetition that is not a number: usage error"
load_module rbmap
said $here write
is "$status" 1 "rbmap is loaded: an error"
like "$output" "run 'rbmap unload' first" "the error has the cure"
rmmod rbmap
ok "here measures" sh -c "$here --modules /modules --repeat 1 --events 500 --markdown >/tmp/here 2>/tmp/here.err" ||
	diag "$(tail -n 20 /tmp/here.err)"
for title in write cold event buffers; do
	ok "the table has $title" grep -q "^| $title: nanoseconds" /tmp/here
	ok "the table has $title in cycles" grep -q "^| $title in cycles: cycles" /tmp/here
done
for who in rbmap ring_buffer ftrace perf; do
	ok "the table has $who" grep -q "^| .*| $who |" /tmp/here
done
ok "no module is left" sh -c '! grep -qE "^(rbmap|bench)" /proc/modules'
is "$(cat /sys/kernel/tracing/buffer_size_kb)" "${before%% *}" "ftrace has its size again"
done_testing
