#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Colours of rbmap stat, status and stream on a terminal.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

# on_terminal ARGUMENT...: prints what rbmap prints on a terminal; an escape is ^ there
on_terminal()
{
	env -u NO_COLOR TERM=xterm ctrl_c rbmap "$@" 2>&1 | tr -d '\r' | tr '\033' '^'
}

like "$(on_terminal status)" '^\^\[31mmodule          not loaded' "without the module: status is red"
ok "module loads with a small ring" load_module rbmap buffer_size_kb=$((4 * page_kb)) || done_testing
like "$(on_terminal stat)" '^\^\[1mCPU  .*DISCARDED\^\[0m$' "stat: headings are bold"
fails "stat: without a loss nothing is red" sh -c "echo '$(on_terminal stat)' | grep -F '[31m'"
i=0
while [ $((i += 1)) -le $((150 * page_kb)) ]; do
	echo "marker number $i, some text to fill the ring"
done >/dev/rbmap/marker
like "$(on_terminal stat)" '^sum  .* \^\[31m +[0-9]+\^\[0m .*' "stat: losses are red"
like "$(on_terminal status)" '^cpu .*, \^\[31m[0-9]+ lost\^\[0m$' "status: losses are red"
echo 0 >/sys/kernel/rbmap/tracing_on
like "$(on_terminal status)" '^tracing         \^\[33moff \(tracing_on is 0\)\^\[0m$' \
	"status: a warning is yellow"
fails "status: no colours in a pipe" sh -c "rbmap status | tr '\033' '^' | grep -F '^['"
like "$(on_terminal stream --no-follow -n 3)" '^\^\[31mCPU:[0-9] \[LOST [0-9]+ EVENTS\]\^\[0m$' \
	"stream: losses are red"
ok "module unloads" rmmod rbmap
done_testing
