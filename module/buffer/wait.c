// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that wait, and how a writer wakes them.  The writer tests a flag that a
 * waiting reader has set, and queues irq_work, which is allowed in any context, NMI
 * included.  The irq_work clears the flag, so that one flag costs one wake-up and not
 * one for each event.  A reader that still wants to wait sets the flag again.
 *
 * A thread of the workqueue `rbmap` wakes the readers.  A wake-up calls each entry of the
 * wait queue with interrupts off, and with epoll a user adds any number of entries.  The
 * interrupt of the writer's CPU has a constant length.
 *
 * A reader must not cost the writer's CPU more than that.  The reader never
 * interrupts that CPU itself.  The flag makes the writer do so, by irq_work, at most
 * RBMAP_FLAGS_PER_JIFFY times in a jiffy.  For an isolated CPU no flag is set at
 * all: delayed work on other CPUs polls its ring.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/irq_work.h"
#include "compat/isolation.h"
#include "cpu_buffer.h"
#include "lib/local_clock.h"
#include "wait.h"

/* The clock is watched once in as many sub-buffers. */
#define RBMAP_CLOCK_WATCH	16

/* Interrupts that readers may cause on a writer's CPU: about 1000 in a second. */
#define RBMAP_FLAGS_PER_JIFFY	max(1, 1000 / HZ)

/* Interval at which readers poll the ring of an isolated CPU. */
#define RBMAP_ISOLATED_POLL_MS	10

/* Not bound to a CPU, so that it keeps off isolated CPUs. */
static struct workqueue_struct *rbmap_wait_queue;

/*
 * As in the kernel's ring buffer, the sub-buffer that is being written counts, too.
 * In a small ring this sub-buffer alone may reach the watermark, and be empty.
 */
static bool rbmap_ready(struct rbmap_gen *gen, unsigned int percent)
{
	const struct rbmap_ring *ring = &gen->ring;

	/* A retired ring does not fill further, and its end is to be reported. */
	if (rbmap_gen_retired(gen))
		return true;
	if (!rbmap_ring_has_event(ring))
		return false;
	if (!percent)
		return true;
	if (rbmap_ring_reader_at_writer(ring))
		return false;
	return (rbmap_ring_closed_unread(ring) + 1ULL) * 100 >=
	       (u64)percent * ring->nr_slots;
}

/* The notice by which the writer ends a wait. */
static enum rbmap_notice rbmap_notice_of(const struct rbmap_gen *gen,
					 enum rbmap_wait_for what)
{
	return what == RBMAP_WAIT_EVENT ||
	       (what == RBMAP_WAIT_WATERMARK &&
		!rbmap_buffer_percent(gen->cpu_buf->buffer)) ?
	       RBMAP_NOTICE_EVENT : RBMAP_NOTICE_CLOSED;
}

/* The watermark may change while a reader waits, so that it is read each time. */
static bool rbmap_ready_for(struct rbmap_gen *gen,
			    enum rbmap_wait_for what)
{
	unsigned int percent = what == RBMAP_WAIT_EVENT ? 0 :
		rbmap_buffer_percent(gen->cpu_buf->buffer);

	return rbmap_ready(gen, percent) &&
	       (what != RBMAP_WAIT_CLOSED || rbmap_gen_retired(gen) ||
		rbmap_ring_has_closed(&gen->ring));
}

/* Limit the flags: one that a writer sees may cost its CPU an interrupt. */
static bool rbmap_may_set_flags(struct rbmap_cpu_buffer *cpu_buf)
{
	unsigned long now = jiffies;
	bool may;

	spin_lock(&cpu_buf->flags_lock);
	if (cpu_buf->flags_jiffy != now) {
		cpu_buf->flags_jiffy = now;
		cpu_buf->flags_set = 0;
	}
	may = cpu_buf->flags_set < RBMAP_FLAGS_PER_JIFFY;
	cpu_buf->flags_set += may;
	spin_unlock(&cpu_buf->flags_lock);
	return may;
}

