# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Checks of the source, as TAP.

number=0

# check TEXT COMMAND...: passes when the command succeeds; shows its output else
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

# A clone has git's list; an unpacked archive has what it has.
files()
{
	git ls-files -- "$@" 2>/dev/null ||
		find "${@:-.}" -path ./build -prune -o -type f -print | sed 's|^\./||'
}

none()
{
	! grep .
}
