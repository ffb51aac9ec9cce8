// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cgroups_text.h"
#include "recording/dat_cgroups.h"

#define NUMBERS_SIZE	32	/* bytes of " PID:PID" */

size_t cgroups_text(const struct dat_cgroups *cgroups, struct buf *out, size_t limit)
{
	const struct dat_task **sorted;
	const char *cgroup = NULL;
	size_t nr, left_out = 0;

	sorted = dat_cgroups_sorted(cgroups, &nr);
	for (size_t i = 0; sorted && i < nr; i++) {
		const struct dat_task *task = sorted[i];

		if (out->size + strlen(task->cgroup) + NUMBERS_SIZE + sizeof(DAT_CGROUPS_HEAD) >
		    limit) {
			left_out++;
			continue;
		}
		if (!cgroup)
			buf_printf(out, "%s", DAT_CGROUPS_HEAD);
		if (cgroup != task->cgroup)
			buf_printf(out, "%s%s:", cgroup ? "\n" : "", task->cgroup);
		cgroup = task->cgroup;
		buf_printf(out, " %d", task->pid);
		if (task->ns_pid && task->ns_pid != task->pid)
			buf_printf(out, ":%d", task->ns_pid);
	}
	/* The text ends with a newline, and its 0 byte is added with the option. */
	if (cgroup)
		buf_add(out, "\n", 1);
	free(sorted);
	return left_out;
}
