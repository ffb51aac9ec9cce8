/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of foreign events. */
#ifndef RBMAP_SOURCE_FOREIGN_RECORD_H
#define RBMAP_SOURCE_FOREIGN_RECORD_H

#include <linux/perf_event.h>

int rbmap_foreign_rooms_create(void);
void rbmap_foreign_rooms_free(void);
void rbmap_foreign_overflow(struct perf_event *perf_event, struct perf_sample_data *data,
			    struct pt_regs *regs);

#endif /* RBMAP_SOURCE_FOREIGN_RECORD_H */
