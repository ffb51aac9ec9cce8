#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Converts a recording of CONVERT_MB (2048) with CONVERT_LIMIT (512) MiB of address space, and
# prints how many events a second that are, and how much memory it takes. A small recording of
# SMALL is repeated; without SMALL, it has typical events of a scheduler. Takes minutes, and
# the disk space of the recording in TMPDIR.
. "$(dirname "$0")/lib.sh"

: "${MAKE_LARGE:=build/tests/unit/cli/plain/cli_make_large}" "${CONVERT_MB:=2048}" \
	"${CONVERT_LIMIT:=512}"

if [ -z "${SMALL:-}" ]; then
	SMALL=$dir/small
	i=0
	while [ $i -lt 500 ]; do
		us=$((i * 100))
		cat <<-END
			0 $us 10 enter 0
			0 $((us + 5)) 10 waking other 11
			0 $((us + 10)) 10 switch holder 10 1 other 11
			1 $((us + 10)) 20 irq 24 disk0-queue
			1 $((us + 20)) 20 irq_exit 24
			0 $((us + 30)) 11 switch other 11 0 holder 10
			0 $((us + 40)) 10 exit 0
			1 $((us + 40)) 20 issue 266338304 2048 8 WS
		END
		i=$((i + 1))
	done | "$MAKE_EVENTS" "$SMALL"
fi
events=$("$MAKE_LARGE" "$SMALL" "$dir/large" "$CONVERT_MB")
ok "a recording of $CONVERT_MB MB, $events events" [ "$events" -gt 0 ]
for format in perfetto systrace; do
	for n in 1 2 3; do
		# shellcheck disable=SC3045 # dash knows it
		(ulimit -v $((CONVERT_LIMIT * 1024)) && exec /usr/bin/time -f 'took %e %M' \
			"$RBMAP" convert --$format -o - "$dir/large") >/dev/null 2>"$dir/errors"
		is "$?" 0 "convert --$format with $CONVERT_LIMIT MiB" || diag <"$dir/errors"
		is "$(head -n 1 "$dir/errors")" "$events events, 0 lost" "$format: the sums"
		took=$(sed -n 's/^took //p' "$dir/errors")
		diag "$format, run $n: ${took% *} s, $(awk "BEGIN { printf \"%.2f\", $events / ${took% *} / 1e6 }") million events/s, ${took#* } KiB at most"
	done
done
done_testing
