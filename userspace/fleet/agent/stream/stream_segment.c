// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files.h"
#include "stream_segment.h"

#define HEAD_MAGIC	"rbSG"
#define RECORD_MAGIC	"rbRC"

static uint32_t checksum(const void *head, size_t from, size_t size, const void *more,
			 size_t more_size)
{
	uint32_t crc = crc32_z(0, (const unsigned char *)head + from, size - from);

	/* zlib begins again if it gets no buffer. */
	return more_size ? crc32_z(crc, more, more_size) : crc;
}

static uint32_t head_checksum(const struct segment_head *h, const struct stream_position *p)
{
	return checksum(h, offsetof(struct segment_head, incarnation), sizeof(*h), p,
			h->nr * sizeof(*p));
}

static uint32_t record_checksum(const struct stream_record *r, const void *message)
{
	return checksum(r, offsetof(struct stream_record, size), sizeof(*r), message, r->size);
}

int64_t segment_write_head(int fd, struct segment_head *h, const struct stream_position *p)
{
	size_t size = h->nr * sizeof(*p);
	int ret;

	memcpy(h->magic, HEAD_MAGIC, sizeof(h->magic));
	h->crc = head_checksum(h, p);
	ret = write_all_at(fd, h, sizeof(*h), 0);
	if (!ret)
		ret = write_all_at(fd, p, size, sizeof(*h));
	return ret ? ret : (int64_t)(sizeof(*h) + size);
}

int64_t segment_read_head(int fd, struct segment_head *h, struct stream_position **positions)
{
	int ret = read_all_at(fd, h, sizeof(*h), 0);
	struct stream_position *p;

	*positions = NULL;
	if (ret)
		return ret;
	if (memcmp(h->magic, HEAD_MAGIC, sizeof(h->magic)) || h->nr > SEGMENT_POSITIONS_MAX)
		return -EBADMSG;
	p = calloc(h->nr + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*positions = p;
	ret = read_all_at(fd, p, h->nr * sizeof(*p), sizeof(*h));
	if (!ret && h->crc != head_checksum(h, p))
		ret = -EBADMSG;
	return ret ? ret : (int64_t)(sizeof(*h) + h->nr * sizeof(*p));
}

int segment_write(int fd, uint64_t offset, struct stream_record *r, const void *message)
{
	int ret;

	memcpy(r->magic, RECORD_MAGIC, sizeof(r->magic));
	r->crc = record_checksum(r, message);
	ret = write_all_at(fd, r, sizeof(*r), offset);
	return ret ? ret : write_all_at(fd, message, r->size, offset + sizeof(*r));
}

int segment_read(int fd, uint64_t offset, struct stream_record *r, struct buf *message)
{
	int ret = read_all_at(fd, r, sizeof(*r), offset);
	char *room;

	if (ret)
		return ret;
	if (memcmp(r->magic, RECORD_MAGIC, sizeof(r->magic)) || r->size > MESSAGE_SIZE_MAX ||
	    r->source[sizeof(r->source) - 1])
		return -EBADMSG;
	message->size = 0;
	room = buf_room(message, r->size);
	if (!room)
		return -ENOMEM;
	ret = read_all_at(fd, room, r->size, offset + sizeof(*r));
	if (ret)
		return ret;
	buf_end(message, room + r->size);
	return r->crc == record_checksum(r, message->data) ? 0 : -EBADMSG;
}
