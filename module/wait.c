// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that wait, and how a writer wakes them: it looks at a flag that a
 * waiter has set, and queues irq_work, which any context may, NMI included.
 * The flag falls with the wake-up, so that one costs one wake-up, not one an
 * event; who still wants to wait sets it again.
 */
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "cpu_buffer.h"

/*
 * As the kernel's ring has it: the sub-buffer that is written counts too.  In a
 * small ring that one alone may reach the watermark, and be empty.
 */
static bool rbmap_ready(struct rbmap_cpu_buffer *cpu_buf, unsigned int percent)
{
	const struct rbmap_ring *ring = &cpu_buf->ring;

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
static bool rbmap_ready_for(struct rbmap_cpu_buffer *cpu_buf,
			    unsigned int percent, bool closed)
{
	return rbmap_ready(cpu_buf, percent) &&
	       (!closed || rbmap_ring_has_closed(&cpu_buf->ring));
}

/* Return: it was set already. */
static bool rbmap_wait_arm(struct rbmap_cpu_buffer *cpu_buf, bool closed)
{
	bool *flag = closed ? &cpu_buf->notify_closed :
			      &cpu_buf->ring.notify_event;
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
static bool rbmap_wait_arm_and_look(struct rbmap_cpu_buffer *cpu_buf,
				    unsigned int percent, bool closed)
{
	rbmap_wait_arm(cpu_buf, percent || closed);
	smp_mb();
	smp_call_function_single(cpu_buf->cpu, rbmap_nothing, NULL, 1);
	return rbmap_ready_for(cpu_buf, percent, closed);
}

static void rbmap_wake_work(struct irq_work *work)
{
	rbmap_wake_all(container_of(work, struct rbmap_cpu_buffer, wake));
}

static void rbmap_ring_closed(struct rbmap_ring *ring)
{
	struct rbmap_cpu_buffer *cpu_buf =
		container_of(ring, struct rbmap_cpu_buffer, ring);

	if (READ_ONCE(cpu_buf->notify_closed) &&
	    rbmap_ready(cpu_buf, rbmap_buffer_percent(cpu_buf->buffer)))
		rbmap_notify(cpu_buf);
}

const struct rbmap_ring_ops rbmap_ring_ops = {
	.closed	= rbmap_ring_closed,
};

void rbmap_wait_init(struct rbmap_cpu_buffer *cpu_buf)
{
	init_waitqueue_head(&cpu_buf->wait);
	init_irq_work(&cpu_buf->wake, rbmap_wake_work);
}

void rbmap_wait_exit(struct rbmap_cpu_buffer *cpu_buf)
{
	irq_work_sync(&cpu_buf->wake);
}

/**
 * rbmap_notify - wake who waits, soon
 * @cpu_buf: what they wait for
 *
 * A CPU that goes off line writes events beyond the point where the kernel runs
 * its last irq_work.  What it queued then would stay queued, and so would all
 * that comes after it: rbmap_cpu_dead() wakes instead.
 *
 * Context: any.
 */
void rbmap_notify(struct rbmap_cpu_buffer *cpu_buf)
{
	if (likely(cpu_online(raw_smp_processor_id())))
		irq_work_queue(&cpu_buf->wake);
}

/**
 * rbmap_wake_all - wake who waits, now
 * @cpu_buf: what they wait for
 *
 * Context: any but NMI.
 */
void rbmap_wake_all(struct rbmap_cpu_buffer *cpu_buf)
{
	WRITE_ONCE(cpu_buf->ring.notify_event, false);
	WRITE_ONCE(cpu_buf->notify_closed, false);
	/* Whoever arms after this looks after this.  litmus: wake-poll */
	smp_mb();
	wake_up_all(&cpu_buf->wait);
}

/**
 * rbmap_wait - wait for something to read
 * @cpu_buf: where
 * @percent: how full, 0: any event
 * @closed: something that the writer has left
 *
 * Context: sleeps.
 * Return: 0: there is, or ioctl(fd, 0) ended the wait; -EINTR.
 */
int rbmap_wait(struct rbmap_cpu_buffer *cpu_buf, unsigned int percent,
	       bool closed)
{
	u32 wakeups = READ_ONCE(cpu_buf->wakeups);
	int err;

	err = wait_event_interruptible(cpu_buf->wait,
			rbmap_ready_for(cpu_buf, percent, closed) ||
			READ_ONCE(cpu_buf->wakeups) != wakeups ||
			rbmap_wait_arm_and_look(cpu_buf, percent, closed));
	return err ? -EINTR : 0;
}

/**
 * rbmap_poll - poll() of a device
 * @cpu_buf: what it reads
 * @file: the file
 * @table: poll's
 *
 * The flag is set even if there is something to read: an edge-triggered epoll
 * does not come back before it is woken.  Who sets it has the writer see it, so
 * that nothing is missed when the reader finds no more.
 */
__poll_t rbmap_poll(struct rbmap_cpu_buffer *cpu_buf, struct file *file,
		    poll_table *table)
{
	unsigned int percent = rbmap_buffer_percent(cpu_buf->buffer);

	poll_wait(file, &cpu_buf->wait, table);
	if ((rbmap_wait_arm(cpu_buf, percent) && rbmap_ready(cpu_buf, percent)) ||
	    rbmap_wait_arm_and_look(cpu_buf, percent, false))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}
