/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef EMIT_INTERNAL_H
#define EMIT_INTERNAL_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/timer.h>
#include <linux/types.h>

#include "emit.h"

/* Events up to this size are also written from a copy. */
#define EMIT_COPY	512

/**
 * struct emit_writer - a context of a CPU
 * @who: emit_who()
 * @attempts: number of events that it tried to write since the module was loaded
 * @refused: number of events that the ring refused
 * @discards_refused: number of refused reservations that it would have discarded
 * @copy: buffer that it passes to rbmap_write()
 */
struct emit_writer {
	u32	who;
	u32	attempts;
	u32	refused;
	u32	discards_refused;
	u8	copy[EMIT_COPY];
};

/**
 * struct emit_cpu - a CPU
 * @left: number of events that its task still has to write
 * @armed: its timers were started
 * @done: completed when its task has written all events
 */
struct emit_cpu {
	struct emit_writer	writer[EMIT_CONTEXTS];
	unsigned int		id;
	u64			left;
	bool			armed;
	u32			random;
	struct hrtimer		irq;
	struct hrtimer		softirq;
	struct timer_list	timer;
	struct irq_work		irq_work;
	struct completion	done;
};

DECLARE_PER_CPU(struct emit_cpu, emit_cpus);

extern struct rbmap_buffer *emit_buffer;
extern struct emit_rule emit_rule;
extern unsigned int emit_clock_id, emit_irq_us, emit_burst, emit_depth;
extern bool emit_nmis, emit_running;

/* Parameters that need the module's objects are accepted while this is true. */
extern bool emit_ready;

/* write.c: writes an event on this CPU; may be called from any context */
void emit_one(struct emit_cpu *cpu, enum emit_context context);

/* contexts.c */
int emit_contexts_init(void);
void emit_contexts_exit(void);
void emit_arm(struct emit_cpu *cpu);
void emit_disarm(struct emit_cpu *cpu);

/* Interrupt this CPU now, or as soon as possible. */
void emit_interrupt(struct emit_cpu *cpu, enum emit_context context);

/* fetch.c */
int emit_fetch_init(void);
void emit_fetch_exit(void);

/* own.c: the buffer that events are written to: emit.ko's own, or the default one */
struct rbmap_buffer *emit_own_create(void);
void emit_own_exit(void);

#endif /* EMIT_INTERNAL_H */
