/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that probes may still use: released after a wait that nobody waits for. */
#ifndef RBMAP_EVENT_RELEASE_H
#define RBMAP_EVENT_RELEASE_H

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct rbmap_release - what is to be done when no probe runs that runs now
 * @list: entry in a list of those that wait; empty: it does not wait
 * @release: called under rbmap_event_files_lock.  It may free the memory of this
 *	structure, or pass it to rbmap_release_later() again
 */
struct rbmap_release {
	struct list_head	list;
	void			(*release)(struct rbmap_release *release);
};

static inline void rbmap_release_init(struct rbmap_release *release)
{
	INIT_LIST_HEAD(&release->list);
}

void rbmap_sync_probes(void);
void rbmap_release_later(struct rbmap_release *release,
			 void (*func)(struct rbmap_release *release), size_t size);
void rbmap_release_limit(void);
u64 rbmap_release_mark(void);
bool rbmap_release_passed(u64 mark);
void rbmap_release_settle(void);
void rbmap_release_exit(void);

#endif /* RBMAP_EVENT_RELEASE_H */
