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
 * What is not the kernel's own is refused here, before anything looks at it: not
 * each kernel does so itself, and arm64 gives addresses of user space another
 * kind of fault.  There the uppermost byte may be a tag.  On x86 the page of
 * vsyscall is user space's, too; and an address that page tables of four levels
 * do not have is one of five to the kernel, if the processor can do five: then
 * it warns of what it gets.
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
 * @to: where to
 * @from: address of the kernel, or anything else
 * @size: bytes
 *
 * Context: any, NMI included.
 * Return: whether all is there; if not, some of @to may be written.
 */
static inline bool rbmap_read_nofault(void *to, unsigned long from, size_t size)
{
	if (!rbmap_is_kernels(from, size))
		return false;
	/*
	 * Whoever owns the memory may write it meanwhile: one word is the old or
	 * the new, and of more the caller expects nothing.  And the kernel counts
	 * in `current` that no page fault may be served; an interrupt that reads
	 * as well leaves the count as it was.
	 */
	return !data_race(copy_from_kernel_nofault(to, (const void *)from, size));
}

#endif /* RBMAP_COMPAT_NOFAULT_H */
