# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for whoever reads this file
#
# What depends on the architecture of a guest. amd64 is this machine's.

# set_arch ARCHITECTURE, in Debian's words. Sets arch and
#   triplet  what its compiler and its libraries are called by
#   cross    what comes before the names of compiler and binutils
#   kmake    what the kernel's build system is to be told
#   emulator, machine, cpu  QEMU's
#   console, results        the guest's serial ports, for the log and the tests
#   kernel_args             what its kernel is told, whichever it is
#
# While this machine is busy a guest may find its clock unstable, and goes over to
# another by patching its code. QEMU 7.2, with a thread for each processor, has
# executed the breakpoint of that when it was gone. So it is told to trust its clock.
set_arch()
{
	arch=$1
	case $arch in
	amd64)
		triplet=x86_64-linux-gnu cross='' kmake=''
		emulator=qemu-system-x86_64 machine=q35 cpu=max
		console=ttyS0 results=ttyS1 kernel_args=tsc=reliable
		;;
	arm64)
		triplet=aarch64-linux-gnu cross=$triplet-
		kmake="ARCH=arm64 CROSS_COMPILE=$cross"
		# A processor that has pages of 16 KiB, and no signed pointers, which
		# take the emulator most of its time.
		emulator=qemu-system-aarch64 machine=virt,gic-version=3 cpu=neoverse-n1
		console=ttyAMA0 results=ttyS0 kernel_args=
		;;
	*) die "unknown architecture '$arch' (known: amd64 arm64)" ;;
	esac
}

# arch_of FLAVOUR of a kernel
arch_of()
{
	case $1 in
	arm64*) echo arm64 ;;
	*) echo amd64 ;;
	esac
}
