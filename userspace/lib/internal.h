/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Declarations shared by the files of librbmap.
 */
#ifndef RBMAP_INTERNAL_H
#define RBMAP_INTERNAL_H

#include <stdbool.h>

#include <linux/rbmap.h>

#include "rbmap.h"

#define DEVICE_DIR	"/dev/rbmap"

/* The kernel changes the meta-page meanwhile: load each field once, atomically. */
#define META(map, field) \
	__atomic_load_n(&(map)->meta->field, __ATOMIC_RELAXED)

#define meta_end(field) \
	(offsetof(struct rbmap_meta, field) + \
	 sizeof(((struct rbmap_meta *)0)->field))

/*
 * A field of rbmap's own part of the meta-page.  It is 0 if the kernel's structure ends before
 * the field, or if no ring is mapped, because the map of the next ring has failed.
 */
#define META_OWN(map, field) \
	((map)->meta && (map)->is_rbmap && \
	 (map)->meta_struct_len >= meta_end(field) ? META(map, field) : 0)

#include "api.h"

_Static_assert(sizeof(struct rbmap_subbuf_header) == RBMAP_SUBBUF_HEADER_SIZE,
	       "sub-buffers are laid out for 64 bits");

/*
 * The kernel's side of a map.  Tests replace it with a ring of their own.
 */
struct rbmap_transport {
	/* The ioctls, without waiting.  Return: 0 or a negative errno. */
	int (*get_reader)(struct rbmap_map *map);
	int (*wake)(struct rbmap_map *map);
	int (*discard)(struct rbmap_map *map);	/* NULL: the file cannot */
	/* This ring was read to its end: map the next one. */
	int (*next_ring)(struct rbmap_map *map);
	/* splice() without waiting; it unmaps the sub-buffers.  Return: bytes, or an errno. */
	ssize_t (*splice)(struct rbmap_map *map, int pipe, size_t size);
	/* Map the sub-buffers again, or only reserve their addresses. */
	int (*map_subbufs)(struct rbmap_map *map);
	/* Map a sub-buffer that is to be read; NULL: all are mapped. */
	int (*map_subbuf)(struct rbmap_map *map, uint32_t id);
	void (*close)(struct rbmap_map *map);
};

struct rbmap_observer;

/* A reader that needs more sub-buffers maps all of them. */
#define RBMAP_SINGLE_MAX	16

struct rbmap_map {
	const struct rbmap_transport *transport;
	int			fd;
	int			wake_fd;	/* rbmap_wake() ends rbmap_wait() */
	int			cpu;

	const struct rbmap_meta	*meta;
	const unsigned char	*data;		/* sub-buffer 0; NULL after rbmap_splice() */
	bool			whole;		/* all sub-buffers are mapped */
	uint32_t		single[RBMAP_SINGLE_MAX];	/* or else these */
	unsigned int		nr_single;
	const void		*slot_table;		/* slot table, mapped by observers */
	size_t			slot_table_size;

	/* Read from the meta-page once and checked; never read again. */
	size_t			meta_page_size;
	size_t			meta_struct_len;
	size_t			subbuf_size;
	uint32_t		nr_subbufs;
	bool			is_rbmap;		/* the meta-page has rbmap's part */

	/* The reader's sub-buffer. */
	uint32_t		id;
	size_t			offset;		/* bytes returned to the caller */
	size_t			counted;	/* bytes that the kernel counts as read */
	unsigned int		pieces;		/* number of pieces returned */
	uint64_t		events;		/* number of events in the pieces returned */
	uint64_t		reported;		/* losses reported */
	struct rbmap_loss	past;		/* losses in earlier rings */
	uint64_t		left;		/* lost before the sub-buffer that splice() left unread */
	uint64_t		behind;		/* lost at the end of earlier rings, not reported yet */
	bool			ended;		/* the snapshot was read to its end */
	bool			gone;		/* the last ring of the buffer was read to its end */
	struct rbmap_observer	*observer;	/* NULL: the map is a reader's */

	/* The piece that rbmap_next_event() decodes. */
	const unsigned char	*start;
	size_t			end;
	size_t			skip;		/* bytes read before this map was made */
	bool			corrupt;	/* skip the rest of this sub-buffer */
	struct rbmap_cursor	cursor;
	uint64_t		lost;		/* losses to report with the next event */
};

/* map.c */
int rbmap_map_init(struct rbmap_map *map, const void *meta, size_t size);
int rbmap_map_open(struct rbmap_map **map, const char *dir, int cpu,
		   bool observes);
