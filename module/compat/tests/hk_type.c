// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kinds of isolation are numbers (enum hk_type). They were bits before.
 * Linux 5.18: 04d4e665a609 ("sched/isolation: Use single feature type while referring
 * to housekeeping cpumask")
 */
#include <linux/sched/isolation.h>

int hk_type_domain = HK_TYPE_DOMAIN;
