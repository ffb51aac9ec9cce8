/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for RCU that interrupt processors, instead of waiting for them. */
#ifndef RBMAP_COMPAT_RCU_H
#define RBMAP_COMPAT_RCU_H

typedef void rbmap_expedite_fn(void);

/*
 * The kernel exports these, but has them in a header of its own.  A kernel without them loads
 * the module nevertheless.  The addresses are in data for the reason that lockdown.h gives.
 */
extern rbmap_expedite_fn rcu_expedite_gp __weak;
extern rbmap_expedite_fn rcu_unexpedite_gp __weak;

static void (*const volatile rbmap_kernels_expedite)(void) = rcu_expedite_gp;
static void (*const volatile rbmap_kernels_unexpedite)(void) = rcu_unexpedite_gp;

/* Let all waits for RCU be short until rbmap_rcu_unexpedite(), also those of the kernel. */
static inline void rbmap_rcu_expedite(void)
{
	if (rbmap_kernels_expedite && rbmap_kernels_unexpedite)
		rbmap_kernels_expedite();
}

static inline void rbmap_rcu_unexpedite(void)
{
	if (rbmap_kernels_expedite && rbmap_kernels_unexpedite)
		rbmap_kernels_unexpedite();
}

#endif /* RBMAP_COMPAT_RCU_H */