/*
 * Test the ring again after a grace period.  A grace period that is pending may have
 * started before the flag was set, and then another one must follow.  If the pending
 * one has ended before `confirm_again` is set, the second attempt queues the work.
 * litmus: wait-event, wait-again
 */
static void rbmap_confirm(struct rbmap_cpu_buffer *cpu_buf)
{
	if (queue_rcu_work(rbmap_wait_queue, &cpu_buf->confirm))	/* step: confirm */
		return;
	WRITE_ONCE(cpu_buf->confirm_again, true);
	smp_mb();
	/* step: confirm_again */
	queue_rcu_work(rbmap_wait_queue, &cpu_buf->confirm);
}

/* Have the writer notice that a reader waits, or poll the ring. */
static void rbmap_watch(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	if (rbmap_cpu_is_isolated(cpu_buf->cpu)) {
		queue_delayed_work(rbmap_wait_queue, &cpu_buf->poll_work,
				   msecs_to_jiffies(RBMAP_ISOLATED_POLL_MS));
		return;
	}
	if (!rbmap_may_set_flags(cpu_buf)) {
		queue_delayed_work(rbmap_wait_queue, &cpu_buf->poll_work, 1);
		return;
	}
	if (READ_ONCE(gen->notice[RBMAP_NOTICE_EVENT].wanted))
		WRITE_ONCE(gen->ring.notify_event, true);
	if (READ_ONCE(gen->notice[RBMAP_NOTICE_CLOSED].wanted))
		WRITE_ONCE(gen->notify_closed, true);
	/*
	 * The writer stores commit and then loads the flag without a barrier in
	 * between, which would slow each event down.  This side stores the flag, and
	 * tests commit after this barrier.  Each side may miss the other's store.
	 * But the writer has preemption off.  If it has ended when a grace period
	 * from here has ended, the test after the grace period sees its commit.
	 * Otherwise it has started after the start of the grace period, and sees the
	 * flag.  If the CPU is going off line, rbmap_cpu_dead() wakes the readers.
	 * litmus: wait-event
	 */
	smp_mb();
	rbmap_confirm(cpu_buf);
}

/*
 * The first reader that wants a notice has the writer watched.  The other readers
 * rely on this: an event after @commit is found, or wakes all of them, and then they
 * call this again.
 *
 * @commit is read before `wanted` is set.  Any other reader that finds `wanted` set
 * tests the ring afterwards, so that an event that this other reader does not see is
 * after @commit.  If @commit were read later, it could include an event that only
 * the first reader sees.
 */
static void rbmap_want(struct rbmap_gen *gen, enum rbmap_notice kind)
{
	struct rbmap_want *want = &gen->notice[kind];
	u64 commit = READ_ONCE(gen->ring.commit);

	/*
	 * A full barrier: commit is tested after this.
	 * litmus: wait-want, wait-flag
	 */
	if (xchg(&want->wanted, true))
		return;
	WRITE_ONCE(want->commit, commit);
	rbmap_watch(gen);
}

static bool rbmap_want_and_check(struct rbmap_gen *gen,
				 enum rbmap_wait_for what)
{
	rbmap_want(gen, rbmap_notice_of(gen, what));
	return rbmap_ready_for(gen, what);
}

/*
 * Test for an event since a notice was wanted, of which no writer has sent the
 * notice.
 */
static bool rbmap_missed(struct rbmap_gen *gen)
{
	const struct rbmap_want *want = gen->notice;
	u64 commit = READ_ONCE(gen->ring.commit);

	if (READ_ONCE(want[RBMAP_NOTICE_EVENT].wanted) &&
	    READ_ONCE(want[RBMAP_NOTICE_EVENT].commit) != commit &&
	    rbmap_ready_for(gen, RBMAP_WAIT_EVENT))
		return true;
	return READ_ONCE(want[RBMAP_NOTICE_CLOSED].wanted) &&
	       READ_ONCE(want[RBMAP_NOTICE_CLOSED].commit) != commit &&
	       rbmap_ready_for(gen, RBMAP_WAIT_CLOSED);
}

