// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel lockdown has a reason for tracefs.
 * Linux 5.4: ccbd54ff54e8 ("tracefs: Restrict tracefs when the kernel is locked down")
 */
#include <linux/security.h>

int lockdown_tracefs_locked_down(void);
int lockdown_tracefs_locked_down(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}
