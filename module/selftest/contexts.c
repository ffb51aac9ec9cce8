// SPDX-License-Identifier: GPL-2.0-only
/* The writers of each CPU: a thread, a timer, a tasklet and interrupt work. */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "compat/timer.h"
#include "contexts.h"
#include "nmi.h"
#include "writer.h"

/* Events that a thread writes before it sleeps. */
#define RBMAP_SELFTEST_BURST	32

#define RBMAP_SELFTEST_PERIOD_NS	(200 * NSEC_PER_USEC)

static enum hrtimer_restart rbmap_selftest_timer(struct hrtimer *timer)
{
	struct rbmap_selftest_cpu *cpu =
		container_of(timer, struct rbmap_selftest_cpu, timer);

	if (!READ_ONCE(rbmap_selftest_running) || !rbmap_selftest_at_home(cpu))
		return HRTIMER_NORESTART;
	rbmap_selftest_write(cpu, RBMAP_SELFTEST_IRQ);
	tasklet_schedule(&cpu->tasklet);
	hrtimer_forward_now(timer, ns_to_ktime(RBMAP_SELFTEST_PERIOD_NS));
	return HRTIMER_RESTART;
}

static void rbmap_selftest_tasklet(struct tasklet_struct *tasklet)
{
	struct rbmap_selftest_cpu *cpu =
		container_of(tasklet, struct rbmap_selftest_cpu, tasklet);

	preempt_disable();
	if (rbmap_selftest_at_home(cpu))
		rbmap_selftest_write(cpu, RBMAP_SELFTEST_SOFTIRQ);
	preempt_enable();
}

/* On real-time kernels the work runs in a thread, which must not count as an interrupt. */
static void rbmap_selftest_irq_work(struct irq_work *work)
{
	struct rbmap_selftest_cpu *cpu =
		container_of(work, struct rbmap_selftest_cpu, irq_work);

	if (hardirq_count() && rbmap_selftest_at_home(cpu))
		rbmap_selftest_write(cpu, RBMAP_SELFTEST_IRQ);
}

static void rbmap_selftest_burst(struct rbmap_selftest_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < RBMAP_SELFTEST_BURST; i++) {
		preempt_disable();
		if (rbmap_selftest_at_home(cpu))
			rbmap_selftest_write(cpu, RBMAP_SELFTEST_TASK);
		preempt_enable();
	}
}

/* The timer starts here, because a pinned timer belongs to the CPU that starts it. */
static int rbmap_selftest_thread(void *data)
{
	struct rbmap_selftest_cpu *cpu = data;

	hrtimer_start(&cpu->timer, ns_to_ktime(RBMAP_SELFTEST_PERIOD_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	while (!kthread_should_stop()) {
		rbmap_selftest_burst(cpu);
		usleep_range(100, 200);
	}
	return 0;
}

static void rbmap_selftest_reset(struct rbmap_selftest_cpu *cpu,
				 unsigned int id, struct rbmap_buffer *buffer)
{
	*cpu = (struct rbmap_selftest_cpu) {
		.id	= id,
		.buffer	= buffer,
	};
	rbmap_hrtimer_setup(&cpu->timer, rbmap_selftest_timer);
	tasklet_setup(&cpu->tasklet, rbmap_selftest_tasklet);
	init_irq_work(&cpu->irq_work, rbmap_selftest_irq_work);
}

static int rbmap_selftest_create_thread(struct rbmap_selftest_cpu *cpu)
{
	struct task_struct *task;

	task = kthread_create_on_node(rbmap_selftest_thread, cpu,
				      cpu_to_node(cpu->id), "rbmap_test/%u",
				      cpu->id);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu->id);
	cpu->task = task;
	wake_up_process(task);
	return 0;
}

/**
 * rbmap_selftest_start - start the writers of all CPUs that are online
 * @buffer: the buffer that they write to
 *
 * Context: may sleep; the writers do not run.
 * Return: 0 or a negative error, after which no writer runs.
 */
int rbmap_selftest_start(struct rbmap_buffer *buffer)
{
	unsigned int id;
	int err;

	for_each_possible_cpu(id)
		rbmap_selftest_reset(per_cpu_ptr(&rbmap_selftest_cpus, id), id,
				     buffer);
	err = rbmap_selftest_nmi_start();
	if (err)
		return err;
	WRITE_ONCE(rbmap_selftest_running, true);
	cpus_read_lock();
	for_each_online_cpu(id) {
		err = rbmap_selftest_create_thread(per_cpu_ptr(&rbmap_selftest_cpus, id));
		if (err)
			break;
	}
	cpus_read_unlock();
	if (err)
		rbmap_selftest_stop();
	return err;
}

/*
 * A thread requests interrupt work, a timer schedules a tasklet, and a tasklet requests
 * interrupt work: stop them in this order.
 */
static void rbmap_selftest_stop_cpu(struct rbmap_selftest_cpu *cpu)
{
	if (!cpu->task)
		return;
	kthread_stop(cpu->task);
	cpu->task = NULL;
	hrtimer_cancel(&cpu->timer);
	tasklet_kill(&cpu->tasklet);
	irq_work_sync(&cpu->irq_work);
}

/**
 * rbmap_selftest_stop - stop all writers, and wait until none writes
 *
 * Context: sleeps.
 */
void rbmap_selftest_stop(void)
{
	unsigned int id;

	WRITE_ONCE(rbmap_selftest_running, false);
	for_each_possible_cpu(id)
		rbmap_selftest_stop_cpu(per_cpu_ptr(&rbmap_selftest_cpus, id));
	rbmap_selftest_nmi_stop();
}

static void rbmap_selftest_last_here(void *unused)
{
	struct rbmap_selftest_cpu *cpu = this_cpu_ptr(&rbmap_selftest_cpus);

	rbmap_selftest_write(cpu, RBMAP_SELFTEST_IRQ);
	cpu->last = true;
}

/**
 * rbmap_selftest_last - write one more event on each CPU that is online
 *
 * A ring reports a loss with the next event.  After the last event all losses are
 * reported.
 *
 * Context: sleeps; the writers are stopped, and their buffer exists.
 */
void rbmap_selftest_last(void)
{
	on_each_cpu(rbmap_selftest_last_here, NULL, 1);
}
