// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that wait, and how a writer wakes them: it looks at a flag that a
 * waiter has set, and queues irq_work, which any context may, NMI included.
 * The flag falls with the wake-up, so that one costs one wake-up, not one an
 * event; who still wants to wait sets it again.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/smp.h>

#include "cpu_buffer.h"

/*
 * As the kernel's ring has it: the sub-buffer that is written counts too.  In a
 * small ring that one alone may reach the watermark, and be empty.
 */
static bool rbmap_ready(struct rbmap_generation *gen, unsigned int percent)
{
	const struct rbmap_ring *ring = &gen->ring;

	/* It fills no further, and there is the end to tell. */
	if (rbmap_generation_retired(gen))
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

static void rbmap_nothing(void *unused)
{
}

/* @closed: who waits can take only what the writer has left. */
static bool rbmap_ready_for(struct rbmap_generation *gen,
			    unsigned int percent, bool closed)
{
	return rbmap_ready(gen, percent) &&
	       (!closed || rbmap_generation_retired(gen) ||
		rbmap_ring_has_closed(&gen->ring));
}

/* Return: it was set already. */
static bool rbmap_wait_arm(struct rbmap_generation *gen, bool closed)
{
	bool *flag = closed ? &gen->notify_closed :
			      &gen->ring.notify_event;
	bool was = READ_ONCE(*flag);

	WRITE_ONCE(*flag, true);
	return was;
}

/*
 * The writer stores commit and then loads the flag, with no barrier between:
 * it would cost each event.  The waiter stores the flag and then loads commit.
 * An interrupt on the writer's CPU is the barrier that the writer lacks: either
 * the writer sees the flag, or we see its commit.  Where the CPU is on its way
 * off line there is no interrupt, but a wake-up once it is dead.
 * litmus: wait-event, wait-dead
 */
static bool rbmap_wait_arm_and_look(struct rbmap_generation *gen,
				    unsigned int percent, bool closed)
{
	rbmap_wait_arm(gen, percent || closed);
	smp_mb();
	smp_call_function_single(gen->cpu_buf->cpu, rbmap_nothing, NULL, 1);
	return rbmap_ready_for(gen, percent, closed);
}

static void rbmap_wake_work(struct irq_work *work)
{
	rbmap_wake_all(container_of(work, struct rbmap_generation, wake));
}

static void rbmap_ring_closed(struct rbmap_ring *ring)
{
	struct rbmap_generation *gen = rbmap_generation_of(ring);

	if (READ_ONCE(gen->notify_closed) &&
	    rbmap_ready(gen, rbmap_buffer_percent(gen->cpu_buf->buffer)))
		rbmap_notify(gen);
}

const struct rbmap_ring_ops rbmap_ring_ops = {
	.closed	= rbmap_ring_closed,
};

void rbmap_wait_init(struct rbmap_generation *gen)
{
	init_irq_work(&gen->wake, rbmap_wake_work);
}

void rbmap_wait_exit(struct rbmap_generation *gen)
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
void rbmap_notify(struct rbmap_generation *gen)
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
	rbmap_notify(rbmap_generation_of(ring));
}
EXPORT_SYMBOL_GPL(rbmap_notify_ring);

/**
 * rbmap_wake_all - wake who waits, now
 * @gen: what they wait for
 *
 * Context: any but NMI.
 */
void rbmap_wake_all(struct rbmap_generation *gen)
{
	WRITE_ONCE(gen->ring.notify_event, false);
	WRITE_ONCE(gen->notify_closed, false);
	/* Whoever arms after this looks after this.  litmus: wake-poll */
	smp_mb();
	wake_up_all(&gen->cpu_buf->wait);
}

/**
 * rbmap_wait - wait for something to read
 * @gen: where
 * @percent: how full, 0: any event
 * @closed: something that the writer has left
 *
 * Context: sleeps.
 * Return: 0: there is, or never will be, or ioctl(fd, 0) ended the wait; -EINTR.
 */
int rbmap_wait(struct rbmap_generation *gen, unsigned int percent,
	       bool closed)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	u32 wakeups = READ_ONCE(cpu_buf->wakeups);
	int err;

	err = wait_event_interruptible(cpu_buf->wait,
			rbmap_ready_for(gen, percent, closed) ||
			READ_ONCE(cpu_buf->wakeups) != wakeups ||
			rbmap_wait_arm_and_look(gen, percent, closed));
	return err ? -EINTR : 0;
}

/**
 * rbmap_poll - poll() of a device
 * @gen: what it reads
 * @file: the file
 * @table: poll's
 *
 * The flag is set even if there is something to read: an edge-triggered epoll
 * does not come back before it is woken.  Who sets it has the writer see it, so
 * that nothing is missed when the reader finds no more.
 *
 * Return: what poll() tells; EPOLLHUP, too, of a ring that was replaced and
 * read to its end, which GET_READER tells with -ESTALE.
 */
__poll_t rbmap_poll(struct rbmap_generation *gen, struct file *file,
		    poll_table *table)
{
	unsigned int percent = rbmap_buffer_percent(gen->cpu_buf->buffer);

	poll_wait(file, &gen->cpu_buf->wait, table);
	if (!(rbmap_wait_arm(gen, percent) && rbmap_ready(gen, percent)) &&
	    !rbmap_wait_arm_and_look(gen, percent, false))
		return 0;
	return EPOLLIN | EPOLLRDNORM |
	       (rbmap_generation_drained(gen) ? EPOLLHUP : 0);
}
