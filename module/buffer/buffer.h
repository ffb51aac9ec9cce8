/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A buffer: one ring per CPU, and the operations that devices and control files
 * need.
 */
#ifndef RBMAP_MODULE_BUFFER_H
#define RBMAP_MODULE_BUFFER_H

#include <linux/rbmap.h>
#include <rbmap/buffer.h>

/**
 * struct rbmap_sizes - the sizes of a ring
 * @nr_slots: number of sub-buffers, without the reader's
 * @subbuf_size: bytes of one sub-buffer
 */
struct rbmap_sizes {
	u32	nr_slots;
	u32	subbuf_size;
};

struct rbmap_cpu_buffer;
struct rbmap_error_log;
struct work_struct;

/* Stands for all CPUs where a function takes a CPU number. */
#define RBMAP_ALL_CPUS	(-1)

/**
 * struct rbmap_buffer_stats - a snapshot of one CPU's counters
 * @entries: as in struct rbmap_meta
 * @overrun: as in struct rbmap_meta
 * @read: as in struct rbmap_meta
 * @unread: number of events that a reader can still get
 * @unread_bytes: payload bytes of the sub-buffers with unread events, without
 *	headers
 * @oldest: time of the ring's clock at which the first of these sub-buffers began; 0
 *	if there is no unread event
 * @taken: number of unread events that only snapshots hold
 * @dropped_full: as in struct rbmap_meta
 * @dropped_lapped: as in struct rbmap_meta
 * @dropped_nested: as in struct rbmap_meta
 * @dropped_too_large: as in struct rbmap_meta
 * @dropped_no_ring: as in struct rbmap_meta
 * @disabled: as in struct rbmap_meta
 * @excluded: number of events that rbmap_buffer_exclude() has left out
 * @expired: as in struct rbmap_meta
 * @lost: as in struct rbmap_meta
 * @lost_reported: as in struct rbmap_meta
 * @subbufs_touched: @pages_touched of struct rbmap_meta
 * @subbufs_lost: @pages_lost of struct rbmap_meta
 * @moved: number of sub-buffers that splice() passed on without a copy
 * @copied: number of sub-buffers that splice() passed on as a copy
 * @discarded: number of unread events that were discarded; no reset restarts it
 * @now: current time of the ring's clock
 * @generation: generation of the ring that is written
 * @sizes: sizes of the ring that is written, or of the one that the first use allocates
 * @retired_rings: number of rings that are no longer written but not yet freed
 * @retired_bytes: bytes of memory of the retired rings
 * @readers: number of open files that have consumed events, or tried to
 *
 * The counters cover all rings that the CPU has had since the last reset.
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
	u64	excluded;
	u64	expired;
	u64	lost;
	u64	lost_reported;
	u64	subbufs_touched;
	u64	subbufs_lost;
	u64	moved;
	u64	copied;
	u64	discarded;
	u64	now;
	u32	generation;
	struct rbmap_sizes sizes;
	u32	retired_rings;
	u64	retired_bytes;
	unsigned int readers;
};

int rbmap_buffers_init(unsigned long retired_size_kb);
void rbmap_buffers_exit(void);

/* May sleep.  Logs an invalid configuration and a lack of memory. */
struct rbmap_buffer *rbmap_buffer_alloc(const struct rbmap_buffer_config *config,
					bool expand);
void rbmap_buffer_free(struct rbmap_buffer *buf);

/*
 * An open file holds a reference to the buffer.  A buffer can be opened after
 * rbmap_buffer_offer(), until rbmap_buffer_stop(), or until rbmap_buffer_withdraw()
 * finds no user.
 */
void rbmap_buffer_offer(struct rbmap_buffer *buf);
bool rbmap_buffer_withdraw(struct rbmap_buffer *buf);
void rbmap_buffer_stop(struct rbmap_buffer *buf);
void rbmap_buffer_end(struct rbmap_buffer *buf);
void rbmap_buffer_abandon(struct rbmap_buffer *buf,
			  void (*release)(void *data), void *data);
