/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * rbmap: a mappable per-CPU ring buffer of trace events.
 *
 * /dev/rbmap/cpuN speaks the interface of tracefs' trace_pipe_raw
 * (linux/trace_mmap.h): what reads the one reads the other.
 *
 * Map
 *	mmap(NULL, meta_page_size, PROT_READ, MAP_SHARED, fd, 0) gives the
 *	meta-page.  The data follows at file offset meta_page_size: nr_subbufs
 *	sub-buffers of subbuf_size bytes, in ascending id.  Map a page first,
 *	read meta_page_size, subbuf_size and nr_subbufs, then map the data.
 *	Mappings are shared and read-only.
 *
 * Read
 *	ioctl(fd, RBMAP_IOCTL_GET_READER) hands the oldest unread sub-buffer
 *	to the caller: meta->reader.id names it, and nothing writes over it
 *	until a later call takes another one.  All bytes that the sub-buffer
 *	holds at that time count as read (meta->reader.read, header not
 *	counted).  The writer may still be in it: its commit grows without a
 *	call, so keep an offset of your own, and load commit after each call.
 *	A call changes reader.id only when everything that was in the old
 *	sub-buffer had been counted as read by an earlier call.
 *	Without O_NONBLOCK the call waits until buffer_percent of the ring is
 *	filled; a new value of it counts at once.  ioctl(fd, 0) wakes every
 *	waiter.  ENODEV: nothing is mapped.  EBADF: the file observes, perhaps
 *	only since the call began to wait.
 *
 *	A reader is woken after each event or sub-buffer that it waits for, but
 *	about 1000 times in a second at most for each CPU's ring, and from an
 *	isolated CPU up to 10 ms later: waiting does not interrupt that one.
 *
 *	read() copies one sub-buffer, with zeroes behind its events; less than
 *	that leaves the rest for the same file.  Without O_NONBLOCK it waits for
 *	an event.
 *
 *	splice() hands whole sub-buffers that the writer has left to a pipe, as
 *	they are where nothing is mapped, else as copies; read() gives what is
 *	left in the end.  EINVAL: len, or the pipe, is smaller than a
 *	sub-buffer.  EAGAIN: there is none, or no room for it in the pipe now.
 *	Without O_NONBLOCK and SPLICE_F_NONBLOCK it waits for buffer_percent,
 *	and at least one; 0: ioctl(fd, 0) has ended that.
 *
 * Another ring
 *	A ring never changes its size or its clock.  Where one of these is set
 *	anew, the CPU goes on in another ring, and the old one is retired
 *	(meta->retired): it can be read to its end as before.  Then GET_READER
 *	says ESTALE, and poll() POLLHUP beside POLLIN: unmap all of it, and map
 *	anew, with the same file or another one: that maps the next ring, of
 *	which no event has been missed.  A new file begins with the oldest
 *	ring that has not been read to its end.  read() and splice() go on by
 *	themselves.  Retired rings that nobody reads have a limit: the file
 *	retired_size_kb of /sys/kernel/rbmap.  Beyond it the oldest one that is not
 *	mapped is let go.  Its unread events are lost, and are reported before the
 *	first events of the next ring.  With the first ESTALE reader.lost_events says what was lost
 *	behind the last event of the ring.
 *	A kernel module may destroy its own buffer while it is open.  What is in
 *	the last ring can be read as before; at its end meta->retired is
 *	RBMAP_RETIRED_LAST, there is no next ring, and read() and splice() return
 *	0.
 *
 * Snapshot
 *	A snapshot is what was unread in a ring when another took its place, to
 *	be read in all the ways above, without taking it away from whoever reads
 *	that ring.  Each open of /dev/rbmap/snapshot/cpuN begins with its first
 *	event, by a meta-page of its own, and lives on if another snapshot is
 *	taken.  At its end GET_READER says ESTALE, and there is no next ring;
 *	read() and splice() return 0.  ENODATA: there is no snapshot.
 *	ioctl(fd of /dev/rbmap/cpuN, RBMAP_IOCTL_SNAPSHOT) takes one of that CPU
 *	alone and returns a file descriptor for it, which is close-on-exec.
 *	EPERM: it wants CAP_SYS_ADMIN.
 *
 * Observe
 *	Any number of processes may look at a ring and take nothing from it:
 *	no call but mmap(), no event is counted as read, and who reads the ring
 *	loses nothing by it (but splice() copies what is mapped).
 *	mmap(NULL, meta->shown_size, PROT_READ, MAP_SHARED, fd,
 *	meta->shown_offset) gives struct rbmap_shown: which sub-buffer lies
 *	where, and how many events came before it.
 *
 *	seq counts sub-buffers as the writer opens them, modulo shown->modulus;
 *	the one numbered seq belongs to shown->slot[seq % nr], where nr is
 *	nr_subbufs - 1.  Sub-buffers newest - nr + 1 to newest may be there; a
 *	reader has taken some of them, and they stay where they are until the
 *	writer comes round.  Those before meta->first_seq are there, too, but
 *	were forgotten by a reset, which leaves the reader's own one empty: commit
 *	0 where there was more.  To copy what is new in sub-buffer seq:
 *
 *	1. load shown->newest with acquire: if seq is after it, nothing is new
 *	2. load slot->slot (relaxed): if it is not RBMAP_SHOWN_SLOT(seq, id) for
 *	   some id, the sub-buffer has been overwritten
 *	3. load slot->events, and with acquire header.commit of sub-buffer id:
 *	   so many bytes, without the flags, are there.  If newest of step 1 is
 *	   after seq, no more will come
 *	4. copy time_stamp and what is new of these bytes
 *	5. a read barrier: atomic_thread_fence(memory_order_acquire)
 *	6. load slot->slot again: only if it is the same, what was loaded in
 *	   steps 3 and 4 is true: decode it after this, not before.
 *
 *	Why: the writer changes slot->slot, then a write barrier, before it
 *	writes to a sub-buffer that it opens, and to slot->events.  It sets
 *	header.commit to 0 and slot->events, and then, with release, newest.
 *	(reader.id of the meta-page says nothing about this: it changes after
 *	the sub-buffer that the reader had has gone back to the writer.)
 *
 *	slot->events counts the events written or dropped before the sub-buffer
 *	since the ring was made.  It less the number that the last event had
 *	that was looked at, plus one, is how many were missed, be it that they
 *	were overwritten too soon, dropped, or taken away by read() or splice()
 *	before anything was mapped, which leaves a sub-buffer with commit 0.
 *
 *	Load meta->retired with acquire before step 1: if it is not 0 and all was
 *	looked at, the ring is at its end.  A file that has said
 *	ioctl(fd, RBMAP_IOCTL_OBSERVE) before its first map goes on from there:
 *	after munmap() of all, each mmap() of it maps the ring that came next,
 *	read to its end by others or not.  GET_READER, read() and splice() of
 *	such a file say EBADF.  EBUSY: it is mapped.  EINVAL: of a snapshot.
 *	(A ring that all readers are through with goes with its last map: then
 *	meta->generation is more than one larger, and events between were missed
 *	whose number nobody knows.)
 *
 * Sub-buffer
 *	struct rbmap_subbuf_header, then events up to commit.  Bit 31 of commit
 *	(RBMAP_MISSED_EVENTS) says that events were lost before the first one
 *	of this sub-buffer; with bit 30 (RBMAP_MISSED_STORED) their number is a
 *	native long of the kernel, 64 bits, at data[commit without both bits].  A sub-buffer may hold
 *	no event at all and only tell of a loss.
 *
 * Event
 *	Aligned to 4 bytes.  A 32-bit word: type_len in the 5 low bits (little
 *	endian; the 5 high bits on big endian), time_delta in the other 27.
 *
 *	type_len 1..28	data, 4 * type_len bytes of payload
 *	type_len 0	data, a 32-bit word that is payload bytes + 4, payload
 *	RBMAP_TYPE_PADDING
 *			time_delta 0: nothing more in this sub-buffer; else a
 *			32-bit word follows, skip that many bytes counted from
 *			that word.  Its time_delta counts as time.
 *	RBMAP_TYPE_TIME_EXTEND
 *			a 32-bit word follows: time passes by
 *			time_delta + (word << 27)
 *	RBMAP_TYPE_TIME_STAMP
 *			a 32-bit word follows: the time is now
 *			time_delta + (word << 27), its 5 top bits those of the
 *			sub-buffer's time_stamp
 *
 *	The time of an event is the sub-buffer's time_stamp plus all deltas up
 *	to and with its own.  The payload of an event of /sys/kernel/rbmap
 *	begins with struct rbmap_event_common; its `format` file has the rest.
 *	(Where meta->raw is 1 the payload is a kernel module's own.)
 */
#ifndef _LINUX_RBMAP_H
#define _LINUX_RBMAP_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RBMAP_IOCTL_GET_READER	_IO('R', 0x20)
#define RBMAP_IOCTL_OBSERVE	_IO('R', 0x28)
#define RBMAP_IOCTL_SNAPSHOT	_IO('R', 0x40)

#define RBMAP_META_MAGIC	0x706d6272u	/* "rbmp" in memory, little endian */
#define RBMAP_META_VERSION	1

#define RBMAP_MISSED_EVENTS	(1u << 31)
#define RBMAP_MISSED_STORED	(1u << 30)
#define RBMAP_COMMIT_MASK	(RBMAP_MISSED_STORED - 1)

#define RBMAP_TYPE_LEN_MAX	28	/* the largest that says a length */
#define RBMAP_TYPE_PADDING	29
#define RBMAP_TYPE_TIME_EXTEND	30
#define RBMAP_TYPE_TIME_STAMP	31

#define RBMAP_TS_SHIFT		27	/* bits of time_delta */

enum rbmap_mode {
	RBMAP_MODE_OVERWRITE	= 0,	/* full: the oldest events go */
	RBMAP_MODE_DISCARD	= 1,	/* full: the new event is dropped */
};

enum rbmap_clock {
	RBMAP_CLOCK_LOCAL	= 0,	/* ns, per CPU, the quickest */
	RBMAP_CLOCK_MONO	= 1,	/* ns, CLOCK_MONOTONIC */
	RBMAP_CLOCK_BOOT	= 2,	/* ns, CLOCK_BOOTTIME */
	RBMAP_CLOCK_X86_TSC	= 3,	/* cycles of the time-stamp counter */
};

/**
 * struct rbmap_meta - the meta-page
 *
 * The first 80 bytes are struct trace_buffer_meta of linux/trace_mmap.h.
 * The page changes at the first map, at GET_READER, at read() and splice() of a
 * ring that is mapped, at reset, and when the ring is retired.  Events that the
 * writer writes do not change it.
 * Events that wait to be read: entries - overrun - read.
 *
 * @meta_page_size:	bytes from the start of the map to sub-buffer 0
 * @meta_struct_len:	bytes of this structure that the kernel knows
 * @subbuf_size:	bytes of a sub-buffer, its header included
 * @nr_subbufs:		sub-buffers, the reader's included
 * @reader:		what the reader has, since the last GET_READER
 * @reader.lost_events:	events lost just before the reader's sub-buffer
 * @reader.id:		the reader's sub-buffer
 * @reader.read:	bytes read of it, its header not counted; a reset leaves it
 *			empty
 * @flags:		0
 * @entries:		events written since the last reset
 * @overrun:		events overwritten before they were read
 * @read:		events read
 * @pages_lost:		sub-buffers overwritten before they were read
 * @pages_touched:	sub-buffers that the writer has opened
 * @magic:		RBMAP_META_MAGIC; a kernel's own ring ends before it
 * @version:		RBMAP_META_VERSION
 * @generation:		counts the rings that this CPU has had, from 1: which of them
 *			this is
 * @mode:		enum rbmap_mode
 * @clock:		enum rbmap_clock
 * @cpu:		the CPU that writes this ring
 * @lost:		overrun + dropped_* + expired: all that readers are told
 * @dropped_full:	discard mode: no room because the reader is behind
 * @dropped_lapped:	nested events went round the ring while an interrupted
 *			one was not yet committed
 * @dropped_nested:	more contexts nested than a CPU has: recursion
 * @dropped_too_large:	event larger than a sub-buffer
 * @disabled:		events that came while tracing_on was 0: refused, not
 *			lost, not in @lost
 * @lost_told:		the part of @lost that readers have been told
 * @now:		@clock's time when the last GET_READER began to look: what
 *			it did not find is newer (but for an event that was
 *			being written); 0: not known
 * @retired:		not 0: nobody writes to this ring any more;
 *			RBMAP_RETIRED_LAST: nor will there be a next one
 * @snapshot:		1: it is a snapshot's, for this file alone
 * @shown_size:		bytes of struct rbmap_shown, in whole pages; 0: a snapshot,
 *			which needs no observers
 * @shown_offset:	where in the file it is, far behind the sub-buffers
 * @raw:		1: payloads are a kernel module's own: no struct
 *			rbmap_event_common at their beginning, no `format` file
 * @first_seq:		sub-buffers before this seq were forgotten by the last reset
 * @expired:		events of earlier rings that were let go unread, as too many
 *			rings waited to be read (retired_size_kb)
 * @dropped_no_ring:	events of the CPU while it had no ring: there was no memory for
 *			one when it came on line
 */
struct rbmap_meta {
	__u32	meta_page_size;
	__u32	meta_struct_len;

	__u32	subbuf_size;
	__u32	nr_subbufs;

	struct {
		__u64	lost_events;
		__u32	id;
		__u32	read;
	} reader;

	__u64	flags;

	__u64	entries;
	__u64	overrun;
	__u64	read;

	__u64	pages_lost;
	__u64	pages_touched;

	__u32	magic;
	__u32	version;
	__u32	generation;
	__u32	mode;
	__u32	clock;
	__u32	cpu;

	__u64	lost;
	__u64	dropped_full;
	__u64	dropped_lapped;
	__u64	dropped_nested;
	__u64	dropped_too_large;
	__u64	disabled;
	__u64	lost_told;
	__u64	now;

	__u32	retired;
	__u32	snapshot;
	__u32	shown_size;
	__u32	raw;
	__u64	shown_offset;
	__u64	first_seq;
	__u64	expired;
	__u64	dropped_no_ring;
};

/* meta->retired: the buffer was destroyed. */
#define RBMAP_RETIRED_LAST	2

/* Bytes of struct rbmap_meta that are struct trace_buffer_meta. */
#define RBMAP_META_TRACE_LEN	80

/* What slot->slot is while sub-buffer `id` is the one numbered seq. */
#define RBMAP_SHOWN_SLOT(seq, id)	((__u64)(seq) << 20 | (__u64)(id) << 4)
#define RBMAP_SHOWN_ID(slot)	((__u32)((slot) >> 4) & 0xffff)

/**
 * struct rbmap_shown_slot - where a sub-buffer is
 * @slot:	RBMAP_SHOWN_SLOT(); another value: it was never opened
 * @events:	written or dropped before its first one
 */
struct rbmap_shown_slot {
	__u64	slot;
	__u64	events;
};

/**
 * struct rbmap_shown - what observers go by; only the writer changes it
 * @newest:	seq of the newest sub-buffer that can be looked at
 * @modulus:	seq is 0 to this less 1
 * @reserved:	0
 * @slot:	nr_subbufs - 1 of them
 */
struct rbmap_shown {
	__u64	newest;
	__u64	modulus;
	__u64	reserved[6];
	struct rbmap_shown_slot slot[];
};

/**
 * struct rbmap_subbuf_header - what a sub-buffer begins with
 * Its layout does not depend on the program that reads it: rbmap runs on 64-bit
 * kernels only, where ftrace's commit is a word of 64 bits.  A 32-bit program
 * finds the same structure, and may load the low half of commit alone.
 *
 * @time_stamp:	the time of its first event
 * @commit:	bytes of events, and RBMAP_MISSED_* (load with acquire)
 */
struct rbmap_subbuf_header {
	__u64	time_stamp;
	__u64	commit;
};

#define RBMAP_SUBBUF_HEADER_SIZE	16

/**
 * struct rbmap_event_common - what the payload of an event begins with
 * @type:	the id in /sys/kernel/rbmap/events/<system>/<event>/id
 * @flags:	as ftrace's common_flags
 * @preempt_count: as ftrace's common_preempt_count
 * @pid:	thread that was running
 */
struct rbmap_event_common {
	__u16	type;
	__u8	flags;
	__u8	preempt_count;
	__s32	pid;
};

#endif /* _LINUX_RBMAP_H */
