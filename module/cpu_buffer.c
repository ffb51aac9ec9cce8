// SPDX-License-Identifier: GPL-2.0-only
/* Make and unmake one CPU's ring. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "cpu_buffer.h"
#include "pages.h"

/**
 * rbmap_cpu_buffer_bytes - memory that one CPU's ring takes, about
 * @buf: the buffer
 */
unsigned long rbmap_cpu_buffer_bytes(const struct rbmap_buffer *buf)
{
	return (buf->nr_slots + 1UL) *
	       (buf->subbuf_size + sizeof(struct rbmap_subbuf) + sizeof(u64));
}

static void rbmap_cpu_buffer_free(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_subbuf *subbuf = cpu_buf->ring.subbuf;
	u32 i;

	for (i = 0; subbuf && i <= cpu_buf->buffer->nr_slots; i++)
		if (subbuf[i].header)
			rbmap_pages_free(subbuf[i].header);
	kvfree(subbuf);
	kvfree(cpu_buf->ring.slot);
	free_page((unsigned long)cpu_buf->meta);
	if (cpu_buf->pad)
		__free_page(cpu_buf->pad);
	kfree(cpu_buf);
}

/**
 * rbmap_cpu_buffer_create - a ring for a CPU, in that CPU's memory
 * @buf: the buffer that it is for: sizes and settings
 * @cpu: possible, need not be on line
 *
 * Context: may sleep.
 * Return: it, or NULL: no memory.
 */
struct rbmap_cpu_buffer *rbmap_cpu_buffer_create(struct rbmap_buffer *buf,
						 int cpu)
{
	struct rbmap_ring_config config = {
		.nr_slots	= buf->nr_slots,
		.subbuf_size	= buf->subbuf_size,
		.mode		= buf->mode,
		.ops		= &rbmap_ring_ops,
	};
	int node = cpu_to_node(cpu);
	struct rbmap_cpu_buffer *cpu_buf;
	u32 i;

	cpu_buf = kzalloc_node(sizeof(*cpu_buf), GFP_KERNEL, node);
	if (!cpu_buf)
		return NULL;
	cpu_buf->buffer = buf;
	cpu_buf->cpu = cpu;
	mutex_init(&cpu_buf->reader_lock);

	config.subbuf = kvzalloc_node(array_size(buf->nr_slots + 1,
						 sizeof(*config.subbuf)),
				      GFP_KERNEL, node);
	config.slot = kvzalloc_node(array_size(buf->nr_slots,
					       sizeof(*config.slot)),
				    GFP_KERNEL, node);
	cpu_buf->ring.subbuf = config.subbuf;
	cpu_buf->ring.slot = config.slot;
	cpu_buf->meta = (void *)get_zeroed_page(GFP_KERNEL);
	if (buf->subbuf_size > PAGE_SIZE)
		cpu_buf->pad = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!config.subbuf || !config.slot || !cpu_buf->meta ||
	    (buf->subbuf_size > PAGE_SIZE && !cpu_buf->pad))
		goto free;

	for (i = 0; i <= buf->nr_slots; i++) {
		config.subbuf[i].header = rbmap_pages_alloc(buf->subbuf_size,
							    node);
		if (!config.subbuf[i].header)
			goto free;
		cond_resched();
	}

	rbmap_ring_init(&cpu_buf->ring, &config);
	cpu_buf->ring.clock = buf->clock;
	cpu_buf->ring.off = rbmap_buffer_off(buf);
	rbmap_wait_init(cpu_buf);
	rbmap_meta_init(cpu_buf);
	return cpu_buf;

free:
	rbmap_cpu_buffer_free(cpu_buf);
	return NULL;
}

/**
 * rbmap_cpu_buffer_destroy - free a ring that nobody uses any more
 * @cpu_buf: no writer, no reader, no map
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_destroy(struct rbmap_cpu_buffer *cpu_buf)
{
	rbmap_wait_exit(cpu_buf);
	rbmap_cpu_buffer_free(cpu_buf);
}

/**
 * rbmap_cpu_buffer_reset - forget what is unread, count from 0
 * @cpu_buf: may be written to meanwhile
 *
 * All that is committed counts as read, and what the counters are now is
 * taken off from here on.  Events below `expected` were read or overwritten,
 * which gives both exactly, whatever the writer does meanwhile.
 *
 * Context: may sleep.
 */
void rbmap_cpu_buffer_reset(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_base *base = &cpu_buf->base;
	struct rbmap_ring *ring = &cpu_buf->ring;
	struct rbmap_reader *reader = &ring->reader;
	int i;

	mutex_lock(&cpu_buf->reader_lock);
	rbmap_ring_skip(ring);
	/* Who maps the ring keeps an offset in it: begin in another one. */
	if (rbmap_ring_reader_at_writer(ring))
		rbmap_close(cpu_buf, reader->seq);

	reader->told_drops = 0;
	for (i = 0; i < RBMAP_NR_DROPS; i++) {
		base->dropped[i] = local_read(&ring->dropped[i]);
		reader->told_drops += base->dropped[i];
	}
	reader->lost = 0;
	base->told = reader->told;
	base->entries = reader->expected;
	base->read = reader->read;
	base->overrun = reader->expected - reader->read;
	base->disabled = local_read(&ring->disabled);
	base->touched = READ_ONCE(ring->touched);
	base->overwritten = local_read(&ring->overwritten);
	cpu_buf->moved = 0;
	cpu_buf->copied = 0;

	rbmap_meta_update(cpu_buf);
	mutex_unlock(&cpu_buf->reader_lock);
}
