// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that take long, for those who search for them:
 *
 *	echo N >/sys/module/slow/parameters/irq_ms	an interrupt whose handler runs N ms
 *	echo N >/sys/module/slow/parameters/hold_ms	keep a mutex, and the CPU, for N ms
 *
 * The mutex is the one of this module's parameters: a task that writes to one meanwhile waits.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/module.h>
#include <linux/sched/clock.h>

#define SLOW_MOST_MS	1000

static int slow_irq;
static unsigned int slow_irq_ms;

/*
 * By the clock of recordings: mdelay() is too short if its loop was calibrated while the
 * machine was busy.
 */
static void slow_spin(unsigned int ms)
{
	u64 end = local_clock() + (u64)ms * NSEC_PER_MSEC;

	while (local_clock() < end)
		cpu_relax();
}

static irqreturn_t slow_handler(int irq, void *data)
{
	slow_spin(slow_irq_ms);
	return IRQ_HANDLED;
}

static int slow_number(const char *text, unsigned int *ms)
{
	int err = kstrtouint(text, 0, ms);

	return err ? err : *ms > SLOW_MOST_MS ? -EINVAL : 0;
}

static int slow_set_irq(const char *text, const struct kernel_param *param)
{
	unsigned long flags;
	int err = slow_number(text, &slow_irq_ms);

	if (err || slow_irq <= 0)
		return err ? err : -EBUSY;
	local_irq_save(flags);
	generic_handle_irq(slow_irq);
	local_irq_restore(flags);
	return 0;
}

static int slow_set_hold(const char *text, const struct kernel_param *param)
{
	unsigned int ms;
	int err = slow_number(text, &ms);

	if (!err)
		slow_spin(ms);
	return err;
}

static const struct kernel_param_ops slow_irq_ops = { .set = slow_set_irq };
module_param_cb(irq_ms, &slow_irq_ops, NULL, 0200);
MODULE_PARM_DESC(irq_ms, "milliseconds that the handler of an interrupt runs now");

static const struct kernel_param_ops slow_hold_ops = { .set = slow_set_hold };
module_param_cb(hold_ms, &slow_hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold_ms, "milliseconds to keep the mutex now");

static int __init slow_init(void)
{
	/* Without an owner, whose handlers would keep it loaded. */
	int irq = __irq_alloc_descs(-1, 1, 1, NUMA_NO_NODE, NULL, NULL), err;

	if (irq < 0)
		return irq;
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(irq, IRQ_NOREQUEST);
	/* IRQF_NO_THREAD: with PREEMPT_RT, a thread would run it. */
	err = request_irq(irq, slow_handler, IRQF_NO_THREAD, "slow", NULL);
	if (err) {
		irq_free_desc(irq);
		return err;
	}
	slow_irq = irq;
	return 0;
}

static void __exit slow_exit(void)
{
	free_irq(slow_irq, NULL);
	irq_free_desc(slow_irq);
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_DESCRIPTION("Faults that take long, to search for");
MODULE_LICENSE("GPL");
