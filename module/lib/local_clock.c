// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is sched_clock() the time-stamp counter in nanoseconds, by a scale that this module knows?
 *
 * The kernel computes it so from tsc_khz and an offset that it does not export.  A reading of
 * sched_clock() between two readings of the counter bounds the offset.  Many readings bound
 * it to a few nanoseconds.  A hypervisor's clock is never used, nor is a counter that changes
 * its frequency or differs between CPUs.
 *
 * The kernel changes its scale when it has measured the counter (about a second after boot),
 * and its offset when the machine wakes up.  Rings compare both clocks in each sixteenth
 * sub-buffer, and notice the first.  The kernel announces the second.
 */
#include <linux/clocksource.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <linux/time64.h>
#include <linux/workqueue.h>
#include <asm/cpufeature.h>
#include <asm/hypervisor.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#include "local_clock.h"
#include "log.h"

#define RBMAP_SCALE_READINGS	200
#define RBMAP_SCALE_TRIES	4	/* after as many differences the counter is not used */
#define RBMAP_SCALE_TOLERANCE	200	/* ns */

struct rbmap_tsc_scale rbmap_tsc_scale __read_mostly;
EXPORT_SYMBOL_GPL(rbmap_tsc_scale);
DEFINE_STATIC_KEY_FALSE(rbmap_tsc_is_local);
EXPORT_SYMBOL_GPL(rbmap_tsc_is_local);
RB_EARLY_FUNCTION(sched_clock);
RB_EXPORT_THUNK(sched_clock);

static DEFINE_MUTEX(rbmap_scale_lock);
static bool rbmap_scale_allowed = true;
static bool rbmap_sleeps;
static unsigned int rbmap_scale_tries;
static bool rbmap_scale_differs;
static struct irq_work rbmap_scale_irq_work;

static int rbmap_scale_param_get(char *text, const struct kernel_param *kp)
{
	return sprintf(text, "%c\n", static_key_enabled(&rbmap_tsc_is_local) ? 'Y' : 'N');
}

static const struct kernel_param_ops rbmap_scale_param_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= param_set_bool,
	.get	= rbmap_scale_param_get,
};

module_param_cb(inline_clock, &rbmap_scale_param_ops, &rbmap_scale_allowed, 0444);
MODULE_PARM_DESC(inline_clock, "0: always call the kernel for the local clock; reads as Y while writers compute it in place (default 1)");

/* A reading of sched_clock(), and of the counter before and after it */
struct rbmap_scale_reading {
	u64	before;
	u64	ns;
	u64	after;
};

static u64 rbmap_scale_ns(const struct rbmap_tsc_scale *scale, u64 tsc)
{
	return rbmap_tsc_to_ns(scale, tsc >> 32, (u32)tsc);
}

static __always_inline void rbmap_scale_read(struct rbmap_scale_reading *reading)
{
	reading->before = rdtsc_ordered();
	/* sched_clock() reads the counter after that. */
	asm volatile("lfence" ::: "memory");
	reading->ns = sched_clock();
	reading->after = rdtsc_ordered();
}

/* A guest's sched_clock() is the hypervisor's, or the counter's frequency may change. */
static bool rbmap_tsc_is_constant(void)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || check_tsc_unstable() ||
	    !hypervisor_is_type(X86_HYPER_NATIVE))
		return false;
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) ||
	       boot_cpu_has(X86_FEATURE_TSC_RELIABLE) ||
	       boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

static bool rbmap_scale_find(struct rbmap_tsc_scale *scale)
{
	const unsigned int khz = READ_ONCE(tsc_khz);
	struct rbmap_scale_reading reading;
	u32 mul, shift;
	s64 low = 0, high = 0;
	int i;

	if (!rbmap_tsc_is_constant() || !khz)
		return false;
	/* The kernel does the same: its shift is at most 31. */
	clocks_calc_mult_shift(&mul, &shift, khz, NSEC_PER_MSEC, 0);
	if (shift == 32) {
		shift--;
		mul >>= 1;
	}
	if (shift != RBMAP_TSC_SHIFT)
		return false;
	*scale = (struct rbmap_tsc_scale){ .mul = mul };
	for (i = 0; i < RBMAP_SCALE_READINGS; i++) {
		unsigned long flags;
		s64 least, most;

		local_irq_save(flags);
		rbmap_scale_read(&reading);
		local_irq_restore(flags);
		least = reading.ns - rbmap_scale_ns(scale, reading.after);
		most = reading.ns - rbmap_scale_ns(scale, reading.before);
		if (!i || least - low > 0)
			low = least;
		if (!i || most - high < 0)
			high = most;
	}
	scale->offset = low + (high - low) / 2;
	return high - low >= 0 && khz == READ_ONCE(tsc_khz);
}

