#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The transport "dir:", and `rbmap fleet setup dir:`.
# shellcheck source=tests/fleet/contract.sh
. "$(dirname "$0")/contract.sh"

place=$dir/shared
url=dir:$place
like "$(report h1 away 1 10)" '^error EAGAIN .*cannot open' "a directory that is not there"
mkdir "$place"
like "$(report h1 away 1 10)" "^error EAGAIN .*'rbmap fleet setup dir:$place'" \
	"a directory that was not set up"
said=$("$RBMAP_FLEET" fleet setup "dir:$dir/none" 2>&1)
is "$?" 1 "setup makes no directory"
like "$said" 'make it, or mount it, first' "and says so"
"$RBMAP_FLEET" fleet setup dir:relative 2>/dev/null
is "$?" 2 "setup wants a whole path"
check "setup makes the folders" "$RBMAP_FLEET" fleet setup "$url"
is "$(stat -c '%n %a' "$place"/* | sed 's|.*/||' | xargs)" "all 3770 collector 2770 host 2770" \
	"with their modes"
chmod 2700 "$place/host"
check "setup keeps folders" "$RBMAP_FLEET" fleet setup "$url"
is "$(stat -c %a "$place/host")" 2700 "and their modes"

contract directory 1

# limited: publishes while files may have only 4 KiB
limited()
{
	(
		trap '' XFSZ
		ulimit -f 8
		report h1 full 1 100000
	)
}
like "$(limited)" '^error ENOSPC ' "a full disk"
mv "$place" "$place.away"
like "$(report h1 away 1 10)" '^error EAGAIN ' "a directory that has gone"
mv "$place.away" "$place"
like "$(report h1 away 1 10)" '^safe away-1' "and that came back"

# The collector reads the folder of each of many hosts.
(cd "$place/collector" && seq -f 'empty%05.0f' 5000 | xargs mkdir)
for host in aa mm zz; do
	report $host many-$host 2 10 >>"$dir/safe"
done
: >"$dir/got"
drain "$dir/got" 6
is "$(ids "$dir/got" | grep -c many)" 6 "messages of three hosts among 5000 others"
done_testing
