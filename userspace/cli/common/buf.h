/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that grow.  Running out of memory is remembered, not checked at each
 * step: look at ->failed at the end.
 */
#ifndef RBMAP_CLI_BUF_H
#define RBMAP_CLI_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t size;
	size_t room;
	bool failed;
};

void buf_add(struct buf *b, const void *data, size_t size);
void buf_add_u16(struct buf *b, uint16_t value);
void buf_add_u32(struct buf *b, uint32_t value);
void buf_add_u64(struct buf *b, uint64_t value);
void buf_add_string(struct buf *b, const char *text);	/* with its 0 */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_free(struct buf *b);

/* All that a file holds (of sysfs and proc too).  0 or a negative errno. */
int buf_read_file(struct buf *b, const char *path);

#endif /* RBMAP_CLI_BUF_H */
