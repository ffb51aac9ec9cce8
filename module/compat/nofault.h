/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of the kernel that may not be there. */
#ifndef RBMAP_COMPAT_NOFAULT_H
#define RBMAP_COMPAT_NOFAULT_H

#include <linux/uaccess.h>
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#include <asm/page.h>
#include <uapi/asm/vsyscall.h>
#endif

#include "compat.h"

/*
 * Refuse addresses that are not the kernel's before reading them.  Not every kernel
 * does so itself, and on arm64 an address of user space causes another kind of fault.
 * On arm64 the uppermost byte may be a tag.  On x86 the vsyscall page belongs to user
 * space as well.  If the processor supports page tables of five levels and the kernel
 * uses four, the kernel takes a non-canonical address for a valid one, and warns about
 * the fault.
 */
static inline bool rbmap_is_kernels(unsigned long address, size_t size)
{
	unsigned long last = address + size - 1;

	if (last < address)
		return false;
#if defined(CONFIG_ARM64)
	return address >> 55 & 1;
#elif defined(CONFIG_X86_64) && !defined(CONFIG_UML)
	return (long)address >> __VIRTUAL_MASK_SHIFT == -1 &&
	       (address >= VSYSCALL_ADDR + PAGE_SIZE || last < VSYSCALL_ADDR);
#else
	return (long)address < 0;
#endif
}

/**
 * rbmap_read_nofault - copy from memory that may not be there
 * @to: destination
 * @from: any number; only an address of the kernel is read
 * @size: number of bytes
 *
 * Context: any, NMI included.
 * Return: true if all bytes were copied; false if not, and some of @to may be written.
 */
static inline bool rbmap_read_nofault(void *to, unsigned long from, size_t size)
{
	if (!rbmap_is_kernels(from, size))
		return false;
	/*
	 * The owner of the memory may write to it meanwhile: a word is the old or
	 * the new one, and the caller expects no more.  The kernel counts in
	 * `current` that page faults are disabled; an interrupt that reads as well
	 * restores the count.
	 */
	return !data_race(copy_from_kernel_nofault(to, (const void *)from, size));
}

#endif /* RBMAP_COMPAT_NOFAULT_H */
