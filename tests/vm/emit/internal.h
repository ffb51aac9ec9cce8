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

/* Events up to so many bytes are also written from a copy. */
#define EMIT_COPY	512

/**
 * struct emit_writer - a context of a CPU
 * @who: emit_who()
 * @attempts: events that it has tried to write since the module was loaded
 * @refused: of them
 * @discards_refused: reservations that it would have discarded
 * @copy: what it hands to rbmap_write()
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
 * @left: events that its task has still to write
 * @armed: its timers were started
 * @done: nothing left
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

/* Parameters that need what the module has made are obeyed. */
extern bool emit_ready;

/* write.c: this CPU's; any context */
void emit_one(struct emit_cpu *cpu, enum emit_context context);

/* contexts.c */
int emit_contexts_init(void);
void emit_contexts_exit(void);
void emit_arm(struct emit_cpu *cpu);
void emit_disarm(struct emit_cpu *cpu);

/* Have this CPU interrupted right now, or as soon as it can be. */
void emit_interrupt(struct emit_cpu *cpu, enum emit_context context);

/* fetch.c */
int emit_fetch_init(void);
void emit_fetch_exit(void);

/* own.c: what events go to: emit.ko's own buffer, or the default one */
struct rbmap_buffer *emit_own_create(void);
void emit_own_exit(void);

#endif /* EMIT_INTERNAL_H */
