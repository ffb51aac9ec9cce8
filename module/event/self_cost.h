/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time that a built-in probe takes, from its first instruction until after the
 * commit.
 */
#ifndef RBMAP_SELF_COST_H
#define RBMAP_SELF_COST_H

#include <linux/jump_label.h>
#include <linux/types.h>
#include <rbmap/ring/rare.h>

DECLARE_STATIC_KEY_FALSE(rbmap_self_cost_key);

void rbmap_self_cost_start(void);
void rbmap_self_cost_stop(void);

/* When off, each is one no-op instruction, and nothing is kept between the two. */
static __always_inline void rbmap_self_cost_begin(void)
{
	if (static_branch_unlikely(&rbmap_self_cost_key))
		rb_rare_call0(rbmap_self_cost_start);
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

/* Write to a page, from offset @len on.  Return the number of bytes added. */
int rbmap_self_cost_summary(int cpu, char *page, int len);
int rbmap_self_cost_histogram(int cpu, char *page);

#endif /* RBMAP_SELF_COST_H */
