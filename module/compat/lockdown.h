/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel lockdown, where the kernel tells modules. */
#ifndef RBMAP_COMPAT_LOCKDOWN_H
#define RBMAP_COMPAT_LOCKDOWN_H

#include <linux/security.h>

#include "compat.h"

#ifdef RBMAP_HAVE_LOCKDOWN_TRACEFS

#ifdef CONFIG_SECURITY
/*
 * A kernel that does not export the function loads the module nevertheless.  The
 * address is in data, because code of arm64 finds weak functions in a table that
 * modules do not have.  Volatile stops the compiler from using the function directly.
 */
extern typeof(security_locked_down) security_locked_down __weak;
static typeof(security_locked_down) *const volatile rbmap_kernels_lockdown =
	security_locked_down;
#define rbmap_lockdown_known()	(rbmap_kernels_lockdown != NULL)
#else
#define rbmap_kernels_lockdown	security_locked_down
#define rbmap_lockdown_known()	true
#endif

/* Ask with the reason that tracefs has. */
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
