/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBMAP_SELFTEST_WRITER_H
#define RBMAP_SELFTEST_WRITER_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/rbmap_selftest.h>
#include <linux/types.h>

struct rbmap_buffer;
struct task_struct;

/**
 * struct rbmap_selftest_cpu - the writers of a CPU
 * @id: number of the CPU
 * @buffer: the buffer that the writers write to
 * @last: whether the last event was written
 * @emitted: number of events, by context; only the context itself counts
 * @refused: number of refused events, by context
 * @task: the thread, or NULL
 * @timer: writes in hard interrupts, and schedules @tasklet
 * @tasklet: writes in softirqs
 * @irq_work: writes in a hard interrupt, which an event of a lower context requests
 * @nmi_sent: an NMI was sent to the CPU and has not arrived
 */
struct rbmap_selftest_cpu {
	unsigned int		id;
	struct rbmap_buffer	*buffer;
	bool			last;
	u64			emitted[RBMAP_SELFTEST_CONTEXTS];
	u64			refused[RBMAP_SELFTEST_CONTEXTS];
	struct task_struct	*task;
	struct hrtimer		timer;
	struct tasklet_struct	tasklet;
	struct irq_work		irq_work;
	bool			nmi_sent;
};

DECLARE_PER_CPU(struct rbmap_selftest_cpu, rbmap_selftest_cpus);

/* While this is true, events may be interrupted. */
extern bool rbmap_selftest_running;

bool rbmap_selftest_at_home(const struct rbmap_selftest_cpu *cpu);
void rbmap_selftest_write(struct rbmap_selftest_cpu *cpu,
			  enum rbmap_selftest_context context);

#endif /* RBMAP_SELFTEST_WRITER_H */
