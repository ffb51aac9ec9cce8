/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of a line before the name of the event. Each function appends one. */
#ifndef RBMAP_CLI_COLUMNS_H
#define RBMAP_CLI_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/rbmap.h>

#include "common/buf.h"

/* The name of the thread, its pid and the CPU: "            bash-1234  [001]". */
void columns_add_task(const char *comm, int pid, unsigned int pid_width, int cpu,
		      struct buf *out);

/* Interrupts off, need resched, context, preemption off, migration off: "d..1.". */
void columns_add_flags(const struct rbmap_event_common *common, struct buf *out);

/* The time in ns as seconds, " 1234.567890: ", or a counter as it is. */
void columns_add_time(uint64_t ts, bool is_counter, struct buf *out);

#endif /* RBMAP_CLI_COLUMNS_H */
