// SPDX-License-Identifier: GPL-2.0-only
/*
 * What rbmap itself costs: for each CPU and context a histogram of the
 * nanoseconds that a built-in probe takes.  Nothing of it is in a ring.
 *
 * A context is interrupted by higher ones alone, which have a place of their
 * own; with preemption off plain additions will do.  What an interrupt takes
 * counts for the probe that it interrupts, too.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sysfs.h>
#include <linux/trace_clock.h>
#include <linux/tracepoint.h>

#include "self_cost.h"

/* Up to 7 ns each has its own, then 4 an octave, up to 16 ms. */
#define RBMAP_COST_EXACT	8U
#define RBMAP_COST_BUCKETS	(RBMAP_COST_EXACT + 4 * 21)

enum rbmap_cost_context {
	RBMAP_COST_TASK,
	RBMAP_COST_SOFTIRQ,
	RBMAP_COST_IRQ,
	RBMAP_COST_NMI,
	RBMAP_COST_CONTEXTS,
};

static const char *const rbmap_cost_names[] = {
	"task", "softirq", "irq", "NMI",
};

/**
 * struct rbmap_cost - of a context of a CPU
 * @begin: when its probe began; 0: there is none
 * @task: in which task
 * @events: measured
 * @astray: not measured: the probe was preempted, or it began before we did
 * @min: ns, where there are @events
 * @max: ns
 * @bucket: of @events
 */
struct rbmap_cost {
	u64				begin;
	const struct task_struct	*task;
	u64				events;
	u64				astray;
	u64				min;
	u64				max;
	u64				bucket[RBMAP_COST_BUCKETS];
};

struct rbmap_costs {
	struct rbmap_cost	context[RBMAP_COST_CONTEXTS];
};

DEFINE_STATIC_KEY_FALSE(rbmap_self_cost_key);

static bool rbmap_self_cost;
module_param_named(self_cost, rbmap_self_cost, bool, 0444);
MODULE_PARM_DESC(self_cost, "measure what rbmap's own probes take (default 0)");

/* Who turns it on or off. */
static DEFINE_MUTEX(rbmap_self_cost_lock);
static struct rbmap_costs __percpu *rbmap_costs;

static struct rbmap_cost *rbmap_cost_here(void)
{
	unsigned int count = preempt_count();
	enum rbmap_cost_context context = RBMAP_COST_TASK;

	if (count & NMI_MASK)
		context = RBMAP_COST_NMI;
	else if (count & HARDIRQ_MASK)
		context = RBMAP_COST_IRQ;
	else if (in_serving_softirq())
		context = RBMAP_COST_SOFTIRQ;
	return &raw_cpu_ptr(rbmap_costs)->context[context];
}

static unsigned int rbmap_cost_bucket(u64 ns)
{
	unsigned int octave;

	if (ns < RBMAP_COST_EXACT)
		return ns;
	octave = ilog2(ns);
	return min(RBMAP_COST_EXACT + (octave - 3) * 4 +
		   (unsigned int)(ns >> (octave - 2) & 3),
		   RBMAP_COST_BUCKETS - 1);
}

/* The least that goes into it. */
static u64 rbmap_cost_least(unsigned int bucket)
{
	if (bucket < RBMAP_COST_EXACT)
		return bucket;
	bucket -= RBMAP_COST_EXACT;
	return (4ULL + bucket % 4) << (bucket / 4 + 1);
}

/* Its CPU alone counts; others read it meanwhile, and may miss the last ones. */
static void rbmap_cost_count(u64 *counter)
{
	WRITE_ONCE(*counter, *counter + 1);
}

/* A probe begins.  Any context. */
void rbmap_self_cost_start(void)
{
	struct rbmap_cost *cost;

	preempt_disable_notrace();
	cost = rbmap_cost_here();
	cost->task = current;
	WRITE_ONCE(cost->begin, trace_clock_local());
	preempt_enable_notrace();
}

/* It has committed its event.  Any context. */
void rbmap_self_cost_stop(void)
{
	u64 now = trace_clock_local(), ns;
	struct rbmap_cost *cost;

	preempt_disable_notrace();
	cost = rbmap_cost_here();
	if (likely(cost->begin && cost->task == current)) {
		/* A clock may step back. */
		ns = now > cost->begin ? now - cost->begin : 0;
		if (!cost->events || ns < cost->min)
			WRITE_ONCE(cost->min, ns);
		if (ns > cost->max)
			WRITE_ONCE(cost->max, ns);
		rbmap_cost_count(&cost->bucket[rbmap_cost_bucket(ns)]);
		rbmap_cost_count(&cost->events);
	} else {
		rbmap_cost_count(&cost->astray);
	}
	WRITE_ONCE(cost->begin, 0);
	preempt_enable_notrace();
}

/*
 * So many parts of @events in a hundred took no longer; inside of a bucket all are
 * spread.
 */
