/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks whose events are recorded in a buffer. */
#ifndef RBMAP_EVENT_PIDS_H
#define RBMAP_EVENT_PIDS_H

#include <linux/bitops.h>
#include <linux/threads.h>

#include "release.h"

struct rbmap_event_set;
struct rbmap_event_type;

/**
 * enum rbmap_pids_list - the lists of tasks
 * @RBMAP_PIDS_ONLY: only events of these tasks are recorded
 * @RBMAP_PIDS_NOT: events of these tasks are not recorded
 * @RBMAP_PIDS_EXCLUDED: events that the threads of these processes cause are left out
 *	and counted.  Interrupts in them are recorded, and events that are about the
 *	whole machine
 * @RBMAP_NR_PIDS: number of lists
 */
enum rbmap_pids_list {
	RBMAP_PIDS_ONLY,
	RBMAP_PIDS_NOT,
	RBMAP_PIDS_EXCLUDED,
	RBMAP_NR_PIDS,
};

/**
 * struct rbmap_pids - a set of pids
 * @release: frees a set that was replaced
 * @limit: number of bits: PID_MAX_LIMIT where children may be added, and less for a list of
 *	few processes
 * @bits: one bit for each pid below @limit
 */
struct rbmap_pids {
	struct rbmap_release	release;
	unsigned int		limit;
	unsigned long		bits[];
};

/* Context: any, NMI included. */
static __always_inline bool rbmap_pids_have(const struct rbmap_pids *pids,
					    int pid)
{
	return (unsigned int)pid < pids->limit && test_bit(pid, pids->bits);
}

struct rbmap_pids *rbmap_event_pids_alloc(enum rbmap_pids_list list);
int rbmap_event_pids_put(struct rbmap_pids **pids, unsigned int pid);
int rbmap_event_pids_set(struct rbmap_event_set *set,
			 enum rbmap_pids_list list, struct rbmap_pids *pids,
			 bool add);
void rbmap_event_pids_remove(struct rbmap_event_set *set,
			     enum rbmap_pids_list list,
			     struct rbmap_pids *pids);
ssize_t rbmap_event_pids_read(struct rbmap_event_set *set,
			      enum rbmap_pids_list list, char *buf, loff_t pos,
			      size_t len);
int rbmap_event_pids_follow(struct rbmap_event_set *set, bool follow);
bool rbmap_event_by_task(const struct rbmap_event_type *event);
void rbmap_event_pids_free(struct rbmap_event_set *set);

#endif /* RBMAP_EVENT_PIDS_H */
