/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * librbmap: read rbmap's rings where they lie.
 *
 * Functions return 0 or more for success and a negative error, which
 * rbmap_strerror() puts into words.  A struct rbmap_map or rbmap_merge belongs
 * to one thread at a time.
 */
#ifndef RBMAP_H
#define RBMAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rbmap_map;	/* the mapped ring of one CPU */
struct rbmap_merge;	/* the mapped rings of all CPUs, in time order */

/* Errors of our own, beside negative errno values. */
enum rbmap_error {
	RBMAP_ERR_NOT_LOADED	= -4096,	/* no /dev/rbmap: module absent */
	RBMAP_ERR_NO_CPU	= -4097,	/* module loaded, no such CPU */
	RBMAP_ERR_PERMISSION	= -4098,	/* device not readable for us */
	RBMAP_ERR_NOT_RBMAP	= -4099,	/* file is no ring that can be mapped */
	RBMAP_ERR_VERSION	= -4100,	/* ring of a version we don't know */
	RBMAP_ERR_GONE		= -4101,	/* ring retired or device gone */
	RBMAP_ERR_CORRUPT	= -4102,	/* bytes that no writer writes */
};

const char *rbmap_strerror(int error);

#define RBMAP_NONBLOCK	0x1	/* rbmap_open: calls never wait (the default waits) */

/* flags: 0 or RBMAP_NONBLOCK */
int rbmap_open(struct rbmap_map **map, int cpu, unsigned int flags);
int rbmap_open_path(struct rbmap_map **map, const char *path, unsigned int flags);
void rbmap_close(struct rbmap_map *map);

int rbmap_fd(const struct rbmap_map *map);
int rbmap_cpu(const struct rbmap_map *map);		/* -1: not known */
size_t rbmap_subbuf_size(const struct rbmap_map *map);	/* header included */
unsigned int rbmap_nr_subbufs(const struct rbmap_map *map);

/* A piece of a sub-buffer that is new since the last call. */
struct rbmap_subbuf {
	const void	*start;		/* the sub-buffer, its header first */
	size_t		size;		/* bytes of events in it now, header not counted */
	size_t		offset;		/* bytes of them that an earlier call returned */
	uint64_t	timestamp;	/* the header's */
	uint64_t	lost;		/* events lost before it; told once, with offset 0 */
	uint32_t	id;
};

/*
 * 1: *sb holds new bytes (or only tells of a loss: size 0), valid until the next call.
 * 0: nothing new now.  < 0: error.  Never waits.
 */
int rbmap_next_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb);

struct rbmap_event {
	uint64_t	ts;
	const void	*data;		/* payload; begins with struct rbmap_event_common */
	uint32_t	size;
	int		cpu;
	uint64_t	lost;		/* events lost on this CPU just before this one */
};

/* 1: *ev is the next event, valid until the next call.  0: none now.  Never waits. */
int rbmap_next_event(struct rbmap_map *map, struct rbmap_event *ev);

/*
 * Decode events of a raw sub-buffer (mapped, read or from a file).
 * Begin with a zeroed cursor.
 */
struct rbmap_cursor {
	uint64_t	ts;
	size_t		offset;		/* bytes decoded so far, header not counted */
};
int rbmap_decode(const void *subbuf, size_t size, struct rbmap_cursor *cursor,
		 struct rbmap_event *ev);

/* Wait until there is something (buffer_percent); 1 yes, 0 timeout, < 0 error; -1 ms = for ever. */
int rbmap_wait(struct rbmap_map *map, int timeout_ms);
int rbmap_wake(struct rbmap_map *map);		/* wakes all waiters of the ring */

struct rbmap_loss {
	uint64_t	overrun;	/* overwritten before they were read */
	uint64_t	full;		/* refused: discard mode and no room */
	uint64_t	lapped;
	uint64_t	nested;
	uint64_t	too_large;
	uint64_t	total;		/* sum of the above */
	uint64_t	told;		/* part of it that this reader was told in sub-buffers */
	uint64_t	disabled;	/* refused while tracing was off: not lost */
};
int rbmap_loss(struct rbmap_map *map, struct rbmap_loss *loss);

/* All CPUs that have a ring, merged by time. */
int rbmap_merge_open(struct rbmap_merge **merge, unsigned int flags);
int rbmap_merge_next(struct rbmap_merge *merge, struct rbmap_event *ev);
int rbmap_merge_wait(struct rbmap_merge *merge, int timeout_ms);
int rbmap_merge_loss(struct rbmap_merge *merge, struct rbmap_loss *loss);
void rbmap_merge_close(struct rbmap_merge *merge);

const char *rbmap_version(void);

#ifdef __cplusplus
}
#endif
#endif /* RBMAP_H */
