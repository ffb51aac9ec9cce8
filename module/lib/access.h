/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may see what: a group, kernel lockdown, and addresses of the kernel. */
#ifndef RBMAP_ACCESS_H
#define RBMAP_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <rbmap/event.h>	/* rbmap_addresses_shown(), rbmap_address_hide() */

struct kobject;

void rbmap_access_init(void);

int rbmap_locked_down(void);
kgid_t rbmap_access_gid(void);

/* The files of /sys/kernel/rbmap that tell. */
int rbmap_access_files(struct kobject *root);

#endif /* RBMAP_ACCESS_H */
