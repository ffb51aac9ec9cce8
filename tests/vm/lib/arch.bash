# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # for whoever reads this file
#
# Settings for the architecture of a guest. amd64 is the architecture of this machine.

# set_arch ARCHITECTURE, in Debian's words. Sets arch and
#
#     triplet                 name of the compiler's target and of the library folder
#     cross                   prefix of the names of compiler and binutils
#     elf_machine             a word of its name in readelf's output
#     kmake                   arguments for the kernel's build system
#     emulator, machine, cpu  QEMU's
#     console, results        the guest's serial ports, for the log and the tests
#     kernel_args             kernel parameters for every kernel
#
# On a busy machine a guest may find its clock unstable and switch to another clock, by
# patching its code. QEMU 7.2, with a thread for each processor, has executed the
# patching breakpoint after it was removed. So the guest is told to trust its clock.
set_arch()
{
	arch=$1
	case $arch in
	amd64)
		triplet=x86_64-linux-gnu cross='' kmake='' elf_machine=X86-64
		emulator=qemu-system-x86_64 machine=q35 cpu=max
		console=ttyS0 results=ttyS1 kernel_args=tsc=reliable
		;;
	arm64)
		triplet=aarch64-linux-gnu cross=$triplet- elf_machine=AArch64
		kmake="ARCH=arm64 CROSS_COMPILE=$cross"
		# A processor with pages of 16 KiB and without pointer authentication,
		# which costs the emulator most of its time.
		emulator=qemu-system-aarch64 machine=virt,gic-version=3 cpu=neoverse-n1
		console=ttyAMA0 results=ttyS0 kernel_args=
		;;
	*) die "unknown architecture '$arch' (known: amd64 arm64)" ;;
	esac
}

# arch_of FLAVOUR: prints the architecture of a kernel's flavour
arch_of()
{
	case $1 in
	arm64*) echo arm64 ;;
	*) echo amd64 ;;
	esac
}
