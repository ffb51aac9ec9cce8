// SPDX-License-Identifier: GPL-2.0-only
/* Select the ring that an open file reads: the oldest one, and then the next. */
#include <linux/sched.h>
#include <linux/wait.h>

#include "file.h"

/* Files that are bound to another ring while the lock is held. */
#define RBMAP_FILES_AT_ONCE	32

/**
 * rbmap_oldest_queued - get the ring that a new file starts with
 * @cpu_buf: the CPU's part, with its lock held
 *
 * Context: may sleep.
 * Return: the ring.  The queue has a reference to it while the lock is held.
 */
struct rbmap_gen *
rbmap_oldest_queued(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_gen *gen;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		cond_resched();
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
 * Context: may sleep.
 * Return: as rbmap_oldest_queued().
 */
struct rbmap_gen *rbmap_next_queued(struct rbmap_gen *gen)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry_continue(gen, &cpu_buf->generations, list) {
		cond_resched();
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
		cond_resched();
		if (kref_get_unless_zero(&gen->refs))	/* model: get_next */
			return gen;
	}
	return NULL;
}

/*
 * Bind the file to a ring, or enter it in another list of its ring.  With the lock of the
 * CPU's rings.
 */
static void rbmap_file_set_gen(struct rbmap_file *file, struct rbmap_gen *gen)
{
	enum rbmap_keep keep = file->maps ? RBMAP_KEEP_MAP :
			       file->observes ? RBMAP_KEEP_OBSERVE : RBMAP_KEEP_READ;

	if (gen != file->gen)
		file->was_mapped = false;
	WRITE_ONCE(file->gen, gen);
	list_move_tail(&file->list, &gen->files[keep]);
}

/* The ring after one that the file must leave, with a reference. */
static struct rbmap_gen *rbmap_file_get_after(const struct rbmap_file *file)
{
	struct rbmap_gen *gen;

	/* The ring that is written is later than the file's, and always queued. */
	if (file->observes)
		return rbmap_gen_get_next(file->gen);
	gen = rbmap_next_queued(file->gen);
	kref_get(&gen->refs);	/* model: files_leave_get */
	return gen;
}

/*
 * The ring that the file continues with, with a reference.  NULL: it keeps its ring.
 */
static struct rbmap_gen *rbmap_file_get_next(const struct rbmap_file *file)
{
	struct rbmap_gen *gen = file->gen;

	if (gen && (file->snapshot || file->maps))
		return NULL;
	/* rbmap_files_unbind() has not come to this file yet. */
	if (gen && gen->let_go)
		return rbmap_file_get_after(file);
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
 * @map: whether the file is about to be mapped, which rbmap_file_unmap() or
 *	rbmap_file_map_failed() undoes
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
	mutex_lock(&cpu_buf->lock);
	old = file->gen;
	gen = rbmap_file_get_next(file) ?: old;
	if (gen == old)
		old = NULL;
	if (map)
		WRITE_ONCE(file->maps, file->maps + 1);
	rbmap_file_set_gen(file, gen);
	kref_get(&gen->refs);	/* model: bind_get */
	mutex_unlock(&cpu_buf->lock);
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
		mutex_lock(&file->cpu_buf->lock);
		if (!file->observes)
			rbmap_file_count_reader(file, true);
		mutex_unlock(&file->cpu_buf->lock);
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

	mutex_lock(&cpu_buf->lock);
	list_del(&file->list);	/* model: unbind */
	last = file->reads && cpu_buf->readers == 1;
	rbmap_file_count_reader(file, false);
	mutex_unlock(&cpu_buf->lock);
	rbmap_gen_put(file->gen);	/* model: unbind_put */
	rbmap_cpu_buffer_drop_drained(cpu_buf);
	if (last)	/* step: release_reserved */
		rbmap_cpu_buffer_release_reserved(cpu_buf);
}

/* Bind one of the files in a list to a later ring.  Return whether there was one. */
static bool rbmap_file_unbind_first(struct list_head *files)
{
	struct rbmap_file *file =
		list_first_entry_or_null(files, struct rbmap_file, list);

	if (file)
		rbmap_file_set_gen(file, rbmap_file_get_after(file));
	return file;
}

/*
 * Bind some files to later rings.  Return their number, which is that of the references
 * that the caller must put.
 */
