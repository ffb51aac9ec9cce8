/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write events into an rbmap buffer: one lockless ring per CPU.
 *
 *	struct rbmap_reservation resv rbmap_uninitialized;
 *	struct record *rec = rbmap_reserve(buf, &resv, sizeof(*rec));
 *
 *	if (rec) {
 *		rec->field = value;
 *		rbmap_commit(&resv);
 *	}
 */
#ifndef RBMAP_BUFFER_H
#define RBMAP_BUFFER_H

#include <linux/export.h>
#include <linux/rbmap.h>
#include <linux/types.h>
#include <rbmap/ring/reservation.h>
#include <rbmap/write.h>	/* rbmap_reserve(), rbmap_commit(), rbmap_write() */

struct module;
struct rbmap_buffer;
struct rbmap_event_type;

/**
 * struct rbmap_buffer_config - settings of a new buffer
 * @size_kb: KiB of a CPU's ring; rounded up to whole sub-buffers, 2 to 65,534 of
 *	them.  0: the size that the module rbmap was loaded with
 * @subbuf_size_kb: KiB of a sub-buffer, a power of two, 4 to 4096.  0: the size that
 *	the module rbmap was loaded with; if it was loaded without one, a size that
 *	@size_kb determines
 * @mode: mode of a full ring: overwrite (0) or discard
 * @clock: clock of the events: local (0), or another one that this machine has
 * @raw: the producer defines the payloads: they do not begin with struct
 *	rbmap_event_common, and the buffer does not have events or a marker
 * @events: events that the buffer records from the beginning, ended by NULL, or NULL.  They
 *	exist as long as the buffer, in a system that has the buffer's name, which is a C
 *	identifier then.  RBMAP_DRIVER_EVENT() in <rbmap/probe.h> defines them.  Not with @raw
 */
struct rbmap_buffer_config {
	unsigned long		size_kb;
	unsigned long		subbuf_size_kb;
	enum rbmap_mode		mode;
	enum rbmap_clock	clock;
	bool			raw;
	struct rbmap_event_type *const *events;
};

/**
 * rbmap_buffer_create - create a named buffer for a module
 * @name: 1 to 32 letters, digits, '-', '_' and '.', not beginning with '.', or with cpu
 *	and a digit; not the name of another buffer, and not marker, snapshot, control,
 *	create or destroy
 * @config: settings; zeroes are the defaults
 *
 * Recording into the buffer is on.  The buffer is read as /dev/rbmap/NAME/cpuN and
 * has its files in /sys/kernel/rbmap/instances/NAME, the same as a buffer of
 * `rbmap create NAME`.  It exists until the module destroys it.
 *
 * Context: may sleep.
 * Return: the buffer, or ERR_PTR: -EINVAL (the name, a size, the mode, the clock or an
 * event is invalid), -EEXIST, -ENOMEM, -EINTR (the process was killed), or an error of
 * rbmap_event_register().  The kernel log names the valid values.
 */
#define rbmap_buffer_create(name, config)				\
	rbmap_buffer_create_for(THIS_MODULE, name, config)

struct rbmap_buffer *
rbmap_buffer_create_for(struct module *owner, const char *name,
			const struct rbmap_buffer_config *config);

/**
 * rbmap_buffer_destroy - destroy a module's buffer
 * @buf: buffer of rbmap_buffer_create(); NULL and ERR_PTR are ignored.  The caller
 *	ensures that no writer uses it now or later
 *
 * The name is free at once.  A process that has a device of the buffer open can read
 * the remaining events.  At their end read() returns 0, and GET_READER fails with
 * ESTALE, with RBMAP_RETIRED_LAST in meta->retired.  The memory is freed with the
 * last open file and map.
 *
 * Context: sleeps.
 */
void rbmap_buffer_destroy(struct rbmap_buffer *buf);

/**
 * rbmap_buffer_find - find a buffer by its name, and get a reference
 * @name: name of a buffer of `rbmap create` or of a module; "": the default buffer
 *
 * The buffer remains valid until rbmap_buffer_put(): `rbmap destroy` is refused until
 * then.  If the module that created the buffer destroys it, later events are counted
 * as disabled.  The default buffer gets its rings, as by rbmap_default_buffer().
 *
 * Context: may sleep.
 * Return: the buffer; NULL: no buffer has that name.
 */
struct rbmap_buffer *rbmap_buffer_find(const char *name);

/**
 * rbmap_buffer_put - put the reference of rbmap_buffer_find()
 * @buf: the buffer; the caller does not write to it any longer
 *
 * Context: may sleep.
 */
void rbmap_buffer_put(struct rbmap_buffer *buf);

/**
 * rbmap_discard - cancel a reservation
 * @resv: reservation that rbmap_reserve() filled
 *
 * Readers do not get the event, and counters do not count it.  If the event is still
 * the last one of the ring, its bytes are free again, else they become padding.
 *
 * Context: the context of rbmap_reserve().
 */
void rbmap_discard(struct rbmap_reservation *resv);

/*
 * rbmap_reserve(), rbmap_commit() and rbmap_write() as calls.  A call saves some
 * hundreds of bytes of code at each use, and costs a dozen instructions an event.
 */
void *rbmap_reserve_noinline(struct rbmap_buffer *buf,
			     struct rbmap_reservation *resv, size_t size);
void rbmap_commit_noinline(struct rbmap_reservation *resv);
int rbmap_write_noinline(struct rbmap_buffer *buf, const void *data,
			 size_t size);

/** rbmap_buffer_max_event - size of the largest payload of @buf, in bytes */
size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf);

/**
 * rbmap_default_buffer - the buffer of /dev/rbmap/cpuN
 *
 * The default buffer exists as long as the module is loaded.  Its rings are allocated at its
 * first use, which may be this call.  Without memory for them, events are counted as dropped,
 * and any write to a control file tries again.
 *
 * Context: may sleep.  Call it once, and keep the pointer for writers in other contexts.
 * Return: the buffer, never NULL.
 */
struct rbmap_buffer *rbmap_default_buffer(void);

#endif /* RBMAP_BUFFER_H */
