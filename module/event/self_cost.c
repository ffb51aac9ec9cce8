// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of rbmap itself: for each CPU and context a histogram of the nanoseconds
 * that a built-in probe takes.  Rings do not contain any of this.
 *
 * A context is interrupted only by higher contexts, which have counters of their
 * own.  With preemption off, plain additions are therefore enough.  The time of an
 * interrupt is also part of the time of the probe that it interrupts.
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

#include "self_cost.h"
#include "source.h"

/*
 * One bucket for each ns up to 7, then 4 buckets for each power of two, up to 16 ms.
 */
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
 * struct rbmap_cost - cost of the probes in one context of a CPU
 * @begin: start time of the running probe; 0 if no probe runs
 * @task: task in which the running probe started
 * @events: number of measured events
 * @astray: number of events that were not measured, because the probe was preempted
 *	or had started before the measurement
 * @min: shortest time in ns, if @events is not 0
 * @max: longest time in ns
 * @bucket: number of events of each duration
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

/* Serializes turning the measurement on and off. */
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

/* The shortest time in ns that is counted in a bucket. */
static u64 rbmap_cost_least(unsigned int bucket)
{
	if (bucket < RBMAP_COST_EXACT)
		return bucket;
	bucket -= RBMAP_COST_EXACT;
	return (4ULL + bucket % 4) << (bucket / 4 + 1);
}

/*
 * Only the CPU itself counts.  Other CPUs read concurrently, and may miss the last
 * events.
 */
static void rbmap_cost_count(u64 *counter)
{
	WRITE_ONCE(*counter, *counter + 1);
}

/* Called at the start of a probe, in any context. */
void rbmap_self_cost_start(void)
{
	struct rbmap_cost *cost;

	preempt_disable_notrace();
	cost = rbmap_cost_here();
	cost->task = current;
	WRITE_ONCE(cost->begin, trace_clock_local());
	preempt_enable_notrace();
}
RB_RARE_FUNCTION(rbmap_self_cost_start);

/* Called after a probe has committed its event, in any context. */
void rbmap_self_cost_stop(void)
{
	u64 now = trace_clock_local(), ns;
	struct rbmap_cost *cost;

	preempt_disable_notrace();
	cost = rbmap_cost_here();
	if (likely(cost->begin && cost->task == current)) {
		/* The clock may step back. */
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
 * The time that @percent per cent of @events did not exceed.  Events are assumed to
 * be spread evenly in each bucket.
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
 * rbmap_self_cost_summary - add a line for each context to the `stats` file
 * @cpu: the CPU
 * @page: a page
 * @len: number of bytes already in @page
 *
 * Return: number of bytes added; 0 if the measurement is off.
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
 * Write "LEAST:EVENTS" for each bucket, with @left events in all.  The last one that
 * fits also counts the events of those that do not fit.
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
 * rbmap_self_cost_histogram - write a CPU's histograms, one line for each context
 * @cpu: the CPU
 * @page: a page
 *
 * A line is CONTEXT EVENTS ASTRAY MIN MAX LEAST:EVENTS...  Nothing is written if the
 * measurement was never on.
 *
 * Return: number of bytes.
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
 * rbmap_self_cost_set - turn the measurement on or off
 * @on: whether to turn it on, which restarts the counters at 0 if it was off
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
		/* No probe that found the measurement on runs after this. */
		rbmap_tracepoint_source.settle();
	}
	WRITE_ONCE(rbmap_self_cost, on);
out:
	mutex_unlock(&rbmap_self_cost_lock);
	return err;
}

/**
 * rbmap_self_cost_is_on - test whether the measurement is on
 *
 * Context: any.
 */
bool rbmap_self_cost_is_on(void)
{
	return READ_ONCE(rbmap_self_cost);
}

/**
 * rbmap_self_cost_init - turn the measurement on if the module parameter says so
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
 * rbmap_self_cost_exit - clean up when no probe runs any more
 */
void rbmap_self_cost_exit(void)
{
	rbmap_self_cost_set(false);
	free_percpu(rbmap_costs);
}
