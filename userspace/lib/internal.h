/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the files of librbmap share.
 */
#ifndef RBMAP_INTERNAL_H
#define RBMAP_INTERNAL_H

#include <stdbool.h>

#include <linux/rbmap.h>

#include "rbmap.h"

#define DEVICE_DIR	"/dev/rbmap"

#define RBMAP_API __attribute__((visibility("default")))

_Static_assert(sizeof(struct rbmap_subbuf_header) == RBMAP_SUBBUF_HEADER_SIZE,
	       "sub-buffers are laid out for 64 bits");

/*
 * The kernel's side of a map.  Tests put a ring of their own behind it.
 */
struct rbmap_transport {
	/* As the ioctls, never waiting: 0 or a negative errno. */
	int (*get_reader)(struct rbmap_map *map);
	int (*wake)(struct rbmap_map *map);
	/* This ring was read to its end: map the one that took its place. */
	int (*next_ring)(struct rbmap_map *map);
	void (*close)(struct rbmap_map *map);
};

struct rbmap_observer;

struct rbmap_map {
	const struct rbmap_transport *transport;
	int			fd;
	int			wake_fd;	/* rbmap_wake() ends rbmap_wait() */
	int			cpu;

	const struct rbmap_meta	*meta;
	const unsigned char	*data;		/* sub-buffer 0 */
	const void		*shown;		/* to observers */
	size_t			shown_size;

	/* Read from the meta-page once, and checked: these are relied on. */
	size_t			meta_page_size;
	size_t			meta_struct_len;
	size_t			subbuf_size;
	uint32_t		nr_subbufs;
	bool			own;		/* rbmap's block is there */

	/* The reader's sub-buffer: what of it was returned. */
	uint32_t		id;
	size_t			offset;
	size_t			counted;	/* the kernel counts as read */
	unsigned int		pieces;		/* returned in all */
	uint64_t		told;
	struct rbmap_loss	past;		/* of the rings before this one */
	uint64_t		behind;		/* lost at the end of these */
	bool			ended;		/* a snapshot, read to its end */
	bool			gone;		/* a buffer, read to its end */
	struct rbmap_observer	*observer;	/* only looks; NULL: reads */

	/* rbmap_next_event(): the piece that it is in. */
	const unsigned char	*start;
	size_t			end;
	size_t			skip;		/* read before this map was made */
	bool			corrupt;	/* nothing more of this sub-buffer */
	struct rbmap_cursor	cursor;
	uint64_t		lost;		/* for the next event */
};

/* map.c */
int rbmap_map_init(struct rbmap_map *map, const void *meta, size_t size);
int rbmap_map_open(struct rbmap_map **map, const char *dir, int cpu,
		   bool observes);
bool rbmap_map_pending(const struct rbmap_map *map);

/* The ring's clock when GET_READER last began to look; 0: not known. */
uint64_t rbmap_map_now(const struct rbmap_map *map);
bool rbmap_map_counts_ns(const struct rbmap_map *map);

/* observe.c: what an observer does in place of a reader */
int rbmap_observer_new(struct rbmap_map *map);
void rbmap_observer_free(struct rbmap_map *map);
size_t rbmap_observer_size(uint32_t nr_subbufs);
int rbmap_observer_init(struct rbmap_map *map, const void *shown);
int rbmap_observe_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb);
bool rbmap_observe_pending(const struct rbmap_map *map);
bool rbmap_observe_hurries(const struct rbmap_map *map);
int rbmap_observe_wait(struct rbmap_map *const *map, unsigned int nr,
		       int wake_fd, int timeout_ms);
void rbmap_observe_loss(const struct rbmap_map *map, struct rbmap_loss *loss);

/* decode.c: as rbmap_decode(), with the end of what is committed known. */
int rbmap_decode_bytes(const unsigned char *subbuf, size_t end,
		       struct rbmap_cursor *cursor, struct rbmap_event *ev);
uint64_t rbmap_subbuf_lost(const unsigned char *subbuf, size_t size,
			   uint64_t commit);

static inline uint64_t rbmap_load_commit(const unsigned char *subbuf)
{
	const struct rbmap_subbuf_header *header = (const void *)subbuf;

	/* Pairs with the writer's release of commit: the events are there. */
	return __atomic_load_n(&header->commit, __ATOMIC_ACQUIRE);
}

static inline uint64_t rbmap_lost_sum(uint64_t a, uint64_t b)
{
	if (a == RBMAP_LOST_UNKNOWN || b == RBMAP_LOST_UNKNOWN)
		return RBMAP_LOST_UNKNOWN;
	return a + b;
}

/* merge.c: without a ring yet; clock is in ns, NULL: CLOCK_MONOTONIC. */
struct rbmap_merge *rbmap_merge_new(uint64_t (*clock)(void));
int rbmap_merge_add(struct rbmap_merge *merge, struct rbmap_map *map);

#endif /* RBMAP_INTERNAL_H */
