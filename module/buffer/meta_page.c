// SPDX-License-Identifier: GPL-2.0-only
/* The meta-page, and the same counters for the `stats` file. */
#include <linux/build_bug.h>
#include <linux/kernel.h>

#include "internal.h"
#include "meta_page.h"

/* These members lie where linux/trace_mmap.h has them. */
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

/* For a moment the writer's counters may be behind what a reader has seen. */
static u64 rbmap_since(u64 now, u64 base)
{
	return now > base ? now - base : 0;
}

static void rbmap_counters(struct rbmap_gen *gen,
			   struct rbmap_buffer_stats *stats)
{
	const struct rbmap_base *base = &gen->base;
	const struct rbmap_ring *ring = &gen->ring;
	const struct rbmap_reader *reader = &ring->reader;
	u64 dropped[RBMAP_NR_DROPS];
	int i;

	stats->lost = rbmap_since(local_read(&ring->overrun), base->overrun);
	stats->overrun = stats->lost + gen->expiry.abandoned;
	stats->read = reader->read - base->read;
	stats->entries = max(rbmap_since(rbmap_ring_entries(ring),
					 base->entries),
			     stats->overrun + stats->read);
	stats->unread = stats->entries - stats->overrun - stats->read;

	stats->lost += gen->expiry.lost_in - gen->expiry.lost_out;
	stats->expired = gen->expiry.expired;
	for (i = 0; i < RBMAP_NR_DROPS; i++) {
		dropped[i] = local_read(&ring->dropped[i]) - base->dropped[i];
		stats->lost += dropped[i];
	}
	stats->dropped_full = dropped[RBMAP_DROP_FULL];
	stats->dropped_lapped = dropped[RBMAP_DROP_LAPPED];
	stats->dropped_nested = dropped[RBMAP_DROP_NESTED];
	stats->dropped_too_large = dropped[RBMAP_DROP_TOO_LARGE];
	stats->dropped_no_ring = dropped[RBMAP_DROP_NO_RING];
	stats->disabled = local_read(&ring->disabled) - base->disabled;
	stats->lost_reported = reader->reported - base->reported;
	stats->subbufs_touched = READ_ONCE(ring->touched) - base->touched;
	stats->subbufs_lost = local_read(&ring->overwritten) -
			      base->overwritten;
	stats->discarded = gen->discarded;
}

/**
 * rbmap_gen_stats - get a snapshot of a ring's counters
 * @gen: reader_lock held
 * @stats: filled
 */
void rbmap_gen_stats(struct rbmap_gen *gen,
		     struct rbmap_buffer_stats *stats)
{
	const struct rbmap_ring *ring = &gen->ring;

	rbmap_counters(gen, stats);
	stats->unread_bytes = rbmap_ring_unread_bytes(ring, &stats->oldest);
	stats->taken = 0;
	stats->moved = gen->moved;
	stats->copied = gen->copied;
	stats->now = rb_clock(ring->clock);
	stats->generation = gen->number;
	stats->sizes = rbmap_sizes_of(gen);
}

static u32 rbmap_retired_word(const struct rbmap_gen *gen)
{
	const struct rbmap_cpu_buffer *cpu_buf = gen->cpu_buf;

	if (!rbmap_gen_retired(gen))
		return 0;
	return rbmap_buffer_gone(cpu_buf->buffer) &&
	       gen == READ_ONCE(cpu_buf->current_gen) ? RBMAP_RETIRED_LAST : 1;
}

/**
 * rbmap_meta_init - fill in the members of the meta-page that do not change
 * @gen: a new ring
 */
void rbmap_meta_init(struct rbmap_gen *gen)
{
	struct rbmap_meta *meta = gen->meta;

	meta->meta_page_size = max_t(u32, gen->subbuf_size,
				     PAGE_SIZE);
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = gen->subbuf_size;
	meta->nr_subbufs = gen->ring.nr_slots + 1;
	meta->magic = RBMAP_META_MAGIC;
	meta->version = RBMAP_META_VERSION;
	meta->cpu = gen->cpu_buf->cpu;
	meta->generation = gen->number;
	meta->snapshot = !!gen->origin;
	meta->raw = gen->cpu_buf->buffer->raw;
	meta->slot_table_size = gen->slot_table_size;
	meta->slot_table_offset = gen->slot_table_size ? RBMAP_SLOT_TABLE_OFFSET : 0;
	rbmap_meta_update(gen);
}

/**
 * rbmap_meta_update - update the reader's position and the counters in the meta-page
 * @gen: reader_lock held
 *
 * The kernel writes the meta-page for user space, and never reads it back.
 */
void rbmap_meta_update(struct rbmap_gen *gen)
{
	const struct rbmap_ring *ring = &gen->ring;
	struct rbmap_meta *meta = gen->meta;
	struct rbmap_buffer_stats stats;

	rbmap_counters(gen, &stats);
	WRITE_ONCE(meta->entries, stats.entries);
	WRITE_ONCE(meta->overrun, stats.overrun);
	WRITE_ONCE(meta->read, stats.read);
	WRITE_ONCE(meta->pages_lost, stats.subbufs_lost);
	WRITE_ONCE(meta->pages_touched, stats.subbufs_touched);
	WRITE_ONCE(meta->mode, READ_ONCE(ring->mode));
	WRITE_ONCE(meta->clock, ring->clock);
	WRITE_ONCE(meta->first_seq, gen->base.seq);
	WRITE_ONCE(meta->retired, rbmap_retired_word(gen));
	WRITE_ONCE(meta->lost, stats.lost);
	WRITE_ONCE(meta->dropped_full, stats.dropped_full);
	WRITE_ONCE(meta->dropped_lapped, stats.dropped_lapped);
	WRITE_ONCE(meta->dropped_nested, stats.dropped_nested);
	WRITE_ONCE(meta->dropped_too_large, stats.dropped_too_large);
	WRITE_ONCE(meta->dropped_no_ring, stats.dropped_no_ring);
	WRITE_ONCE(meta->disabled, stats.disabled);
	WRITE_ONCE(meta->lost_reported, stats.lost_reported);
	WRITE_ONCE(meta->now, gen->reader_now);
	WRITE_ONCE(meta->expired, stats.expired);
	WRITE_ONCE(meta->discarded, stats.discarded);
	WRITE_ONCE(meta->reader.lost_events, ring->reader.lost);
	WRITE_ONCE(meta->reader.read, ring->reader.offset);
	/*
	 * A reader that sees the new id sees all of the stores above.
	 * litmus: meta-reader
	 */
	smp_store_release(&meta->reader.id, ring->reader.id);
}
