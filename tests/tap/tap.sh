# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Results of a shell test, in TAP, for dash, bash and busybox's sh:
#
#	. tests/tap/tap.sh
#	ok "the file exists" test -e file
#	done_testing
#
# With TAP_STOP=1 in the environment, the script ends after the first failure.
#
# A script that ends without done_testing has failed, and still prints a plan. For that
# the library sets the trap of EXIT; a script that needs it calls at_exit instead. Each
# function that prints a result returns 1 if the result is a failure.
#
# Scripts name /dev/null as the source of this file to shellcheck. It follows each call of
# ok() otherwise, and takes twice as long for all scripts.

tap_count=0
tap_failed=0
tap_skipped=0
tap_done=
tap_running=
tap_at_exit=
tap_last=
trap tap_exit EXIT

# at_exit COMMAND: evaluates COMMAND when the script ends
at_exit()
{
	tap_at_exit="$1
$tap_at_exit"
}

tap_exit()
{
	tap_status=$?
	[ -z "$tap_running" ] || kill "$tap_running" 2>/dev/null
	eval "$tap_at_exit"
	[ -z "$tap_done" ] || exit "$tap_status"
	fail "the test ended early, with status $tap_status"
	plan
	[ "$tap_status" -ne 0 ] || tap_status=1
	exit "$tap_status"
}

# Prints the plan, after the last result. A script that prints more after the plan calls
# this function instead of done_testing.
plan()
{
	echo "1..$tap_count"
	tap_done=1
}

# Prints the plan and ends the script: with status 0 if there are results and none is a
# failure, else with 1.
done_testing()
{
	plan
	[ "$tap_count" -gt 0 ] && [ "$tap_failed" -eq 0 ]
	exit
}

# skip_all WHY: ends the script before its first result
skip_all()
{
	echo "1..0 # SKIP $*"
	tap_done=1
	exit 0
}

# diag [TEXT]: prints TEXT, or standard input, as comments
diag()
{
	if [ $# -gt 0 ]; then
		printf '%s\n' "$*" | sed 's/^/# /'
	else
		sed 's/^/# /'
	fi
}

# tap_print LINE. The printf of busybox loses a line if a child process ends while it
# waits for the reader, and the echo of dash changes backslashes.
# shellcheck disable=SC1003,SC2116 # the test is whether echo changes them
if [ "$(echo '\\')" = '\\' ]; then
	tap_print()
	{
		echo "$*"
	}
else
	tap_print()
	{
		printf '%s\n' "$*"
	}
fi

# Before a result that took some seconds, print how many: what to look at in a long test
tap_time()
{
	tap_uptime=0
	[ ! -r /proc/uptime ] || read -r tap_uptime _ </proc/uptime
	tap_uptime=${tap_uptime%.*}
	[ $((tap_uptime - ${tap_last:-tap_uptime})) -lt 3 ] ||
		tap_print "# the next result took $((tap_uptime - tap_last)) s"
	tap_last=$tap_uptime
}
tap_time

pass()
{
	tap_time
	tap_count=$((tap_count + 1))
	tap_print "ok $tap_count - $*"
}

fail()
{
	tap_time
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	tap_print "not ok $tap_count - $*"
	[ -z "${TAP_STOP:-}" ] || done_testing
	return 1
}

# skip WHY TEXT: prints a result that is skipped
skip()
{
	local why="$1"

	shift
	tap_count=$((tap_count + 1))
	tap_skipped=$((tap_skipped + 1))
	tap_print "ok $tap_count - $* # SKIP $why"
}

# ok TEXT COMMAND...: passes if COMMAND succeeds
ok()
{
	local text="$1"

	shift
	if "$@"; then
		pass "$text"
	else
		fail "$text"
		diag "failed: $*"
		return 1
	fi
}

# fails TEXT COMMAND...: passes if COMMAND fails
fails()
{
	local text="$1"

	shift
	if "$@"; then
		fail "$text"
		diag "should have failed: $*"
		return 1
	fi
	pass "$text"
}

# check TEXT COMMAND...: passes if COMMAND succeeds. Runs COMMAND in a subshell, and
# prints the beginning of its output only if it fails.
check()
{
	local text="$1" output

	shift
	if output=$("$@" 2>&1); then
		pass "$text"
	else
		fail "$text"
		printf '%s\n' "$output" | head -n 40 | diag
		return 1
	fi
}

# is GOT WANTED TEXT: passes if both are equal
is()
{
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		diag "got:    $1"
		diag "wanted: $2"
		return 1
	fi
}

# tap_matches TEXT REGEX: succeeds if a line matches. Processes are slow, in a virtual machine
# above all: bash and busybox's sh compare one line without any. In quotes the regular
# expression is literal text for bash, and without quotes it is several words for busybox.
# Unlike grep, both take each { for a number of repetitions.
# shellcheck disable=SC2016,SC2076,SC3010 # only a shell that passes a test runs its [[
if eval '[[ ab =~ "^a.$" ]]' 2>/dev/null; then
	tap_compare='[[ "$1" =~ "$2" ]]'
elif [ -n "${BASH_VERSION:-}" ]; then
	tap_compare='[[ $1 =~ $2 ]]'
else
	tap_compare='tap_grep "$1" "$2"'
fi

tap_grep()
{
	printf '%s\n' "$1" | grep -qE -e "$2"
}

tap_matches()
{
	case "$1$2" in
	*"
"* | *'{'*) tap_grep "$1" "$2" ;;
	*) eval "$tap_compare" ;;
	esac
}

# like GOT REGEX TEXT: passes if a line matches
like()
{
	if tap_matches "$1" "$2"; then
		pass "$3"
	else
		fail "$3"
		diag "got:    $1"
		diag "wanted: /$2/"
		return 1
	fi
}

# at_most GOT LIMIT TEXT: passes if the number GOT is at most LIMIT
at_most()
{
	if [ "$1" -le "$2" ]; then
		pass "$3 ($1, at most $2)"
	else
		fail "$3 ($1, at most $2)"
	fi
}

# results PREFIX COMMAND...: repeats the results of a program that prints TAP, with PREFIX
# before each text and with new numbers. A program that prints no plan has failed.
results()
{
	local prefix="$1" failed_before="$tap_failed" plan='' pipe line text status

	shift
	pipe=$(mktemp -u) && mkfifo "$pipe" || return
	"$@" >"$pipe" &
	tap_running=$!
	while IFS= read -r line || [ -n "$line" ]; do
		text=${line#*- }
		case $line in
		'ok '*' # SKIP '*) skip "${text##* # SKIP }" "$prefix${text% # SKIP*}" ;;
		'ok '*) pass "$prefix$text" ;;
		'not ok '*) fail "$prefix$text" ;;
		'1..0 # SKIP '*) plan=1 && skip "${line#*# SKIP }" "${prefix}everything" ;;
		1..*) plan=1 ;;
		'Bail out!'*) fail "$prefix$line" ;;
		*) tap_print "$line" ;;
		esac
	done <"$pipe"
	rm "$pipe"
	wait "$tap_running"
	status=$?
	tap_running=
	if [ -z "$plan" ]; then
		fail "${prefix}ended early (status $status)"
	elif [ "$status" -ne 0 ] && [ "$tap_failed" = "$failed_before" ]; then
		fail "${prefix}ended with status $status, and no result failed"
	fi
	[ "$tap_failed" = "$failed_before" ]
}
