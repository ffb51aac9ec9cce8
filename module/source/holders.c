// SPDX-License-Identifier: GPL-2.0-only
/*
 * The listeners of aliases: a perf event for each CPU.  It listens to an event of the
 * kernel that happens only during boot, so that its list of listeners hears nothing but
 * records of aliases.  It cannot be an event of this module, which would then hold a
 * reference to itself.
 *
 * A perf event needs rights that the process which wants an event may lack, and locks that
 * wait for CPU hotplug.  So a work creates the listeners.
 */
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include <linux/workqueue.h>

#include "holders.h"
#include "kernel_record.h"
#include "lib/log.h"

#define RBMAP_QUIET_SYSTEM	"initcall"
#define RBMAP_QUIET_EVENT	"initcall_level"

/* All are under rbmap_holders_lock. */
static DEFINE_MUTEX(rbmap_holders_lock);
static DEFINE_PER_CPU(struct perf_event *, rbmap_holder);
static struct hlist_head __percpu *rbmap_listeners;
static int rbmap_holders_error;
static bool rbmap_holders_started;
static enum cpuhp_state rbmap_holders_state;

/* CPUs that came on line: they have lost their listener, or had none. */
static struct cpumask rbmap_holders_stale;

static struct perf_event *rbmap_holder_create(int cpu, u64 quiet)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= quiet,
		.sample_period	= 1,
		/*
		 * Without the period perf would call the handler once for each unit
		 * of an event that counts, such as nanoseconds.
		 */
		.sample_type	= PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
		.pinned		= 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, rbmap_alias_overflow,
						NULL);
}

/* A new listener is there before the old one goes: the list stays. */
static int rbmap_holder_renew(int cpu, u64 quiet)
{
	struct perf_event *old = per_cpu(rbmap_holder, cpu);
	struct perf_event *holder = rbmap_holder_create(cpu, quiet);

	if (IS_ERR(holder))
		return PTR_ERR(holder);
	per_cpu(rbmap_holder, cpu) = holder;
	if (old)
		perf_event_release_kernel(old);
	return 0;
}

static int rbmap_holders_renew(u64 quiet)
{
	int cpu, err;

	for_each_online_cpu(cpu) {
		if (!cpumask_test_and_clear_cpu(cpu, &rbmap_holders_stale))
			continue;
		err = rbmap_holder_renew(cpu, quiet);
		if (!err)
			continue;
		cpumask_set_cpu(cpu, &rbmap_holders_stale);
		/* The CPU has gone off line again. */
		if (err != -ENODEV)
			return err;
	}
	return 0;
}

static void rbmap_holders_work(struct work_struct *work)
{
	struct trace_event_file *file;
	int err;

	mutex_lock(&rbmap_holders_lock);
	file = trace_get_event_file(NULL, RBMAP_QUIET_SYSTEM, RBMAP_QUIET_EVENT);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
	} else {
		err = rbmap_holders_renew(file->event_call->event.type);
		rbmap_listeners = file->event_call->perf_events;
		trace_put_event_file(file);
	}
	if (err)
		rbmap_warn("cannot listen to the kernel's events: error %d\n", err);
	WRITE_ONCE(rbmap_holders_error, err);
	mutex_unlock(&rbmap_holders_lock);
}

static DECLARE_WORK(rbmap_holders_renewal, rbmap_holders_work);

/*
 * Events of the CPU are missed, and counted, until its listener is there.  Hotplug cannot
 * wait for it: perf's locks are held by others who wait for hotplug.
 */
static int rbmap_holders_online(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &rbmap_holders_stale);
	schedule_work(&rbmap_holders_renewal);
	return 0;
}

static int rbmap_holders_follow(void)
{
	int err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "rbmap:holders",
				    rbmap_holders_online, NULL);

	if (err < 0)
		return err;
	rbmap_holders_state = err;
	return 0;
}

/**
 * rbmap_holders_start - listen on each CPU, from the first event on
 *
 * Context: sleeps; one caller at a time.
 * Return: 0 or a negative error.
 */
int rbmap_holders_start(void)
{
	int err;

	if (!rbmap_holders_started) {
		err = rbmap_holders_follow();
		if (err)
			return err;
		rbmap_holders_started = true;
	} else if (READ_ONCE(rbmap_holders_error)) {
		schedule_work(&rbmap_holders_renewal);
	}
	/* Each CPU that is on line has asked for its listener. */
	flush_work(&rbmap_holders_renewal);
	mutex_lock(&rbmap_holders_lock);
	err = rbmap_holders_error;
	mutex_unlock(&rbmap_holders_lock);
	return err;
}

/**
 * rbmap_holders_list - the listeners of each CPU, for aliases
 *
 * Context: after rbmap_holders_start() has succeeded.
 */
struct hlist_head __percpu *rbmap_holders_list(void)
{
	return rbmap_listeners;
}

/**
 * rbmap_holders_stop - release the listeners
 *
 * Context: sleeps; no alias is registered any more.
 */
void rbmap_holders_stop(void)
{
	struct perf_event *holder;
	int cpu;

	if (!rbmap_holders_started)
		return;
	cpuhp_remove_state_nocalls(rbmap_holders_state);
	cancel_work_sync(&rbmap_holders_renewal);
	for_each_possible_cpu(cpu) {
		holder = per_cpu(rbmap_holder, cpu);
		if (holder)
			perf_event_release_kernel(holder);
		per_cpu(rbmap_holder, cpu) = NULL;
	}
	rbmap_holders_started = false;
}
