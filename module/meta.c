// SPDX-License-Identifier: GPL-2.0-only
/* The meta-page, and the same counters for the `stats` file. */
#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "cpu_buffer.h"

/* Each is as linux/trace_mmap.h has it. */
static_assert(offsetof(struct rbmap_meta, meta_page_size) == 0);
static_assert(offsetof(struct rbmap_meta, meta_struct_len) == 4);
static_assert(offsetof(struct rbmap_meta, subbuf_size) == 8);
static_assert(offsetof(struct rbmap_meta, nr_subbufs) == 12);
static_assert(offsetof(struct rbmap_meta, reader.lost_events) == 16);
static_assert(offsetof(struct rbmap_meta, reader.id) == 24);
static_assert(offsetof(struct rbmap_meta, reader.read) == 28);
static_assert(offsetof(struct rbmap_meta, flags) == 32);
static_assert(offsetof(struct rbmap_meta, entries) == 40);
static_assert(offsetof(struct rbmap_meta, overrun) == 48);
static_assert(offsetof(struct rbmap_meta, read) == 56);
static_assert(offsetof(struct rbmap_meta, pages_lost) == 64);
static_assert(offsetof(struct rbmap_meta, pages_touched) == 72);
static_assert(offsetof(struct rbmap_meta, magic) == RBMAP_META_TRACE_LEN);
static_assert(sizeof(struct rbmap_meta) <= PAGE_SIZE);
static_assert(sizeof(struct rbmap_subbuf_header) == RBMAP_SUBBUF_HEADER_SIZE);

/* A writer may have counted less than a reader has seen, for a moment. */
static u64 rbmap_since(u64 now, u64 base)
{
	return now > base ? now - base : 0;
}

static void rbmap_counters(struct rbmap_cpu_buffer *cpu_buf,
			   struct rbmap_buffer_stats *stats)
{
	const struct rbmap_base *base = &cpu_buf->base;
	const struct rbmap_ring *ring = &cpu_buf->ring;
	const struct rbmap_reader *reader = &ring->reader;
	u64 dropped[RBMAP_NR_DROPS];
	int i;

	stats->overrun = rbmap_since(local_read(&ring->overrun), base->overrun);
	stats->read = reader->read - base->read;
	stats->entries = max(rbmap_since(rbmap_ring_entries(ring),
					 base->entries),
			     stats->overrun + stats->read);
	stats->unread = stats->entries - stats->overrun - stats->read;

	stats->lost = stats->overrun;
	for (i = 0; i < RBMAP_NR_DROPS; i++) {
		dropped[i] = local_read(&ring->dropped[i]) - base->dropped[i];
		stats->lost += dropped[i];
	}
	stats->dropped_full = dropped[RBMAP_DROP_FULL];
	stats->dropped_lapped = dropped[RBMAP_DROP_LAPPED];
	stats->dropped_nested = dropped[RBMAP_DROP_NESTED];
	stats->dropped_too_large = dropped[RBMAP_DROP_TOO_LARGE];
	stats->disabled = local_read(&ring->disabled) - base->disabled;
	stats->lost_told = reader->told - base->told;
	stats->subbufs_touched = READ_ONCE(ring->touched) - base->touched;
	stats->subbufs_lost = local_read(&ring->overwritten) -
			      base->overwritten;
}

/**
 * rbmap_cpu_stats - a snapshot of the counters
 * @cpu_buf: reader_lock held
 * @stats: filled
 */
void rbmap_cpu_stats(struct rbmap_cpu_buffer *cpu_buf,
		     struct rbmap_buffer_stats *stats)
{
	const struct rbmap_ring *ring = &cpu_buf->ring;

	rbmap_counters(cpu_buf, stats);
	stats->unread_bytes = rbmap_ring_unread_bytes(ring);
	stats->moved = cpu_buf->moved;
	stats->copied = cpu_buf->copied;
	stats->now = rb_clock(ring->clock);
	stats->generation = cpu_buf->meta->generation;
	stats->nr_slots = ring->nr_slots;
	stats->subbuf_size = cpu_buf->buffer->subbuf_size;
}

/**
 * rbmap_meta_init - what does not change
 * @cpu_buf: new
 */
void rbmap_meta_init(struct rbmap_cpu_buffer *cpu_buf)
{
	struct rbmap_meta *meta = cpu_buf->meta;

	meta->meta_page_size = max_t(u32, cpu_buf->buffer->subbuf_size,
				     PAGE_SIZE);
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = cpu_buf->buffer->subbuf_size;
	meta->nr_subbufs = cpu_buf->ring.nr_slots + 1;
	meta->magic = RBMAP_META_MAGIC;
	meta->version = RBMAP_META_VERSION;
	meta->generation = 1;
	meta->cpu = cpu_buf->cpu;
	rbmap_meta_update(cpu_buf);
}

/**
 * rbmap_meta_update - show what the reader has, and the counters
 * @cpu_buf: reader_lock held
 *
 * Nothing here is ever read back: user space could see it, and that is all.
 */
void rbmap_meta_update(struct rbmap_cpu_buffer *cpu_buf)
{
	const struct rbmap_ring *ring = &cpu_buf->ring;
	struct rbmap_meta *meta = cpu_buf->meta;
	struct rbmap_buffer_stats stats;

	rbmap_counters(cpu_buf, &stats);
	WRITE_ONCE(meta->entries, stats.entries);
	WRITE_ONCE(meta->overrun, stats.overrun);
	WRITE_ONCE(meta->read, stats.read);
	WRITE_ONCE(meta->pages_lost, stats.subbufs_lost);
	WRITE_ONCE(meta->pages_touched, stats.subbufs_touched);
	WRITE_ONCE(meta->mode, READ_ONCE(ring->mode));
	WRITE_ONCE(meta->clock, ring->clock);
	WRITE_ONCE(meta->lost, stats.lost);
	WRITE_ONCE(meta->dropped_full, stats.dropped_full);
	WRITE_ONCE(meta->dropped_lapped, stats.dropped_lapped);
	WRITE_ONCE(meta->dropped_nested, stats.dropped_nested);
	WRITE_ONCE(meta->dropped_too_large, stats.dropped_too_large);
	WRITE_ONCE(meta->disabled, stats.disabled);
	WRITE_ONCE(meta->lost_told, stats.lost_told);
	WRITE_ONCE(meta->now, cpu_buf->seen);
	WRITE_ONCE(meta->reader.lost_events, ring->reader.lost);
	WRITE_ONCE(meta->reader.read, ring->reader.offset);
	/* Who sees the id sees all of the above.  litmus: meta-reader */
	smp_store_release(&meta->reader.id, ring->reader.id);
}
