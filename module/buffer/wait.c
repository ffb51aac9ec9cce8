// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that wait, and how a writer wakes them: it looks at a flag that a
 * waiter has set, and queues irq_work, which any context may, NMI included.
 * The flag falls with the wake-up, so that one costs one wake-up, not one an
 * event; a reader that still wants to wait sets it again.
 *
 * A reader must not cost the writer's CPU more than that.  It interrupts the
 * CPU never, and has the writer do so, by irq_work, RBMAP_FLAGS_PER_JIFFY times
 * in a jiffy at most.  On an isolated CPU it sets no flag at all: it looks again
 * by a timer of its own.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "compat/isolation.h"
#include "cpu_buffer.h"
#include "wait.h"

/* Interrupts that waiting may cause on a writer's CPU: about 1000 in a second. */
#define RBMAP_FLAGS_PER_JIFFY	max(1, 1000 / HZ)

/* How often the ring of an isolated CPU is looked at for those who wait. */
#define RBMAP_ISOLATED_POLL_MS	10

/* Not bound to a CPU: so it keeps off those that are isolated. */
static struct workqueue_struct *rbmap_wait_queue;

/*
 * As the kernel's ring has it: the sub-buffer that is written counts too.  In a
 * small ring that one alone may reach the watermark, and be empty.
 */
