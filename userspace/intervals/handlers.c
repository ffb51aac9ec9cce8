// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers of interrupts and softirqs, and the timers' functions that they call. A CPU runs
 * one handler of each kind at a time.
 */
#include <stdio.h>

#include "base/hash.h"
#include "parts.h"
#include "print/fields/fields.h"

/* In the order of the kernel's numbers */
static const char *const softirqs[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
	"RCU",
};

#define NR_SOFTIRQS	(sizeof(softirqs) / sizeof(softirqs[0]))

static enum handler_level level_of(const struct event_context *m)
{
	switch (m->layout->role) {
	case ROLE_IRQ_ENTRY:
	case ROLE_IRQ_EXIT:
		return HANDLER_IRQ;
	case ROLE_VECTOR_ENTRY:
	case ROLE_VECTOR_EXIT:
		return HANDLER_VECTOR;
	case ROLE_HRTIMER_ENTRY:
	case ROLE_HRTIMER_EXIT:
		return m->flags & FLAG_HARDIRQ ? HANDLER_HRTIMER : HANDLER_SOFT_HRTIMER;
	case ROLE_TIMER_ENTRY:
	case ROLE_TIMER_EXIT:
		return HANDLER_TIMER;
	default:
		return HANDLER_SOFTIRQ;
	}
}

static const char *name_of(struct intervals *intervals, const struct event_context *m,
			   uint64_t number)
{
	enum layout_role role = m->layout->role;
	char text[96], handler[64];

	if (role == ROLE_HRTIMER_ENTRY || role == ROLE_TIMER_ENTRY)
		return intervals_function(intervals,
					  layout_number(m->layout, m->ev, TIMER_FUNCTION));
	if (role == ROLE_IRQ_ENTRY) {
		layout_text(m->layout, m->ev, IRQ_NAME, handler, sizeof(handler));
		snprintf(text, sizeof(text), "%d %s", (int)number, handler);
	} else if (role == ROLE_VECTOR_ENTRY) {
		snprintf(text, sizeof(text), "vector %s", m->layout->name);
	} else if (number < NR_SOFTIRQS) {
		return softirqs[number];
	} else {
		snprintf(text, sizeof(text), "softirq %u", (unsigned int)number);
	}
	return intervals_name(intervals, text);
}

/* ---- hrtimers that come late */
#define LATE_NS		100000	/* shorter times are the interrupt's own */

static struct hrtimer *timer_at(struct intervals *intervals, uint64_t address)
{
	return &intervals->timer[hash_u64_bits(address, TIMER_BITS)];
}

void intervals_hrtimer_start(struct intervals *intervals, const struct event_context *m)
{
	uint64_t address = layout_number(m->layout, m->ev, TIMER_START_ADDRESS);

	*timer_at(intervals, address) = (struct hrtimer){
		.address = address,
		.expires = layout_number(m->layout, m->ev, TIMER_START_EXPIRES),
	};
}

/*
 * The timer's time, and the time at which its interrupt looked at the clock, are of the same
 * clock. The difference is a length of the ring's clock, too. Timers that run in a softirq
 * may be late for other reasons.
 */
static void pass_late(struct intervals *intervals, const struct event_context *m)
{
	uint64_t now = layout_number(m->layout, m->ev, TIMER_NOW), late;
	uint64_t address = layout_number(m->layout, m->ev, TIMER_ADDRESS);
	struct hrtimer *timer = timer_at(intervals, address);
	struct interval interval = {
		.kind = INTERVAL_IRQS_OFF,
		.end = m->ev->ts,
		.cpu = m->ev->cpu,
		.pid = m->pid,
		.comm = intervals_comm(intervals, m->pid),
		.name = "interrupts off",
	};

	if (!layout_has(m->layout, TIMER_NOW) || timer->address != address ||
	    !(m->flags & FLAG_HARDIRQ))
		return;
	late = now > timer->expires ? now - timer->expires : 0;
	timer->address = 0;
	if (late < LATE_NS || late > m->ev->ts)
		return;
	interval.begin = m->ev->ts - late;
	if (interval.begin < m->cpu->late_until)
		interval.begin = m->cpu->late_until;
	m->cpu->late_until = m->ev->ts;
	if (interval.end - interval.begin >= LATE_NS)
		intervals_pass(intervals, &interval, m->cpu);
}

