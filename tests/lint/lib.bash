# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions to check the source.

# shellcheck source=/dev/null
. tests/tap/tap.sh

# files PATH...: list the files that git knows, or all files outside a clone
files()
{
	git ls-files -- "$@" 2>/dev/null ||
		find "${@:-.}" -path ./build -prune -o -type f -print | sed 's|^\./||'
}

none()
{
	! grep .
}

# sum_of COMMAND...: prints a sum of the command's output
sum_of()
{
	"$@" | sha256sum
}

# run_rules FUNCTION [--list | NAME...]: run the rules that the function has, or those of
# the names; with --list, print their names and texts
run_rules()
{
	local function=$1 act=list name names

	shift
	if [ "${1:-}" = --list ]; then
		trap - EXIT
		"$function"
		return
	fi
	names=$("$function" | cut -f 1 | xargs)
	for name; do
		[[ " $names " == *" $name "* ]] && continue
		trap - EXIT
		echo "$0: unknown rule '$name': use one of $names" >&2
		return 2
	done
	[ $# -gt 0 ] && names="$*"
	act=run
	"$function"
	done_testing
}

full_clone()
{
	[ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = false ]
}

# rule_of_git NAME TEXT COMMAND...: a rule about commits, for a full clone
rule_of_git()
{
	if [ "$act" = list ] || full_clone; then
		rule "$@"
	elif [[ " $names " == *" $1 "* ]]; then
		skip "this is not a full clone" "$2"
	fi
}

# rule NAME TEXT COMMAND...: the command must succeed
rule()
{
	if [ "$act" = list ]; then
		printf '%s\t%s\n' "$1" "$2"
	elif [[ " $names " == *" $1 "* ]]; then
		check "${@:2}"
	fi
}