static bool rbmap_ready(struct rbmap_gen *gen, unsigned int percent)
{
	const struct rbmap_ring *ring = &gen->ring;

	/* It fills no further, and there is the end to tell. */
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

/* What a wait is for, as the writer knows it. */
static enum rbmap_notice rbmap_notice_of(const struct rbmap_gen *gen,
					 enum rbmap_wait_for what)
{
	return what == RBMAP_WAIT_EVENT ||
	       (what == RBMAP_WAIT_WATERMARK &&
		!rbmap_buffer_percent(gen->cpu_buf->buffer)) ?
	       RBMAP_NOTICE_EVENT : RBMAP_NOTICE_CLOSED;
}

/* The watermark may change while somebody waits: it is read each time. */
static bool rbmap_ready_for(struct rbmap_gen *gen,
			    enum rbmap_wait_for what)
{
	unsigned int percent = what == RBMAP_WAIT_EVENT ? 0 :
		rbmap_buffer_percent(gen->cpu_buf->buffer);

	return rbmap_ready(gen, percent) &&
	       (what != RBMAP_WAIT_CLOSED || rbmap_gen_retired(gen) ||
		rbmap_ring_has_closed(&gen->ring));
}

/* A flag that a writer sees may cost its CPU an interrupt. */
static bool rbmap_may_set_flags(struct rbmap_cpu_buffer *cpu_buf)
{
	unsigned long now = jiffies;
	bool may;

	spin_lock(&cpu_buf->lock);
	if (cpu_buf->flags_jiffy != now) {
		cpu_buf->flags_jiffy = now;
		cpu_buf->flags_set = 0;
	}
	may = cpu_buf->flags_set < RBMAP_FLAGS_PER_JIFFY;
	cpu_buf->flags_set += may;
	spin_unlock(&cpu_buf->lock);
	return may;
}

/*
 * Look again after a grace period.  One that is pending may have begun before
 * the flag was set: then another one follows it.  If it has ended by the time
 * that `again` is set, the second attempt queues it.
 * litmus: wait-event, wait-again
 */
static void rbmap_confirm(struct rbmap_cpu_buffer *cpu_buf)
{
	if (queue_rcu_work(rbmap_wait_queue, &cpu_buf->confirm))
		return;
	WRITE_ONCE(cpu_buf->confirm_again, true);
	smp_mb();
	queue_rcu_work(rbmap_wait_queue, &cpu_buf->confirm);
}

/* Have the writer notice that somebody waits, or look for it ourselves. */
static void rbmap_watch(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	if (rbmap_cpu_is_isolated(cpu_buf->cpu)) {
		queue_delayed_work(rbmap_wait_queue, &cpu_buf->look,
				   msecs_to_jiffies(RBMAP_ISOLATED_POLL_MS));
		return;
	}
	if (!rbmap_may_set_flags(cpu_buf)) {
		queue_delayed_work(rbmap_wait_queue, &cpu_buf->look, 1);
		return;
	}
	if (READ_ONCE(gen->notice[RBMAP_NOTICE_EVENT].wanted))
		WRITE_ONCE(gen->ring.notify_event, true);
	if (READ_ONCE(gen->notice[RBMAP_NOTICE_CLOSED].wanted))
		WRITE_ONCE(gen->notify_closed, true);
	/*
	 * The writer stores commit and then loads the flag, with no barrier
	 * between: it would cost each event.  We store the flag, and what looks
	 * at commit comes after this barrier.  Both may miss the other.  But the
	 * writer does so with preemption off.  Either it has ended when a grace
	 * period from here has ended, and then we see its commit; or it has begun
	 * after that grace period did, and then it sees the flag.  Where the CPU
	 * is on its way off line it is the end of the CPU that wakes.
	 * litmus: wait-event
	 */
	smp_mb();
	rbmap_confirm(cpu_buf);
}

/*
 * The first reader that wants a notice has the writer watched.  The others rely
 * on that: an event after @commit is found, or wakes them all, and then they come
 * here again.
 *
 * @commit is read before `wanted` is set.  Any other reader that finds it set
 * looks afterwards, so an event that this reader does not see is after @commit.
 * A later @commit could have an event in it that only the first reader sees.
 */
static void rbmap_want(struct rbmap_gen *gen, enum rbmap_notice kind)
{
	struct rbmap_want *want = &gen->notice[kind];
	u64 commit = READ_ONCE(gen->ring.commit);

	/*
	 * A full barrier: what looks at commit comes after this.
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

/* An event came since a notice was wanted, and no writer has told of it. */
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
 * The ring that is written, with a reference: the last one.  A reader that waits
 * for an older ring was woken when that ring was retired.
 */
static struct rbmap_gen *
rbmap_get_written(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen;

	spin_lock(&cpu_buf->lock);
	gen = list_last_entry(&cpu_buf->generations, struct rbmap_gen,
			      list);
	kref_get(&gen->refs);	/* model: get_written */
	spin_unlock(&cpu_buf->lock);
	return gen;
}

/* The same notice of the ring that a reader of a replaced one comes to. */
static void rbmap_want_next(struct rbmap_gen *gen)
{
	struct rbmap_gen *written;

	/* Nothing follows a snapshot. */
	if (!rbmap_gen_retired(gen) || gen->origin)
		return;
	written = rbmap_get_written(gen->cpu_buf);
	rbmap_want(written, rbmap_notice_of(written, RBMAP_WAIT_WATERMARK));
	rbmap_gen_put(written);	/* model: put_written */
}

/* A grace period has passed since a flag was set. */
static void rbmap_confirm_work(struct work_struct *work)
{
	struct rbmap_cpu_buffer *cpu_buf =
		container_of(to_rcu_work(work), struct rbmap_cpu_buffer,
			     confirm);
	struct rbmap_gen *gen = rbmap_get_written(cpu_buf);

	/* The work is not pending any more.  litmus: wait-again */
	if (xchg(&cpu_buf->confirm_again, false))
		queue_rcu_work(rbmap_wait_queue, &cpu_buf->confirm);
	if (rbmap_missed(gen))
		rbmap_wake_all(gen);
	rbmap_gen_put(gen);	/* model: put_written */
}

/*
 * Without a flag: an isolated CPU, or too many flags in a jiffy.  Nobody may
 * wait any more: a waiter that came since finds that nothing is wanted, or is
 * in the queue here.
 */
static void rbmap_recheck_work(struct work_struct *work)
{
	struct rbmap_cpu_buffer *cpu_buf =
		container_of(to_delayed_work(work), struct rbmap_cpu_buffer,
			     look);
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
 * rbmap_waiting_init - be ready for readers that wait for a CPU's rings
 * @cpu_buf: the CPU's
 *
 * Context: any; before the first ring.
 */
void rbmap_waiting_init(struct rbmap_cpu_buffer *cpu_buf)
{
	init_waitqueue_head(&cpu_buf->wait);
	INIT_RCU_WORK(&cpu_buf->confirm, rbmap_confirm_work);
	INIT_DELAYED_WORK(&cpu_buf->look, rbmap_recheck_work);
}

/**
 * rbmap_waiting_exit - look for readers no more
 * @cpu_buf: the CPU's; nobody waits, and its rings are still there
 *
 * Context: sleeps, for a grace period where a reader has waited a moment ago; the
 * work takes stats_lock, so the caller must not hold it.
 */
void rbmap_waiting_exit(struct rbmap_cpu_buffer *cpu_buf)
{
	cancel_delayed_work_sync(&cpu_buf->look);
	/* It may have queued itself once more. */
	flush_rcu_work(&cpu_buf->confirm);
	flush_rcu_work(&cpu_buf->confirm);
}

/**
 * rbmap_waits_init - before the first buffer
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rbmap_waits_init(void)
{
	rbmap_wait_queue = alloc_workqueue("rbmap", WQ_UNBOUND, 0);
	return rbmap_wait_queue ? 0 : -ENOMEM;
}

/**
 * rbmap_waits_exit - after the last buffer
 *
 * Context: sleeps.
 */
void rbmap_waits_exit(void)
{
	destroy_workqueue(rbmap_wait_queue);
}

static void rbmap_wake_work(struct irq_work *work)
{
	rbmap_wake_all(container_of(work, struct rbmap_gen, wake));
}

static void rbmap_ring_closed(struct rbmap_ring *ring)
{
	struct rbmap_gen *gen = rbmap_gen_of(ring);

	if (READ_ONCE(gen->notify_closed) &&
	    rbmap_ready(gen, rbmap_buffer_percent(gen->cpu_buf->buffer)))
		rbmap_notify(gen);
}

const struct rbmap_ring_ops rbmap_ring_ops = {
	.closed	= rbmap_ring_closed,
};

/**
 * rbmap_wait_init - be ready for the writer of a ring to wake readers
 * @gen: the ring, which nobody writes yet
 *
 * Context: any.
 */
void rbmap_wait_init(struct rbmap_gen *gen)
{
	init_irq_work(&gen->wake, rbmap_wake_work);
}

/**
 * rbmap_wait_exit - wait for the last wake-up by a ring's writer
 * @gen: the ring, which nobody writes any more
 *
 * Context: may sleep.
 */
void rbmap_wait_exit(struct rbmap_gen *gen)
{
	irq_work_sync(&gen->wake);
}

/**
 * rbmap_notify - wake who waits, soon
 * @gen: what they wait for
 *
 * A CPU that goes off line writes events beyond the point where the kernel runs
 * its last irq_work.  What it queued then would stay queued, and so would all
 * that comes after it: rbmap_cpu_dead() wakes instead.
 *
 * Context: any.
 */
void rbmap_notify(struct rbmap_gen *gen)
{
	if (likely(cpu_online(raw_smp_processor_id())))
		irq_work_queue(&gen->wake);
}

/**
 * rbmap_notify_ring - the same, as rbmap_notify_event() has found it wanted
 * @ring: of a generation
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
	 * A reader that finds nothing wanted sets the flags, which must not fall
	 * after that: with a notice wanted and no flag nobody would be told.
	 * litmus: wait-flag
	 */
	smp_wmb();
	WRITE_ONCE(gen->notice[RBMAP_NOTICE_EVENT].wanted, false);
	WRITE_ONCE(gen->notice[RBMAP_NOTICE_CLOSED].wanted, false);
	/*
	 * A reader that wants a notice after this looks after this.
	 * litmus: wake-poll, wait-want
	 */
	smp_mb();
	wake_up_all(&gen->cpu_buf->wait);
}

/**
 * rbmap_wait_readable - wait for something to read
 * @gen: the ring
 * @what: how much
 * @stop: a flag of the caller's that ends the wait; wake_up_all() of the CPU's
 *	queue has it looked at
 *
 * Context: sleeps.
 * Return: 0: there is, or never will be, or @stop is set, or ioctl(fd, 0) ended
 * the wait; -EINTR.
 */
int rbmap_wait_readable(struct rbmap_gen *gen, enum rbmap_wait_for what,
			const bool *stop)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	u32 wakeups = READ_ONCE(cpu_buf->wakeups);
	int err;

	err = wait_event_interruptible(cpu_buf->wait,
			rbmap_ready_for(gen, what) || READ_ONCE(*stop) ||
			READ_ONCE(cpu_buf->wakeups) != wakeups ||
			rbmap_want_and_check(gen, what));
	return err ? -EINTR : 0;
}

/**
 * rbmap_poll - poll() of a device
 * @gen: what it reads
 * @file: the file
 * @table: poll's
 *
 * A notice is wanted even if there is something to read: an edge-triggered epoll
 * does not come back before it is woken.  So nothing is missed when the reader
 * finds no more.  Such a reader goes on from a ring that was replaced to the one
 * that is written, without another poll(): the notice is wanted there, too.
 *
 * A caller that is not in the wait queue can't be woken: poll() with a timeout of
 * 0 wants no notice, and costs the writer nothing.
 *
 * Context: may sleep.
 * Return: what poll() tells; EPOLLHUP, too, of a ring that was replaced and
 * read to its end, which GET_READER tells with -ESTALE.
 */
__poll_t rbmap_poll(struct rbmap_gen *gen, struct file *file,
		    poll_table *table)
{
	poll_wait(file, &gen->cpu_buf->wait, table);
	/*
	 * The caller's own entry matters.  The caller has made it, now or at an
	 * earlier turn, or epoll has, under a lock: no barrier is needed to see it.
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
