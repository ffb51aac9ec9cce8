// SPDX-License-Identifier: LGPL-2.1-only
/* The functions of rbmap.h that read recordings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "base/array.h"
#include "dat_cgroups.h"
#include "dat_comms.h"
#include "dat_devices.h"
#include "dat_read.h"

#define NR_MOMENTS	(RBMAP_MOMENT_END + 1)

struct comm {
	int pid;
	unsigned int order;	/* place in the table */
	const char *name;
};

struct rbmap_recording {
	struct dat_reader *reader;
	struct rbmap_formats *formats;
	struct comm *comm;		/* sorted by pid and order */
	size_t nr_comms;
	bool out_of_memory;
	struct rbmap_moment moment[NR_MOMENTS];
	struct rbmap_damage damage;
};

/* An invalid format makes one kind of event unreadable. The others are not affected. */
static int add_formats(struct rbmap_recording *r)
{
	const struct dat_text *text;
	size_t nr = dat_formats(r->reader, &text);
	int ret;

	for (size_t i = 0; i < nr; i++) {
		ret = rbmap_formats_add(r->formats, text[i].system, text[i].text, text[i].size);
		if (ret == -ENOMEM)
			return ret;
		r->damage.formats += ret != 0;
	}
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
	r->comm[r->nr_comms++] = (struct comm){ pid, nr, name };
}

static int compare_comms(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int add_comms(struct rbmap_recording *r)
{
	dat_each_comm(r->reader, add_comm, r);
	if (r->out_of_memory)
		return -ENOMEM;
	if (r->nr_comms)
		qsort(r->comm, r->nr_comms, sizeof(*r->comm), compare_comms);
	return 0;
}

static void add_moment(struct rbmap_moment *to, const struct dat_moment *from)
{
	*to = (struct rbmap_moment){
		.ring = from->ring, .real = from->real, .boot = from->boot,
		.tai_offset = from->tai_offset, .error = from->error,
	};
}

static int read_heads(struct rbmap_recording *r)
{
	const struct dat_times *times = dat_times(r->reader);
	int ret = rbmap_formats_new(&r->formats);

	if (!ret)
		ret = add_formats(r);
	if (!ret)
		ret = add_comms(r);
	add_moment(&r->moment[RBMAP_MOMENT_BEGIN], &times->begin);
	add_moment(&r->moment[RBMAP_MOMENT_TRIGGER], &times->trigger);
	add_moment(&r->moment[RBMAP_MOMENT_END], &times->end);
	return ret;
}

RBMAP_API void rbmap_recording_close(struct rbmap_recording *r)
{
	if (!r)
		return;
	rbmap_formats_free(r->formats);
	if (r->reader)
		dat_close(r->reader);
	free(r->comm);
	free(r);
}

/* Take over the result of an attempt to open a file, which may have failed. */
static int finish_open(struct rbmap_recording **recording, struct rbmap_recording *r, int error)
{
	if (!error)
		error = read_heads(r);
	if (error)
		rbmap_recording_close(r);
	else
		*recording = r;
	return error;
}

RBMAP_API int rbmap_recording_open(struct rbmap_recording **recording, const char *path,
				   unsigned int flags)
{
	struct rbmap_recording *r;

	if (flags)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	return finish_open(recording, r, dat_open(&r->reader, path));
}

RBMAP_API int rbmap_recording_open_fd(struct rbmap_recording **recording, int fd,
				      unsigned int flags)
{
	struct rbmap_recording *r = flags ? NULL : calloc(1, sizeof(*r));

	if (!r) {
		close(fd);
		return flags ? -EINVAL : -ENOMEM;
	}
	return finish_open(recording, r, dat_open_fd(&r->reader, fd));
}

RBMAP_API int rbmap_recording_next(struct rbmap_recording *r, struct rbmap_event *ev)
{
	return dat_next(r->reader, ev);
}

RBMAP_API int rbmap_recording_next_subbuf(struct rbmap_recording *r, unsigned int cpu,
					  struct rbmap_subbuf *sb)
{
	return cpu < dat_cpus(r->reader) ? dat_next_subbuf(r->reader, cpu, sb) : 0;
}

RBMAP_API unsigned int rbmap_recording_buffers(const struct rbmap_recording *r)
{
	return dat_buffers(r->reader);
}

RBMAP_API const char *rbmap_recording_buffer_name(const struct rbmap_recording *r,
						  unsigned int buffer)
{
	return buffer < dat_buffers(r->reader) ? dat_buffer_name(r->reader, buffer) : NULL;
}

RBMAP_API unsigned int rbmap_recording_buffer_cpus(const struct rbmap_recording *r,
						   unsigned int buffer)
{
	if (buffer >= dat_buffers(r->reader) || !dat_buffer_has_data(r->reader, buffer))
		return 0;
	return dat_buffer_cpus(r->reader, buffer);
}

RBMAP_API unsigned int rbmap_recording_event_buffer(const struct rbmap_recording *r)
{
	return dat_event_buffer(r->reader);
}

RBMAP_API int rbmap_recording_choose_buffer(struct rbmap_recording *r, unsigned int buffer)
{
	if (buffer >= dat_buffers(r->reader))
		return -EINVAL;
	dat_choose_buffer(r->reader, buffer);
	return 0;
}

RBMAP_API uint64_t rbmap_recording_correct(const struct rbmap_recording *r, unsigned int cpu,
					   uint64_t ts)
{
	return dat_corrected(r->reader, cpu, ts);
}

RBMAP_API int rbmap_recording_is_dated(const struct rbmap_recording *r)
{
	return dat_is_dated(r->reader);
}

RBMAP_API void rbmap_recording_rewind(struct rbmap_recording *r)
{
	dat_rewind(r->reader);
}

RBMAP_API uint64_t rbmap_recording_lost_last(const struct rbmap_recording *r, unsigned int cpu)
{
	return cpu < dat_cpus(r->reader) ? dat_lost_last(r->reader, cpu) : 0;
}

RBMAP_API double rbmap_recording_done(const struct rbmap_recording *r)
{
	return dat_done(r->reader);
}

RBMAP_API const struct rbmap_formats *rbmap_recording_formats(const struct rbmap_recording *r)
{
	return r->formats;
}

RBMAP_API unsigned int rbmap_recording_cpus(const struct rbmap_recording *r)
{
	return dat_cpus(r->reader);
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
	const struct dat_cgroups *cgroups = dat_cgroups(r->reader);

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
	return dat_devices_name(dat_devices(r->reader), dev);
}

RBMAP_API const char *rbmap_recording_clock(const struct rbmap_recording *r)
{
	return dat_clock(r->reader);
}

RBMAP_API const char *rbmap_recording_uname(const struct rbmap_recording *r)
{
	return dat_uname(r->reader);
}

RBMAP_API const struct rbmap_moment *rbmap_recording_moment(const struct rbmap_recording *r,
							    enum rbmap_moment_id id)
{
	return (unsigned int)id < NR_MOMENTS && r->moment[id].real ? &r->moment[id] : NULL;
}

RBMAP_API const char *rbmap_recording_reason(const struct rbmap_recording *r)
{
	const char *reason = dat_times(r->reader)->reason;

	return *reason ? reason : NULL;
}

RBMAP_API const struct rbmap_damage *rbmap_recording_damage(struct rbmap_recording *r)
{
	struct dat_damage damage;

	dat_damage(r->reader, &damage);
	r->damage.missing = damage.missing;
	r->damage.broken = damage.broken;
	r->damage.lacking = damage.lacking;
	r->damage.unfinished = damage.unfinished;
	r->damage.busy = damage.busy;
	return &r->damage;
}