void intervals_handler_entry(struct intervals *intervals, const struct event_context *m)
{
	uint64_t number = layout_number(m->layout, m->ev, IRQ_NUMBER);

	if (m->layout->role == ROLE_HRTIMER_ENTRY)
		pass_late(intervals, m);
	m->cpu->handler[level_of(m)] = (struct handler){
		.begin = m->ev->ts,
		.number = number,
		.pid = m->pid,
		.name = name_of(intervals, m, number),
	};
}

static const enum interval_kind kind_of[NR_HANDLER_LEVELS] = {
	[HANDLER_IRQ]		= INTERVAL_IRQ,
	[HANDLER_VECTOR]	= INTERVAL_IRQ,
	[HANDLER_SOFTIRQ]	= INTERVAL_SOFTIRQ,
	[HANDLER_HRTIMER]	= INTERVAL_HRTIMER,
	[HANDLER_SOFT_HRTIMER]	= INTERVAL_HRTIMER,
	[HANDLER_TIMER]		= INTERVAL_TIMER,
};

/* The caller sets the end. */
static struct interval interval_of(const struct intervals *intervals, enum handler_level level,
				   int cpu)
{
	const struct handler *handler = &intervals->cpu[cpu]->handler[level];

	return (struct interval){
		.kind = kind_of[level],
		.begin = handler->begin,
		.cpu = cpu,
		.pid = handler->pid,
		.comm = intervals_comm(intervals, handler->pid),
		.name = handler->name,
	};
}

/* Handlers that ran in this one have ended before, and are part of it. */
static void add_handled(struct cpu *cpu, uint64_t begin, uint64_t end)
{
	uint64_t oldest = cpu->nr_handled > NR_RUNS ? cpu->nr_handled - NR_RUNS : 0;
	uint64_t last;

	while (cpu->nr_handled > oldest &&
	       cpu->handled[(cpu->nr_handled - 1) % NR_RUNS].begin >= begin)
		cpu->nr_handled--;
	/* Hostile records can overlap in other ways. */
	if (cpu->nr_handled > oldest) {
		last = cpu->handled[(cpu->nr_handled - 1) % NR_RUNS].end;
		begin = begin > last ? begin : last;
	}
	if (begin < end)
		cpu->handled[cpu->nr_handled++ % NR_RUNS] = (struct handled){ begin, end };
}

void intervals_handler_exit(struct intervals *intervals, const struct event_context *m)
{
	enum handler_level level = level_of(m);
	struct handler *handler = &m->cpu->handler[level];
	struct interval interval = interval_of(intervals, level, m->ev->cpu);

	interval.end = m->ev->ts;
	if (handler->begin && handler->name &&
	    handler->number == layout_number(m->layout, m->ev, IRQ_NUMBER)) {
		add_handled(m->cpu, handler->begin, m->ev->ts);
		intervals_pass(intervals, &interval, m->cpu);
	}
	handler->begin = 0;
}

void intervals_handlers_end(struct intervals *intervals, int cpu)
{
	static const enum layout_role exit[NR_HANDLER_LEVELS] = {
		[HANDLER_IRQ]		= ROLE_IRQ_EXIT,
		[HANDLER_VECTOR]	= ROLE_VECTOR_EXIT,
		[HANDLER_SOFTIRQ]	= ROLE_SOFTIRQ_EXIT,
		[HANDLER_HRTIMER]	= ROLE_HRTIMER_EXIT,
		[HANDLER_SOFT_HRTIMER]	= ROLE_HRTIMER_EXIT,
		[HANDLER_TIMER]		= ROLE_TIMER_EXIT,
	};

	for (int level = 0; level < NR_HANDLER_LEVELS; level++) {
		struct interval interval = interval_of(intervals, level, cpu);

		if (interval.begin && interval.name)
			intervals_pass_unfinished(intervals, &interval, intervals->cpu[cpu],
						  exit[level]);
	}
}
