// SPDX-License-Identifier: GPL-2.0-only
/* Which ring an open file reads: the oldest, and then the next one. */
#include "file.h"

/**
 * rbmap_oldest_queued - the ring that a new file begins with
 * @cpu_buf: the CPU's; its lock is held
 *
 * Context: any.
 * Return: the ring.  The queue has a reference as long as the lock is held.
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
	/* Not reached: the one that is written always is. */
	return NULL;
}

/**
 * rbmap_next_queued - the ring that a reader comes to after another one
 * @gen: not the ring that is written; the lock of the CPU's rings is held
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
	/* Not reached: the one that is written always is. */
	return NULL;
}

/*
 * The ring after @gen, with a reference for the caller.  A ring whose last
 * reference has gone stays in the list until its counters are summed up: it is
 * passed over.  The ring that is written has the queue's reference.
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

/* The ring that a file goes on with, with a reference; NULL: it keeps its own. */
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
 * rbmap_file_bind - the ring that a file reads now
 * @file: the file
 * @map: it is about to be mapped: rbmap_file_unmap() undoes that
 *
 * A file that has read its ring to the end goes on with the next one, unless it
 * maps the one that it has: a map must not change under its owner.  A file that
 * observes goes on after it has mapped its ring and unmapped it again, once
 * nobody writes to that ring: what others have read does not matter.
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
	if (old)
		rbmap_gen_put(old);	/* model: bind_put */
	return gen;
}

/**
 * rbmap_file_advance - the ring after one that has ended
 * @file: the file
 * @gen: a ring that it was bound to, and that has nothing more to read; the
 *	caller's reference is given back
 *
 * A caller that reads one ring after the other ends when this is NULL: the same
 * ring has nothing more the next time either.
 *
 * Context: may sleep.
 * Return: another ring, with a reference for the caller; NULL: the file keeps
 * this one, because it maps it, observes, or because no ring follows.
 */
struct rbmap_gen *rbmap_file_advance(struct rbmap_file *file,
				     struct rbmap_gen *gen)
{
	struct rbmap_gen *next = rbmap_file_bind(file, false);

	if (next == gen) {
		rbmap_gen_put(next);	/* model: advance_same */
		next = NULL;
	}
	rbmap_gen_put(gen);	/* model: advance_put */
	return next;
}

/* Under the lock of its CPU's rings. */
static void rbmap_file_count_reader(struct rbmap_file *file, bool reads)
{
	if (file->reads == reads)
		return;
	file->cpu_buf->readers += reads ? 1 : -1;
	WRITE_ONCE(file->reads, reads);
}

/**
 * rbmap_file_bind_reader - the same for a caller that takes events, or tries to
 * @file: the file: from here on no snapshot has events that it will not come to
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
 * rbmap_file_unbind - the file is closed
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
	if (last)
		rbmap_cpu_buffer_keep_for_snapshots(cpu_buf);
}

/**
 * rbmap_files_unbind - bind files that keep a ring to a later one
 * @gen: a ring that is retired and not queued; the lock of the CPU's rings is held
 * @observers: files that observe leave it, too
 *
 * A file that maps the ring keeps it.  An operation that is under way has a
 * reference of its own, and ends in the ring that it began in.
 *
 * Context: any.
 * Return: references to @gen that the caller is to give back.
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
		/* The ring that is written is later, and always queued. */
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
 * rbmap_files_of - what open files do with a ring
 * @gen: a ring; the lock of the CPU's rings is held
 * @mapped: filled: a file maps it
 *
 * Context: any.
 * Return: a file is bound to it.
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
 * rbmap_file_observe - have a file take nothing, for good
 * @file: not mapped
 *
 * It does not count as a reader any more.  A thread that waits for events to
 * take by this file is woken, and finds that it observes.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY: it is mapped; -EINVAL: a snapshot is the file's own.
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
	/* Waking is a full barrier: the thread that waits sees the flag. */
	if (!err)
		wake_up_all(&file->cpu_buf->wait);
	return err;
}

/**
 * rbmap_file_observes - does it only look?
 * @file: the file
 */
bool rbmap_file_observes(const struct rbmap_file *file)
{
	return READ_ONCE(file->observes);
}

/**
 * rbmap_file_ends - will no other ring follow the file's own?
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
 * rbmap_file_map - one map more
 * @file: has one already
 */
void rbmap_file_map(struct rbmap_file *file)
{
	spin_lock(&file->cpu_buf->lock);
	WRITE_ONCE(file->maps, file->maps + 1);
	spin_unlock(&file->cpu_buf->lock);
}

/**
 * rbmap_file_unmap - one map less
 * @file: has one
 */
void rbmap_file_unmap(struct rbmap_file *file)
{
	spin_lock(&file->cpu_buf->lock);
	WRITE_ONCE(file->maps, file->maps - 1);
	spin_unlock(&file->cpu_buf->lock);
}
