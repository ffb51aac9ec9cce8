// SPDX-License-Identifier: GPL-2.0-only
/* Copy a record to each buffer that wants it. */
#include <linux/preempt.h>
#include <rbmap/write.h>

#include "copies.h"

/* Does a buffer want a copy of a record? */
static noinline bool rbmap_copy_wanted(const struct rbmap_event_file *event_file,
				       struct rbmap_record *record, size_t size)
{
	u8 checks = rbmap_event_checks(event_file);

	if (checks & RBMAP_CHECK_TASK && !rbmap_task_wanted(event_file))
		return false;
	return !(checks & RBMAP_CHECK_RECORD) ||
	       rbmap_record_wanted(event_file, record, record, size);
}

/*
 * Copy @size bytes, at least 8, by words.  The last word may overlap the one before it,
 * so that no byte beyond the end is read or written.  @words is the bytes of the words
 * before it.  Downwards, because a count to 0 needs the fewest registers.
 */
static __always_inline void rbmap_copy(void *to, const void *from, long words,
				       size_t size)
{
	long at;

	memcpy(to + size - sizeof(u64), from + size - sizeof(u64), sizeof(u64));
	for (at = words; at; at -= sizeof(u64))
		memcpy(to + at - sizeof(u64), from + at - sizeof(u64), sizeof(u64));
}

/* rbmap_reserve_slow() or rbmap_commit() enables preemption. */
static noinline void rbmap_copy_slow(struct rbmap_ring *ring, const void *record,
				     size_t size)
{
	const struct rbmap_slow_resv *slow;
	struct rbmap_reservation resv rbmap_uninitialized;

	preempt_disable_notrace();
	slow = rbmap_reserve_slow(ring, size);
	if (!slow)
		return;
	resv = slow->resv;
	memcpy(slow->payload, record, size);
	rbmap_commit(&resv);
}

/*
 * A small record.  Preemption is off, and @now is not 0: the compiler drops the tests
 * for that and for a large record.
 */
static __always_inline void rbmap_copy_write(struct rbmap_ring *ring, const void *record,
					     size_t size, long words, u32 len, u64 now)
{
	struct rbmap_reservation resv rbmap_uninitialized;
	void *room;

	if (len > RBMAP_SMALL_MAX + RBMAP_EVENT_HEADER || !now)
		__builtin_unreachable();
	room = rbmap_ring_reserve_fast(ring, len, now, false, &resv);
	if (unlikely(!room)) {
		rbmap_copy_slow(ring, record, size);
		return;
	}
	rbmap_copy(room, record, words, size);
	rbmap_ring_commit(ring, &resv);
	rbmap_notify_event(ring);
}

static __always_inline bool rbmap_copy_refused(const struct rbmap_event_file *event_file,
					       struct rbmap_record *record, size_t size)
{
	return unlikely(rb_read_plain(event_file->head.checks)) &&
	       !rbmap_copy_wanted(event_file, record, size);
}

static noinline void rbmap_copies_write_large(const struct rbmap_event_copies *copies,
					      struct rbmap_record *record, size_t size)
{
	const struct rbmap_event_file *event_file;
	unsigned int i;

	for (i = 0; i < copies->nr; i++) {
		event_file = copies->event_file[i];
		if (!rbmap_copy_refused(event_file, record, size))
			rbmap_write_noinline(event_file->head.buffer, record, size);
	}
}

static __always_inline void rbmap_copies_write_small(const struct rbmap_event_copies *copies,
						     struct rbmap_record *record,
						     size_t size)
{
	struct rbmap_event_file *const *at = copies->event_file;
	const long words = ALIGN_DOWN(size - 1, sizeof(u64));
	const struct rbmap_event_file *event_file = *at;
	const u32 len = rbmap_event_len(size);
	/* No clock returns 0. */
	const u64 now = rb_clock_local();

	do {
		if (!rbmap_copy_refused(event_file, record, size))
			rbmap_copy_write(raw_cpu_read(*rbmap_event_rings(event_file)),
					 record, size, words, len, now);
	} while ((event_file = *++at));
}

static __always_inline void rbmap_copies_write_all(const struct rbmap_event_copies *copies,
						   struct rbmap_record *record,
						   size_t size)
{
	preempt_disable_notrace();
	if (likely(size <= RBMAP_SMALL_MAX))
		rbmap_copies_write_small(copies, record, size);
	else
		rbmap_copies_write_large(copies, record, size);
	preempt_enable_notrace();
}

/**
 * rbmap_copies_write - copy a record to all buffers that want it
 * @copies: the event files of the buffers
 * @record: the record, in the memory of the probe; its common fields are filled here
 * @size: bytes of the record, at most RBMAP_STACK_MAX, which fits any buffer
 *
 * The copies of a small record have the same time, where the rings have the local clock.
 *
 * Context: any, including NMI; called by a probe, in the context of the event.
 * Return: false, so that the probe does not write the record itself.
 */
bool rbmap_copies_write(const struct rbmap_event_copies *copies,
			struct rbmap_record *record, size_t size)
{
	const struct rbmap_event_file *event_file = copies->event_file[0];

	rbmap_record_begin(record, event_file->id,
			   event_file->preempt - RBMAP_RESERVE_PREEMPT);
	rbmap_copies_write_all(copies, record, size);
	return false;
}

/**
 * rbmap_copies_write_filled - copy a whole record to all buffers that want it
 * @copies: the event files of the buffers
 * @record: the record, with its common fields
 * @size: bytes of the record, at least 8; the record of a buffer that it does not fit is
 *	dropped
 *
 * Context: any, including NMI.
 */
void rbmap_copies_write_filled(const struct rbmap_event_copies *copies,
			       struct rbmap_record *record, size_t size)
{
	rbmap_copies_write_all(copies, record, size);
}

/* Copy a record to the event files from number @at up to number @end. */
static void rbmap_copies_write_part(const struct rbmap_event_copies *copies,
				    unsigned int at, unsigned int end,
				    struct rbmap_record *record, size_t size, u64 now)
{
	const struct rbmap_event_file *event_file;

	for (; at < end; at++) {
		event_file = copies->event_file[at];
		if (rbmap_copy_refused(event_file, record, size))
			continue;
		if (size <= RBMAP_SMALL_MAX)
			rbmap_copy_write(raw_cpu_read(*rbmap_event_rings(event_file)), record,
					 size, ALIGN_DOWN(size - 1, sizeof(u64)),
					 rbmap_event_len(size), now);
		else
			rbmap_write_noinline(event_file->head.buffer, record, size);
	}
}

/**
 * rbmap_copies_write_shown - copy a record with addresses to all buffers that want it
 * @copies: the event files of the buffers
 * @record: the record, with its common fields and the kernel's addresses, which are hashed
 *	afterwards
 * @size: bytes of the record, at least 8
 * @hide: hashes the addresses in @record
 * @data: first argument of @hide
 *
 * The number of buffers that keep addresses is that of @copies.  So each buffer gets one
 * copy, although the setting of a buffer may change now.
 *
 * Context: any, including NMI.
 */
void rbmap_copies_write_shown(const struct rbmap_event_copies *copies,
			      struct rbmap_record *record, size_t size,
			      rbmap_hide_fn *hide, const void *data)
{
	u64 now;

	preempt_disable_notrace();
	/* No clock returns 0. */
	now = rb_clock_local();
	rbmap_copies_write_part(copies, 0, copies->nr_shown, record, size, now);
	hide(data, record, size);
	rbmap_copies_write_part(copies, copies->nr_shown, copies->nr, record, size, now);
	preempt_enable_notrace();
}
