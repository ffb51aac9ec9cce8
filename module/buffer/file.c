// SPDX-License-Identifier: GPL-2.0-only
/* Select the ring that an open file reads: the oldest one, and then the next. */
#include <linux/sched.h>
#include <linux/wait.h>

#include "file.h"

/**
 * rbmap_oldest_queued - get the ring that a new file starts with
 * @cpu_buf: the CPU's part, with its lock held
 *
 * Context: any.
 * Return: the ring.  The queue has a reference to it while the lock is held.
 */
struct rbmap_gen *
rbmap_oldest_queued(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		if (gen->queued)
			return gen;
	}
	/* Not reached: the ring that is written is always queued. */
	return NULL;
}

/**
 * rbmap_next_queued - get the ring that follows another one
 * @gen: a ring other than the one that is written; the CPU's lock is held
 *
 * Context: any.
 * Return: as rbmap_oldest_queued().
 */
struct rbmap_gen *rbmap_next_queued(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry_continue(gen, &cpu_buf->generations, list) {
		if (gen->queued)
			return gen;
	}
	/* Not reached: the ring that is written is always queued. */
	return NULL;
}

/*
 * The ring after @gen, with a reference for the caller.  A ring without references
 * stays in the list until its counters are added to @past, and is skipped.  The
 * queue has a reference to the ring that is written.
 */
static struct rbmap_gen *
rbmap_gen_get_next(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry_continue(gen, &cpu_buf->generations, list) {
		if (kref_get_unless_zero(&gen->refs))	/* model: get_next */
			return gen;
	}
	return NULL;
}

/*
 * The ring that the file continues with, with a reference.  NULL: it keeps its ring.
 */
static struct rbmap_gen *rbmap_file_get_next(const struct rbmap_file *file)
{
	struct rbmap_gen *gen = file->gen;

	if (gen && (file->snapshot || file->maps))
		return NULL;
	if (gen && file->observes)
		return file->was_mapped && rbmap_gen_retired(gen) ?
		       rbmap_gen_get_next(gen) : NULL;
	if (gen && !rbmap_gen_drained(gen))
		return NULL;
	gen = rbmap_oldest_queued(file->cpu_buf);
	if (gen == file->gen)
		return NULL;
	/* The queue has a reference. */
	kref_get(&gen->refs);	/* model: bind_oldest */
	return gen;
}

/**
 * rbmap_file_bind - get the ring that a file reads now
 * @file: the file
 * @map: whether the file is about to be mapped, which rbmap_file_unmap() undoes
 *
 * A file that has read its ring to the end continues with the next one, unless it
 * maps its ring: the content of a map must not change.  A file that observes
 * continues after its ring was mapped and unmapped, once the ring is retired.  It
 * does not matter what others have read.
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the caller.
 */
struct rbmap_gen *rbmap_file_bind(struct rbmap_file *file, bool map)
{
	struct rbmap_cpu_buffer *cpu_buf = file->cpu_buf;
	struct rbmap_gen *gen, *old = NULL;

	rbmap_cpu_buffer_drop_drained(cpu_buf);
	spin_lock(&cpu_buf->lock);
	if (!file->gen)
		list_add(&file->list, &cpu_buf->files);	/* model: bind_get */
	gen = rbmap_file_get_next(file);
	if (gen) {
		old = file->gen;
		file->gen = gen;
		file->was_mapped = false;
	}
	gen = file->gen;
	if (map) {
		WRITE_ONCE(file->maps, file->maps + 1);
		file->was_mapped = true;
	}
	kref_get(&gen->refs);	/* model: bind_get */
	spin_unlock(&cpu_buf->lock);
	if (old)	/* model: bind_put */
		rbmap_gen_put(old);
	return gen;
}

