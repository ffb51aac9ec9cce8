/* SPDX-License-Identifier: GPL-2.0-only */
/* Access rights: the group, kernel lockdown, and addresses of the kernel. */
#ifndef RBMAP_ACCESS_H
#define RBMAP_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <rbmap/event.h>	/* rbmap_address_hide() */

void rbmap_access_init(void);

int rbmap_locked_down(void);
bool rbmap_lockdown_respected(void);
kgid_t rbmap_access_gid(void);
bool rbmap_addresses_shown(void);
bool rbmap_may_see_addresses(void);

#endif /* RBMAP_ACCESS_H */
