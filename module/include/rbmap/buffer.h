/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write events into an rbmap buffer: one lockless ring per CPU.
 *
 *	struct rbmap_reservation r;
 *	struct record *rec = rbmap_reserve(buf, &r, sizeof(*rec));
 *
 *	if (rec) {
 *		rec->field = value;
 *		rbmap_commit(&r);
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

/**
 * struct rbmap_buffer_config - what a buffer is made of
 * @size_kb: KiB of slots per CPU; rounded up to whole sub-buffers, 2 to 65,534 of
 *	them.  0: as the module rbmap was loaded
 * @subbuf_size_kb: KiB of a sub-buffer, a power of two, 4 to 4096.  0: as the
 *	module rbmap was loaded
 * @mode: what happens when a ring is full: overwrite (0) or discard
 * @clock: of its events: local (0), or another one that this machine has
 * @raw: payloads are the producer's own: they do not begin with struct
 *	rbmap_event_common, and the buffer has neither events nor a marker
 */
struct rbmap_buffer_config {
	unsigned long		size_kb;
	unsigned long		subbuf_size_kb;
	enum rbmap_mode		mode;
	enum rbmap_clock	clock;
	bool			raw;
};

/**
 * rbmap_buffer_create - a buffer of a module's own
 * @name: 1 to 32 letters, digits, '-', '_' and '.', not '.' at first; not that of
 *	another buffer, nor cpuN, marker, snapshot, create or destroy
 * @config: zeroes are the defaults
 *
 * It is recorded to at once, and read as /dev/rbmap/NAME/cpuN, with its files in
 * /sys/kernel/rbmap/instances/NAME: as one that `rbmap create NAME` makes, but
 * that it stays until the module destroys it.
 *
 * Context: may sleep.
 * Return: the buffer, or ERR_PTR: -EINVAL (the name, a size, mode or clock),
 * -EEXIST, -ENOMEM, -EINTR (the process was killed); the log says what would do.
 */
#define rbmap_buffer_create(name, config)				\
	rbmap_buffer_create_for(THIS_MODULE, name, config)

struct rbmap_buffer *
rbmap_buffer_create_for(struct module *owner, const char *name,
			const struct rbmap_buffer_config *config);

/**
 * rbmap_buffer_destroy - take a buffer of a module's own away
 * @buf: from rbmap_buffer_create(); NULL and ERR_PTR are ignored.  The caller has
 *	seen to it that nobody writes to it any more, nor will
 *
 * The name is free at once.  Who has a device of it open reads what is left to
 * its end, which is told: read() gives 0, GET_READER ESTALE with meta->retired
 * RBMAP_RETIRED_LAST.  The memory goes with the last file and map.
 *
 * Context: sleeps.
 */
void rbmap_buffer_destroy(struct rbmap_buffer *buf);

/**
 * rbmap_buffer_find - a buffer by its name
 * @name: of one that `rbmap create` or a module has made; "": the default one
 *
 * It stays until rbmap_buffer_put(): `rbmap destroy` is refused meanwhile.  If it
 * is a module's, which destroys it, events written to it are counted as disabled.
 *
 * Context: may sleep.
 * Return: it, or NULL: there is none.
 */
struct rbmap_buffer *rbmap_buffer_find(const char *name);

/**
 * rbmap_buffer_put - give back what rbmap_buffer_find() has found
 * @buf: the buffer; no event is being written to it by the caller any more
 *
 * Context: may sleep.
 */
void rbmap_buffer_put(struct rbmap_buffer *buf);

/**
 * rbmap_discard - take back an event that rbmap_reserve() made room for
 * @resv: what rbmap_reserve() filled
 *
 * No reader sees it and no counter counts it.  Its bytes are given back if it
 * is still the last event of the ring, else they become padding.
 *
 * Context: that of rbmap_reserve().
 */
void rbmap_discard(struct rbmap_reservation *r);

/*
 * The same as rbmap_reserve(), rbmap_commit() and rbmap_write(), as calls: some
 * hundreds of bytes less wherever they are used, and a dozen instructions more
 * an event.
 */
void *rbmap_reserve_noinline(struct rbmap_buffer *buf,
			     struct rbmap_reservation *r, size_t size);
void rbmap_commit_noinline(struct rbmap_reservation *r);
int rbmap_write_noinline(struct rbmap_buffer *buf, const void *data,
			 size_t size);

/** rbmap_buffer_max_event - bytes of the largest payload that @buf takes */
size_t rbmap_buffer_max_event(const struct rbmap_buffer *buf);

/**
 * rbmap_default_buffer - what /dev/rbmap/cpuN shows
 *
 * It is there as long as the module is.
 * Context: any.
 * Return: the buffer, never NULL.
 */
struct rbmap_buffer *rbmap_default_buffer(void);

#endif /* RBMAP_BUFFER_H */