/**
 * rbmap_file_advance - get the ring after one that was read to its end
 * @file: the file
 * @gen: a ring that the file was bound to, without anything more to read; the
 *	caller's reference is put
 *
 * A caller that reads one ring after the other stops when the result is NULL,
 * because the same ring has nothing more to read next time.
 *
 * Context: may sleep.
 * Return: another ring, with a reference for the caller.  NULL if the file keeps
 * @gen because the file maps it, because the file observes, or because no ring
 * follows.
 */
struct rbmap_gen *rbmap_file_advance(struct rbmap_file *file,
				     struct rbmap_gen *gen)
{
	struct rbmap_gen *next = rbmap_file_bind(file, false);

	if (next == gen) {	/* model: advance_same */
		rbmap_gen_put(next);
		next = NULL;
	}
	rbmap_gen_put(gen);	/* model: advance_put */
	return next;
}

/* The caller holds the lock of the CPU's rings. */
static void rbmap_file_count_reader(struct rbmap_file *file, bool reads)
{
	if (file->reads == reads)
		return;
	WRITE_ONCE(file->cpu_buf->readers, file->cpu_buf->readers + (reads ? 1 : -1));
	WRITE_ONCE(file->reads, reads);
}

/**
 * rbmap_file_bind_reader - rbmap_file_bind() for a caller that consumes events
 * @file: the file.  It counts as a reader from now on, so that a snapshot does not
 *	remove events that it has not read yet
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the caller.
 */
struct rbmap_gen *rbmap_file_bind_reader(struct rbmap_file *file)
{
	if (!file->snapshot && !READ_ONCE(file->reads)) {
		spin_lock(&file->cpu_buf->lock);
		if (!file->observes)
			rbmap_file_count_reader(file, true);
		spin_unlock(&file->cpu_buf->lock);
	}
	return rbmap_file_bind(file, false);
}

/**
 * rbmap_file_unbind - release the ring of a file that is closed
 * @file: the file
 *
 * Context: may sleep.
 */
void rbmap_file_unbind(struct rbmap_file *file)
{
	struct rbmap_cpu_buffer *cpu_buf = file->cpu_buf;
	bool last;

	spin_lock(&cpu_buf->lock);
	list_del(&file->list);	/* model: unbind */
	last = file->reads && cpu_buf->readers == 1;
	rbmap_file_count_reader(file, false);
	spin_unlock(&cpu_buf->lock);
	rbmap_gen_put(file->gen);	/* model: unbind_put */
	rbmap_cpu_buffer_drop_drained(cpu_buf);
	if (last)	/* step: keep_for_snapshots */
		rbmap_cpu_buffer_keep_for_snapshots(cpu_buf);
}

/**
 * rbmap_files_unbind - bind the files that keep a ring to a later one
 * @gen: a ring that is retired and not queued; the CPU's lock is held
 * @observers: whether to bind files that observe, too
 *
 * A file that maps the ring keeps it.  A running operation has a reference of its
 * own, and ends in the ring that it started in.
 *
 * Context: any.
 * Return: number of references to @gen that the caller must put.
 */
unsigned int rbmap_files_unbind(struct rbmap_gen *gen, bool observers)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	struct rbmap_file *file;
	unsigned int left = 0;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry(file, &cpu_buf->files, list) {
		struct rbmap_gen *next;

		if (file->gen != gen || file->maps ||
		    (file->observes && !observers))
			continue;
		/* The ring that is written is later than @gen, and always queued. */
		if (file->observes) {
			next = rbmap_gen_get_next(gen);
		} else {
			next = rbmap_next_queued(gen);
			kref_get(&next->refs);	/* model: files_leave_get */
		}
		file->gen = next;
		file->was_mapped = false;
		left++;
	}
	return left;
}

/**
 * rbmap_files_of - test what open files do with a ring
 * @gen: a ring; the CPU's lock is held
 * @mapped: set to whether a file maps the ring
 *
 * Context: any.
 * Return: whether a file is bound to the ring.
 */