static unsigned int rbmap_files_unbind_some(struct rbmap_gen *gen, bool observers)
{
	struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;
	unsigned int nr = 0;

	mutex_lock(&cpu_buf->lock);
	while (nr < RBMAP_FILES_AT_ONCE &&
	       (rbmap_file_unbind_first(&gen->files[RBMAP_KEEP_READ]) ||
		(observers &&
		 rbmap_file_unbind_first(&gen->files[RBMAP_KEEP_OBSERVE]))))
		nr++;
	mutex_unlock(&cpu_buf->lock);
	return nr;
}

/**
 * rbmap_files_unbind - bind the files that keep a ring to a later one
 * @gen: a ring that is retired, and drained or let go, and not queued; the caller has a
 *	reference
 * @observers: whether to bind files that observe, too
 *
 * A file that maps the ring keeps it.  A running operation has a reference of its
 * own, and ends in the ring that it started in.  A file that begins another operation
 * meanwhile goes on to a later ring by itself.
 *
 * Any user of the group opens files, so the lock is released between some of them.
 *
 * Context: may sleep.
 */
void rbmap_files_unbind(struct rbmap_gen *gen, bool observers)
{
	unsigned int nr, i;

	do {
		nr = rbmap_files_unbind_some(gen, observers);
		for (i = 0; i < nr; i++)
			rbmap_gen_put(gen);	/* model: files_leave_put */
		cond_resched();
	} while (nr == RBMAP_FILES_AT_ONCE);
}

/**
 * rbmap_file_maps - test whether a file maps a ring
 * @gen: a ring; the CPU's lock is held
 *
 * Context: any.
 */
bool rbmap_file_maps(const struct rbmap_gen *gen)
{
	lockdep_assert_held(&gen->cpu_buf->lock);
	return !list_empty(&gen->files[RBMAP_KEEP_MAP]);
}

/**
 * rbmap_file_is_bound - test whether a file is bound to a ring
 * @gen: a ring; the CPU's lock is held
 *
 * Context: any.
 */
bool rbmap_file_is_bound(const struct rbmap_gen *gen)
{
	return rbmap_file_maps(gen) ||
	       !list_empty(&gen->files[RBMAP_KEEP_READ]) ||
	       !list_empty(&gen->files[RBMAP_KEEP_OBSERVE]);
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

	mutex_lock(&file->cpu_buf->lock);
	if (file->maps) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(file->observes, true);
		rbmap_file_set_gen(file, file->gen);
		rbmap_file_count_reader(file, false);
	}
	mutex_unlock(&file->cpu_buf->lock);
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
	mutex_lock(&cpu_buf->lock);
	if (file->interrupted)
		wakeups = file->wakeups;
	WRITE_ONCE(file->interrupted, false);
	mutex_unlock(&cpu_buf->lock);
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
	mutex_lock(&file->cpu_buf->lock);
	file->wakeups = wakeups;
	WRITE_ONCE(file->interrupted, true);
	mutex_unlock(&file->cpu_buf->lock);
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
	mutex_lock(&file->cpu_buf->lock);
	WRITE_ONCE(file->maps, file->maps + 1);
	rbmap_file_set_gen(file, file->gen);
	mutex_unlock(&file->cpu_buf->lock);
}

static void rbmap_file_count_unmap(struct rbmap_file *file, bool was_mapped)
{
	mutex_lock(&file->cpu_buf->lock);
	WRITE_ONCE(file->maps, file->maps - 1);
	file->was_mapped |= was_mapped;
	rbmap_file_set_gen(file, file->gen);
	mutex_unlock(&file->cpu_buf->lock);
}

/**
 * rbmap_file_unmap - count one map less
 * @file: a file that has a map
 *
 * From now on the file may leave its ring, which an observer has seen.
 */
void rbmap_file_unmap(struct rbmap_file *file)
{
	rbmap_file_count_unmap(file, true);
}

/**
 * rbmap_file_map_failed - count one map less, which has shown nothing
 * @file: a file after rbmap_file_bind()
 *
 * An observer has not seen the ring, and keeps it.
 */
void rbmap_file_map_failed(struct rbmap_file *file)
{
	rbmap_file_count_unmap(file, false);
}
