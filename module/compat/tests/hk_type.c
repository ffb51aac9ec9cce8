// SPDX-License-Identifier: GPL-2.0-only
/* What a CPU is isolated from has a number each; it was a bit before. */
#include <linux/sched/isolation.h>

int domain = HK_TYPE_DOMAIN;