bool rbmap_files_of(const struct rbmap_gen *gen, bool *mapped)
{
	const struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	const struct rbmap_file *file;
	bool bound = false;

	lockdep_assert_held(&cpu_buf->lock);
	*mapped = false;
	list_for_each_entry(file, &cpu_buf->files, list) {
		if (file->gen != gen)
			continue;
		bound = true;
		*mapped |= file->maps;
	}
	return bound;
}

/**
 * rbmap_file_observe - make a file observe, for good
 * @file: a file that is not mapped
 *
 * The file does not count as a reader any more.  A thread that waits for events to
 * consume with this file is woken, and finds that the file observes.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY if the file is mapped; -EINVAL if the file has a snapshot.
 */
int rbmap_file_observe(struct rbmap_file *file)
{
	int err = 0;

	if (file->snapshot)
		return -EINVAL;

	spin_lock(&file->cpu_buf->lock);
	if (file->maps) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(file->observes, true);
		rbmap_file_count_reader(file, false);
	}
	spin_unlock(&file->cpu_buf->lock);
	/*
	 * The wake-up is a full barrier: the thread that waits sees the flag.
	 * step: wake
	 */
	if (!err)
		wake_up_all(&file->cpu_buf->wait);
	return err;
}

/**
 * rbmap_file_observes - test whether a file observes, and consumes nothing
 * @file: the file
 */
bool rbmap_file_observes(const struct rbmap_file *file)
{
	return READ_ONCE(file->observes);
}

/**
 * rbmap_file_wait_begin - begin a call that may wait
 * @file: the file
 *
 * The kernel restarts a call that SIGCONT or a suspend has interrupted.  An ioctl(fd, 0)
 * between the two ends the restarted wait, too, or its caller would wait for ever.
 *
 * Return: count of ioctl(fd, 0) calls; another count ends the wait.
 */
u32 rbmap_file_wait_begin(struct rbmap_file *file)
{
	struct rbmap_cpu_buffer *cpu_buf = file->cpu_buf;
	u32 wakeups = READ_ONCE(cpu_buf->wakeups);

	if (!READ_ONCE(file->interrupted))
		return wakeups;
	spin_lock(&cpu_buf->lock);
	if (file->interrupted)
		wakeups = file->wakeups;
	WRITE_ONCE(file->interrupted, false);
	spin_unlock(&cpu_buf->lock);
	return wakeups;
}

/**
 * rbmap_file_wait_end - end a call that may have waited
 * @file: the file
 * @wakeups: result of rbmap_file_wait_begin()
 * @err: result of the call
 *
 * Return: @err.
 */
int rbmap_file_wait_end(struct rbmap_file *file, u32 wakeups, int err)
{
	if (err != -ERESTARTSYS)
		return err;
	spin_lock(&file->cpu_buf->lock);
	file->wakeups = wakeups;
	WRITE_ONCE(file->interrupted, true);
	spin_unlock(&file->cpu_buf->lock);
	return err;
}

/**
 * rbmap_file_ends - test whether no other ring can follow the file's ring
 * @file: the file
 */
bool rbmap_file_ends(const struct rbmap_file *file)
{
	const struct rbmap_cpu_buffer *cpu_buf = file->cpu_buf;

	return file->snapshot ||
	       (rbmap_buffer_gone(cpu_buf->buffer) &&
		READ_ONCE(file->gen) == READ_ONCE(cpu_buf->current_gen));
}

/**
 * rbmap_file_map - count another map
 * @file: a file that has a map
 */
void rbmap_file_map(struct rbmap_file *file)
{
	spin_lock(&file->cpu_buf->lock);
	WRITE_ONCE(file->maps, file->maps + 1);
	spin_unlock(&file->cpu_buf->lock);
}

/**
 * rbmap_file_unmap - count one map less
 * @file: a file that has a map
 */
void rbmap_file_unmap(struct rbmap_file *file)
{
	spin_lock(&file->cpu_buf->lock);
	WRITE_ONCE(file->maps, file->maps - 1);
	spin_unlock(&file->cpu_buf->lock);
}
