#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event of docs/walkthroughs/probe.md, built and loaded as it is printed there.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh

events=/sys/kernel/rbmap/events

ok "module loads" load_module rbmap || done_testing
ok "the module of the walkthrough loads" load_module my_fork || done_testing
is "$(cat $events/mysystem/my_fork/status)" available "its event is there"
like "$(rbmap list)" 'mysystem:my_fork' "rbmap lists it"
# Real-time kernels may have one more field in all events.
child=8
! grep -q common_preempt_lazy_count $events/mysystem/my_fork/format || child=12
is "$(sed -n 's/signed:[01]/signed:N/; /^\tfield:[^c]/p; /^print/p' $events/mysystem/my_fork/format |
	grep -v common_)" \
	"$(printf '\tfield:pid_t child;\toffset:%d;\tsize:4;\tsigned:N;\n\tfield:__data_loc char[] name;\toffset:%d;\tsize:4;\tsigned:N;\nprint fmt: "%%s made %%d", __get_str(name), REC->child' $child $((child + 4)))" \
	"its format is what was declared"
# shellcheck disable=SC2016 # for another shell
out=$(reported mysystem '/bin/busybox true & echo $! >/tmp/pid; wait')
like "$out" "my_fork: +sh made $(cat /tmp/pid)\$" "rbmap shows what it recorded" ||
	diag "$(cat /tmp/error)" "$out"
fails "rbmap can't be unloaded meanwhile" rmmod rbmap 2>/dev/null
ok "the module unloads" rmmod my_fork
fails "its event is gone" test -e $events/mysystem
ok "rbmap unloads" rmmod rbmap
done_testing
