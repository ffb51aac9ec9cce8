#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: guest.sh NAME TEST
#
# Starts TEST with the rbmap.ko of that name. Refuses to do so if another fault has
# already damaged the kernel since it was booted.

# Taint flags of an oops, a warning, a bad page and a lockup.
broken=$((128 | 512 | 32 | 16384))

for module in kinds source refused emit rbmap; do
	! grep -q "^$module " /proc/modules || rmmod $module 2>/dev/null
done
if [ $(($(cat /proc/sys/kernel/tainted) & broken)) -ne 0 ] ||
	grep -q '^rbmap ' /proc/modules; then
	echo "Bail out! another fault has tainted the kernel, or rbmap is still loaded"
	exit 1
fi
echo 0 >/sys/kernel/rcu_expedited
cp "/modules/try/$1.ko" /modules/rbmap.ko
echo "# begins"
exec "$2"
