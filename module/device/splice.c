// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice(): pass whole sub-buffers to a pipe, without a copy if no map shows them.  The
 * pipe only holds a reference to each page.  No code of the module runs when the pipe
 * releases a page, and nobody can steal the pages from the pipe.  The ring uses released
 * memory again.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched/signal.h>
#include <linux/splice.h>
#include <linux/topology.h>

#include "buffer/consume.h"
#include "buffer/cpu_buffer.h"
#include "buffer/meta_page.h"
#include "buffer/pages.h"
#include "buffer/page_pool.h"
#include "buffer/wait.h"
#include "files.h"

static size_t rbmap_pipe_room(const struct pipe_inode_info *pipe)
{
	unsigned int used = pipe_occupancy(pipe->head, pipe->tail);

	return used < pipe->max_usage ?
	       (size_t)(pipe->max_usage - used) << PAGE_SHIFT : 0;
}

/* splice() has already limited len to the room in the pipe. */
static int rbmap_pipe_check(const struct pipe_inode_info *pipe, size_t len,
			    size_t subbuf_size)
{
	size_t room = rbmap_pipe_room(pipe);

	if (!pipe->readers) {
		send_sig(SIGPIPE, current, 0);
		return -EPIPE;
	}
	if (len >= subbuf_size && room >= subbuf_size)
		return 0;
	return len < room ||
	       (size_t)pipe->max_usage << PAGE_SHIFT < subbuf_size ?
	       -EINVAL : -EAGAIN;
}

static void rbmap_spd_release(struct splice_pipe_desc *spd, unsigned int i)
{
	put_page(spd->pages[i]);
}

/* Add all pages of a sub-buffer, for which there is room, with a reference each. */
static ssize_t rbmap_pipe_add(struct pipe_inode_info *pipe, const void *subbuf,
			      size_t size)
{
	struct page *pages[PIPE_DEF_BUFFERS];
	struct partial_page partial[PIPE_DEF_BUFFERS] = { };
	size_t at = 0;
	ssize_t ret;

	while (at < size) {
		struct splice_pipe_desc spd = {
			.pages		= pages,
			.partial	= partial,
			.nr_pages_max	= PIPE_DEF_BUFFERS,
			.ops		= &nosteal_pipe_buf_ops,
			.spd_release	= rbmap_spd_release,
		};

		for (; at < size && spd.nr_pages < PIPE_DEF_BUFFERS;
		     at += PAGE_SIZE) {
			struct page *page = rbmap_page_of((u8 *)subbuf + at);

			get_page(page);
			pages[spd.nr_pages] = page;
			partial[spd.nr_pages++].len = PAGE_SIZE;
		}
		ret = splice_to_pipe(pipe, &spd);
		if (ret < 0)
			return ret;
	}
	return size;
}

/*
 * Memory that will hold a copy is charged, because the pipe keeps it.  Otherwise it
 * becomes the ring's memory, which must not be charged, and the kernel limits what pipes
 * keep.
 */
static bool rbmap_splice_copies(const struct rbmap_gen *gen)
{
	return gen->subbufs_mapped || gen->shared;
}

/* Pass on a sub-buffer; reader_lock is held.  Return: as rbmap_splice_one(). */
static ssize_t rbmap_splice_locked(struct rbmap_gen *gen, void *fresh, bool charged,
				   struct pipe_inode_info *pipe)
{
	size_t size = gen->subbuf_size;
	void *subbuf = rbmap_get_closed(gen, fresh);
	ssize_t ret = 0;

	if (subbuf == fresh)
		gen->copied++;
	else if (subbuf)
		gen->moved++;
	/* Until the pipe has its references, the memory must not be used again. */
	if (subbuf)
		ret = rbmap_pipe_add(pipe, subbuf, size);
	else
		subbuf = fresh;
	if (charged || rbmap_gen_retired(gen))
		rbmap_pages_free(subbuf, size);
	else
		rbmap_page_pool_add(&gen->page_pool, subbuf, size);	/* model: splice_keep */
	return ret;
}

/*
 * Get memory for a sub-buffer.  On success reader_lock is held.  It is released for an
 * allocation, so the last map may go meanwhile: then the memory must not be charged, and
 * is allocated again.  Return: the memory or ERR_PTR.
 */
