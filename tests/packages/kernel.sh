# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Kernels of a system that has the headers alone: . /tests/lib/kernel.sh

# module_of KERNEL: what DKMS has installed. modprobe finds it when the kernel itself
# is there.
module_of()
{
	find "/lib/modules/$1/updates/dkms" -name 'rbmap.ko*'
}

# remove_kernel KERNEL: with what the kernel's package would do, as it is removed
remove_kernel()
{
	run-parts --arg="$1" /etc/kernel/prerm.d && apt-get -y purge "linux-headers-$1"
}
