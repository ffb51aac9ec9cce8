// SPDX-License-Identifier: GPL-2.0-only
/* Which ring an open file reads: the oldest, and then the next one. */
#include "file.h"

static struct rbmap_generation *
rbmap_oldest_queued(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_generation *gen;

	lockdep_assert_held(&cpu_buf->lock);
	/* The one that is written always is. */
	list_for_each_entry(gen, &cpu_buf->generations, list) {
		if (gen->queued)
			break;
	}
	return gen;
}

/**
 * rbmap_file_bind - the ring that a file reads now
 * @file: the file
 * @map: it is about to be mapped: rbmap_file_unmap() undoes that
 *
 * A file that has read its ring to the end goes on with the next one, unless it
 * maps the one that it has: a map must not change under its owner.
 *
 * Context: may sleep.
 * Return: the ring, with a reference for the caller.
 */
struct rbmap_generation *rbmap_file_bind(struct rbmap_file *file, bool map)
{
	struct rbmap_cpu_buffer *cpu_buf = file->cpu_buf;
	struct rbmap_generation *gen, *old = NULL;

	rbmap_cpu_buffer_settle(cpu_buf);
	spin_lock(&cpu_buf->lock);
	gen = file->gen;
	if (!gen || (!file->snapshot && !file->maps &&
		     rbmap_generation_drained(gen))) {
		old = gen;
		gen = rbmap_oldest_queued(cpu_buf);
		kref_get(&gen->refs);
		file->gen = gen;
	}
	if (map)
		WRITE_ONCE(file->maps, file->maps + 1);
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
 * rbmap_file_stays - does the file keep its ring, being mapped or a snapshot's?
 * @file: the file
 */
bool rbmap_file_stays(const struct rbmap_file *file)
{
	return file->snapshot || READ_ONCE(file->maps);
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
