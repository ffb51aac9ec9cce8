#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A member of the group reads available_events, for which a kernel thread lists the kernel's
# events. Any number of readers wait for that thread one after the other. Each ends by SIGKILL,
# and none of them keeps a buffer from its end.
# shellcheck source=tests/vm/lib/guest.sh
. /tests/lib/guest.sh
# shellcheck source=tests/vm/lib/control.sh
. /tests/lib/control.sh

readers=200
works=/sys/kernel/tracing/events/workqueue/workqueue_execute_start

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
ok "ftrace records the work of kernel threads" sh -c "echo 1 >$works/enable"

# lists: prints how many lists the kernel thread has made
lists()
{
	grep -c 'function rbmap_tracefs_work' /sys/kernel/tracing/trace
}

# more NUMBER: more lists than that have been made
# shellcheck disable=SC2317 # retry_until calls it
more()
{
	[ "$(lists)" -gt "$1" ]
}

# begin LIST: starts readers that read again and again, until they wait for each other
begin()
{
	pids=
	for _ in $(seq $readers); do
		# shellcheck disable=SC2016 # for the inner shells
		sh -c 'while read -r _ <"$1"; do :; done' sh "$1" 2>/dev/null &
		pids="$pids $!"
	done
	ok "$readers programs read $1" retry_until 60 more $(($(lists) + 10))
}

# shellcheck disable=SC2086 # numbers
end()
{
	kill -9 $pids 2>/dev/null
	wait
}

# few WHAT COMMAND...: the kernel thread makes fewer lists meanwhile than there are readers
few()
{
	what=$1
	shift
	before=$(lists)
	"$@"
	made=$(($(lists) - before))
	diag "$made lists were made meanwhile"
	ok "$what" [ "$made" -lt $((readers / 2)) ]
}

begin $root/available_events
few "readers of available_events end by SIGKILL" end
echo short >$root/instances/create
begin $root/instances/short/available_events
few "a buffer that ends does not wait for a list for each reader" \
	sh -c "echo short >$root/instances/destroy"
end
fails "its directory is gone" test -e $root/instances/short
ok "ftrace records no more" sh -c "echo 0 >$works/enable && echo >/sys/kernel/tracing/trace"
ok "module unloads" rmmod rbmap
done_testing