static bool rbmap_wanted(const struct rbmap_gen *gen)
{
	return READ_ONCE(gen->notice[RBMAP_NOTICE_EVENT].wanted) ||
	       READ_ONCE(gen->notice[RBMAP_NOTICE_CLOSED].wanted);
}

/*
 * The ring that is written, with a reference: the last one.  A reader that waits for
 * an older ring was woken when that ring was retired.
 */
static struct rbmap_gen *
rbmap_get_written(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen;

	mutex_lock(&cpu_buf->lock);
	gen = list_last_entry(&cpu_buf->generations, struct rbmap_gen,
			      list);
	kref_get(&gen->refs);	/* model: get_written */
	mutex_unlock(&cpu_buf->lock);
	return gen;
}

/* Want the same notice of the ring that follows a retired one. */
static void rbmap_want_next(struct rbmap_gen *gen)
{
	struct rbmap_gen *written;

	/* No ring follows a snapshot. */
	if (!rbmap_gen_retired(gen) || gen->origin)
		return;
	written = rbmap_get_written(gen->cpu_buf);
	rbmap_want(written, rbmap_notice_of(written, RBMAP_WAIT_WATERMARK));
	rbmap_gen_put(written);	/* model: put_written */
}

/* Runs a grace period after a flag was set. */
static void rbmap_confirm_work(struct work_struct *work)
{
	struct rbmap_cpu_buffer *cpu_buf =
		container_of(to_rcu_work(work), struct rbmap_cpu_buffer,
			     confirm);
	struct rbmap_gen *gen = rbmap_get_written(cpu_buf);

	/*
	 * The work is not pending any more.
	 * litmus: wait-again
	 */
	if (xchg(&cpu_buf->confirm_again, false))
		queue_rcu_work(rbmap_wait_queue, &cpu_buf->confirm);
	if (rbmap_missed(gen))
		rbmap_wake_all(gen);
	rbmap_gen_put(gen);	/* model: put_written */
}

/*
 * Poll without a flag, for an isolated CPU or after too many flags in a jiffy.  If
 * nobody waits any more, clear what was wanted: a reader that comes later either
 * finds that nothing is wanted, or is already in the queue here.
 */
static void rbmap_recheck_work(struct work_struct *work)
{
	struct rbmap_cpu_buffer *cpu_buf =
		container_of(to_delayed_work(work), struct rbmap_cpu_buffer,
			     poll_work);
	struct rbmap_gen *gen = rbmap_get_written(cpu_buf);

	if (rbmap_missed(gen) || !wq_has_sleeper(&cpu_buf->wait)) {
		rbmap_wake_all(gen);
	} else if (rbmap_wanted(gen)) {
		rbmap_watch(gen);
		/* The writer may have missed the flag just now: wake at once. */
		if (rbmap_missed(gen))
			rbmap_wake_all(gen);
	}
	rbmap_gen_put(gen);	/* model: put_written */
}

/**
 * rbmap_cpu_wait_init - prepare a CPU's part for readers that wait
 * @cpu_buf: the CPU's part
 *
 * Context: any; before the first ring.
 */
void rbmap_cpu_wait_init(struct rbmap_cpu_buffer *cpu_buf)
{
	init_waitqueue_head(&cpu_buf->wait);
	spin_lock_init(&cpu_buf->flags_lock);
	INIT_RCU_WORK(&cpu_buf->confirm, rbmap_confirm_work);
	INIT_DELAYED_WORK(&cpu_buf->poll_work, rbmap_recheck_work);
}

/**
 * rbmap_cpu_wait_exit - stop testing a CPU's rings for readers that wait
 * @cpu_buf: the CPU's part, whose rings still exist, and for which nobody waits
 *
 * Context: sleeps, for a grace period if a reader has waited recently.  The work
 * takes stats_lock, so the caller must not hold it.
 */
void rbmap_cpu_wait_exit(struct rbmap_cpu_buffer *cpu_buf)
{
	cancel_delayed_work_sync(&cpu_buf->poll_work);
	/* The work may have queued itself once more. */
	flush_rcu_work(&cpu_buf->confirm);
	flush_rcu_work(&cpu_buf->confirm);
}

