/* SPDX-License-Identifier: GPL-2.0-only */
/* Work in hard interrupts. */
#ifndef RBMAP_COMPAT_IRQ_WORK_H
#define RBMAP_COMPAT_IRQ_WORK_H

#include <linux/irq_work.h>

/**
 * rbmap_init_irq_work - init_irq_work() for a function that may run in a hard interrupt
 * @work: the work
 * @func: takes raw locks only
 *
 * Real-time kernels give other work to a thread, and irq_work_sync() waits there for a grace
 * period of RCU: the end of many rings would wait for as many.  5.10 does not wait.
 */
static inline void rbmap_init_irq_work(struct irq_work *work, void (*func)(struct irq_work *))
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(func);
#else
	init_irq_work(work, func);
#endif
}

#endif /* RBMAP_COMPAT_IRQ_WORK_H */
