// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever probes use is taken away from them by a store, and released when no probe runs
 * that may have seen it.  A user who switches events off, or replaces a filter, does not
 * wait for that.  A work waits once for all that was taken away before.
 */
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "event_set.h"
#include "release.h"
#include "source.h"

/* Bytes that may wait, beside those for which a wait has begun. */
#define RBMAP_RELEASE_MAX	(2U << 20)

/* All four are under rbmap_event_files_lock. */
static LIST_HEAD(rbmap_releases);
static size_t rbmap_releases_size;
/* Numbers of the last wait that has begun, and of the last one of those that have ended. */
static u64 rbmap_waits_begun = 1;
static u64 rbmap_waits_ended = 1;

/**
 * rbmap_sync_probes - wait for all probes that are running
 *
 * The marker has no probe.  Its writer uses its event file and its filter with
 * preemption off, for which the wait for tracepoints does not suffice on every kernel.
 * litmus: filter-free, hook-checks, generation-retire
 *
 * Context: sleeps.
 */
void rbmap_sync_probes(void)
{
	rbmap_tracepoint_source.settle();
	synchronize_rcu();
}

static void rbmap_releases_run(struct list_head *releases)
{
	struct rbmap_release *release;

	lockdep_assert_held(&rbmap_event_files_lock);
	while ((release = list_first_entry_or_null(releases, struct rbmap_release, list))) {
		list_del_init(&release->list);
		release->release(release);
		cond_resched();
	}
}

/*
 * Wait for probes, and release all that was passed before.  Without @unlocked the lock is
 * held meanwhile.
 */
static void rbmap_releases_wait(bool unlocked)
{
	LIST_HEAD(releases);
	u64 number;

	lockdep_assert_held(&rbmap_event_files_lock);
	list_splice_init(&rbmap_releases, &releases);
	rbmap_releases_size = 0;
	number = ++rbmap_waits_begun;
	if (unlocked)
		mutex_unlock(&rbmap_event_files_lock);
	rbmap_sync_probes();	/* step: sync */
	if (unlocked)
		mutex_lock(&rbmap_event_files_lock);
	/* Waits overlap.  One that has begun later covers those before it. */
	rbmap_waits_ended = max(rbmap_waits_ended, number);
	rbmap_releases_run(&releases);
}

static void rbmap_release_work_fn(struct work_struct *work)
{
	mutex_lock(&rbmap_event_files_lock);
	while (!list_empty(&rbmap_releases))
		rbmap_releases_wait(true);
	mutex_unlock(&rbmap_event_files_lock);
}

static DECLARE_WORK(rbmap_release_work, rbmap_release_work_fn);

/**
 * rbmap_release_later - do something when no probe runs that runs now
 * @release: the structure of the caller.  list_del_init() of its entry revokes it
 * @func: the function that does it, under rbmap_event_files_lock
 * @size: bytes of memory that it frees, or 0
 *
 * rbmap_release_limit() must follow, if @size is not 0.
 *
 * Context: rbmap_event_files_lock is held.
 */
void rbmap_release_later(struct rbmap_release *release,
			 void (*func)(struct rbmap_release *release), size_t size)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	release->release = func;
	list_add_tail(&release->list, &rbmap_releases);
	rbmap_releases_size += size;
	schedule_work(&rbmap_release_work);
}

/**
 * rbmap_release_limit - wait if much memory is to be released
 *
 * Somebody may replace filters faster than probes end.  Such a caller waits.
 *
 * Context: may sleep; rbmap_event_files_lock is held.
 */
void rbmap_release_limit(void)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	if (rbmap_releases_size > RBMAP_RELEASE_MAX)
		rbmap_releases_wait(false);
}

/**
 * rbmap_release_mark - note that probes may use something no more
 *
 * Context: rbmap_event_files_lock is held.
 * Return: a number for rbmap_release_passed().
 */
u64 rbmap_release_mark(void)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	return rbmap_waits_begun;
}

/**
 * rbmap_release_passed - have all probes ended that ran at a mark?
 * @mark: the mark
 *
 * Context: rbmap_event_files_lock is held.
 */
bool rbmap_release_passed(u64 mark)
{
	lockdep_assert_held(&rbmap_event_files_lock);
	return rbmap_waits_ended > mark;
}

/**
 * rbmap_release_settle - wait for probes, for all that was taken away from them
 *
 * Context: sleeps until no probe uses what was taken away before.
 */
void rbmap_release_settle(void)
{
	mutex_lock(&rbmap_event_files_lock);
	rbmap_releases_wait(true);
	mutex_unlock(&rbmap_event_files_lock);
}

/**
 * rbmap_release_exit - release what is left
 *
 * Context: sleeps; all buffers were already removed.
 */
void rbmap_release_exit(void)
{
	flush_work(&rbmap_release_work);
}
