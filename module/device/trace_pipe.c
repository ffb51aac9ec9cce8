// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_pipe: a reader like cpuN.  It consumes events, shares them with other readers, and
 * waits.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/splice.h>
#include <linux/string.h>

#include "buffer/buffer.h"
#include "buffer/cpu_buffer.h"
#include "buffer/wait.h"
#include "compat/text.h"
#include "device.h"
#include "files.h"
#include "text_file.h"

static int rbmap_trace_pipe_open(struct inode *inode, struct file *file)
{
	int err = rbmap_text_open(file, file->private_data, RBMAP_ALL_CPUS, RBMAP_TEXT_PIPE);

	return err ?: stream_open(inode, file);
}

static int rbmap_cpu_trace_pipe_open(struct inode *inode, struct file *file)
{
	const struct rbmap_cpu_buffer *cpu_buf = file->private_data;
	int err = rbmap_text_open(file, cpu_buf->buffer, cpu_buf->cpu, RBMAP_TEXT_PIPE);

	return err ?: stream_open(inode, file);
}

/* Return true if the CPU has unread events, or a ring that is new to the file. */
static bool rbmap_text_cpu_ready(const struct rbmap_text_file *file, struct rbmap_text_cpu *tc)
{
	if (!tc->file)
		return rbmap_cpu_buffer_with_ring(file->buffer, tc->cpu);
	return rbmap_wait_tests(tc->gen);
}

/* tracefs ends a file that has been read when recording stops. */
static bool rbmap_text_ends(const struct rbmap_text_file *file)
{
	return rbmap_buffer_gone(file->buffer) ||
	       (file->events && !rbmap_buffer_is_on(file->buffer));
}

/* Each CPU is asked: each one's writer must know that a reader waits. */
static bool rbmap_text_ready(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;
	bool ready = rbmap_text_ends(file);

	for_each_text_cpu(tc, file)
		ready |= rbmap_text_cpu_ready(file, tc);
	return ready;
}

static int rbmap_text_sleep(struct rbmap_text_file *file)
{
	int err = 0;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (rbmap_text_ready(file))
			break;
		if (signal_pending(current)) {
			err = -ERESTARTSYS;
			break;
		}
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return err;
}

/* Wait in the queues of all CPUs. */
static int rbmap_text_wait(struct rbmap_text_file *file)
{
	struct rbmap_text_cpu *tc;
	int err;

	rbmap_text_get_rings(file);
	for_each_text_cpu(tc, file) {
		init_waitqueue_entry(&tc->entry, current);
		add_wait_queue(&rbmap_cpu_buffer(file->buffer, tc->cpu)->wait, &tc->entry);
	}
	err = rbmap_text_sleep(file);
	for_each_text_cpu(tc, file)
		remove_wait_queue(&rbmap_cpu_buffer(file->buffer, tc->cpu)->wait, &tc->entry);
	rbmap_text_put_rings(file);
	return err;
}

/* Print something, and wait for it.  Return 0; 1 at the end of the file; a negative error. */
static int rbmap_text_await(struct rbmap_text_file *file, unsigned int flags, size_t count)
{
	int err;

	for (;;) {
		err = rbmap_text_add_files(file);
		if (!err)
			err = rbmap_text_fill(file, count);
		if (err == -EAGAIN && !signal_pending(current))
			continue;
		if (err || file->len)
			return err == -EAGAIN ? -ERESTARTSYS : err;
		/* As in tracefs, only a reader that waits comes to an end. */
		if (flags & O_NONBLOCK && !rbmap_buffer_gone(file->buffer))
			return -EAGAIN;
		if (rbmap_text_ends(file))
			return 1;
		if (signal_pending(current))
			return -ERESTARTSYS;
		err = rbmap_text_wait(file);
		if (err)
			return err;
	}
}

/* Take the lock when there is text.  Return as rbmap_text_await(): not 0 without the lock. */
static int rbmap_trace_pipe_lock(struct rbmap_text_file *file, unsigned int flags, size_t count)
{
	int ret = 0;

	if (mutex_lock_interruptible(&file->lock))
		return -ERESTARTSYS;
	if (!rbmap_text_has(file))
		ret = rbmap_text_await(file, flags, count);
	if (ret)
		mutex_unlock(&file->lock);
	return ret;
}

