/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A buffer that grows. After a failed allocation ->failed stays set, so callers
 * check it once at the end.
 */
#ifndef RBMAP_BASE_BUF_H
#define RBMAP_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	char *data;
	size_t size;
	size_t room;
	bool failed;
};

/*
 * Return the end of the buffer, with room for @size bytes behind it, or NULL. The
 * caller writes there and calls buf_end().
 */
char *buf_grow(struct buf *b, size_t size);
static inline char *buf_room(struct buf *b, size_t size)
{
	return b->room - b->size > size && !b->failed ? b->data + b->size :
							buf_grow(b, size);
}

/* @end: the end of what was written into the room */
static inline void buf_end(struct buf *b, const char *end)
{
	b->size = end - b->data;
}

static inline void buf_add(struct buf *b, const void *data, size_t size)
{
	char *at = size ? buf_room(b, size) : NULL;

	if (!at)
		return;
	memcpy(at, data, size);
	b->size += size;
}

void buf_add_u16(struct buf *b, uint16_t value);
void buf_add_u32(struct buf *b, uint32_t value);
void buf_add_u64(struct buf *b, uint64_t value);
void buf_add_string(struct buf *b, const char *text);	/* adds the final 0, too */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_free(struct buf *b);

/* Append a whole file, in sysfs and proc too. Return 0 or a negative errno. */
int buf_read_file(struct buf *b, const char *path);
/*
 * Do the same with a file of sysfs. It gives a page at a time, and less at its end: one more
 * read would have a module make the whole text again.
 */
int buf_read_sysfs(struct buf *b, const char *path);

#endif /* RBMAP_BASE_BUF_H */
