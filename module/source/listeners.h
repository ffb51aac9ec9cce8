/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf events of this module: one for each CPU that is on line. */
#ifndef RBMAP_SOURCE_LISTENERS_H
#define RBMAP_SOURCE_LISTENERS_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

/**
 * struct rbmap_listener - a perf event on each CPU
 * @handler: gets the records
 * @context: the perf events' overflow_handler_context
 * @type: number of the kernel's event
 * @events: the perf event of each CPU, or NULL
 * @list: entry in the list of all listeners
 * @met: how often CPUs had come on line, as far as it has followed them, at the pause
 * @error: 0, or why some CPU has none
 */
struct rbmap_listener {
	perf_overflow_handler_t	handler;
	void			*context;
	u64			type;
	struct perf_event * __percpu *events;
	struct list_head	list;
	unsigned int		met;
	int			error;
};

int rbmap_listener_start(struct rbmap_listener *listener);
void rbmap_listener_pause(struct rbmap_listener *listener);
bool rbmap_listener_resume(struct rbmap_listener *listener);
void rbmap_listener_stop(struct rbmap_listener *listener);
void rbmap_listeners_settle(void);
void rbmap_listeners_exit(void);

#endif /* RBMAP_SOURCE_LISTENERS_H */
