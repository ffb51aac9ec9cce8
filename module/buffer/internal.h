/* SPDX-License-Identifier: GPL-2.0-only */
/* struct rbmap_buffer, for the sources of this folder. */
#ifndef RBMAP_BUFFER_INTERNAL_H
#define RBMAP_BUFFER_INTERNAL_H

#include "audience.h"
#include "buffer.h"
#include "cpu_buffer.h"
#include "lib/error_log.h"

/**
 * struct rbmap_buffer - the rings of all CPUs
 * @head: pointers by which a writer finds its ring; must be first
 * @cpu_buffer: each CPU's part
 * @hotplug: entry in the list of instances of the CPU hotplug state
 * @lock: serializes changes of the settings and of the rings
 * @expanded: whether CPUs have rings, or get them when they come on line.  It is set at the
 *	first use, and never cleared
 * @awaiting: CPUs that get their rings at the first use
 * @sizes: sizes of the rings of CPUs that come on line for the first time
 * @max_event: bytes of the largest event that fits into the ring of every CPU
 * @mode: mode of all rings
 * @clock: clock of new rings
 * @subbuf_size_kb: KiB of a sub-buffer that were set for all CPUs; 0: none were set, and
 *	a ring has the smallest sub-buffers that its size allows
 * @retired_size_kb: limit of a CPU's retired rings that wait for a reader, in KiB
 * @percent: watermark, as a percentage of a ring's sub-buffers; 0: each event
 * @on: whether events are recorded
 * @not_traced: CPUs whose events are not recorded
 * @raw: whether a module defines the payloads itself
 * @gone: whether the buffer has ended, so that no event follows
 * @offered: whether the buffer can be opened
 * @audience: processes that may open the files that show events
 * @shows: number of open files that show events
 * @was_shown: such a file was open, and a process may still have memory of the rings
 * @keeps_addresses: whether the kernel's addresses in events are not hashed
 * @users: number of open files, and of modules that have looked the buffer up
 * @release: function to call when @users is 0, or NULL
 * @data: argument of @release
 * @missing_cpus: CPUs without a ring, devices or a directory for want of memory
 * @markers_missing: whether the markers are missing for want of memory
 * @any_missing: whether @missing_cpus has a CPU, or @markers_missing
 * @error: error of the last ring that could not be allocated
 * @retry_work: work that allocates all that is missing
 * @errors: the last refusals
 */
struct rbmap_buffer {
	struct rbmap_buffer_head head;
	struct rbmap_cpu_buffer __percpu *cpu_buffer;
	struct hlist_node	hotplug;
	struct mutex		lock;
	bool			expanded;
	struct cpumask		awaiting;
	struct rbmap_sizes	sizes;
	size_t			max_event;
	enum rbmap_mode		mode;
	enum rbmap_clock	clock;
	unsigned long		subbuf_size_kb;
	unsigned long		retired_size_kb;
	unsigned int		percent;
	bool			on;
	struct cpumask		not_traced;
	bool			raw;
	bool			gone;
	bool			offered;
	enum rbmap_audience	audience;
	unsigned int		shows;
	bool			was_shown;
	bool			keeps_addresses;
	unsigned int		users;
	void			(*release)(void *data);
	void			*data;
	struct cpumask		missing_cpus;
	bool			markers_missing;
	bool			any_missing;
	int			error;
	struct work_struct	*retry_work;
	struct rbmap_error_log	errors;
};

static_assert(offsetof(struct rbmap_buffer, head) == 0);

/* The caller holds the buffer's lock, or CPU hotplug excludes its holders. */
static inline bool rbmap_cpu_buffer_is_on(const struct rbmap_cpu_buffer *cpu_buf)
{
	const struct rbmap_buffer *buf = cpu_buf->buffer;

	return buf->on && !cpumask_test_cpu(cpu_buf->cpu, &buf->not_traced);
}

#endif /* RBMAP_BUFFER_INTERNAL_H */
