// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write numbered events on all CPUs at once, from tasks, softirqs, interrupts
 * and NMIs, which nest in each other.
 *
 *	echo N >/sys/module/emit/parameters/run
 *
 * writes N events from a task on each online CPU while timers write events of
 * their own, and returns when all tasks have finished. The task of a CPU that
 * goes offline continues when the CPU is back; the CPU's timers write until the
 * CPU is gone.
 *
 * `attempts` then has a line for each CPU: the CPU's number, and three numbers
 * for each context, counted since the module was loaded. They are the events
 * that the context tried to write, the events that were refused, and the
 * refused reservations that it would have discarded.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smpboot.h>
#include <rbmap/buffer.h>

#include "internal.h"

/* These determine the events: change them only between two runs. */
unsigned int emit_clock_id;
module_param_named(clock, emit_clock_id, uint, 0644);
MODULE_PARM_DESC(clock, "enum rbmap_clock, as trace_clock has it");

struct emit_rule emit_rule;
module_param_named(tiny, emit_rule.tiny, uint, 0644);
MODULE_PARM_DESC(tiny, "the context of CPU 0 that writes tiny events");
module_param_named(too_large, emit_rule.too_large, uint, 0644);
MODULE_PARM_DESC(too_large, "try events that are too large as well");
module_param_named(max, emit_rule.max, uint, 0444);
MODULE_PARM_DESC(max, "bytes of the largest event");

unsigned int emit_irq_us = 150;
module_param_named(irq_us, emit_irq_us, uint, 0644);
MODULE_PARM_DESC(irq_us, "microseconds between interrupts; 0: none");

unsigned int emit_burst = 3;
module_param_named(burst, emit_burst, uint, 0644);
MODULE_PARM_DESC(burst, "events of one interrupt, at most");

unsigned int emit_depth = 1;
module_param_named(depth, emit_depth, uint, 0644);
MODULE_PARM_DESC(depth, "events inside each other that a task writes");

bool emit_nmis = IS_ENABLED(CONFIG_X86_LOCAL_APIC);
module_param_named(nmis, emit_nmis, bool, 0644);
MODULE_PARM_DESC(nmis, "CPUs send NMIs to themselves and to each other");

static unsigned int emit_batch = 200;
module_param_named(task_batch, emit_batch, uint, 0644);
MODULE_PARM_DESC(task_batch, "events that a task writes before it lets others run");

DEFINE_PER_CPU(struct emit_cpu, emit_cpus);
struct rbmap_buffer *emit_buffer;
bool emit_running;
bool emit_ready;

static DEFINE_PER_CPU(struct task_struct *, emit_tasks);

static int emit_task_wanted(unsigned int id)
{
	return READ_ONCE(per_cpu_ptr(&emit_cpus, id)->left) > 0;
}

/*
 * Sleep, so that others run. A hard interrupt ends the sleep: with PREEMPT_RT,
 * another timer would need a thread that a CPU on its way offline has already
 * parked.
 */
static void emit_pause(void)
{
	ktime_t pause = ns_to_ktime(50 * NSEC_PER_USEC);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout_range(&pause, 50 * NSEC_PER_USEC,
				 HRTIMER_MODE_REL_HARD);
}

static void emit_task(unsigned int id)
{
	struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);
	unsigned int i;

	if (!cpu->armed)
		emit_arm(cpu);
	cpu->armed = true;
	for (i = 0; i < emit_batch && cpu->left; i++) {
		emit_one(cpu, EMIT_TASK);
		WRITE_ONCE(cpu->left, cpu->left - 1);
	}
	if (cpu->left) {
		emit_pause();
		return;
	}
	emit_disarm(cpu);
	cpu->armed = false;
	complete(&cpu->done);
}

/* The CPU goes offline; its timers write as long as they can. */
static void emit_park(unsigned int id)
{
	per_cpu_ptr(&emit_cpus, id)->armed = false;
}

static struct smp_hotplug_thread emit_threads = {
	.store			= &emit_tasks,
	.thread_should_run	= emit_task_wanted,
	.thread_fn		= emit_task,
	.park			= emit_park,
	.thread_comm		= "emit/%u",
};

