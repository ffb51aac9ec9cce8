#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests make install-fleet, the services and their settings, and the settings that rbmap fleet
# finds. An agent and a collector of different users share a directory.
# shellcheck disable=SC2317 # ok and said call the functions
# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"
# shellcheck source=tests/fleet/wait.sh
. "$(dirname "$0")/wait.sh"

: "${RBMAP:=build/rbmap}" "${RBMAP_FLEET:=build/fleet/rbmap-fleet}" \
	"${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}"
dir=$(mktemp -d)
at_exit "rm -rf '$dir'"
root=$dir/root/opt/x
fleet=$(realpath "$RBMAP_FLEET")

# said COMMAND...: run it; store its output and its status
said()
{
	output=$("$@" 2>&1)
	status=$?
}

run_make()
{
	env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory "$1" \
		DESTDIR="$dir/root" PREFIX=/opt/x >"$dir/log" 2>&1
}

ok "make install-fleet" run_make install-fleet || diag <"$dir/log"
for file in libexec/rbmap/rbmap-fleet etc/rbmap/ship.conf etc/rbmap/collect.conf \
	lib/systemd/system/rbmap-ship.service lib/systemd/system/rbmap-collect.service \
	lib/sysusers.d/rbmap-fleet.conf share/man/man1/rbmap-ship.1 \
	share/man/man1/rbmap-collect.1 share/man/man1/rbmap-fleet.1; do
	ok "PREFIX/$file is installed" test -s "$root/$file"
done
ok "the package has the same user" cmp userspace/fleet/collector/rbmap-fleet.sysusers \
	debian/rbmap-fleet.sysusers

# exposure UNIT: print the tenths of the exposure
exposure()
{
	mkdir -p "$dir/unit"
	sed 's,/opt/x/libexec/rbmap/rbmap-fleet,/bin/true,' "$root/lib/systemd/system/$1" >"$dir/unit/$1"
	systemd-analyze security --offline=true --no-pager "$dir/unit/$1" 2>"$dir/log" |
		sed -n 's/.*exposure level for .*: \([0-9]*\)[.]\([0-9]\) .*/\1\2/p'
}

for name in ship collect; do
	unit=$root/lib/systemd/system/rbmap-$name.service
	ok "rbmap-$name runs the program that is installed, with its settings" grep -qx \
		"ExecStart=/opt/x/libexec/rbmap/rbmap-fleet $name --settings /opt/x/etc/rbmap/$name.conf" "$unit"
	tenths=$(exposure "rbmap-$name.service")
	ok "rbmap-$name is exposed by 2.0 at most ($tenths tenths)" test "${tenths:-99}" -le 20
done

# All settings are valid, also those that are commented out: the command fails at its directory.
sed -n 's/^#\([a-z].*\)/\1/p; /^[a-z]/p' "$root/etc/rbmap/collect.conf" |
	sed "s|^directory = .*|directory = $dir/none/none|" >"$dir/collect.conf"
said "$fleet" collect --settings "$dir/collect.conf"
is "$status" 1 "collect.conf: the settings are valid"
like "$output" "cannot make the directory $dir/none/none" "and the directory is what is missing"
sed -n 's/^#\([a-z].*\)/\1/p' userspace/fleet/admin/fleet.conf |
	sed "s|^directory = .*|directory = $dir/none|" >"$dir/fleet.conf"
said "$fleet" fleet snapshot --settings "$dir/fleet.conf" --reason x
is "$status" 1 "fleet.conf: the settings are valid"
like "$output" "cannot open $dir/none/index.sqlite: .*--directory" "and the index is what is missing"

for name in ship collect; do
	echo '# mine' >>"$root/etc/rbmap/$name.conf"
done
ok "make install-fleet, again" run_make install-fleet
ok "make uninstall-fleet" run_make uninstall-fleet
is "$(find "$dir/root" -type f | sort | xargs)" "$root/etc/rbmap/collect.conf $root/etc/rbmap/ship.conf" \
	"changed settings stay, and nothing else"