/*
 * Stop the use of the scale, and wait for the writers that have read it: only then may it
 * change.
 * litmus: clock-scale
 */
static void rbmap_scale_drop(void)
{
	lockdep_assert_held(&rbmap_scale_lock);
	if (!static_key_enabled(&rbmap_tsc_is_local))
		return;
	static_branch_disable(&rbmap_tsc_is_local);
	synchronize_rcu();
}

static void rbmap_scale_renew(void)
{
	struct rbmap_tsc_scale scale;

	rbmap_scale_drop();
	if (rbmap_sleeps || !rbmap_scale_allowed || !rbmap_scale_find(&scale))
		return;
	rbmap_tsc_scale = scale;	/* litmus: clock-scale */
	WRITE_ONCE(rbmap_scale_differs, false);
	static_branch_enable(&rbmap_tsc_is_local);
}

static void rbmap_scale_work_fn(struct work_struct *work)
{
	mutex_lock(&rbmap_scale_lock);
	if (++rbmap_scale_tries >= RBMAP_SCALE_TRIES) {
		rbmap_scale_allowed = false;
		rbmap_info("the local clock is read by a call: it often differs from the time-stamp counter\n");
	}
	rbmap_scale_renew();
	mutex_unlock(&rbmap_scale_lock);
}

static DECLARE_WORK(rbmap_scale_work, rbmap_scale_work_fn);

static void rbmap_scale_irq_work_fn(struct irq_work *work)
{
	schedule_work(&rbmap_scale_work);
}

/**
 * rbmap_local_clock_watch - compare the two clocks
 *
 * A difference switches the use of the counter off, and the scale is found again.
 *
 * Context: any, including NMI, with preemption disabled.
 */
void rbmap_local_clock_watch(void)
{
	struct rbmap_scale_reading reading;
	s64 early, late;

	if (!static_branch_likely(&rbmap_tsc_is_local))
		return;
	rbmap_scale_read(&reading);
	early = rbmap_scale_ns(&rbmap_tsc_scale, reading.before) - reading.ns;
	late = reading.ns - rbmap_scale_ns(&rbmap_tsc_scale, reading.after);
	if (likely(early < RBMAP_SCALE_TOLERANCE && late < RBMAP_SCALE_TOLERANCE &&
		   !check_tsc_unstable()))
		return;
	/* A CPU that goes off line may run no irq_work any more, and would keep this one. */
	if (!READ_ONCE(rbmap_scale_differs) && cpu_online(raw_smp_processor_id())) {
		WRITE_ONCE(rbmap_scale_differs, true);
		irq_work_queue(&rbmap_scale_irq_work);
	}
}

static int rbmap_scale_sleep(struct notifier_block *nb, unsigned long event, void *data)
{
	mutex_lock(&rbmap_scale_lock);
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		rbmap_sleeps = true;
		rbmap_scale_drop();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		rbmap_sleeps = false;
		rbmap_scale_renew();
		break;
	}
	mutex_unlock(&rbmap_scale_lock);
	return NOTIFY_DONE;
}

static struct notifier_block rbmap_scale_notifier = { .notifier_call = rbmap_scale_sleep };

/**
 * rbmap_local_clock_init - let writers compute the local clock where that is possible
 *
 * Context: may sleep; before the first writer.
 * Return: 0, or a negative error number of the notifier's registration.
 */
int rbmap_local_clock_init(void)
{
	int err;

	init_irq_work(&rbmap_scale_irq_work, rbmap_scale_irq_work_fn);
	err = register_pm_notifier(&rbmap_scale_notifier);
	if (err)
		return err;
	mutex_lock(&rbmap_scale_lock);
	rbmap_scale_renew();
	mutex_unlock(&rbmap_scale_lock);
	return 0;
}

/** rbmap_local_clock_exit - undo rbmap_local_clock_init(); no writer is left */
void rbmap_local_clock_exit(void)
{
	unregister_pm_notifier(&rbmap_scale_notifier);
	irq_work_sync(&rbmap_scale_irq_work);
	cancel_work_sync(&rbmap_scale_work);
}
