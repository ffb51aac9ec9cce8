/* SPDX-License-Identifier: GPL-2.0-only */
/* The file lockdown. */
#ifndef RBMAP_CONTROL_ACCESS_H
#define RBMAP_CONTROL_ACCESS_H

#include <linux/kobject.h>

int rbmap_control_access_init(struct kobject *root);

#endif /* RBMAP_CONTROL_ACCESS_H */
