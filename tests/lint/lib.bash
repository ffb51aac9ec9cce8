# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions to check the source. Prints TAP.

number=0

# check TEXT COMMAND...: pass if the command succeeds; print its output if it fails
check()
{
	local text=$1 output

	shift
	number=$((number + 1))
	if output=$("$@" 2>&1); then
		echo "ok $number - $text"
	else
		echo "not ok $number - $text"
		printf '%s\n' "$output" | head -n 40 | sed 's/^/# /'
	fi
}

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