static ssize_t rbmap_trace_pipe_read(struct file *file, char __user *to, size_t count,
				     loff_t *pos)
{
	struct rbmap_text_file *text = file->private_data;
	ssize_t ret;

	if (!count)
		return 0;
	ret = rbmap_trace_pipe_lock(text, file->f_flags, count);
	if (ret)
		return min_t(ssize_t, ret, 0);
	ret = rbmap_text_copy(text, to, count);
	mutex_unlock(&text->lock);
	return ret;
}

static void rbmap_text_page_release(struct splice_pipe_desc *spd, unsigned int i)
{
	put_page(spd->pages[i]);
}

/* Copy text to a page that the pipe keeps.  Without room in the pipe the text stays. */
static ssize_t rbmap_text_to_pipe(struct rbmap_text_file *file, struct pipe_inode_info *pipe,
				  size_t count)
{
	struct page *page = alloc_page(GFP_KERNEL_ACCOUNT);
	struct partial_page partial = {
		.len = min3(count, file->len - file->at, (size_t)PAGE_SIZE),
	};
	struct splice_pipe_desc spd = {
		.pages		= &page,
		.partial	= &partial,
		.nr_pages	= 1,
		.nr_pages_max	= 1,
		.ops		= &nosteal_pipe_buf_ops,
		.spd_release	= rbmap_text_page_release,
	};
	ssize_t ret;

	if (!page)
		return -ENOMEM;
	memcpy(page_address(page), file->text + file->at, partial.len);
	ret = splice_to_pipe(pipe, &spd);
	if (ret > 0)
		file->at += ret;
	return ret;
}

/*
 * The pipe is not locked meanwhile, so that its reader does not wait for new events.  The pipe
 * of sendfile() is that of the task, and nobody has locked it.
 */
static ssize_t rbmap_trace_pipe_splice(struct file *file, loff_t *pos,
				       struct pipe_inode_info *pipe, size_t count,
				       unsigned int flags)
{
	unsigned int how = file->f_flags | (flags & SPLICE_F_NONBLOCK ? O_NONBLOCK : 0);
	struct rbmap_text_file *text = file->private_data;
	bool locked = pipe != current->splice_pipe;
	ssize_t ret;

	if (locked)
		pipe_unlock(pipe);
	ret = rbmap_trace_pipe_lock(text, how, count);
	if (locked)
		pipe_lock(pipe);
	if (ret)
		return min_t(ssize_t, ret, 0);
	ret = rbmap_text_to_pipe(text, pipe, count);
	mutex_unlock(&text->lock);
	return ret;
}

/*
 * As poll() of cpuN: the watermark counts.  A CPU that has come on line is read from the next
 * read() on.
 */
static __poll_t rbmap_text_cpu_poll(const struct rbmap_text_file *text,
				    struct rbmap_text_cpu *tc, struct file *file,
				    poll_table *table)
{
	struct rbmap_file *reader = smp_load_acquire(&tc->file);	/* litmus: text-file */

	if (reader)
		return rbmap_ring_poll(reader, file, table) & ~EPOLLHUP;
	poll_wait(file, &rbmap_cpu_buffer(text->buffer, tc->cpu)->wait, table);
	return rbmap_cpu_buffer_with_ring(text->buffer, tc->cpu) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* The lock is not taken, because a thread that waits in read() holds it. */
static __poll_t rbmap_trace_pipe_poll(struct file *file, poll_table *table)
{
	struct rbmap_text_file *text = file->private_data;
	struct rbmap_text_cpu *tc;
	__poll_t ready = 0;

	for_each_text_cpu(tc, text)
		ready |= rbmap_text_cpu_poll(text, tc, file, table);
	if (READ_ONCE(text->at) < READ_ONCE(text->len) || rbmap_buffer_gone(text->buffer))
		ready |= EPOLLIN | EPOLLRDNORM;
	return ready;
}

#define RBMAP_TRACE_PIPE_FOPS(_open) {					\
	.owner		= THIS_MODULE,					\
	.open		= _open,					\
	.release	= rbmap_text_release,				\
	.read		= rbmap_trace_pipe_read,			\
	.splice_read	= rbmap_trace_pipe_splice,			\
	.poll		= rbmap_trace_pipe_poll,			\
}

const struct file_operations rbmap_trace_pipe_fops =
	RBMAP_TRACE_PIPE_FOPS(rbmap_trace_pipe_open);
const struct file_operations rbmap_cpu_trace_pipe_fops =
	RBMAP_TRACE_PIPE_FOPS(rbmap_cpu_trace_pipe_open);
