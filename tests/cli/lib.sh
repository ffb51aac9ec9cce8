# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # output and errors are for the tests
#
# For the scripts beside this file: results, a directory, and checks of rbmap's messages.

# shellcheck source=/dev/null
. "$(dirname "$0")/../tap/tap.sh"

dir=$(mktemp -d)
at_exit "rm -rf '$dir'"
: "${RBMAP:=build/rbmap}" "${MAKE_RECORDING:=build/tests/unit/cli/plain/cli_make_recording}" \
	"${MAKE_EVENTS:=build/tests/unit/cli/plain/cli_make_events}"

# Print a python3 that has a module of Debian's, or nothing. The first one may not have it.
python_with()
{
	for python in python3 /usr/bin/python3; do
		! $python -c "import $1" 2>/dev/null || { echo $python && return; }
	done
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
	# One whole line, and nothing behind it
	errors='' more=''
	{ IFS= read -r errors && ! IFS= read -r more && [ -z "$more" ]; } <"$dir/errors"
	one_line=$?
	if [ "$status" = "$wanted" ] && [ $one_line = 0 ] &&
		tap_matches "$errors" "$pattern"; then
		pass "rbmap $*: $wanted, /$pattern/"
	else
		fail "rbmap $*: $wanted, /$pattern/"
		diag "status $status"
		diag <"$dir/errors"
	fi
}