/* Continue behind the bytes that an earlier reader has read. */
int rbmap_map_read_position(struct rbmap_map *map);

/* reader.c */
bool rbmap_map_pending(const struct rbmap_map *map);
/* End a poll() of an eventfd. Return: 0 or a negative errno. */
int rbmap_wake_fd(int fd);

/* The difference of a counter that a reset sets to 0. */
static inline uint64_t rbmap_counted(uint64_t before, uint64_t after)
{
	return after < before ? after : after - before;
}

/* The ring's time when the last GET_READER began; 0: unknown. */
uint64_t rbmap_map_now(const struct rbmap_map *map);
bool rbmap_map_counts_ns(const struct rbmap_map *map);

/* observe.c: the observer's versions of the reader's functions */
int rbmap_observer_new(struct rbmap_map *map);
void rbmap_observer_free(struct rbmap_map *map);
size_t rbmap_observer_size(uint32_t nr_subbufs);
int rbmap_observer_init(struct rbmap_map *map, const void *table);
/* Before the first sub-buffer: the events that were overwritten before count as missed. */
void rbmap_observer_count_older(struct rbmap_map *map);
int rbmap_observe_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb);
bool rbmap_observe_pending(const struct rbmap_map *map);
bool rbmap_observe_hurries(const struct rbmap_map *map);
int rbmap_observe_wait(struct rbmap_map *const *map, unsigned int nr,
		       int wake_fd, int timeout_ms);
void rbmap_observe_loss(const struct rbmap_map *map, struct rbmap_loss *loss);

/* decode.c: rbmap_decode() for a known end of the committed bytes. */
int rbmap_decode_bytes(const unsigned char *subbuf, size_t end,
		       struct rbmap_cursor *cursor, struct rbmap_event *ev);
uint64_t rbmap_subbuf_lost(const unsigned char *subbuf, size_t size,
			   uint64_t commit);

static inline uint64_t rbmap_load_commit(const unsigned char *subbuf)
{
	const struct rbmap_subbuf_header *header = (const void *)subbuf;

	/* Pairs with the writer's release of commit: the events are visible. */
	return __atomic_load_n(&header->commit, __ATOMIC_ACQUIRE);
}

struct rbmap_unaligned {
	uint32_t word;
} __attribute__((packed, may_alias));

static inline uint32_t rbmap_load_word(const unsigned char *p)
{
	return ((const volatile struct rbmap_unaligned *)p)->word;
}

static inline void rbmap_split(uint32_t word, uint32_t *type_len, uint32_t *delta)
{
#if __BYTE_ORDER == __LITTLE_ENDIAN
	*type_len = word & 0x1f;
	*delta = word >> 5;
#else
	*type_len = word >> 27;
	*delta = word & ((1u << RBMAP_TS_SHIFT) - 1);
#endif
}

/*
 * Decode the next event of the current piece, if it is a small one, and neither the first
 * of its sub-buffer nor to be skipped.  Return: false: rbmap_next_event() tells what is
 * there.
 */
static inline bool rbmap_map_small_event(struct rbmap_map *map, struct rbmap_event *ev)
{
	size_t at = map->cursor.offset, size;
	const unsigned char *word = map->start + RBMAP_SUBBUF_HEADER_SIZE + at;
	uint32_t type_len, delta;

	if (!at || at + 4 > map->end || map->corrupt || map->lost || map->skip)
		return false;
	rbmap_split(rbmap_load_word(word), &type_len, &delta);
	size = 4 * (size_t)type_len;
	if (!type_len || type_len >= RBMAP_TYPE_PADDING || at + 4 + size > map->end)
		return false;
	map->cursor.ts += delta;
	map->cursor.offset = at + 4 + size;
	ev->ts = map->cursor.ts;
	ev->data = word + 4;
	ev->size = size;
	ev->cpu = map->cpu;
	ev->lost = 0;
	return true;
}

static inline uint64_t rbmap_lost_sum(uint64_t a, uint64_t b)
{
	if (a == RBMAP_LOST_UNKNOWN || b == RBMAP_LOST_UNKNOWN)
		return RBMAP_LOST_UNKNOWN;
	return a + b;
}

/*
 * merge_open.c: a merge without rings; clock returns ns, NULL: CLOCK_MONOTONIC.  Return: NULL
 * and errno after an error.
 */
struct rbmap_merge *rbmap_merge_new(uint64_t (*clock)(void));
int rbmap_merge_add(struct rbmap_merge *merge, struct rbmap_map *map);

#endif /* RBMAP_INTERNAL_H */