/**
 * rbmap_wait_module_init - prepare for the first buffer
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_wait_module_init(void)
{
	rbmap_wait_queue = alloc_workqueue("rbmap", WQ_UNBOUND, 0);
	return rbmap_wait_queue ? 0 : -ENOMEM;
}

/**
 * rbmap_wait_module_exit - clean up after the last buffer
 *
 * Context: sleeps.
 */
void rbmap_wait_module_exit(void)
{
	destroy_workqueue(rbmap_wait_queue);
}

/**
 * rbmap_work_later - queue work of the buffers, which may take long
 * @work: the work; rbmap_wait_module_exit() needs it to have run
 * @delay: jiffies until it begins
 *
 * Context: any but NMI.
 */
void rbmap_work_later(struct delayed_work *work, unsigned long delay)
{
	queue_delayed_work(rbmap_wait_queue, work, delay);
}

/*
 * Clear the flags now: until the readers are woken, events must not queue the irq_work
 * again.  No reader sets a flag meanwhile, because the notices stay wanted.  If the work
 * is pending, its wake-up is after this event.
 */
static void rbmap_wake_work(struct irq_work *work)
{
	struct rbmap_gen *gen = container_of(work, struct rbmap_gen, wake);

	WRITE_ONCE(gen->ring.notify_event, false);
	WRITE_ONCE(gen->notify_closed, false);
	queue_work(rbmap_wait_queue, &gen->wake_readers);
}

static void rbmap_wake_readers_work(struct work_struct *work)
{
	rbmap_wake_all(container_of(work, struct rbmap_gen, wake_readers));
}

static void rbmap_ring_closed(struct rbmap_ring *ring)
{
	struct rbmap_gen *gen = rbmap_gen_of(ring);

	/* Comparing the clocks costs as much as an event. */
	if (!(ring->touched % RBMAP_CLOCK_WATCH))
		rbmap_local_clock_watch();
	if (READ_ONCE(gen->notify_closed) &&
	    rbmap_ready(gen, rbmap_buffer_percent(gen->cpu_buf->buffer)))
		rbmap_notify(gen);
}

const struct rbmap_ring_ops rbmap_ring_ops = {
	.closed	= rbmap_ring_closed,
};

/**
 * rbmap_gen_wake_init - prepare a ring whose writer wakes readers
 * @gen: a ring that is not written yet
 *
 * Context: any.
 */
void rbmap_gen_wake_init(struct rbmap_gen *gen)
{
	/* The function queues work, which takes raw locks. */
	rbmap_init_irq_work(&gen->wake, rbmap_wake_work);
	INIT_WORK(&gen->wake_readers, rbmap_wake_readers_work);
}

/**
 * rbmap_gen_wake_exit - wait for the last wake-up by a ring's writer
 * @gen: a ring that is not written any more
 *
 * Context: may sleep.
 */
void rbmap_gen_wake_exit(struct rbmap_gen *gen)
{
	irq_work_sync(&gen->wake);
	cancel_work_sync(&gen->wake_readers);
}

/**
 * rbmap_notify - wake the readers that wait, soon
 * @gen: the ring that they wait for
 *
 * A CPU that goes off line writes events even after the kernel has run the CPU's
 * last irq_work.  An irq_work queued after that would stay queued, and so would all
 * that are queued later.  rbmap_cpu_dead() wakes the readers instead.
 *
 * Context: any.
 */
void rbmap_notify(struct rbmap_gen *gen)
{
	if (likely(cpu_online(raw_smp_processor_id())))
		irq_work_queue(&gen->wake);
}

/**
 * rbmap_notify_ring - rbmap_notify() for rbmap_notify_event(), which saw the flag
 * @ring: the ring of a generation
 *
 * Context: any.
 */
void rbmap_notify_ring(struct rbmap_ring *ring)
{
	rbmap_notify(rbmap_gen_of(ring));
}
EXPORT_SYMBOL_GPL(rbmap_notify_ring);

