/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sources of events.  event/ knows when an event is wanted, and a source knows the
 * kernel's mechanism that calls the probe.  The sources are in source/.
 */
#ifndef RBMAP_EVENT_SOURCE_H
#define RBMAP_EVENT_SOURCE_H

#include "event.h"

struct trace_event_call;

/**
 * struct rbmap_source_count - events since a source has made them
 * @calls: events that happened while some buffer recorded them
 * @received: those of which the kernel handed over a record.  The others were missed
 */
struct rbmap_source_count {
	u64	calls;
	u64	received;
};

static inline u64 rbmap_source_missed(const struct rbmap_source_count *count)
{
	return count->calls > count->received ? count->calls - count->received : 0;
}

/* A way of records that do not arrive */
#define RBMAP_SOURCE_NO_WAY	"none"

/**
 * struct rbmap_source - a mechanism of the kernel that calls probes
 * @name: kind of the events, for users
 * @find: find where an event comes from.  Sets @origin and @preempt of the event; @origin
 *	stays NULL while the event waits for a module.  Returns NULL, or the reason why this
 *	kernel cannot have the event
 * @attach: let the event call its probe with the given data; returns 0 or a negative error
 * @detach: undo @attach.  The probe may still run until @settle
 * @settle: sleep until no probe runs that was detached before; NULL: that of tracepoints
 *	waits for this source, too
 * @make: register the event of that name, if the source can have it.  Returns 0 or a
 *	negative error: -ENOENT without such an event
 * @names: names of all events that this source or another one may make, a line SYSTEM:EVENT
 *	for each.  The caller frees the text with kvfree(); NULL without memory or names
 * @way: how records of the kernel arrive: a word, RBMAP_SOURCE_NO_WAY if they do not.  Sets
 *	@reason to what is wrong with a better way, or to NULL
 * @prints: may the kernel's code print the records of the event?  @call is its event of that
 *	name, to which the caller has a reference.  NULL: only if the fields are the same
 * @count: count the events of a CPU; NULL: the kernel hands over each one, and nobody counts
 * @never_misses: the kernel has handed over each event that @count counts
 *
 * A source without @make has no events on demand.
 *
 * Context: process context.  find() is called with the registry's lock held, attach() and
 * detach() with rbmap_event_files_lock, make(), names() and way() without locks.
 */
struct rbmap_source {
	const char	*name;
	const char	*(*find)(struct rbmap_event_type *event);
	int		(*attach)(const struct rbmap_event_type *event, void *data);
	int		(*detach)(const struct rbmap_event_type *event, void *data);
	void		(*settle)(void);
	int		(*make)(const char *system, const char *name);
	char		*(*names)(void);
	const char	*(*way)(const char **reason);
	bool		(*prints)(const struct rbmap_event_type *event,
				  const struct trace_event_call *call);
	void		(*count)(const struct rbmap_event_type *event, int cpu,
				 struct rbmap_source_count *count);
	bool		never_misses;
};

/* source/tracepoint.c: also the source of each event that names none. */
extern const struct rbmap_source rbmap_tracepoint_source;

/* source/call.c: the events that a driver writes by a call. */
extern const struct rbmap_source rbmap_call_source;

/* source/kernel_event.c: the events of the kernel, on demand. */
extern const struct rbmap_source rbmap_kernel_source;

/* source/syscall_event.c: system calls, on demand. */
extern const struct rbmap_source rbmap_syscall_source;

/* source/foreign_event.c: others that have no tracepoint of their own, on demand. */
extern const struct rbmap_source rbmap_foreign_source;

#endif /* RBMAP_EVENT_SOURCE_H */
