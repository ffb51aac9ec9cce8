/* SPDX-License-Identifier: GPL-2.0-only */
/* The listeners of aliases: a perf event for each CPU. */
#ifndef RBMAP_SOURCE_HOLDERS_H
#define RBMAP_SOURCE_HOLDERS_H

#include <linux/percpu.h>

struct hlist_head;

int rbmap_holders_start(void);
void rbmap_holders_stop(void);
struct hlist_head __percpu *rbmap_holders_list(void);

#endif /* RBMAP_SOURCE_HOLDERS_H */
