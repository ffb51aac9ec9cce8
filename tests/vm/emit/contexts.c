// SPDX-License-Identifier: GPL-2.0-only
/* Writers in softirqs, interrupts and NMIs. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/version.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "internal.h"

/* A timer_list fires once a jiffy at most, so it writes several bursts at a time. */
#define EMIT_TIMER_BURSTS	4

/*
 * Each event can queue more irq_work. A burst must queue less than one on
 * average, or it would never end.
 */
#define EMIT_WORK_BURST		3

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync	del_timer_sync
#endif

/*
 * Contexts that interrupt each other share this state without synchronization.
 * A lost update does no harm: the result is random anyway.
 */
static u32 emit_random(struct emit_cpu *cpu)
{
	u32 random = READ_ONCE(cpu->random) * 1664525 + 1013904223;

	WRITE_ONCE(cpu->random, random);
	return random >> 8;
}

static void emit_several(struct emit_cpu *cpu, enum emit_context context,
			 unsigned int most)
{
	u32 left = most ? 1 + emit_random(cpu) % most : 0;

	while (left--)
		emit_one(cpu, context);
}

/*
 * The timer of a CPU that went offline fires on another CPU. There it does
 * nothing; it is started again when its CPU is back.
 */
static bool emit_at_home(const struct emit_cpu *cpu)
{
	return cpu->id == raw_smp_processor_id();
}

static enum hrtimer_restart emit_hrtimer(struct emit_cpu *cpu,
					 struct hrtimer *timer,
					 enum emit_context context)
{
	u32 us = 1 + emit_irq_us / 2 + emit_random(cpu) % (emit_irq_us + 1);

	if (!emit_at_home(cpu))
		return HRTIMER_NORESTART;
	emit_several(cpu, context, emit_burst);
	hrtimer_forward_now(timer, ns_to_ktime(us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart emit_irq(struct hrtimer *timer)
{
	return emit_hrtimer(container_of(timer, struct emit_cpu, irq), timer,
			    EMIT_IRQ);
}

static enum hrtimer_restart emit_softirq(struct hrtimer *timer)
{
	return emit_hrtimer(container_of(timer, struct emit_cpu, softirq),
			    timer, EMIT_SOFTIRQ);
}

static void emit_timer(struct timer_list *timer)
{
	struct emit_cpu *cpu = container_of(timer, struct emit_cpu, timer);

	if (!emit_at_home(cpu))
		return;
	emit_several(cpu, EMIT_TIMER, EMIT_TIMER_BURSTS * emit_burst);
	mod_timer(timer, jiffies + 1);
}

static void emit_irq_work(struct irq_work *work)
{
	struct emit_cpu *cpu = container_of(work, struct emit_cpu, irq_work);

	if (emit_at_home(cpu))
		emit_several(cpu, EMIT_IRQ_WORK, EMIT_WORK_BURST);
}

#ifdef CONFIG_X86_LOCAL_APIC
static int emit_nmi(unsigned int command, struct pt_regs *regs)
{
	struct emit_cpu *cpu = this_cpu_ptr(&emit_cpus);

	if (READ_ONCE(emit_running)) {
		emit_one(cpu, EMIT_NMI);
		if (emit_random(cpu) % 4 == 0)
			irq_work_queue(&cpu->irq_work);
	}
	return NMI_HANDLED;
}

static int emit_nmi_init(void)
{
	return register_nmi_handler(NMI_LOCAL, emit_nmi, 0, "rbmap_emit");
}

static void emit_nmi_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "rbmap_emit");
}

static void emit_nmi_send(unsigned int id)
{
	if (emit_nmis)
		apic->send_IPI(id, NMI_VECTOR);
}
#else
static int emit_nmi_init(void)
{
	return 0;
}

static void emit_nmi_exit(void)
{
}

static void emit_nmi_send(unsigned int id)
{
}
#endif

void emit_interrupt(struct emit_cpu *cpu, enum emit_context context)
{
	unsigned int other;

	/*
	 * An NMI that is sent while NMIs are blocked arrives as soon as they
	 * are not, and would send the next one: do not send from an NMI.
	 */
	if (context == EMIT_NMI)
		return;
	switch (emit_random(cpu) % 64) {
	case 0:
	case 1:
	case 2:
	case 3:
		emit_nmi_send(cpu->id);
		break;
	case 4:
		other = cpumask_any_but(cpu_online_mask, cpu->id);
		if (other < nr_cpu_ids)
			emit_nmi_send(other);
		break;
	case 5:
	case 6:
	case 7:
	case 8:
		/* Queued work runs at once, where interrupts are on. */
		if (context != EMIT_IRQ_WORK)
			irq_work_queue(&cpu->irq_work);
		break;
	}
}

static void emit_hrtimer_init(struct hrtimer *timer,
			      enum hrtimer_restart (*call)(struct hrtimer *),
			      enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, call, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = call;
#endif
}

void emit_arm(struct emit_cpu *cpu)
{
	ktime_t soon = ns_to_ktime(emit_irq_us * NSEC_PER_USEC);

	emit_disarm(cpu);
	if (!emit_irq_us)
		return;
	hrtimer_start(&cpu->irq, soon, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&cpu->softirq, soon, HRTIMER_MODE_REL_PINNED_SOFT);
	mod_timer(&cpu->timer, jiffies + 1);
}

void emit_disarm(struct emit_cpu *cpu)
{
	hrtimer_cancel(&cpu->irq);
	hrtimer_cancel(&cpu->softirq);
	timer_delete_sync(&cpu->timer);
}

int emit_contexts_init(void)
{
	unsigned int id;

	for_each_possible_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		cpu->random = id + 1;
		emit_hrtimer_init(&cpu->irq, emit_irq,
				  HRTIMER_MODE_REL_PINNED_HARD);
		emit_hrtimer_init(&cpu->softirq, emit_softirq,
				  HRTIMER_MODE_REL_PINNED_SOFT);
		timer_setup(&cpu->timer, emit_timer, TIMER_PINNED);
#ifdef IRQ_WORK_INIT_HARD
		cpu->irq_work = IRQ_WORK_INIT_HARD(emit_irq_work);
#else
		init_irq_work(&cpu->irq_work, emit_irq_work);
#endif
	}
	return emit_nmi_init();
}

void emit_contexts_exit(void)
{
	unsigned int id;

	emit_nmi_exit();
	for_each_possible_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		emit_disarm(cpu);
		irq_work_sync(&cpu->irq_work);
	}
}
