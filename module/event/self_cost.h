/* SPDX-License-Identifier: GPL-2.0-only */
/* What a built-in probe takes, from its first instruction to behind the commit. */
#ifndef RBMAP_SELF_COST_H
#define RBMAP_SELF_COST_H

#include <linux/jump_label.h>
#include <linux/types.h>

DECLARE_STATIC_KEY_FALSE(rbmap_self_cost_key);

void rbmap_self_cost_start(void);
void rbmap_self_cost_stop(void);

/* Off, they are two instructions that do nothing: nothing is kept in between. */
static __always_inline void rbmap_self_cost_begin(void)
{
	if (static_branch_unlikely(&rbmap_self_cost_key))
		rbmap_self_cost_start();
}

static __always_inline void rbmap_self_cost_end(void)
{
	if (static_branch_unlikely(&rbmap_self_cost_key))
		rbmap_self_cost_stop();
}

int rbmap_self_cost_init(void);
void rbmap_self_cost_exit(void);
int rbmap_self_cost_set(bool on);
bool rbmap_self_cost_is_on(void);

/* Into a page, from @len on; the new length less @len. */
int rbmap_self_cost_summary(int cpu, char *page, int len);
int rbmap_self_cost_histogram(int cpu, char *page);

#endif /* RBMAP_SELF_COST_H */
