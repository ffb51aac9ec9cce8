/* SPDX-License-Identifier: GPL-2.0-only */
/* The file dynamic_events. */
#ifndef RBMAP_CONTROL_DYNAMIC_EVENTS_H
#define RBMAP_CONTROL_DYNAMIC_EVENTS_H

#include <linux/kobject.h>

/*
 * The file is removed with its directory.  The exit function is called after that.
 */
int rbmap_control_dynamic_init(struct kobject *root);
void rbmap_control_dynamic_exit(void);

#endif /* RBMAP_CONTROL_DYNAMIC_EVENTS_H */
