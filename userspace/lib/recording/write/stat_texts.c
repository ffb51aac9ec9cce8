// SPDX-License-Identifier: LGPL-2.1-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_devices.h"
#include "recording/dat_times.h"
#include "stat_texts.h"

#define NUMBERS_SIZE	32	/* bytes of " PID:PID" */
#define QUOTA_SIZE	96	/* bytes of a line with a quota, without the path, and of the head */

/* Quotas are few beside the tasks: if they have no room, tasks have none. */
static void add_quotas(const struct dat_cgroups *cgroups, struct buf *out, size_t limit)
{
	for (unsigned int i = 0; i < dat_cgroups_count(cgroups); i++) {
		const struct dat_quota *quota = dat_cgroups_own_quota(cgroups, dat_cgroups_path(cgroups, i));

		if (!quota || out->size + strlen(quota->cgroup) + QUOTA_SIZE > limit)
			continue;
		if (!out->size)
			buf_printf(out, "%s", DAT_CGROUPS_HEAD);
		if (quota->quota == DAT_QUOTA_MAX)
			buf_printf(out, "quota max");
		else
			buf_printf(out, "quota %" PRIu64, quota->quota);
		buf_printf(out, " %" PRIu64 " %s\n", quota->period, quota->cgroup);
	}
}

void dat_times_print(const struct dat_times *times, struct buf *out)
{
	struct dat_times copy = *times;
	bool titled = false;

	for (unsigned int i = 0; i < DAT_NR_MOMENTS; i++) {
		const struct rbmap_moment *m = dat_times_moment(&copy, i);

		if (!m->real)
			continue;
		if (!titled)
			buf_printf(out, DAT_TIMES_TITLE);
		titled = true;
		buf_printf(out, "%s: ring %" PRIu64 " real %" PRIu64 " boot %" PRIu64
			   " tai %" PRId64 " error %" PRIu64 "\n", dat_moment_names[i], m->ring,
			   m->real, m->boot, m->tai_offset, m->error);
	}
	if (titled && times->reason[0])
		buf_printf(out, DAT_TIMES_REASON "%s\n", times->reason);
}

size_t cgroups_text(const struct dat_cgroups *cgroups, struct buf *out, size_t limit)
{
	const struct dat_task **sorted;
	const char *cgroup = NULL;
	size_t nr, left_out = 0;

	add_quotas(cgroups, out, limit);
	sorted = dat_cgroups_sorted(cgroups, &nr);
	for (size_t i = 0; sorted && i < nr; i++) {
		const struct dat_task *task = sorted[i];

		if (out->size + strlen(task->cgroup) + NUMBERS_SIZE + sizeof(DAT_CGROUPS_HEAD) >
		    limit) {
			left_out++;
			continue;
		}
		if (!out->size)
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

#define LINE_SIZE	(DAT_DEVICE_NAME + 16)	/* "4095:1048575 NAME\n" and a 0 byte */

size_t devices_text(const struct dat_devices *devices, struct buf *out, size_t limit)
{
	size_t begin = out->size, nr = dat_devices_count(devices);

	for (size_t i = 0; i < nr; i++) {
		uint32_t dev = dat_devices_number(devices, i);

		if (out->size - begin + sizeof(DAT_DEVICES_HEAD) + LINE_SIZE > limit)
			return nr - i;
		if (!i)
			buf_printf(out, "%s", DAT_DEVICES_HEAD);
		buf_printf(out, "%u:%u %s\n", DAT_DEV_MAJOR(dev), DAT_DEV_MINOR(dev),
			   dat_devices_name(devices, dev));
	}
	return 0;
}