bool rbmap_buffer_get(struct rbmap_buffer *buf);
void rbmap_buffer_get_more(struct rbmap_buffer *buf);
bool rbmap_buffer_gone(const struct rbmap_buffer *buf);

/*
 * CPUs whose memory could not be allocated when they came on line, and markers.  Any
 * caller may ask for another attempt, which runs soon.  The request is free if no CPU lacks
 * anything.
 */
void rbmap_buffer_set_missing(struct rbmap_buffer *buf, int cpu, bool missing);
void rbmap_buffer_set_markers_missing(struct rbmap_buffer *buf, bool missing);
bool rbmap_buffer_markers_missing(const struct rbmap_buffer *buf);
bool rbmap_buffer_cpu_missing(const struct rbmap_buffer *buf, int cpu);
bool rbmap_buffer_any_missing(const struct rbmap_buffer *buf);
bool rbmap_buffer_has_ring(struct rbmap_buffer *buf, int cpu);
int rbmap_buffer_show_missing(const struct rbmap_buffer *buf, char *page);
void rbmap_buffer_set_retry_work(struct rbmap_buffer *buf,
				 struct work_struct *retry_work);
void rbmap_buffer_retry(struct rbmap_buffer *buf);
void rbmap_buffer_add_missing(struct rbmap_buffer *buf);

struct rbmap_cpu_buffer *rbmap_cpu_buffer(struct rbmap_buffer *buf, int cpu);
struct rbmap_cpu_buffer *rbmap_cpu_buffer_with_ring(struct rbmap_buffer *buf, int cpu);

struct rbmap_error_log *rbmap_buffer_errors(struct rbmap_buffer *buf);
bool rbmap_buffer_is_raw(const struct rbmap_buffer *buf);

void rbmap_buffer_set_on(struct rbmap_buffer *buf, bool on);
bool rbmap_buffer_is_on(const struct rbmap_buffer *buf);


struct cpumask;
void rbmap_buffer_set_cpus(struct rbmap_buffer *buf, const struct cpumask *cpus);
void rbmap_buffer_cpus(struct rbmap_buffer *buf, struct cpumask *cpus);

void rbmap_buffer_set_mode(struct rbmap_buffer *buf, enum rbmap_mode mode);
enum rbmap_mode rbmap_buffer_mode(const struct rbmap_buffer *buf);

/* 0 to 100; 0 wakes readers at each event. */
int rbmap_buffer_set_percent(struct rbmap_buffer *buf, unsigned int percent);
unsigned int rbmap_buffer_percent(const struct rbmap_buffer *buf);

/*
 * Times of two clocks cannot be compared, so that each CPU continues in a new ring.
 */
int rbmap_buffer_set_clock(struct rbmap_buffer *buf, enum rbmap_clock clock);
enum rbmap_clock rbmap_buffer_clock(const struct rbmap_buffer *buf);
bool rbmap_clock_available(enum rbmap_clock clock);

/* Limit of the retired rings of each CPU that wait for a reader, in KiB. */
void rbmap_buffer_set_retired_size(struct rbmap_buffer *buf, unsigned long kb);
unsigned long rbmap_buffer_retired_size(const struct rbmap_buffer *buf);

static inline unsigned long rbmap_sizes_kb(const struct rbmap_sizes *sizes)
{
	return (unsigned long)sizes->nr_slots * (sizes->subbuf_size >> 10);
}

/* Discard the unread events and restart the counters at 0. */
void rbmap_buffer_reset(struct rbmap_buffer *buf);

/* Return -ENODEV if the CPU does not exist. */
int rbmap_buffer_stats(struct rbmap_buffer *buf, int cpu,
		       struct rbmap_buffer_stats *stats);

#endif /* RBMAP_MODULE_BUFFER_H */