static void *rbmap_splice_lock(struct rbmap_gen *gen, bool *charged)
{
	size_t size = gen->subbuf_size;
	void *fresh = NULL;

	for (;;) {
		if (mutex_lock_interruptible(&gen->reader_lock)) {
			if (fresh)
				rbmap_pages_free(fresh, size);
			return ERR_PTR(-ERESTARTSYS);
		}
		if (fresh && (!*charged || rbmap_splice_copies(gen)))
			return fresh;
		if (fresh)
			rbmap_pages_free(fresh, size);
		*charged = rbmap_splice_copies(gen);
		fresh = *charged ? NULL : rbmap_page_pool_reuse(&gen->page_pool, size);
		if (fresh)
			return fresh;
		mutex_unlock(&gen->reader_lock);
		fresh = rbmap_pages_alloc(size, cpu_to_node(gen->cpu_buf->cpu),
					  *charged ? __GFP_ACCOUNT : 0);
		if (!fresh)
			return ERR_PTR(-ENOMEM);
	}
}

/* Return: bytes; 0 if there is nothing to pass on; a negative error. */
static ssize_t rbmap_splice_one(struct rbmap_gen *gen,
				struct pipe_inode_info *pipe)
{
	void *fresh;
	bool charged;
	ssize_t ret;

	if (!rbmap_has_closed(gen))
		return 0;
	fresh = rbmap_splice_lock(gen, &charged);
	if (IS_ERR(fresh))
		return PTR_ERR(fresh);
	ret = rbmap_splice_locked(gen, fresh, charged, pipe);
	mutex_unlock(&gen->reader_lock);
	return ret;
}

/* Pass on all sub-buffers that are closed, wanted, and fit. */
static ssize_t rbmap_splice_subbufs(struct rbmap_gen *gen,
				    struct pipe_inode_info *pipe, size_t len)
{
	ssize_t ret, done = 0;

	for (;;) {
		ret = rbmap_pipe_check(pipe, len - done,
				       gen->subbuf_size);
		if (!ret)
			ret = rbmap_splice_one(gen, pipe);
		if (ret <= 0)
			return done ? done : ret;
		done += ret;
		cond_resched();
	}
}

static ssize_t rbmap_splice_all(struct rbmap_gen *gen,
				struct pipe_inode_info *pipe, size_t len)
{
	ssize_t done = rbmap_splice_subbufs(gen, pipe, len);

	/* Empty sub-buffers can have changed the reader's position, too. */
	if (READ_ONCE(gen->mapped)) {
		mutex_lock(&gen->reader_lock);
		rbmap_meta_update(gen);
		mutex_unlock(&gen->reader_lock);
	}
	return done;
}

/**
 * rbmap_splice_to_pipe - splice() from a device to a pipe
 * @gen: ring that the file reads
 * @file: the file
 * @pipe: destination; locked
 * @len: bytes, at least a sub-buffer
 * @flags: SPLICE_F_NONBLOCK acts as O_NONBLOCK of the file
 * @wakeups: result of rbmap_file_wait_begin()
 * @stop: whether the file has started to observe, which ends the wait
 *
 * Return: number of bytes, or
 * - 0 if ioctl(fd, 0) has ended the wait;
 * - -EINVAL if @len or the whole pipe is smaller than a sub-buffer;
 * - -EAGAIN if the ring has no sub-buffer yet, or the pipe has no room for it now;
 * - -ESTALE if the ring was replaced and read to its end;
 * - -EBADF if @stop is set;
 * - -ERESTARTSYS, -ENOMEM or -EPIPE.
 */
ssize_t rbmap_splice_to_pipe(struct rbmap_gen *gen, struct file *file,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags, u32 wakeups, const bool *stop)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	ssize_t ret;

	for (;;) {
		ret = rbmap_splice_all(gen, pipe, len);
		if (ret)
			return ret;
		if (rbmap_gen_drained(gen))
			return -ESTALE;
		if (file->f_flags & O_NONBLOCK || flags & SPLICE_F_NONBLOCK)
			return -EAGAIN;
		if (signal_pending(current))
			return -ERESTARTSYS;
		if (READ_ONCE(*stop))
			return -EBADF;
		if (READ_ONCE(cpu_buf->wakeups) != wakeups)
			return 0;
		/*
		 * Unlock the pipe, so that its reader does not wait for new events.
		 * The lock is that of a real pipe: sendfile(), whose internal pipe
		 * is not locked, refuses files that cannot seek.
		 */
		pipe_unlock(pipe);
		ret = rbmap_wait_readable(gen, RBMAP_WAIT_CLOSED, wakeups, stop);
		pipe_lock(pipe);
		if (ret)
			return ret;
	}
}
