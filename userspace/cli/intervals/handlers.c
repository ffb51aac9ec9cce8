// SPDX-License-Identifier: GPL-2.0-only
/* Handlers of interrupts and softirqs. One of a kind runs on a CPU at a time. */
#include <stdio.h>

#include "parts.h"

/* In the order of the kernel's numbers */
static const char *const softirqs[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
	"RCU",
};

#define NR_SOFTIRQS	(sizeof(softirqs) / sizeof(softirqs[0]))

static enum handler_level level_of(enum layout_role role)
{
	switch (role) {
	case ROLE_IRQ_ENTRY:
	case ROLE_IRQ_EXIT:
		return HANDLER_IRQ;
	case ROLE_VECTOR_ENTRY:
	case ROLE_VECTOR_EXIT:
		return HANDLER_VECTOR;
	default:
		return HANDLER_SOFTIRQ;
	}
}

static const char *name_of(struct intervals *iv, const struct moment_of *m, uint64_t number)
{
	char text[96], handler[64];

	if (m->layout->role == ROLE_IRQ_ENTRY) {
		layout_text(m->layout, m->ev, IRQ_NAME, handler, sizeof(handler));
		snprintf(text, sizeof(text), "%d %s", (int)number, handler);
	} else if (m->layout->role == ROLE_VECTOR_ENTRY) {
		snprintf(text, sizeof(text), "vector %s", m->layout->name);
	} else if (number < NR_SOFTIRQS) {
		return softirqs[number];
	} else {
		snprintf(text, sizeof(text), "softirq %u", (unsigned int)number);
	}
	return intervals_name(iv, text);
}

void intervals_handler_entry(struct intervals *iv, const struct moment_of *m)
{
	uint64_t number = layout_number(m->layout, m->ev, IRQ_NUMBER);

	m->cpu->handler[level_of(m->layout->role)] = (struct handler){
		.begin = m->ev->ts,
		.number = number,
		.pid = m->pid,
		.name = name_of(iv, m, number),
	};
}

/* The caller sets the end. */
static struct interval interval_of(const struct intervals *iv, enum handler_level level,
				   int cpu)
{
	const struct handler *handler = &iv->cpu[cpu]->handler[level];

	return (struct interval){
		.kind = level == HANDLER_SOFTIRQ ? INTERVAL_SOFTIRQ : INTERVAL_IRQ,
		.begin = handler->begin,
		.cpu = cpu,
		.pid = handler->pid,
		.comm = intervals_comm(iv, handler->pid),
		.name = handler->name,
	};
}

void intervals_handler_exit(struct intervals *iv, const struct moment_of *m)
{
	enum handler_level level = level_of(m->layout->role);
	struct handler *handler = &m->cpu->handler[level];
	struct interval interval = interval_of(iv, level, m->ev->cpu);

	interval.end = m->ev->ts;
	if (handler->begin && handler->name &&
	    handler->number == layout_number(m->layout, m->ev, IRQ_NUMBER))
		intervals_pass(iv, &interval, m->cpu->lossless_since);
	handler->begin = 0;
}

void intervals_handlers_end(struct intervals *iv, int cpu)
{
	static const enum layout_role exit[NR_HANDLER_LEVELS] = {
		[HANDLER_IRQ]		= ROLE_IRQ_EXIT,
		[HANDLER_VECTOR]	= ROLE_VECTOR_EXIT,
		[HANDLER_SOFTIRQ]	= ROLE_SOFTIRQ_EXIT,
	};

	for (int level = 0; level < NR_HANDLER_LEVELS; level++) {
		struct interval interval = interval_of(iv, level, cpu);

		if (interval.begin && interval.name)
			intervals_pass_unfinished(iv, &interval, iv->cpu[cpu]->lossless_since,
						  exit[level]);
	}
}
