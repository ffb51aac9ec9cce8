#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: tests/cli/versions.sh [--add]
#
# Tests that recordings of earlier versions are read: each event with its time, its CPU, its
# thread and its fields, and each loss. A file of tests/cli/versions is named by the version
# that has written it. It has the numbers, a sum of the events, and the recording, compressed
# and in base64. --add makes such a file by this version, for its release.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${PYTHON3:=python3}"

# facts FILE: prints what programs can rely on in each line of JSON
facts()
{
	"$RBMAP" report --json "$1" 2>"$dir/errors" | "$PYTHON3" -c '
import json, sys
keys = "ts", "cpu", "pid", "comm", "system", "event", "type", "fields", "data", "lost"
for line in list(sys.stdin)[1:]:
    one = json.loads(line)
    print(json.dumps({key: one[key] for key in keys if key in one}, sort_keys=True))'
}

sum_of_facts()
{
	facts "$1" | sha256sum | cut -d ' ' -f 1
}

if [ "${1:-}" = --add ]; then
	trap - EXIT
	"$MAKE_RECORDING" "$dir/new.dat" 3 || exit
	{
		echo "# SPDX-License-Identifier: GPL-2.0-only"
		echo "# events: $(sum_of_facts "$dir/new.dat")"
		echo "# report: $(cat "$dir/errors")"
		gzip -9nc "$dir/new.dat" | base64 -w 96
	} >"tests/cli/versions/$(cat VERSION)"
	rm -r "$dir"
	exit
fi

number=0
for file in tests/cli/versions/*; do
	version=${file##*/}
	number=$((number + 1))
	grep -v '^#' "$file" | base64 -d | gzip -dc >"$dir/$version.dat"
	is "$(sum_of_facts "$dir/$version.dat")" "$(sed -n 's/^# events: //p' "$file")" \
		"the events of version $version"
	is "$(cat "$dir/errors")" "$(sed -n 's/^# report: //p' "$file")" "their numbers"
done
ok "there are recordings of earlier versions" [ $number -gt 0 ]
# Versions before this one, of which CHANGELOG.md has a section
missing=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | tail -n +2 | while read -r version; do
	[ -e "tests/cli/versions/$version" ] || echo "$version"
done)
is "$missing" '' "each version of CHANGELOG.md has a recording"
"$MAKE_RECORDING" "$dir/other.dat" 4
ok "another recording has another sum" [ "$(sum_of_facts "$dir/other.dat")" != "$(sum_of_facts "$dir/0.1.0.dat")" ]
done_testing
