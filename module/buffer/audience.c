// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes that may open the files that show events.  A buffer with kptr=1 has the
 * kernel's addresses in its events.  Root, udev and mknod change the modes of its devices in
 * devtmpfs without asking this module.  So each open tests a capability of the process,
 * whatever the mode is.
 */
#include <linux/capability.h>

#include "audience.h"
#include "internal.h"
#include "resize.h"
#include "snapshot.h"

/* Protects @audience, @shows and @was_shown of all buffers. */
static DEFINE_SPINLOCK(rbmap_audience_lock);

/**
 * rbmap_buffer_show_begin - open a file that shows events
 * @buf: the buffer
 *
 * Context: may sleep.
 * Return: 0: the file counts as open until rbmap_buffer_show_end(); -EPERM: the events
 * have addresses, and the process lacks CAP_SYSLOG; -EBUSY: the rings are being replaced.
 */
int rbmap_buffer_show_begin(struct rbmap_buffer *buf)
{
	enum rbmap_audience audience;
	bool same;

	do {
		audience = READ_ONCE(buf->audience);
		if (audience == RBMAP_AUDIENCE_NONE)
			return -EBUSY;
		if (audience == RBMAP_AUDIENCE_ROOT && !capable(CAP_SYSLOG))
			return -EPERM;
		spin_lock(&rbmap_audience_lock);
		same = buf->audience == audience;
		buf->shows += same;
		buf->was_shown |= same;
		spin_unlock(&rbmap_audience_lock);
	} while (!same);
	return 0;
}

/**
 * rbmap_buffer_show_more - count another open file that shows events
 * @buf: the buffer, of which the caller has such a file open
 */
void rbmap_buffer_show_more(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_audience_lock);
	buf->shows++;
	spin_unlock(&rbmap_audience_lock);
}

/**
 * rbmap_buffer_show_end - close a file that shows events
 * @buf: the buffer, to which the caller still has a reference
 */
void rbmap_buffer_show_end(struct rbmap_buffer *buf)
{
	spin_lock(&rbmap_audience_lock);
	buf->shows--;
	spin_unlock(&rbmap_audience_lock);
}

/**
 * rbmap_buffer_set_audience - set who may open the files that show events
 * @buf: the buffer
 * @audience: those who may
 *
 * A file that is open may have been passed on, and so may its maps.  A map keeps its file
 * open.
 *
 * Return: 0; -EBUSY if such a file is open.
 */
int rbmap_buffer_set_audience(struct rbmap_buffer *buf, enum rbmap_audience audience)
{
	int err = 0;

	spin_lock(&rbmap_audience_lock);
	if (buf->shows)
		err = -EBUSY;
	else
		WRITE_ONCE(buf->audience, audience);
	spin_unlock(&rbmap_audience_lock);
	return err;
}

/**
 * rbmap_buffer_keep_addresses - set whether new events keep the kernel's addresses
 * @buf: the buffer
 * @keep: whether they are not hashed
 *
 * Probes go by the old setting until rbmap_event_set_update_checks().
 */
void rbmap_buffer_keep_addresses(struct rbmap_buffer *buf, bool keep)
{
	WRITE_ONCE(buf->keeps_addresses, keep);
}

bool rbmap_buffer_keeps_addresses(const struct rbmap_buffer *buf)
{
	return READ_ONCE(buf->keeps_addresses);
}

/* Replace all rings.  Nobody can open a file, so @was_shown has no other writer. */
static int rbmap_buffer_replace_all(struct rbmap_buffer *buf)
{
	int err;

	lockdep_assert_held(&buf->lock);
	err = rbmap_buffer_replace(buf, RBMAP_ALL_CPUS, NULL, buf->clock, NULL);
	if (!err)
		buf->was_shown = false;
	return err;
}

/**
 * rbmap_buffer_leave_memory - have the next events go to memory that no process has
 * @buf: the buffer, of which no file is open that shows events, or can be opened
 *
 * A pipe keeps pages of a ring that was mapped (vmsplice()), and its owner reads them at
 * any time.  Unread events stay, in the rings that are replaced.  A new buffer, as that of a
 * recorder, keeps its rings: no process has had them.
 *
 * Context: may sleep; takes the buffer's lock.  No event is written to the old memory after
 * the return.
 * Return: 0 or an error of rbmap_buffer_replace(), after which nothing has changed.
 */
int rbmap_buffer_leave_memory(struct rbmap_buffer *buf)
{
	int err;

	mutex_lock(&buf->lock);
	err = buf->was_shown ? rbmap_buffer_replace_all(buf) : 0;
	mutex_unlock(&buf->lock);
	return err;
}

/**
 * rbmap_buffer_renew - discard all events, and the memory that they were in
 * @buf: the buffer, of which no file is open that shows events, or can be opened
 *
 * A reset leaves the bytes of the events in the rings, where a map shows them.  Nobody takes
 * a snapshot of the old rings meanwhile.
 *
 * Context: may sleep; takes the buffer's lock.
 * Return: 0 or an error of rbmap_buffer_replace(), after which the events are still there.
 */
int rbmap_buffer_renew(struct rbmap_buffer *buf)
{
	struct rbmap_cpu_buffer *cpu_buf;
	int cpu, err;

	mutex_lock(&buf->lock);
	err = rbmap_buffer_replace_all(buf);
	if (!err)
		rbmap_buffer_drop_snapshot(buf, RBMAP_ALL_CPUS);
	mutex_unlock(&buf->lock);
	if (err)
		return err;
	/* Rings without unread events leave the queue, which alone keeps them. */
	for_each_possible_cpu(cpu) {
		cpu_buf = rbmap_cpu_buffer_with_ring(buf, cpu);
		if (cpu_buf)
			rbmap_cpu_buffer_discard(cpu_buf, NULL);
	}
	return 0;
}