/**
 * rbmap_wake_all - wake all readers that wait, now
 * @gen: the ring that they wait for
 *
 * Context: any but NMI.
 */
void rbmap_wake_all(struct rbmap_gen *gen)
{
	WRITE_ONCE(gen->ring.notify_event, false);
	WRITE_ONCE(gen->notify_closed, false);
	/*
	 * A reader that finds nothing wanted sets the flags, and these must not be
	 * cleared after that.  With a notice wanted and no flag set, no reader would
	 * be woken.
	 * litmus: wait-flag
	 */
	smp_wmb();
	WRITE_ONCE(gen->notice[RBMAP_NOTICE_EVENT].wanted, false);
	WRITE_ONCE(gen->notice[RBMAP_NOTICE_CLOSED].wanted, false);
	/*
	 * A reader that wants a notice after this tests the ring after this.
	 * litmus: wake-poll, wait-want
	 */
	smp_mb();
	wake_up_all(&gen->cpu_buf->wait);
}

/**
 * rbmap_wait_readable - wait until there is something to read
 * @gen: the ring
 * @what: amount to wait for
 * @wakeups: count of ioctl(fd, 0) calls when the wait began
 * @stop: flag of the caller that ends the wait; wake_up_all() of the CPU's queue has
 *	it tested
 *
 * Context: sleeps.
 * Return: 0 if there is something to read, if no event can follow, if @stop is set,
 * or if ioctl(fd, 0) ended the wait; -ERESTARTSYS.
 */
int rbmap_wait_readable(struct rbmap_gen *gen, enum rbmap_wait_for what,
			u32 wakeups, const bool *stop)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	return wait_event_interruptible(cpu_buf->wait,
			rbmap_ready_for(gen, what) || READ_ONCE(*stop) ||
			READ_ONCE(cpu_buf->wakeups) != wakeups ||
			rbmap_want_and_check(gen, what));
}

/**
 * rbmap_wait_tests - test whether a reader has something to read, and else want a notice
 * @gen: the ring
 *
 * For a reader that waits for several CPUs, and that is in each one's wait queue.
 *
 * Context: any but NMI.  It takes no lock that sleeps.
 * Return: whether there is an event, or none can follow.
 */
bool rbmap_wait_tests(struct rbmap_gen *gen)
{
	return rbmap_ready_for(gen, RBMAP_WAIT_EVENT) ||
	       rbmap_want_and_check(gen, RBMAP_WAIT_EVENT);
}

/**
 * rbmap_poll - poll() of a device
 * @gen: the ring that the file reads
 * @file: the file
 * @table: table of poll()
 *
 * A notice is wanted even if there is something to read, because an edge-triggered
 * epoll does not return before it is woken.  This way the reader misses nothing when
 * it finds no more events.  Such a reader continues from a retired ring to the one
 * that is written without another poll(), so that the notice is wanted there, too.
 *
 * A caller that is not in the wait queue cannot be woken: poll() with a timeout of 0
 * wants no notice, and costs the writer nothing.
 *
 * Context: may sleep.
 * Return: the events of poll().  EPOLLHUP is among them for a ring that was retired
 * and read to its end, for which GET_READER returns -ESTALE.
 */
__poll_t rbmap_poll(struct rbmap_gen *gen, struct file *file,
		    poll_table *table)
{
	poll_wait(file, &gen->cpu_buf->wait, table);
	/*
	 * Only the caller's own entry matters.  The caller has made it now or in an
	 * earlier turn, or epoll has made it under a lock: no barrier is needed to
	 * see it.
	 */
	if (waitqueue_active(&gen->cpu_buf->wait)) {
		rbmap_want(gen, rbmap_notice_of(gen, RBMAP_WAIT_WATERMARK));
		rbmap_want_next(gen);
	}
	if (!rbmap_ready_for(gen, RBMAP_WAIT_WATERMARK))
		return 0;
	return EPOLLIN | EPOLLRDNORM |
	       (rbmap_gen_drained(gen) ? EPOLLHUP : 0);
}
