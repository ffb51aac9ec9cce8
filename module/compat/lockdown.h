/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel lockdown, where the kernel tells modules. */
#ifndef RBMAP_COMPAT_LOCKDOWN_H
#define RBMAP_COMPAT_LOCKDOWN_H

#include <linux/security.h>

#include "compat.h"

#ifdef RBMAP_HAVE_LOCKDOWN_TRACEFS

#ifdef CONFIG_SECURITY
/*
 * A kernel that does not export it loads the module nevertheless.  Only data has
 * the address: for that of a weak function, code of arm64 wants a table that
 * modules do not have.  Volatile keeps the compiler from looking through it.
 */
extern typeof(security_locked_down) security_locked_down __weak;
static typeof(security_locked_down) *const volatile rbmap_kernels_lockdown =
	security_locked_down;
#define rbmap_lockdown_known()	(rbmap_kernels_lockdown != NULL)
#else
#define rbmap_kernels_lockdown	security_locked_down
#define rbmap_lockdown_known()	true
#endif

/* As tracefs asks. */
static inline int rbmap_lockdown_ask(void)
{
	return rbmap_lockdown_known() ?
		       rbmap_kernels_lockdown(LOCKDOWN_TRACEFS) : 0;
}

#else

#define rbmap_lockdown_known()	false

static inline int rbmap_lockdown_ask(void)
{
	return 0;
}

#endif

#endif /* RBMAP_COMPAT_LOCKDOWN_H */
