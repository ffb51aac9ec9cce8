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
