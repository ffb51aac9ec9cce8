// SPDX-License-Identifier: LGPL-2.1-only
/* Open a recording with its tables of formats and of names, as rbmap.h describes. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "dat_cgroups.h"
#include "dat_devices.h"
#include "dat_read.h"
#include "dat_reader.h"

/* An invalid format makes one kind of event unreadable. The others are not affected. */
static int add_formats(struct rbmap_recording *r)
{
	uint32_t *invalid = &r->damage_of_heads.formats;
	int ret = rbmap_formats_new(&r->formats);

	if (ret)
		return ret;
	for (size_t i = 0; i < r->nr_formats; i++) {
		const struct dat_text *t = &r->format[i];

		ret = rbmap_formats_add(r->formats, t->system, t->text, t->size);
		if (ret == -ENOMEM)
			return ret;
		*invalid += ret != 0;
	}
	r->damage.formats = *invalid;
	return 0;
}

static void add_comm(void *data, int pid, const char *name)
{
	struct rbmap_recording *r = data;
	size_t nr = r->nr_comms;

	if (r->out_of_memory)
		return;
	if (!array_grow(r->comm, nr)) {
		r->out_of_memory = true;
		return;
	}
	r->comm[r->nr_comms++] = (struct recorded_comm){ pid, nr, name };
}

static int compare_comms(const void *a, const void *b)
{
	const struct recorded_comm *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int add_comms(struct rbmap_recording *r)
{
	dat_each_comm(r, add_comm, r);
	if (r->out_of_memory)
		return -ENOMEM;
	if (r->nr_comms)
		qsort(r->comm, r->nr_comms, sizeof(*r->comm), compare_comms);
	return 0;
}

/* Take over a recording that was opened with this result. */
static int add_tables(struct rbmap_recording **recording, struct rbmap_recording *r, int error)
{
	if (!error)
		error = add_formats(r);
	if (!error)
		error = add_comms(r);
	if (error)
		rbmap_recording_close(r);
	else
		*recording = r;
	return error;
}

RBMAP_API int rbmap_recording_open(struct rbmap_recording **recording, const char *path,
				   unsigned int flags)
{
	struct rbmap_recording *r = NULL;
	int error = flags ? -EINVAL : dat_open(&r, path);

	return add_tables(recording, r, error);
}

RBMAP_API int rbmap_recording_open_fd(struct rbmap_recording **recording, int fd,
				      unsigned int flags)
{
	struct rbmap_recording *r = NULL;
	int error;

	if (flags) {
		close(fd);
		return -EINVAL;
	}
	error = dat_open_fd(&r, fd);
	return add_tables(recording, r, error);
}

RBMAP_API const struct rbmap_formats *rbmap_recording_formats(const struct rbmap_recording *r)
{
	return r->formats;
}

/* The last name of a pid is the valid one. */
RBMAP_API const char *rbmap_recording_comm(const struct rbmap_recording *r, int pid)
{
	size_t low = 0, high = r->nr_comms;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->comm[middle].pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low && r->comm[low - 1].pid == pid ? r->comm[low - 1].name : NULL;
}

static const struct dat_task *find_task(const struct rbmap_recording *r, int pid)
{
	const struct dat_cgroups *cgroups = dat_cgroups(r);

	return cgroups && pid > 0 ? dat_cgroups_find(cgroups, pid) : NULL;
}

RBMAP_API const char *rbmap_recording_cgroup(const struct rbmap_recording *r, int pid)
{
	const struct dat_task *task = find_task(r, pid);

	return task ? task->cgroup : NULL;
}

RBMAP_API int rbmap_recording_ns_pid(const struct rbmap_recording *r, int pid)
{
	const struct dat_task *task = find_task(r, pid);

	return task ? task->ns_pid : 0;
}

RBMAP_API const char *rbmap_recording_device(const struct rbmap_recording *r, uint32_t dev)
{
	return dat_devices_name(dat_devices(r), dev);
}

RBMAP_API const char *rbmap_recording_host(const struct rbmap_recording *r, unsigned int cpu)
{
	const struct dat_host *host = cpu < r->nr_cpus ? dat_hosts_of_cpu(dat_hosts(r), cpu) : NULL;

	return host ? host->name : NULL;
}

RBMAP_API const struct rbmap_moment *rbmap_recording_moment(const struct rbmap_recording *r,
							    enum rbmap_moment_id id)
{
	const struct rbmap_moment *const moments[] = {
		[RBMAP_MOMENT_BEGIN] = &r->times.begin,
		[RBMAP_MOMENT_TRIGGER] = &r->times.trigger,
		[RBMAP_MOMENT_END] = &r->times.end,
	};

	return (unsigned int)id <= RBMAP_MOMENT_END && moments[id]->real ? moments[id] : NULL;
}

RBMAP_API const char *rbmap_recording_reason(const struct rbmap_recording *r)
{
	return *r->times.reason ? r->times.reason : NULL;
}
