# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# How tests of the fleet wait.

# retry_until SECONDS COMMAND...: repeats COMMAND, without its output, until it succeeds. The
# limit ends hopeless cases only.
retry_until()
{
	local tries=$(($1 * 10))

	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.1
	done
}
