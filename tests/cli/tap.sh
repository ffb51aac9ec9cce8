# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # output and errors are for the tests
#
# Functions of the scripts beside it: results in TAP, and checks of rbmap's messages.

count=0
bad=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
: "${RBMAP:=build/rbmap}" "${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}"

pass()
{
	count=$((count + 1))
	echo "ok $count - $*"
}

fail()
{
	count=$((count + 1))
	bad=$((bad + 1))
	echo "not ok $count - $*"
}

skip()
{
	count=$((count + 1))
	echo "ok $count - $2 # SKIP $1"
}

# ok TEXT COMMAND...
ok()
{
	text=$1
	shift
	if "$@"; then pass "$text"; else fail "$text"; fi
}

# says STATUS PATTERN ARGUMENT...: rbmap must exit with STATUS and print one line on
# stderr that matches PATTERN
says()
{
	wanted=$1
	pattern=$2
	shift 2
	output=$("$RBMAP" "$@" 2>"$dir/errors")
	status=$?
	errors=$(cat "$dir/errors")
	if [ "$status" = "$wanted" ] &&
		[ "$(wc -l <"$dir/errors")" = 1 ] &&
		printf '%s\n' "$errors" | grep -qE -e "$pattern"; then
		pass "rbmap $*: $wanted, /$pattern/"
	else
		fail "rbmap $*: $wanted, /$pattern/"
		printf 'status %s\n%s\n' "$status" "$errors" | sed 's/^/# /'
	fi
}

done_testing()
{
	echo "1..$count"
	[ "$bad" = 0 ]
	exit
}