said "$fleet" fleet snapshot --reason x --settings /dev/null
is "$status" 2 "a snapshot needs a transport"
like "$output" "snapshot needs --transport, or a line 'transport = URL' in /etc/rbmap/fleet.conf" \
	"the message says where it is set"

if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
	skip "needs root" "the settings of rbmap fleet, and a directory of two users"
	done_testing
fi

# with_etc COMMAND...: run a command where /etc/rbmap/fleet.conf is $dir/default
with_etc()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount sh -c 'mount -t tmpfs none /etc && mkdir /etc/rbmap &&
		{ [ ! -e "$0" ] || cp "$0" /etc/rbmap/fleet.conf; } && exec "$@"' "$dir/default" "$@"
}

said with_etc "$fleet" fleet incidents --directory "$dir/none"
like "$output" "cannot open $dir/none/index.sqlite" "without /etc/rbmap/fleet.conf"
printf 'directory = %s\ntransport = dir:%s\n' "$dir/configured" "$dir/away" >"$dir/default"
said with_etc "$fleet" fleet incidents
like "$output" "cannot open $dir/configured/index.sqlite" "rbmap fleet finds its settings"
said with_etc "$fleet" fleet merge 2026-11-26T14.03.12-1a2b3c4d
like "$output" "cannot open $dir/configured/index.sqlite" "so does rbmap fleet merge"
said with_etc "$fleet" fleet setup streams
like "$output" "invalid servers 'dir:$dir/away'" "and rbmap fleet setup streams"
said with_etc "$fleet" fleet incidents --directory "$dir/other"
like "$output" "cannot open $dir/other/index.sqlite" "an option overrides them"
said with_etc "$fleet" fleet incidents --settings /dev/null
like "$output" "cannot open /var/lib/rbmap-collect/index.sqlite" "--settings replaces them"
echo 'transprot = x' >>"$dir/default"
said with_etc "$fleet" fleet incidents
is "$status" 2 "an error in the settings"
like "$output" "/etc/rbmap/fleet.conf:3: no setting 'transprot': similar names: transport" \
	"the message names the line"
said with_etc "$fleet" fleet --help
is "$status" 0 "the help does not depend on them"

# The agent has no capability and a narrow umask, as its service has.
agent()
{
	umask 0077
	setpriv --reuid 61001 --regid 61001 --groups 61010 --bounding-set -all \
		"$fleet" ship --transport "dir:$dir/shared" --host h1 --incidents "$dir/h1/incidents" \
		--spool "$dir/h1/spool" --once --timeout 600
}

collector()
{
	umask 0027
	exec setpriv --reuid 61002 --regid 61002 --groups 61010 --bounding-set -all \
		"$fleet" collect --transport "dir:$dir/shared" --directory "$dir/collected"
}

chmod 755 "$dir"
install -d -m 2770 -g 61010 "$dir/shared"
install -d -o 61001 "$dir/h1" "$dir/h1/incidents"
install -d -o 61002 -m 750 "$dir/collected"
"$MAKE_RECORDING" "$dir/h1/incidents/2026-11-26T14.03.12.dat" 4
chown 61001 "$dir/h1/incidents/"*
cp "$fleet" "$dir/fleet"
chmod 755 "$dir/fleet"
fleet=$dir/fleet
"$fleet" fleet setup "dir:$dir/shared" >/dev/null
collector >"$dir/log" 2>&1 &
collector=$!
said agent
# The collector has read all. The agent has got its answers.
is_read()
{
	[ -z "$(find "$dir/shared" -type f)" ]
}
retry_until 60 is_read
kill "$collector"
is "$status" 0 "an agent and a collector of different users share a directory" || diag "$output"
wait
is "$(tail -n 1 "$dir/log")" "3 messages, 1 incidents stored, 0 messages refused" "the incident is stored" ||
	diag <"$dir/log"
is "$(find "$dir/shared" -type f)" '' "each of them removes what it has read"
is "$(find "$dir/shared" -perm /007)" '' "others can read nothing there"
done_testing
