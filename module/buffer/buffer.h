/* SPDX-License-Identifier: GPL-2.0-only */
/* A buffer: one ring per CPU, and what the devices and the controls do with it. */
#ifndef RBMAP_MODULE_BUFFER_H
#define RBMAP_MODULE_BUFFER_H

#include <linux/rbmap.h>
#include <rbmap/buffer.h>

/**
 * struct rbmap_sizes - of a ring
 * @nr_slots: sub-buffers, without the reader's
 * @subbuf_size: bytes of one
 */
struct rbmap_sizes {
	u32	nr_slots;
	u32	subbuf_size;
};

struct rbmap_cpu_buffer;
struct work_struct;

/* Where a CPU is asked for: each of them. */
#define RBMAP_ALL_CPUS	(-1)

/**
 * struct rbmap_buffer_stats - a snapshot of one CPU's counters
 * @entries: as in struct rbmap_meta
 * @overrun: as there
 * @read: as there
 * @unread: events that wait to be read
 * @unread_bytes: of the sub-buffers that they are in, headers not counted
 * @oldest: when the first of these sub-buffers began, by its ring's clock; 0: there
 *	is none
 * @taken: events that are in snapshots only
 * @dropped_full: as in struct rbmap_meta
 * @dropped_lapped: as there
 * @dropped_nested: as there
 * @dropped_too_large: as there
 * @dropped_no_ring: as there
 * @disabled: as there
 * @expired: as there
 * @lost: as there
 * @lost_reported: as there
 * @subbufs_touched: @pages_touched there
 * @subbufs_lost: @pages_lost there
 * @moved: sub-buffers that splice() has handed over as they were
 * @copied: those of which it has handed over a copy
 * @now: the time of the ring's clock
 * @generation: of the ring that is written
 * @sizes: of that ring
 * @retired_rings: those that nobody writes to any more, and that are still there
 * @retired_bytes: of their memory
 *
 * Counters are of all rings that the CPU has had since the last reset.
 */
struct rbmap_buffer_stats {
	u64	entries;
	u64	overrun;
	u64	read;
	u64	unread;
	u64	unread_bytes;
	u64	oldest;
	u64	taken;
	u64	dropped_full;
	u64	dropped_lapped;
	u64	dropped_nested;
	u64	dropped_too_large;
	u64	dropped_no_ring;
	u64	disabled;
	u64	expired;
	u64	lost;
	u64	lost_reported;
	u64	subbufs_touched;
	u64	subbufs_lost;
	u64	moved;
	u64	copied;
	u64	now;
	u32	generation;
	struct rbmap_sizes sizes;
	u32	retired_rings;
	u64	retired_bytes;
};

int rbmap_buffers_init(unsigned long retired_size_kb);
void rbmap_buffers_exit(void);

/* Sleeps; messages about a bad config or missing memory go to the log. */
struct rbmap_buffer *rbmap_buffer_alloc(const struct rbmap_buffer_config *config);
void rbmap_buffer_free(struct rbmap_buffer *buf);

/*
 * Open files keep a buffer.  It is to be had from rbmap_buffer_offer() on, until
 * rbmap_buffer_withdraw() finds that nobody has it, or rbmap_buffer_end().
 */
void rbmap_buffer_offer(struct rbmap_buffer *buf);
bool rbmap_buffer_withdraw(struct rbmap_buffer *buf);
void rbmap_buffer_end(struct rbmap_buffer *buf);
void rbmap_buffer_abandon(struct rbmap_buffer *buf,
			  void (*release)(void *data), void *data);
bool rbmap_buffer_get(struct rbmap_buffer *buf);
void rbmap_buffer_get_more(struct rbmap_buffer *buf);
bool rbmap_buffer_gone(const struct rbmap_buffer *buf);

/*
 * CPUs for which memory lacked when they came on line.  Anybody may ask that it be
 * tried again, soon, which costs nothing where no CPU lacks anything.
 */
void rbmap_buffer_set_lacks(struct rbmap_buffer *buf, int cpu, bool lacks);
bool rbmap_buffer_lacks(const struct rbmap_buffer *buf, int cpu);
bool rbmap_buffer_lacks_any(const struct rbmap_buffer *buf);
bool rbmap_buffer_has_ring(struct rbmap_buffer *buf, int cpu);
int rbmap_buffer_show_lacking(const struct rbmap_buffer *buf, char *page);
void rbmap_buffer_set_completing(struct rbmap_buffer *buf,
				 struct work_struct *completing);
void rbmap_buffer_retry(struct rbmap_buffer *buf);
void rbmap_buffer_complete(struct rbmap_buffer *buf);

struct rbmap_cpu_buffer *rbmap_cpu_place(struct rbmap_buffer *buf, int cpu);
struct rbmap_cpu_buffer *rbmap_cpu_buffer(struct rbmap_buffer *buf, int cpu);

bool rbmap_buffer_is_raw(const struct rbmap_buffer *buf);

void rbmap_buffer_set_on(struct rbmap_buffer *buf, bool on);
bool rbmap_buffer_is_on(const struct rbmap_buffer *buf);

void rbmap_buffer_set_mode(struct rbmap_buffer *buf, enum rbmap_mode mode);
enum rbmap_mode rbmap_buffer_mode(const struct rbmap_buffer *buf);

/* 0..100; 0 wakes readers at any event. */
int rbmap_buffer_set_percent(struct rbmap_buffer *buf, unsigned int percent);
unsigned int rbmap_buffer_percent(const struct rbmap_buffer *buf);

/* Times of two clocks can't be compared: each CPU goes on in a new ring. */
int rbmap_buffer_set_clock(struct rbmap_buffer *buf, enum rbmap_clock clock);
enum rbmap_clock rbmap_buffer_clock(const struct rbmap_buffer *buf);
bool rbmap_clock_available(enum rbmap_clock clock);

/* KiB of each CPU's retired rings that wait to be read. */
void rbmap_buffer_set_retired_size(struct rbmap_buffer *buf, unsigned long kb);
unsigned long rbmap_buffer_retired_size(const struct rbmap_buffer *buf);

static inline unsigned long rbmap_sizes_kb(const struct rbmap_sizes *sizes)
{
	return (unsigned long)sizes->nr_slots * (sizes->subbuf_size >> 10);
}

/* Forget what is unread and start the counters at 0. */
void rbmap_buffer_reset(struct rbmap_buffer *buf);

/* -ENODEV: there is no such CPU. */
int rbmap_buffer_stats(struct rbmap_buffer *buf, int cpu,
		       struct rbmap_buffer_stats *stats);

#endif /* RBMAP_MODULE_BUFFER_H */
