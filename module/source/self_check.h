/* SPDX-License-Identifier: GPL-2.0-only */
/* Does this kernel fill records as the sources of its events expect? */
#ifndef RBMAP_SOURCE_SELF_CHECK_H
#define RBMAP_SOURCE_SELF_CHECK_H

#include <linux/types.h>

#include "kernel_event.h"
#include "record_layout.h"

/* Number in records of the check; it is not that of an alias, and no event has it. */
#define RBMAP_CHECK_NUMBER	(RBMAP_ALIAS_FIRST - RBMAP_ALIASES_MAX)

/* Calls that rbmap_self_check() makes if nothing is wrong */
#define RBMAP_CHECK_CALLS	2

const char *rbmap_self_check(void *probe, void *call, u16 number, unsigned int preempt,
			     const struct rbmap_record_layout *layout);

#endif /* RBMAP_SOURCE_SELF_CHECK_H */
