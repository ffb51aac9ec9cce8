/* SPDX-License-Identifier: GPL-2.0-only */
/* struct rbmap_buffer, for the sources of this folder and for the marker. */
#ifndef RBMAP_BUFFER_INTERNAL_H
#define RBMAP_BUFFER_INTERNAL_H

#include "buffer.h"
#include "cpu_buffer.h"

struct rbmap_event_file;

/**
 * struct rbmap_buffer - rings for each CPU
 * @head: what writers need of it; first
 * @cpu_buffer: the rest of each CPU
 * @hotplug: to be told of CPUs that come on line
 * @lock: who changes the settings
 * @sizes: of rings of CPUs that come on line for the first time
 * @max_event: bytes of the largest event that any CPU's ring takes
 * @mode: of all rings
 * @clock: of rings to come
 * @retired_size_kb: KiB of a CPU's retired rings that may wait to be read
 * @percent: the watermark, of a ring's sub-buffers; 0: any event
 * @on: events are recorded
 * @raw: payloads are a module's own
 * @gone: no event comes any more, for good
 * @offered: it can be opened
 * @users: open files, and modules that have found it
 * @release: to be called once nobody has it; NULL: not yet
 * @data: for @release
 * @marker: its marker event; NULL: none, or no more
 * @lacking: CPUs that lack their ring, devices or directory for want of memory
 * @lacks: there may be some
 * @error: why a ring could not be made last
 * @completing: makes what lacks
 */
struct rbmap_buffer {
	struct rbmap_buffer_head head;
	struct rbmap_cpu_buffer __percpu *cpu_buffer;
	struct hlist_node	hotplug;
	struct mutex		lock;
	struct rbmap_sizes	sizes;
	size_t			max_event;
	enum rbmap_mode		mode;
	enum rbmap_clock	clock;
	unsigned long		retired_size_kb;
	unsigned int		percent;
	bool			on;
	bool			raw;
	bool			gone;
	bool			offered;
	unsigned int		users;
	void			(*release)(void *data);
	void			*data;
	struct rbmap_event_file *marker;
	struct cpumask		lacking;
	bool			lacks;
	int			error;
	struct work_struct	*completing;
};

static_assert(offsetof(struct rbmap_buffer, head) == 0);

#endif /* RBMAP_BUFFER_INTERNAL_H */