static u64 rbmap_cost_percentile(const struct rbmap_cost *cost, u64 events,
				 unsigned int percent)
{
	u64 rank = div_u64(events * percent + 99, 100), before = 0;
	u64 min = READ_ONCE(cost->min), max = READ_ONCE(cost->max);
	unsigned int i;

	for (i = 0; i < RBMAP_COST_BUCKETS; i++) {
		u64 here = READ_ONCE(cost->bucket[i]);
		u64 least = rbmap_cost_least(i);

		if (here && before + here >= rank) {
			u64 width = rbmap_cost_least(i + 1) - least;
			u64 ns = least + div64_u64((rank - before) * width,
						   here);

			return clamp(ns, min, max);
		}
		before += here;
	}
	return max;
}

/**
 * rbmap_self_cost_summary - a line for each context, for `stats`
 * @cpu: the CPU
 * @page: a page
 * @len: bytes in it
 *
 * Return: bytes more; 0 where nothing is measured.
 */
int rbmap_self_cost_summary(int cpu, char *page, int len)
{
	int i, begin = len;

	if (!static_key_enabled(&rbmap_self_cost_key))
		return 0;
	for (i = 0; i < RBMAP_COST_CONTEXTS; i++) {
		const struct rbmap_cost *cost =
			&per_cpu_ptr(rbmap_costs, cpu)->context[i];
		u64 events = READ_ONCE(cost->events);

		len += sysfs_emit_at(page, len,
				     "self cost %s: %llu events, min %llu p50 %llu p99 %llu max %llu ns, %llu astray\n",
				     rbmap_cost_names[i], events,
				     READ_ONCE(cost->min),
				     rbmap_cost_percentile(cost, events, 50),
				     rbmap_cost_percentile(cost, events, 99),
				     READ_ONCE(cost->max),
				     READ_ONCE(cost->astray));
	}
	return len - begin;
}

/*
 * "LEAST:EVENTS" each, @left events in all; what has no room counts with the last
 * that has.
 */
static int rbmap_cost_buckets(const struct rbmap_cost *cost, u64 left,
			      char *page, int len, int room)
{
	int i, begin = len;

	for (i = 0; i < RBMAP_COST_BUCKETS && left; i++) {
		u64 here = READ_ONCE(cost->bucket[i]);
		bool last = len - begin > room - 64;

		if (!here)
			continue;
		if (last || here > left)
			here = left;
		left -= here;
		len += sysfs_emit_at(page, len, " %llu:%llu",
				     rbmap_cost_least(i), here);
	}
	return len - begin;
}

/**
 * rbmap_self_cost_histogram - all of a CPU, a line for each context
 * @cpu: the CPU
 * @page: a page
 *
 * CONTEXT EVENTS ASTRAY MIN MAX LEAST:EVENTS...; nothing before it was ever on.
 *
 * Return: bytes.
 */
int rbmap_self_cost_histogram(int cpu, char *page)
{
	int i, len = 0;

	if (!READ_ONCE(rbmap_costs))
		return 0;
	for (i = 0; i < RBMAP_COST_CONTEXTS; i++) {
		const struct rbmap_cost *cost =
			&per_cpu_ptr(rbmap_costs, cpu)->context[i];
		u64 events = READ_ONCE(cost->events);

		len += sysfs_emit_at(page, len, "%s %llu %llu %llu %llu",
				     rbmap_cost_names[i], events,
				     READ_ONCE(cost->astray),
				     READ_ONCE(cost->min), READ_ONCE(cost->max));
		len += rbmap_cost_buckets(cost, events, page, len,
					  PAGE_SIZE / RBMAP_COST_CONTEXTS - 100);
		len += sysfs_emit_at(page, len, "\n");
	}
	return len;
}

static void rbmap_costs_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(rbmap_costs, cpu), 0, sizeof(*rbmap_costs));
}

/**
 * rbmap_self_cost_set - turn it on or off
 * @on: on: it counts from 0 where it was off
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_self_cost_set(bool on)
{
	int err = 0;

	mutex_lock(&rbmap_self_cost_lock);
	if (on == rbmap_self_cost)
		goto out;
	if (on && !rbmap_costs) {
		WRITE_ONCE(rbmap_costs, alloc_percpu(struct rbmap_costs));
		if (!rbmap_costs) {
			err = -ENOMEM;
			goto out;
		}
	} else if (on) {
		rbmap_costs_clear();
	}
	if (on) {
		static_branch_enable(&rbmap_self_cost_key);
	} else {
		static_branch_disable(&rbmap_self_cost_key);
		/* No probe that has found it on runs any more. */
		tracepoint_synchronize_unregister();
	}
	WRITE_ONCE(rbmap_self_cost, on);
out:
	mutex_unlock(&rbmap_self_cost_lock);
	return err;
}

/**
 * rbmap_self_cost_is_on - is it counted what probes take?
 *
 * Context: any.
 */
bool rbmap_self_cost_is_on(void)
{
	return READ_ONCE(rbmap_self_cost);
}

/**
 * rbmap_self_cost_init - on, if the module is loaded so
 *
 * Return: 0 or -ENOMEM.
 */
int rbmap_self_cost_init(void)
{
	bool on = rbmap_self_cost;

	rbmap_self_cost = false;
	return rbmap_self_cost_set(on);
}

/**
 * rbmap_self_cost_exit - no probe runs any more
 */
void rbmap_self_cost_exit(void)
{
	rbmap_self_cost_set(false);
	free_percpu(rbmap_costs);
}
