// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commits one fault, so that tests/debug/detectors sees whether the kernel
 * reports it:
 *
 *	insmod faulty.ko fault=NAME
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

static char *fault = "";
module_param(fault, charp, 0444);

static int faulty_use_after_free(void)
{
	int *word = kmalloc(sizeof(*word), GFP_KERNEL);

	if (!word)
		return -ENOMEM;
	kfree(word);
	return READ_ONCE(*word) & 1;
}

static int faulty_out_of_bounds(void)
{
	u8 *bytes = vmalloc(100);
	volatile int at = 100;

	if (!bytes)
		return -ENOMEM;
	bytes[at] = 1;
	vfree(bytes);
	return 0;
}

static DEFINE_MUTEX(faulty_a);
static DEFINE_MUTEX(faulty_b);

static int faulty_lock_order(void)
{
	mutex_lock(&faulty_a);
	mutex_lock(&faulty_b);
	mutex_unlock(&faulty_b);
	mutex_unlock(&faulty_a);
	mutex_lock(&faulty_b);
	mutex_lock(&faulty_a);
	mutex_unlock(&faulty_a);
	mutex_unlock(&faulty_b);
	return 0;
}

static DEFINE_SPINLOCK(faulty_lock);

static int faulty_sleep(void)
{
	spin_lock(&faulty_lock);
	might_sleep();
	spin_unlock(&faulty_lock);
	return 0;
}

static int faulty_preemptible(void)
{
	return smp_processor_id() & 0;
}

static int faulty_shift(void)
{
	volatile int by = 40;

	return (1 << by) & 0;
}

static int faulty_leak(void)
{
	void *volatile lost;
	int i;

	/*
	 * A stray copy of one address may remain somewhere; 32 of them cannot
	 * all remain.
	 */
	for (i = 0; i < 32; i++)
		lost = kmalloc(64, GFP_KERNEL);
	lost = NULL;
	return 0;
}

/* A race between two CPUs: neither access is marked. */

static u64 faulty_word;
static DECLARE_COMPLETION(faulty_done);

static int faulty_increment(void *unused)
{
	int i;

	for (i = 0; i < 200000; i++) {
		faulty_word++;
		barrier();
		cond_resched();
	}
	complete(&faulty_done);
	return 0;
}

static int faulty_race(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct task_struct *task =
			kthread_create(faulty_increment, NULL, "faulty/%d", i);

		if (IS_ERR(task))
			return PTR_ERR(task);
		kthread_bind(task, i);
		wake_up_process(task);
	}
	wait_for_completion(&faulty_done);
	wait_for_completion(&faulty_done);
	msleep(100); /* until the threads have left the module's code */
	return 0;
}

/* A race between a task and an interrupt on the same CPU. */

static enum hrtimer_restart faulty_interrupt(struct hrtimer *timer)
{
	faulty_word++;
	hrtimer_forward_now(timer, ns_to_ktime(100 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int faulty_nested_race(void)
{
	struct hrtimer timer;
	int i;

	hrtimer_init_on_stack(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	timer.function = faulty_interrupt;
	migrate_disable();
	hrtimer_start(&timer, 0, HRTIMER_MODE_REL_PINNED);
	for (i = 0; i < 200000; i++) {
		faulty_word++;
		barrier();
		cond_resched();
	}
	hrtimer_cancel(&timer);
	migrate_enable();
	destroy_hrtimer_on_stack(&timer);
	return 0;
}

static const struct {
	const char *name;
	int (*commit)(void);
} faults[] = {
	{ "use-after-free", faulty_use_after_free },
	{ "out-of-bounds", faulty_out_of_bounds },
	{ "lock-order", faulty_lock_order },
	{ "sleep", faulty_sleep },
	{ "preemptible", faulty_preemptible },
	{ "shift", faulty_shift },
	{ "leak", faulty_leak },
	{ "race", faulty_race },
	{ "nested-race", faulty_nested_race },
	{ "none", NULL },
};

static int __init faulty_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(faults[i].name, fault))
			continue;
		return faults[i].commit ? min(faults[i].commit(), 0) : 0;
	}
	return -EINVAL;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);

MODULE_DESCRIPTION("Breaks the rules, for those who watch");
MODULE_LICENSE("GPL");
