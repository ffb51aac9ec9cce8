// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of isolation are numbers (enum hk_type); before they were bits. */
#include <linux/sched/isolation.h>

int domain = HK_TYPE_DOMAIN;