/* The kernel sets one parameter at a time. */
static int emit_run(const char *text, const struct kernel_param *param)
{
	static struct cpumask cpus;
	unsigned int id;
	u64 count;
	int err;

	/* Refused on the command line of insmod: the module is not set up yet. */
	if (!emit_ready)
		return -EBUSY;
	err = kstrtou64(text, 0, &count);
	if (err || !count)
		return err;

	cpus_read_lock();
	cpumask_copy(&cpus, cpu_online_mask);
	WRITE_ONCE(emit_running, true);
	for_each_cpu(id, &cpus) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		init_completion(&cpu->done);
		WRITE_ONCE(cpu->left, count);
		wake_up_process(per_cpu(emit_tasks, id));
	}
	cpus_read_unlock();
	/* Wait in several steps: a single long wait would look like a hung task. */
	for_each_cpu(id, &cpus)
		while (!wait_for_completion_timeout(
				&per_cpu_ptr(&emit_cpus, id)->done, HZ))
			;
	WRITE_ONCE(emit_running, false);
	/*
	 * synchronize_rcu() waits for NMIs, too; the work that they queued ends
	 * after them.
	 */
	synchronize_rcu();
	for_each_cpu(id, &cpus)
		irq_work_sync(&per_cpu_ptr(&emit_cpus, id)->irq_work);
	return 0;
}

static int emit_attempts(char *text, const struct kernel_param *param)
{
	unsigned int id;
	int len = 0, i;

	for_each_present_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		len += scnprintf(text + len, PAGE_SIZE - len, "%u", id);
		for (i = 0; i < EMIT_CONTEXTS; i++)
			len += scnprintf(text + len, PAGE_SIZE - len,
					 " %u %u %u", cpu->writer[i].attempts,
					 cpu->writer[i].refused,
					 cpu->writer[i].discards_refused);
		len += scnprintf(text + len, PAGE_SIZE - len, "\n");
	}
	return len;
}

static const struct kernel_param_ops emit_run_ops = { .set = emit_run };
static const struct kernel_param_ops emit_attempts_ops = {
	.get = emit_attempts
};

module_param_cb(run, &emit_run_ops, NULL, 0200);
module_param_cb(attempts, &emit_attempts_ops, NULL, 0444);

/* A tasklet has an event with addresses; this one runs once. */
static void emit_tasklet_run(struct tasklet_struct *tasklet)
{
}

static DECLARE_TASKLET(emit_tasklet, emit_tasklet_run);

/* The kernel holds this lock while it sets a parameter. */
static void emit_set_ready(bool ready)
{
	kernel_param_lock(THIS_MODULE);
	emit_ready = ready;
	kernel_param_unlock(THIS_MODULE);
}

static int __init emit_init(void)
{
	struct rbmap_buffer *buffer;
	unsigned int id, context;
	int err;

	if (nr_cpu_ids > EMIT_CPUS)
		return -E2BIG;
	buffer = emit_own_create();
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	emit_rule.max = rbmap_buffer_max_event(buffer);
	for_each_possible_cpu(id) {
		struct emit_cpu *cpu = per_cpu_ptr(&emit_cpus, id);

		cpu->id = id;
		for (context = 0; context < EMIT_CONTEXTS; context++)
			cpu->writer[context].who = emit_who(id, context);
	}
	err = emit_fetch_init();
	if (err)
		goto own;
	err = emit_contexts_init();
	if (err)
		goto fetch;
	err = smpboot_register_percpu_thread(&emit_threads);
	if (err)
		goto contexts;
	emit_buffer = buffer;
	emit_set_ready(true);
	tasklet_schedule(&emit_tasklet);
	return 0;

contexts:
	emit_contexts_exit();
fetch:
	emit_fetch_exit();
own:
	emit_own_exit();
	return err;
}

static void __exit emit_exit(void)
{
	unsigned int id;

	/*
	 * The parameter files exist until the module is gone. Refuse writes
	 * from here on: they need the objects that are freed below.
	 */
	emit_set_ready(false);
	tasklet_kill(&emit_tasklet);
	/*
	 * Linux 5.10 warns unless the threads are parked before they are stopped.
	 * The kernel parks them too when a CPU goes offline, and it warns of a
	 * thread that is parked twice: no CPU comes or goes until they are stopped.
	 */
	cpu_hotplug_disable();
	for_each_online_cpu(id)
		kthread_park(per_cpu(emit_tasks, id));
	smpboot_unregister_percpu_thread(&emit_threads);
	cpu_hotplug_enable();
	emit_contexts_exit();
	emit_fetch_exit();
	emit_own_exit();
}

module_init(emit_init);
module_exit(emit_exit);

MODULE_DESCRIPTION("Numbered events from all contexts, to test rbmap");
MODULE_LICENSE("GPL");
