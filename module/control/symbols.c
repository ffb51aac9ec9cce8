// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of functions, for addresses in events.  The table of all symbols has megabytes, of
 * which a recording uses a few hundred bytes.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "lib/access.h"
#include "symbols.h"

/* Return the bytes of the text, with its 0 byte; of an address without a symbol, 1. */
static size_t rbmap_symbol_print(char *text, u64 address)
{
	size_t len = 0;

	if (address == (unsigned long)address)
		len = scnprintf(text, KSYM_SYMBOL_LEN, "%pS", (void *)(unsigned long)address);
	/* %pS prints an address without a symbol as a number. */
	text[len] = 0;
	if (!strchr(text, '+'))
		len = 0;
	text[len] = 0;
	return len + 1;
}

static long rbmap_symbols_print(const struct rbmap_symbols *symbols, char *text)
{
	const u64 __user *from = u64_to_user_ptr(symbols->addresses);
	u8 __user *to = u64_to_user_ptr(symbols->text);
	u32 nr = min_t(u32, symbols->nr, RBMAP_SYMBOLS_MAX);
	u32 left = symbols->size;
	size_t len;
	u64 address;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (copy_from_user(&address, from + i, sizeof(address)))
			return -EFAULT;
		len = rbmap_symbol_print(text, address);
		if (len > left)
			break;
		if (copy_to_user(to, text, len))
			return -EFAULT;
		to += len;
		left -= len;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return nr && !i ? -ENOSPC : i;
}

/**
 * rbmap_symbols_resolve - give the names of functions for addresses
 * @symbols: copy of the argument of RBMAP_IOCTL_SYMBOLS
 *
 * For a group these names would be an oracle: they tell which addresses the kernel's
 * functions have.  So the rights are those that show addresses.
 *
 * Context: may sleep; no lock is held.
 * Return: number of addresses at the beginning that were handled; -EPERM; -EFAULT; -ENOSPC
 * if the text of the first one does not fit; -ENOMEM; -EINTR.
 */
long rbmap_symbols_resolve(const struct rbmap_symbols *symbols)
{
	char *text;
	long ret = rbmap_locked_down();

	if (ret)	/* step: locked_down */
		return ret;
	if (!rbmap_may_see_addresses())
		return -EPERM;
	text = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	ret = rbmap_symbols_print(symbols, text);
	kfree(text);
	return ret;
}
