/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * rbmap: a mappable per-CPU ring buffer of trace events.
 *
 * /dev/rbmap/cpuN has the interface of tracefs' trace_pipe_raw
 * (linux/trace_mmap.h): a program that reads one of them can read the other.
 *
 * Map
 *	mmap(NULL, meta_page_size, PROT_READ, MAP_SHARED, fd, 0) maps the
 *	meta-page.  The data follows at file offset meta_page_size: nr_subbufs
 *	sub-buffers of subbuf_size bytes, in ascending order of their id.  Map
 *	one page first, read meta_page_size, subbuf_size and nr_subbufs, then
 *	map the data.  Mappings are shared and read-only.
 *
 * Read
 *	ioctl(fd, RBMAP_IOCTL_GET_READER) hands the oldest unread sub-buffer to
 *	the caller: meta->reader.id is the id of this sub-buffer.  The writer
 *	does not overwrite it until a later call hands out another one.  All
 *	bytes that the sub-buffer holds at the time of the call count as read
 *	(meta->reader.read, without the header).  The writer may still be in the
 *	sub-buffer, and commit then grows without a call: keep an offset of your
 *	own, and load commit after each call.  A call changes reader.id only if
 *	an earlier call counted all bytes of the old sub-buffer as read.
 *
 *	Without O_NONBLOCK the call waits until buffer_percent of the ring is
 *	filled.  A new value of buffer_percent applies to waiting calls at once.
 *	ioctl(fd, 0) wakes all waiters.  ENODEV: the ring is not mapped.  EBADF:
 *	the file observes; it may have become an observer during the wait.
 *
 *	A reader is woken after each event or sub-buffer that it waits for, but
 *	at most about 1000 times in a second for each ring.  Waiting does not
 *	interrupt an isolated CPU: events of that CPU wake a reader up to 10 ms
 *	later.
 *
 *	read() copies one sub-buffer and fills the rest of it with zeroes.  A
 *	shorter read() leaves the remaining bytes to the next read() of the same
 *	file.  Without O_NONBLOCK it waits for an event.
 *
 *	splice() moves whole sub-buffers that the writer has left to a pipe.  It
 *	moves the pages themselves if no map has sub-buffers, else copies; the
 *	meta-page may be mapped.  The ring keeps up to 1 MiB of memory that it
 *	has moved, and uses it again once nobody else has a page of it.  Call
 *	read() at the end for the sub-buffer that the writer is in.  EINVAL: len
 *	or the pipe is smaller than a sub-buffer.  EAGAIN: there are not enough
 *	events, or the pipe is full.  Without O_NONBLOCK and SPLICE_F_NONBLOCK
 *	splice() waits for buffer_percent, and for at least one sub-buffer.  It
 *	returns 0 if ioctl(fd, 0) ended the wait.
 *
 * Discard
 *	ioctl(fd, RBMAP_IOCTL_DISCARD) discards the events that the file would
 *	get.  They count as discarded, and not as read.  Losses before the call
 *	count as reported.  A program that maps the ring continues behind
 *	meta->reader.read bytes of sub-buffer meta->reader.id.  EBADF: the file
 *	observes.
 *
 * Another ring
 *	The size and the clock of a ring never change.  If the user sets a new
 *	size or clock, the CPU continues in a new ring, and the old ring is
 *	retired (meta->retired).  A retired ring can be read to its end as
 *	before.  At its end GET_READER fails with ESTALE, and poll() returns
 *	POLLHUP and POLLIN.  Then unmap the whole ring and map again, with the
 *	same file or another one: this maps the next ring, and no event between
 *	the two rings is missed.  A new file begins with the oldest ring that
 *	has not been read to its end.  read() and splice() continue with the
 *	next ring by themselves.
 *
 *	The file retired_size_kb of /sys/kernel/rbmap limits the retired rings
 *	that wait to be read.  Beyond this limit the oldest one that is not
 *	mapped is freed.  Its unread events are lost, and are reported before the
 *	first events of the next ring.  At the first ESTALE reader.lost_events
 *	is the number of events that were lost after the last event of the ring.
 *
 *	A kernel module may destroy its own buffer while the buffer is open.  The
 *	last ring can then be read as before.  At its end meta->retired is
 *	RBMAP_RETIRED_LAST: there will be no next ring, and read() and splice()
 *	return 0.
 *
 * Snapshot
 *	A snapshot holds the events that were unread in a ring when a new ring
 *	replaced it.  It is read in all the ways above, and the reader of the ring
 *	itself loses nothing by that.  Each open of /dev/rbmap/snapshot/cpuN
 *	begins with the first event of the snapshot and has a meta-page of its
 *	own.  An open snapshot remains readable after a later snapshot replaced
 *	it.  At its end GET_READER fails with ESTALE, and there is no next ring;
 *	read() and splice() return 0.  ENODATA: no snapshot exists.
 *
 *	ioctl(fd of /dev/rbmap/cpuN, RBMAP_IOCTL_SNAPSHOT) makes a snapshot of
 *	that CPU alone and returns a file descriptor for it, which is
 *	close-on-exec.  EPERM: the caller lacks CAP_SYS_ADMIN.  After any error
 *	the events are where they were.
 *
 * Observe
 *	Any number of processes may observe a ring without consuming its events.
 *	An observer only calls mmap().  It does not count events as read, and
 *	the reader of the ring loses nothing; only splice() must copy while the
 *	ring is mapped.
 *
 *	mmap(NULL, meta->slot_table_size, PROT_READ, MAP_SHARED, fd,
 *	meta->slot_table_offset) maps the slot table, struct rbmap_slot_table *table:
 *	which sub-buffer is in which slot, and how many events came before it.
 *
 *	seq numbers the sub-buffers in the order in which the writer opens them,
 *	modulo table->modulus.  Let nr = nr_subbufs - 1.  Sub-buffer seq belongs
 *	to slot = &table->slot[seq % nr].  Sub-buffers newest - nr + 1 to newest may
 *	be there.  A sub-buffer that a reader has consumed stays in its slot until
 *	the writer opens that slot again.  A reset discards the sub-buffers
 *	before meta->first_seq; they stay in their slots too.  A reset also
 *	empties the reader's sub-buffer: its commit becomes 0.  To copy the new
 *	events of sub-buffer seq:
 *
 *	1. Load table->newest with acquire.  If seq is after it, the sub-buffer
 *	   has no new events.
 *	2. Load slot->slot (relaxed).  If the value is not
 *	   RBMAP_TABLE_SLOT(seq, id) for some id, the sub-buffer has been
 *	   overwritten.
 *	3. Load slot->events.  Load header.commit of sub-buffer id with acquire:
 *	   without its flags it is the number of bytes that are there.  If
 *	   newest of step 1 is after seq, commit will not grow.
 *	4. Copy time_stamp and the new bytes.
 *	5. Execute a read barrier: atomic_thread_fence(memory_order_acquire).
 *	6. Load slot->slot again.  If the value has changed, discard the values
 *	   of steps 3 and 4.  Decode the copy after this step, not before.
 *
 *	Why: before the writer writes to a sub-buffer that it opens, and to
 *	slot->events, it changes slot->slot and executes a write barrier.  It
 *	sets header.commit to 0, then slot->events, and then newest, with
 *	release.  (reader.id of the meta-page does not help: it changes after the
 *	writer got the reader's old sub-buffer back.)
 *
 *	Number the events of a ring from 0.  slot->events is the number of the
 *	first event of the sub-buffer: the events that were written or dropped
 *	before it.  If n is the number of the last event that you copied,
 *	slot->events - (n + 1) events were missed.  They were overwritten too
 *	soon, or dropped, or read() or splice() consumed them before the ring was
 *	mapped, which leaves a sub-buffer with commit 0.
 *
 *	Load meta->retired with acquire before step 1.  If it is not 0 and you
 *	have copied all events, the ring is at its end.  A file for which
 *	ioctl(fd, RBMAP_IOCTL_OBSERVE) was called before its first map continues
 *	with the next ring: after munmap() of all its maps, each mmap() maps the
 *	ring that came next, even if others have read that ring to its end.
 *	GET_READER, read() and splice() of such a file fail with EBADF.  Errors
 *	of RBMAP_IOCTL_OBSERVE: EBUSY: the file is mapped.  EINVAL: the file is a
 *	snapshot.  (A ring that all readers have read to its end is freed with
 *	its last map.  Then meta->generation grows by more than one, and an
 *	unknown number of events was missed.)
 *
 * Create
 *	ioctl(fd of /dev/rbmap/control, RBMAP_IOCTL_CREATE, struct rbmap_create *)
 *	creates a named buffer.  The kernel destroys it when the last descriptor
 *	of this open file is closed, so that the buffer ends with its process,
 *	however that ends.  Files of the buffer that are open then can be read to
 *	their end, as if a kernel module had destroyed the buffer.  A file may
 *	create any number of buffers.  EPERM: the caller lacks CAP_SYS_ADMIN, or
 *	the kernel is locked down.  EEXIST: a buffer has this name.  EINVAL: the
 *	kernel log explains what is wrong with the text.
 *
 * Symbols
 *	ioctl(fd of /dev/rbmap/control, RBMAP_IOCTL_SYMBOLS, struct rbmap_symbols *)
 *	gives the names of functions, those of modules too, for addresses of the
 *	kernel.  Returns the number of addresses at the beginning of the array that
 *	were handled; ask for the rest in another call.  EPERM: the caller lacks
 *	CAP_SYSLOG, kernel.kptr_restrict is 2, or the kernel is locked down.
 *	ENOSPC: the text of the first address does not fit.
 *
 * Sub-buffer
 *	struct rbmap_subbuf_header, then events up to commit.  Bit 31 of commit
 *	(RBMAP_MISSED_EVENTS): events were lost before the first event of this
 *	sub-buffer.  With bit 30 (RBMAP_MISSED_STORED) the number of lost events
 *	is stored at data[commit without both bits], as a native long of the
 *	kernel: 64 bits.  A sub-buffer without any event may report a loss.
 *
 * Event
 *	Aligned to 4 bytes.  The first 32-bit word has type_len in its 5 low bits
 *	(little endian; the 5 high bits on big endian), and time_delta in the
 *	other 27.
 *
 *	type_len 1..28	data, 4 * type_len bytes of payload
 *	type_len 0	data, a 32-bit word that is payload bytes + 4, payload
 *	RBMAP_TYPE_PADDING
 *			time_delta 0: the sub-buffer ends here; else a 32-bit
 *			word follows: skip that many bytes, counted from the
 *			word itself, and add time_delta to the time.
 *	RBMAP_TYPE_TIME_EXTEND
 *			a 32-bit word follows: add time_delta + (word << 27) to
 *			the time.
 *	RBMAP_TYPE_TIME_STAMP
 *			a 32-bit word follows: the time is now
 *			time_delta + (word << 27), with the 5 top bits of the
 *			sub-buffer's time_stamp.
 *
 *	The time of an event is the sub-buffer's time_stamp plus all deltas up
 *	to and including its own.  The payload of an event of /sys/kernel/rbmap
 *	begins with struct rbmap_event_common; the file `format` of the event
 *	describes the rest.  (If meta->raw is 1, a kernel module defines the
 *	payload.)
 */
#ifndef _LINUX_RBMAP_H
#define _LINUX_RBMAP_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RBMAP_IOCTL_GET_READER	_IO('R', 0x20)
#define RBMAP_IOCTL_OBSERVE	_IO('R', 0x28)
#define RBMAP_IOCTL_DISCARD	_IO('R', 0x30)
#define RBMAP_IOCTL_SNAPSHOT	_IO('R', 0x40)
#define RBMAP_IOCTL_CREATE	_IOW('R', 0x48, struct rbmap_create)
#define RBMAP_IOCTL_SYMBOLS	_IOW('R', 0x50, struct rbmap_symbols)

#define RBMAP_META_MAGIC	0x706d6272u	/* "rbmp" in memory, little endian */
#define RBMAP_META_VERSION	2

#define RBMAP_MISSED_EVENTS	(1u << 31)
#define RBMAP_MISSED_STORED	(1u << 30)
#define RBMAP_COMMIT_MASK	(RBMAP_MISSED_STORED - 1)

#define RBMAP_TYPE_LEN_MAX	28	/* the largest length in words */
#define RBMAP_TYPE_PADDING	29
#define RBMAP_TYPE_TIME_EXTEND	30
#define RBMAP_TYPE_TIME_STAMP	31

#define RBMAP_TS_SHIFT		27	/* bits of time_delta */

enum rbmap_mode {
	RBMAP_MODE_OVERWRITE	= 0,	/* full: overwrite the oldest events */
	RBMAP_MODE_DISCARD	= 1	/* full: drop the new event */
};

enum rbmap_clock {
	RBMAP_CLOCK_LOCAL	= 0,	/* ns, per CPU, the fastest */
	RBMAP_CLOCK_MONO	= 1,	/* ns, CLOCK_MONOTONIC */
	RBMAP_CLOCK_BOOT	= 2,	/* ns, CLOCK_BOOTTIME */
	RBMAP_CLOCK_X86_TSC	= 3	/* cycles of the time-stamp counter */
};

/**
 * struct rbmap_meta - the meta-page
 *
 * The first 80 bytes are struct trace_buffer_meta of linux/trace_mmap.h.
 * The kernel updates the page at the first map, at GET_READER, at read() and
 * splice() of a mapped ring, at a reset, and when the ring is retired.  Writing
 * an event does not update it.
 * Unread events: entries - overrun - read.
 *
 * @meta_page_size:	bytes from the start of the map to sub-buffer 0
 * @meta_struct_len:	bytes of this structure that the kernel knows
 * @subbuf_size:	bytes of a sub-buffer, including its header
 * @nr_subbufs:		number of sub-buffers, including the reader's
 * @reader:		state of the reader after the last GET_READER
 * @reader.lost_events:	events lost just before the reader's sub-buffer
 * @reader.id:		id of the reader's sub-buffer
 * @reader.read:	bytes of this sub-buffer that were read, without its header;
 *			a reset empties the sub-buffer
 * @flags:		0
 * @entries:		events written since the last reset, without those that
 *			RBMAP_IOCTL_DISCARD discarded
 * @overrun:		events overwritten before they were read
 * @read:		events read
 * @pages_lost:		sub-buffers overwritten before they were read
 * @pages_touched:	sub-buffers that the writer has opened
 * @magic:		RBMAP_META_MAGIC; the meta-page of ftrace's ring ends before it
 * @version:		RBMAP_META_VERSION
 * @generation:		number of this ring among the rings of its CPU, from 1
 * @mode:		enum rbmap_mode
 * @clock:		enum rbmap_clock
 * @cpu:		CPU that writes this ring
 * @lost:		overrun + dropped_* + expired: all losses reported to readers
 * @dropped_full:	events dropped in discard mode because the ring was full
 * @dropped_lapped:	events dropped because nested events filled the ring before an
 *			interrupted event was committed
 * @dropped_nested:	events dropped because more contexts were nested than a CPU has
 *			(recursion)
 * @dropped_too_large:	events dropped because they were larger than a sub-buffer
 * @disabled:		events refused while tracing_on was 0, or while tracing_cpumask
 *			lacked the CPU; they are not lost and not counted in @lost
 * @lost_reported:		the part of @lost that was reported to readers
 * @now:		time of @clock when the last GET_READER began: an event that it
 *			did not find is newer, unless that event was being written;
 *			0: unknown
 * @retired:		not 0: the ring is not written any longer;
 *			RBMAP_RETIRED_LAST: and no ring will follow
 * @snapshot:		1: this is the ring of a snapshot, private to the file
 * @slot_table_size:		bytes of the slot table, in whole pages; 0: this is a snapshot,
 *			which has no slot table
 * @slot_table_offset:	file offset of the slot table, far behind the sub-buffers
 * @raw:		1: a kernel module defines the payloads: they do not begin with
 *			struct rbmap_event_common, and have no `format` file
 * @first_seq:		the last reset discarded the sub-buffers before this seq
 * @expired:		events of earlier rings that were freed unread, because of the
 *			limit retired_size_kb
 * @dropped_no_ring:	events dropped while the CPU had no ring, because memory was
 *			lacking when it came online, or when a module first asked for the
 *			buffer
 * @discarded:		unread events of this ring that a reset or RBMAP_IOCTL_DISCARD
 *			discarded; a reset does not restart this counter
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
	__u64	lost_reported;
	__u64	now;

	__u32	retired;
	__u32	snapshot;
	__u32	slot_table_size;
	__u32	raw;
	__u64	slot_table_offset;
	__u64	first_seq;
	__u64	expired;
	__u64	dropped_no_ring;
	__u64	discarded;
};

/**
 * struct rbmap_create - a buffer to be created
 * @text: the text that /sys/kernel/rbmap/instances/create takes, and a 0 byte: "NAME",
 *	and then any of " buffer_size_kb=N", " subbuf_size_kb=N",
 *	" overwrite=0", " overwrite=1" and " clock=CLOCK"
 */
struct rbmap_create {
	char	text[256];
};

/* Addresses that a call of RBMAP_IOCTL_SYMBOLS handles at most. */
#define RBMAP_SYMBOLS_MAX	4096

/**
 * struct rbmap_symbols - addresses, and room for the symbols at them
 * @addresses: pointer to an array of @nr addresses, each a __u64
 * @text: pointer to @size bytes, which get a text with a 0 byte for each address:
 *	"SYMBOL+0xOFFSET/0xSIZE", " [MODULE]" behind it for the symbol of a module,
 *	or "" for an address without a symbol
 * @nr: number of addresses
 * @size: bytes of @text
 */
struct rbmap_symbols {
	__u64	addresses;
	__u64	text;
	__u32	nr;
	__u32	size;
};

/* meta->retired: the buffer was destroyed, and no ring follows. */
#define RBMAP_RETIRED_LAST	2

/* Bytes of struct rbmap_meta that are struct trace_buffer_meta. */
#define RBMAP_META_TRACE_LEN	80

/* The value of slot->slot while sub-buffer `id` is number seq. */
#define RBMAP_TABLE_SLOT(seq, id)	((__u64)(seq) << 20 | (__u64)(id) << 4)
#define RBMAP_TABLE_ID(slot)	((__u32)((slot) >> 4) & 0xffff)

/**
 * struct rbmap_table_slot - the sub-buffer in a slot
 * @slot:	RBMAP_TABLE_SLOT(); any other value: the writer never opened the slot
 * @events:	number of events that were written or dropped before its first event
 */
struct rbmap_table_slot {
	__u64	slot;
	__u64	events;
};

/**
 * struct rbmap_slot_table - the slot table, for observers; only the writer changes it
 * @newest:	seq of the newest sub-buffer that can be observed
 * @modulus:	seq is 0 to modulus - 1
 * @reserved:	0
 * @slot:	nr_subbufs - 1 slots
 */
struct rbmap_slot_table {
	__u64	newest;
	__u64	modulus;
	__u64	reserved[6];

	__extension__ struct rbmap_table_slot slot[];
};

/**
 * struct rbmap_subbuf_header - the beginning of a sub-buffer
 *
 * The layout is the same for 32-bit and 64-bit programs: rbmap runs on 64-bit
 * kernels only, where ftrace's commit is a word of 64 bits.  A 32-bit program
 * may load the low half of commit alone.
 *
 * @time_stamp:	time of the first event
 * @commit:	bytes of events, and RBMAP_MISSED_* (load with acquire)
 */
struct rbmap_subbuf_header {
	__u64	time_stamp;
	__u64	commit;
};

#define RBMAP_SUBBUF_HEADER_SIZE	16

/**
 * struct rbmap_event_common - the beginning of an event's payload
 * @type:	id in /sys/kernel/rbmap/events/<system>/<event>/id
 * @flags:	the same as ftrace's common_flags
 * @preempt_count: the same as ftrace's common_preempt_count
 * @pid:	thread that ran when the event was written
 */
struct rbmap_event_common {
	__u16	type;
	__u8	flags;
	__u8	preempt_count;
	__s32	pid;
};

#endif /* _LINUX_RBMAP_H */
