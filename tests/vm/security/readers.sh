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

ok "module loads" load_module rbmap buffer_size_kb=64 || done_testing
list=$root/available_events

# measure: stores the hundredths of a second that a list for each reader takes now. The first
# byte needs the whole list.
measure()
{
	since=$(hundredths)
	for _ in $(seq 100); do
		read -r _ <$list
	done
	all=$((($(hundredths) - since) * readers / 100))
}

# begin LOOP LIST: starts readers that read again and again, until they wait for each other
begin()
{
	pids=
	for _ in $(seq $readers); do
		sh -c "$1" sh "$2" 2>/dev/null &
		pids="$pids $!"
	done
	sleep 2
}
# shellcheck disable=SC2016 # for the inner shells
reads='while read -r line <"$1"; do :; done'
# Each list that a reader gets is a line.
# shellcheck disable=SC2016
counts='while head -c 1 "$1" >/dev/null; do echo >>/tmp/lists; done'

# soon WHAT COMMAND...: the command takes less time than a list for each reader does, before it or
# after it. Other programs of the machine make some of these times longer.
soon()
{
	what=$1
	shift
	before=$all
	began=$(hundredths)
	"$@"
	took=$(($(hundredths) - began))
	end
	measure
	[ "$all" -gt "$before" ] || all=$before
	diag "it took $took hundredths of a second, and a list for each reader takes $all"
	ok "$what" [ $took -lt $all ]
}

# shellcheck disable=SC2086 # numbers
end()
{
	kill -9 $pids 2>/dev/null
	wait
}

measure
begin "$reads" $list
soon "readers of available_events end by SIGKILL" end
echo short >$root/instances/create
begin "$counts" $root/instances/short/available_events
: >>/tmp/lists
before=$(wc -l </tmp/lists)
echo short >$root/instances/destroy
after=$(wc -l </tmp/lists)
diag "$((after - before)) readers got a list while the buffer ended"
ok "a buffer that ends does not wait for a list for each reader" [ $((after - before)) -lt $((readers / 2)) ]
end
fails "its directory is gone" test -e $root/instances/short
ok "module unloads" rmmod rbmap
done_testing
