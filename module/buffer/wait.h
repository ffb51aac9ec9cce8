/* SPDX-License-Identifier: GPL-2.0-only */
/* Readers that wait, and how the writer wakes them. */
#ifndef RBMAP_BUFFER_WAIT_H
#define RBMAP_BUFFER_WAIT_H

#include <linux/poll.h>

#include "generation.h"

/* The amount that a reader waits for. */
enum rbmap_wait_for {
	RBMAP_WAIT_EVENT,	/* any event */
	RBMAP_WAIT_WATERMARK,	/* buffer_percent of the ring */
	RBMAP_WAIT_CLOSED,	/* the watermark and a closed sub-buffer */
};

int rbmap_wait_module_init(void);
void rbmap_wait_module_exit(void);
void rbmap_work_later(struct delayed_work *work, unsigned long delay);
void rbmap_cpu_wait_init(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_cpu_wait_exit(struct rbmap_cpu_buffer *cpu_buf);
void rbmap_gen_wake_init(struct rbmap_gen *gen);
void rbmap_gen_wake_exit(struct rbmap_gen *gen);
void rbmap_notify(struct rbmap_gen *gen);
void rbmap_wake_all(struct rbmap_gen *gen);
int rbmap_wait_readable(struct rbmap_gen *gen, enum rbmap_wait_for what,
			u32 wakeups, const bool *stop);
bool rbmap_wait_tests(struct rbmap_gen *gen);
__poll_t rbmap_poll(struct rbmap_gen *gen, struct file *file,
		    poll_table *table);
extern const struct rbmap_ring_ops rbmap_ring_ops;

#endif /* RBMAP_BUFFER_WAIT_H */
