# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2034 # online is for the tests
#
# For tests in the guest that bring CPU 1 online without memory for its ring: .
# /tests/lib/cpu1.sh, after guest.sh

online=/sys/devices/system/cpu/cpu1/online
rb=/sys/kernel/rbmap

# counted KEY: prints a counter of CPU 1
counted()
{
	awk -F ': *' -v key="$1" '$1 == key { print $2 }' $rb/per_cpu/cpu1/stats
}

# on_cpu1 N: writes N events on CPU 1
on_cpu1()
{
	taskset 2 sh -c "i=0; while [ \$i -lt $1 ]; do echo x >/dev/rbmap/marker; i=\$((i + 1)); done" 2>/dev/null
}

# share TENTHS: prints so many tenths of the free memory
share()
{
	echo $(($(meminfo_kb MemAvailable) * $1 / 10))
}
