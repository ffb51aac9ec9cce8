/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap top --batch: text or JSON for files and pipes. */
#ifndef RBMAP_CLI_TOP_BATCH_H
#define RBMAP_CLI_TOP_BATCH_H

#include <stdint.h>

#include "layout.h"

/* Print a picture with at most @most rows and an empty line. 0: all rows */
void batch_text(const struct picture *picture, uint64_t most);

/*
 * Print an interval as a line of JSON, with the rows by event, task and CPU. Return false
 * if memory is lacking.
 */
bool batch_json(const struct sample *sample, const struct counts *counts,
		const struct row_names *names);

#endif /* RBMAP_CLI_TOP_BATCH_H */
