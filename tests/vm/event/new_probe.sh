#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Modules that rbmap new-probe has written and make has built, without changes.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

events=/sys/kernel/rbmap/events

ok "module loads" load_module rbmap || done_testing
for name in probes/my_switch new/new_rename new/new_timer; do
	ok "${name#*/} loads" load_module "${name#*/}" || done_testing
	is "$(cat $events/$name/status)" available "${name#*/} has its event"
done
out=$(reported probes,new 'echo renamed >/proc/$$/comm; sleep 0.2; /bin/true')
like "$out" 'new_rename: .*task_comm=sh comm=renamed' "the event has a task and a text"
like "$out" 'my_switch: .*prev_comm=renamed .*next_pid=[0-9]' "the event has two tasks and numbers"
like "$out" 'new_timer: .*timer=[0-9a-fx]+ .*expir[a-z]+=[0-9]+' "the event has a pointer and a number"
for name in my_switch new_rename new_timer; do
	ok "$name unloads" rmmod "$name"
done
ok "module unloads" rmmod rbmap
done_testing
