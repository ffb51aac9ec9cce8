// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf events of this module: one for each CPU that is on line.
 *
 * A perf event needs rights that the process which wants an event may lack, and locks that
 * wait for CPU hotplug.  So a work creates them.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "lib/log.h"
#include "listeners.h"

/* All are under rbmap_listeners_lock. */
static DEFINE_MUTEX(rbmap_listeners_lock);
static LIST_HEAD(rbmap_listeners);
static bool rbmap_listeners_followed;
static enum cpuhp_state rbmap_listeners_state;

/*
 * CPUs that came on line, and how often one did.  The perf events that they had hear nothing
 * any more.  CPU hotplug takes this lock, so a holder does not sleep.
 */
static DEFINE_SPINLOCK(rbmap_listeners_came_lock);
static struct cpumask rbmap_listeners_stale;
static unsigned int rbmap_listeners_came;

/* How many of these times the work has followed; under rbmap_listeners_lock */
static unsigned int rbmap_listeners_met;

static struct perf_event *rbmap_listener_create(const struct rbmap_listener *listener,
						int cpu)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= listener->type,
		.sample_period	= 1,
		/*
		 * Without the period perf would call the handler once for each unit
		 * of an event that counts, such as nanoseconds.
		 */
		.sample_type	= PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
		.pinned		= 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, listener->handler,
						listener->context);
}

static void rbmap_listeners_set_stale(int cpu)
{
	spin_lock(&rbmap_listeners_came_lock);
	cpumask_set_cpu(cpu, &rbmap_listeners_stale);
	spin_unlock(&rbmap_listeners_came_lock);
}

/*
 * A new perf event is there before the old one goes: the list that it is on stays.  The kernel
 * frees the list with its last perf event, and aliases use it.  The old one hears nothing, unless
 * the CPU was on line and had no callback yet.  Both would hear an event.
 */
static int rbmap_listener_renew_cpu(struct rbmap_listener *listener, int cpu)
{
	struct perf_event **at = per_cpu_ptr(listener->events, cpu), *old = *at, *event;

	if (old)
		perf_event_disable(old);
	event = rbmap_listener_create(listener, cpu);
	/* The CPU gets its perf event from the next work, whatever it is for. */
	if (IS_ERR(event)) {
		if (old)
			rbmap_listeners_set_stale(cpu);
		return PTR_ERR(event);
	}
	*at = event;
	if (old)
		perf_event_release_kernel(old);
	return 0;
}

static void rbmap_listener_renew(struct rbmap_listener *listener,
				 const struct cpumask *stale)
{
	int cpu, err;

	listener->error = 0;
	for_each_online_cpu(cpu) {
		if (*per_cpu_ptr(listener->events, cpu) && !cpumask_test_cpu(cpu, stale))
			continue;
		err = rbmap_listener_renew_cpu(listener, cpu);
		/* Perf also refuses a CPU that has gone off line again: it will be stale. */
		if (err && (err != -ENODEV || cpu_online(cpu)))
			listener->error = err;
	}
}

static void rbmap_listeners_work(struct work_struct *work)
{
	static struct cpumask stale;	/* under the lock, as it may be large */
	struct rbmap_listener *listener;
	int err = 0;

	mutex_lock(&rbmap_listeners_lock);
	spin_lock(&rbmap_listeners_came_lock);
	rbmap_listeners_met = rbmap_listeners_came;
	cpumask_copy(&stale, &rbmap_listeners_stale);
	cpumask_clear(&rbmap_listeners_stale);
	spin_unlock(&rbmap_listeners_came_lock);
	list_for_each_entry(listener, &rbmap_listeners, list) {
		rbmap_listener_renew(listener, &stale);
		err = listener->error ?: err;
	}
	mutex_unlock(&rbmap_listeners_lock);
	if (err)
		rbmap_warn("cannot listen to the kernel's events: error %d\n", err);
}

static DECLARE_WORK(rbmap_listeners_renewal, rbmap_listeners_work);

/*
 * Events of the CPU are missed until its listeners are there.  Hotplug cannot wait for
 * them: perf's locks are held by others who wait for hotplug.
 */
static int rbmap_listeners_online(unsigned int cpu)
{
	spin_lock(&rbmap_listeners_came_lock);
	cpumask_set_cpu(cpu, &rbmap_listeners_stale);
	rbmap_listeners_came++;
	spin_unlock(&rbmap_listeners_came_lock);
	schedule_work(&rbmap_listeners_renewal);
	return 0;
}

static bool rbmap_listeners_came_since(unsigned int met)
{
	bool came;

	spin_lock(&rbmap_listeners_came_lock);
	came = rbmap_listeners_came != met;
	spin_unlock(&rbmap_listeners_came_lock);
	return came;
}

