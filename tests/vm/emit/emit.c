// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emits numbered events on all CPUs at once, from tasks, softirqs, interrupts
 * and NMIs that nest in each other as they come.
 *
 *	echo N >/sys/module/emit/parameters/run
 *
 * writes N events from a task on each CPU, while timers write theirs, and
 * returns when all is written.  `attempts` then has a line for each CPU: its
 * number, how many events each context has tried to write since the module was
 * loaded, and how many were refused that would have been discarded.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/local.h>
#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif
#include <rbmap/buffer.h>

#include "emit.h"

/* Each so many events, one is reserved and discarded. */
#define EMIT_DISCARD	13

static unsigned int irq_us = 150;
module_param(irq_us, uint, 0644);
MODULE_PARM_DESC(irq_us, "microseconds between interrupts");

static unsigned int burst = 3;
module_param(burst, uint, 0644);
MODULE_PARM_DESC(burst, "events of one interrupt, at most");

static unsigned int task_batch = 200;
module_param(task_batch, uint, 0644);
MODULE_PARM_DESC(task_batch, "events that a task writes before it lets others run");

struct emit_cpu {
	u64			attempts[EMIT_CONTEXTS];
	local_t			refused;
	u64			count;
	u32			random;
	struct hrtimer		irq;
	struct hrtimer		softirq;
	struct completion	done;
};

static DEFINE_PER_CPU(struct emit_cpu, emit_cpus);
static struct rbmap_buffer *emit_buffer;
static bool emit_running;

static void emit_one(struct emit_cpu *cpu, enum emit_context context)
{
	u64 number = cpu->attempts[context]++;
	unsigned int size = emit_size(number);
	struct rbmap_reservation r;
	struct emit_event *event;

	if (number % EMIT_DISCARD == 0) {
		if (rbmap_reserve(emit_buffer, &r, size / 2))
			rbmap_discard(&r);
		else
			local_inc(&cpu->refused);
	}

	event = rbmap_reserve(emit_buffer, &r, size);
	if (!event)
		return;
	event->common.type = EMIT_TYPE;
	event->common.flags = context;
	event->common.preempt_count = 0;
	event->common.pid = raw_smp_processor_id();
	event->number = number;
	memset(event->fill, (u8)(number + context), size - sizeof(*event));
	rbmap_commit(&r);
}

/* Interrupts share it, and may spoil it for each other: it is random. */
static u32 emit_random(struct emit_cpu *cpu)
{
	cpu->random = cpu->random * 1664525 + 1013904223;
	return cpu->random >> 8;
}

static void emit_burst(struct emit_cpu *cpu, enum emit_context context)
{
	u32 left = burst ? 1 + emit_random(cpu) % burst : 0;

	while (left--)
		emit_one(cpu, context);
}

static enum hrtimer_restart emit_again(struct emit_cpu *cpu,
				       struct hrtimer *timer)
{
	u32 us = 1 + irq_us / 2 + emit_random(cpu) % (irq_us + 1);

	hrtimer_forward_now(timer, ns_to_ktime(us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart emit_irq(struct hrtimer *timer)
{
	struct emit_cpu *cpu = container_of(timer, struct emit_cpu, irq);

	emit_burst(cpu, EMIT_IRQ);
	return emit_again(cpu, timer);
}

static enum hrtimer_restart emit_softirq(struct hrtimer *timer)
{
	struct emit_cpu *cpu = container_of(timer, struct emit_cpu, softirq);

	emit_burst(cpu, EMIT_SOFTIRQ);
	return emit_again(cpu, timer);
}

#ifdef CONFIG_X86
static int emit_nmi(unsigned int command, struct pt_regs *regs)
{
	if (READ_ONCE(emit_running))
		emit_one(this_cpu_ptr(&emit_cpus), EMIT_NMI);
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
#else
static int emit_nmi_init(void)
{
	return 0;
}

static void emit_nmi_exit(void)
{
}
#endif

static void emit_timer_init(struct hrtimer *timer,
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

static int emit_task(void *data)
{
	struct emit_cpu *cpu = data;
	u64 i;

	if (irq_us) {
		hrtimer_start(&cpu->irq, ns_to_ktime(irq_us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
		hrtimer_start(&cpu->softirq, ns_to_ktime(irq_us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_SOFT);
	}
	for (i = 0; i < cpu->count; i++) {
		emit_one(cpu, EMIT_TASK);
		if (task_batch && i % task_batch == task_batch - 1)
			usleep_range(50, 100);
	}
	hrtimer_cancel(&cpu->irq);
	hrtimer_cancel(&cpu->softirq);
	complete(&cpu->done);
	return 0;
}

/* Parameters are set one at a time. */
static int emit_run(const char *text, const struct kernel_param *param)
{
	unsigned int id;
	int err = 0;
	u64 count;

	/* Not before the module is there, from its command line. */
	if (!emit_buffer)
		return -EBUSY;
	err = kstrtou64(text, 0, &count);
	if (err)
		return err;
	cpus_read_lock();
	WRITE_ONCE(emit_running, true);
	for_each_online_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);
		struct task_struct *task;

		init_completion(&cpu->done);
		cpu->count = count;
		task = kthread_create_on_cpu(emit_task, cpu, id, "emit/%u");
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			complete(&cpu->done);
			continue;
		}
		wake_up_process(task);
	}
	for_each_online_cpu(id)
		wait_for_completion(&per_cpu_ptr(&emit_cpus, id)->done);
	WRITE_ONCE(emit_running, false);
	cpus_read_unlock();
	/* It waits for NMIs too. */
	synchronize_rcu();
	return err;
}

static int emit_attempts(char *text, const struct kernel_param *param)
{
	unsigned int id;
	int len = 0;

	for_each_online_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		len += scnprintf(text + len, PAGE_SIZE - len,
				 "%u %llu %llu %llu %llu %lu\n", id,
				 cpu->attempts[EMIT_TASK],
				 cpu->attempts[EMIT_SOFTIRQ],
				 cpu->attempts[EMIT_IRQ],
				 cpu->attempts[EMIT_NMI],
				 local_read(&cpu->refused));
	}
	return len;
}

static const struct kernel_param_ops emit_run_ops = { .set = emit_run };
static const struct kernel_param_ops emit_attempts_ops = {
	.get = emit_attempts
};

module_param_cb(run, &emit_run_ops, NULL, 0200);
module_param_cb(attempts, &emit_attempts_ops, NULL, 0444);

static int __init emit_init(void)
{
	unsigned int id;

	for_each_possible_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		cpu->random = id + 1;
		emit_timer_init(&cpu->irq, emit_irq,
				HRTIMER_MODE_REL_PINNED_HARD);
		emit_timer_init(&cpu->softirq, emit_softirq,
				HRTIMER_MODE_REL_PINNED_SOFT);
	}
	emit_buffer = rbmap_default_buffer();
	return emit_nmi_init();
}

static void __exit emit_exit(void)
{
	emit_nmi_exit();
}

module_init(emit_init);
module_exit(emit_exit);

MODULE_DESCRIPTION("Numbered events from all contexts, to test rbmap");
MODULE_LICENSE("GPL");
