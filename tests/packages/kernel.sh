# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash
#
# Functions for kernels of which a system has only the headers. Source it:
# . /tests/lib/kernel.sh

# module_of KERNEL [NAME]: print the path of the module rbmap, or of the module NAME, that
# DKMS has installed. modprobe finds a module only if the kernel itself is installed.
module_of()
{
	find "/lib/modules/$1/updates/dkms" -name "${2:-rbmap}.ko*"
}

# remove_kernel KERNEL: remove the headers, and run what the kernel's package would run
remove_kernel()
{
	run-parts --arg="$1" /etc/kernel/prerm.d && apt-get -y purge "linux-headers-$1"
}
