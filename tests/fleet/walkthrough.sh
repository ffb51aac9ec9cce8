#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the blocks of docs/walkthroughs/fleet.md, unchanged and in their order. Each block must
# succeed and print what the text says. The module is not needed: a recording is there.
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"

# In a network of its own the ports of the document are free.
if [ "$(id -u)" = 0 ] && [ -z "${RBMAP_OWN_NETWORK:-}" ] && unshare --net true 2>/dev/null; then
	RBMAP_OWN_NETWORK=1 exec unshare --net "$0" "$@"
fi
[ -z "${RBMAP_OWN_NETWORK:-}" ] || ip link set lo up

: "${RBMAP:=build/rbmap}" "${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"
dir=$(mktemp -d)
at=$dir/walk
mkdir "$dir/bin" "$at"
ln -s "$(realpath "$RBMAP")" "$dir/bin/rbmap"
ln -s "$("$(dirname "$0")/nats-server")" "$dir/bin/nats-server" || exit 1

# end_all: end the processes of a block that failed
# shellcheck disable=SC2317 # called at the exit
end_all()
{
	local file pid

	for file in "$at"/*.pid "$at"/*/pid; do
		[ -e "$file" ] || continue
		pid=$(cat "$file")
		case $(readlink "/proc/$pid/exe") in
		*/rbmap-fleet | */nats-server) kill -KILL "$pid" ;;
		esac
	done
	rm -rf "$dir"
}
at_exit end_all

# A recording of a host that knows TAI
"$MAKE_EVENTS" "$at/recording.dat" "[local]" 0,1700000000000000000,37 10000000,1700000010000000000,37 <<'END'
0 1000000 10 waking victim 20
0 1000010 10 switch waker 10 1 victim 20
1 1000020 11 other 1
0 1000030 20 switch victim 20 1 waker 10
END
"$(dirname "$0")/../vm/lib/blocks" docs/walkthroughs/fleet.md "$dir/blocks" >"$dir/names" || exit 1
steps=$(grep -c '^step-' "$dir/names")
step=0

# step TEXT REGEX...: run the next block; its output must match each REGEX
step()
{
	local text=$1 file regex

	shift
	step=$((step + 1))
	file=$dir/blocks/step-$(printf %02d "$step")
	if (cd "$at" && PATH=$dir/bin:$PATH timeout 120 sh -eu "$file") >"$dir/out" 2>&1; then
		pass "$text"
	else
		fail "$text"
		diag "$(cat "$file" "$dir/out" "$at"/*.log "$at"/*/log 2>/dev/null | tail -n 80)"
	fi
	for regex; do
		like "$(cat "$dir/out")" "$regex" "$text: /$regex/"
	done
}

id='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9a-f]{8}'
step "recordings"
ok "there is an incident" test -e "$at"/web1/incidents/2*.dat
step "one host" 'made collector, host and all' '^waiting: 0 incidents' "web1 .*$id.* stored"
step "three hosts" '^web1 ' '^web2 ' '^db1 '
step "a snapshot of two hosts" '^web1 .*stored' '^web2 .*stored'
fails "the third host was not asked" grep '^db1 ' "$dir/out"
step "the files" "web1:" "$id\.dat" "web2:" 'sched_switch'
ok "the files are those of the hosts" cmp "$at"/files/web2/*.dat "$at/recording.dat"
step "three servers"
step "streams" '^the streams are on 3 servers$'
step "by NATS" '^web1 .*stored' '^web2 .*stored' '^db1 .*stored'
step "two of three servers" '^web1 .*stored' '^web2 .*stored' '^db1 .*stored'
step "no server" '^waiting: 1 incidents?,'
step "servers are back" "db1 .*$id.* stored"
step "end"
is "$step of $steps" "$steps of $steps" "all blocks were run"
done_testing