static int rbmap_listeners_follow_locked(void)
{
	int err;

	if (rbmap_listeners_followed)
		return 0;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "rbmap:listeners",
					rbmap_listeners_online, NULL);
	if (err < 0)
		return err;
	rbmap_listeners_state = err;
	rbmap_listeners_followed = true;
	return 0;
}

static int rbmap_listeners_follow(void)
{
	static DEFINE_MUTEX(lock);
	int err;

	mutex_lock(&lock);
	err = rbmap_listeners_follow_locked();
	mutex_unlock(&lock);
	return err;
}

/**
 * rbmap_listener_start - listen on each CPU
 * @listener: a listener with a handler and a type.  If it was started and has an error, it
 *	tries again
 *
 * Context: sleeps; one caller at a time for each listener.
 * Return: 0, or a negative error: rbmap_listener_stop() undoes this all the same.
 */
int rbmap_listener_start(struct rbmap_listener *listener)
{
	int err = rbmap_listeners_follow();

	if (err)
		return err;
	if (!listener->events) {
		listener->events = alloc_percpu(struct perf_event *);
		if (!listener->events)
			return -ENOMEM;
		mutex_lock(&rbmap_listeners_lock);
		list_add_tail(&listener->list, &rbmap_listeners);
		mutex_unlock(&rbmap_listeners_lock);
		listener->error = -EAGAIN;
	}
	if (!READ_ONCE(listener->error))
		return 0;
	schedule_work(&rbmap_listeners_renewal);
	flush_work(&rbmap_listeners_renewal);
	return READ_ONCE(listener->error);
}

/**
 * rbmap_listener_pause - stop to hear events, without a wait for the kernel
 * @listener: a listener, started or not.  rbmap_listener_stop() must follow
 *
 * Context: may sleep.  The handler may still run until rbmap_sync_probes().
 */
void rbmap_listener_pause(struct rbmap_listener *listener)
{
	struct perf_event *event;
	int cpu;

	if (!listener->events)
		return;
	mutex_lock(&rbmap_listeners_lock);
	list_del_init(&listener->list);
	listener->met = rbmap_listeners_met;
	for_each_possible_cpu(cpu) {
		event = *per_cpu_ptr(listener->events, cpu);
		if (event)
			perf_event_disable(event);
	}
	mutex_unlock(&rbmap_listeners_lock);
}

/**
 * rbmap_listener_resume - hear events again, with the same perf events
 * @listener: a listener after rbmap_listener_pause(), with the type that it had
 *
 * Context: may sleep.
 * Return: false: a CPU has come on line meanwhile, or some have no perf event.  The listener
 * is still paused.
 */
bool rbmap_listener_resume(struct rbmap_listener *listener)
{
	struct perf_event *event;
	bool same;
	int cpu;

	mutex_lock(&rbmap_listeners_lock);
	/* A CPU that comes from here on finds the listener in the list. */
	same = listener->events && !listener->error && !rbmap_listeners_came_since(listener->met);
	if (same) {
		for_each_possible_cpu(cpu) {
			event = *per_cpu_ptr(listener->events, cpu);
			if (event)
				perf_event_enable(event);
		}
		list_add_tail(&listener->list, &rbmap_listeners);
	}
	mutex_unlock(&rbmap_listeners_lock);
	return same;
}

/**
 * rbmap_listener_stop - release the perf events
 * @listener: a listener, started, paused or neither
 *
 * Context: sleeps.
 */
void rbmap_listener_stop(struct rbmap_listener *listener)
{
	struct perf_event *event;
	int cpu;

	if (!listener->events)
		return;
	mutex_lock(&rbmap_listeners_lock);
	list_del_init(&listener->list);
	mutex_unlock(&rbmap_listeners_lock);
	for_each_possible_cpu(cpu) {
		event = *per_cpu_ptr(listener->events, cpu);
		if (event)
			perf_event_release_kernel(event);
	}
	free_percpu(listener->events);
	listener->events = NULL;
}

/**
 * rbmap_listeners_settle - wait until CPUs that have come on line have their perf events
 *
 * Context: sleeps.
 */
void rbmap_listeners_settle(void)
{
	flush_work(&rbmap_listeners_renewal);
}

/**
 * rbmap_listeners_exit - stop following CPUs
 *
 * Context: sleeps; after the last rbmap_listener_stop().
 */
void rbmap_listeners_exit(void)
{
	if (rbmap_listeners_followed)
		cpuhp_remove_state_nocalls(rbmap_listeners_state);
	cancel_work_sync(&rbmap_listeners_renewal);
}
