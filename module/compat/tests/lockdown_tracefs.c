// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that is locked down says whether tracefs may be used. */
#include <linux/security.h>

int locked_down(void);
int locked_down(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}
