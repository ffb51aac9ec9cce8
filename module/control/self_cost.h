/* SPDX-License-Identifier: GPL-2.0-only */
/* The file self_cost. */
#ifndef RBMAP_CONTROL_SELF_COST_H
#define RBMAP_CONTROL_SELF_COST_H

#include <linux/kobject.h>

int rbmap_control_self_cost_init(struct kobject *root);

#endif /* RBMAP_CONTROL_SELF_COST_H */
