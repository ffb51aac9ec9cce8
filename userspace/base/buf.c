// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"

static bool make_room(struct buf *b, size_t size)
{
	size_t room = b->room ? b->room : 256;
	char *data;

	if (b->failed)
		return false;
	while (room - b->size < size)
		room *= 2;
	if (room == b->room)
		return true;
	data = realloc(b->data, room);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->room = room;
	return true;
}

char *buf_grow(struct buf *b, size_t size)
{
	return make_room(b, size) ? b->data + b->size : NULL;
}

void buf_add_u16(struct buf *b, uint16_t value)
{
	buf_add(b, &value, sizeof(value));
}

void buf_add_u32(struct buf *b, uint32_t value)
{
	buf_add(b, &value, sizeof(value));
}

void buf_add_u64(struct buf *b, uint64_t value)
{
	buf_add(b, &value, sizeof(value));
}

void buf_add_string(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text) + 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int size;

	va_start(ap, fmt);
	size = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (size < 0 || !make_room(b, size + 1))
		return;
	va_start(ap, fmt);
	vsnprintf(b->data + b->size, size + 1, fmt, ap);
	va_end(ap);
	b->size += size;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

/* @page: a read of fewer bytes than @page, and than there is room for, is the last one; 0: never */
static int read_to_end(struct buf *b, const char *path, long page)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ends = false;
	int ret = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	/* Ignore st_size: sysfs and proc do not report real sizes. */
	while (!ends && make_room(b, 4096)) {
		const size_t room = b->room - b->size;

		got = read(fd, b->data + b->size, room);
		if (got > 0) {
			b->size += got;
			ends = (size_t)got < room && got < page;
		} else if (!got) {
			break;
		} else if (errno != EINTR) {
			ret = -errno;
			break;
		}
	}
	close(fd);
	return b->failed ? -ENOMEM : ret;
}

int buf_read_file(struct buf *b, const char *path)
{
	return read_to_end(b, path, 0);
}

int buf_read_sysfs(struct buf *b, const char *path)
{
	return read_to_end(b, path, sysconf(_SC_PAGESIZE));
}
