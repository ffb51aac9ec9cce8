// SPDX-License-Identifier: GPL-2.0-only
/* Which ring an open file reads: the oldest, and then the next one. */
#include "file.h"

static struct rbmap_generation *
rbmap_oldest_queued(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_generation *gen;

	lockdep_assert_held(&cpu_buf->lock);
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		if (gen->queued)
			return gen;
	}
	/* Not reached: the one that is written always is. */
	return NULL;
}

/* The ring that a file goes on with; its own, where that is not through. */
static struct rbmap_generation *rbmap_file_next(const struct rbmap_file *file)
{
	struct rbmap_generation *gen = file->gen;

	if (!gen)
		return rbmap_oldest_queued(file->cpu_buf);
	if (file->snapshot || file->maps)
		return gen;
	if (file->observes)
		return file->looked && rbmap_generation_retired(gen) &&
		       !list_is_last(&gen->list, &file->cpu_buf->generations) ?
		       list_next_entry(gen, list) : gen;
	return rbmap_generation_drained(gen) ?
	       rbmap_oldest_queued(file->cpu_buf) : gen;
}

/**
 * rbmap_file_bind - the ring that a file reads now
 * @file: the file
 * @map: it is about to be mapped: rbmap_file_unmap() undoes that
 *
 * A file that has read its ring to the end goes on with the next one, unless it
 * maps the one that it has: a map must not change under its owner.  One that
 * observes has nothing to do with what was read: it goes on when it was mapped
 * and is not any more, and nobody writes to its ring.
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the caller.
 */
struct rbmap_generation *rbmap_file_bind(struct rbmap_file *file, bool map)
{
	struct rbmap_cpu_buffer *cpu_buf = file->cpu_buf;
	struct rbmap_generation *gen, *old;

	rbmap_cpu_buffer_settle(cpu_buf);
	spin_lock(&cpu_buf->lock);
	old = file->gen;
	gen = rbmap_file_next(file);
	if (gen != old) {
		kref_get(&gen->refs);
		file->gen = gen;
		file->looked = false;
	} else {
		old = NULL;
	}
	if (map) {
		WRITE_ONCE(file->maps, file->maps + 1);
		file->looked = true;
	}
	kref_get(&gen->refs);
	spin_unlock(&cpu_buf->lock);
	if (old)
		rbmap_generation_put(old);
	return gen;
}

/**
 * rbmap_file_bind_reader - the same for who takes events, or tries to
 * @file: the file: from here on no snapshot has events that it will not come to
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the caller.
 */
struct rbmap_generation *rbmap_file_bind_reader(struct rbmap_file *file)
{
	if (!READ_ONCE(file->reads)) {
		spin_lock(&file->cpu_buf->lock);
		if (!file->reads && !file->snapshot)
			file->cpu_buf->readers++;
		WRITE_ONCE(file->reads, true);
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
	spin_lock(&file->cpu_buf->lock);
	if (file->reads && !file->snapshot)
		file->cpu_buf->readers--;
	spin_unlock(&file->cpu_buf->lock);
	rbmap_generation_put(file->gen);
	rbmap_cpu_buffer_settle(file->cpu_buf);
}

/**
 * rbmap_file_observe - have a file take nothing, for good
 * @file: not mapped
 *
 * Return: 0; -EBUSY: it is mapped; -EINVAL: a snapshot is the file's own.
 */
int rbmap_file_observe(struct rbmap_file *file)
{
	int err = 0;

	if (file->snapshot)
		return -EINVAL;

	spin_lock(&file->cpu_buf->lock);
	if (file->maps)
		err = -EBUSY;
	else
		WRITE_ONCE(file->observes, true);
	spin_unlock(&file->cpu_buf->lock);
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
 * rbmap_file_stays - does the file keep its ring, being mapped or at the end?
 * @file: the file
 */
bool rbmap_file_stays(const struct rbmap_file *file)
{
	return READ_ONCE(file->maps) || rbmap_file_ends(file);
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
