// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Read compressed data of a CPU. The data is the number of its chunks, and the chunks;
 * each has two sizes, and a frame of zstd.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dat_reader.h"

/* trace-cmd's chunks have some ten pages. */
#define CHUNK_MAX	(64u << 20)

struct chunk_head {
	uint32_t packed;	/* bytes in the file, behind these sizes */
	uint32_t size;		/* bytes after they are uncompressed */
};

struct dat_chunks {
	uint64_t first, next;	/* offsets of chunks in the file */
	char *data;		/* the present chunk, */
	size_t size;		/* its size, */
	size_t room;		/* the largest one before, */
	size_t at;		/* and the bytes of it that were read */
};

static int read_head(struct rbmap_recording *r, uint64_t offset, struct chunk_head *head)
{
	int ret;

	if (offset > r->file_size || r->file_size - offset < sizeof(*head))
		return RBMAP_ERR_CUT;
	ret = dat_read_at(r->fd, head, sizeof(*head), offset);
	if (ret)
		return ret;
	if (!head->size || head->size > CHUNK_MAX)
		return RBMAP_ERR_BROKEN;
	return head->packed > r->file_size - offset - sizeof(*head) ? RBMAP_ERR_CUT : 0;
}

/* Add the sizes of the chunks that the file contains. */
static int add_sizes(struct rbmap_recording *r, struct dat_cpu_reader *c, uint64_t end,
		     uint32_t nr)
{
	uint64_t at = c->chunks->next;
	struct chunk_head head;
	int ret = 0;

	for (; nr && !ret; nr--) {
		ret = read_head(r, at, &head);
		if (ret)
			break;
		ret = dat_limit_chunk(&r->limits, r->file_size, sizeof(head) + head.packed,
				      head.size);
		if (ret)
			break;
		c->size += head.size;
		at += sizeof(head) + head.packed;
	}
	c->limit = c->size;
	if (ret != RBMAP_ERR_CUT)
		return ret;
	/* The file does not say how large the chunks are that it lacks. */
	dat_add_missing(r, end > at ? end - at : 1);
	c->lacks = true;
	return 0;
}

int dat_open_chunks(struct rbmap_recording *r, struct dat_cpu_reader *c, uint64_t size)
{
	uint64_t end = c->offset + size;
	uint32_t nr;
	int ret;

	c->chunks = calloc(1, sizeof(*c->chunks));
	if (!c->chunks)
		return -ENOMEM;
	c->size = 0;
	c->limit = 0;
	if (!size)
		return 0;
	if (c->offset > r->file_size || r->file_size - c->offset < sizeof(nr)) {
		dat_add_missing(r, size);
		c->lacks = true;
		return 0;
	}
	ret = dat_read_at(r->fd, &nr, sizeof(nr), c->offset);
	if (ret)
		return ret;
	c->chunks->first = c->offset + sizeof(nr);
	c->chunks->next = c->chunks->first;
	return add_sizes(r, c, end, nr);
}

void dat_close_chunks(struct dat_chunks *chunks)
{
	if (chunks)
		free(chunks->data);
	free(chunks);
}

void dat_rewind_chunks(struct dat_chunks *chunks)
{
	chunks->next = chunks->first;
	chunks->size = 0;
	chunks->at = 0;
}

/* Return memory for a chunk, or store an error. */
static char *make_room(struct rbmap_recording *r, struct dat_chunks *chunks, size_t size, int *ret)
{
	char *data;

	*ret = 0;
	if (size <= chunks->room)
		return chunks->data;
	*ret = dat_limit_memory(&r->limits, r->file_size, size - chunks->room);
	if (*ret)
		return NULL;
	data = realloc(chunks->data, size);
	if (!data) {
		*ret = -ENOMEM;
		return NULL;
	}
	chunks->data = data;
	chunks->room = size;
	return data;
}

/*
 * Uncompress the next chunk. RBMAP_ERR_BROKEN: the chunk is damaged; *@size is the number of
 * bytes that it should have had.
 */
static int next_chunk(struct rbmap_recording *r, struct dat_chunks *chunks, size_t *size)
{
	struct chunk_head head;
	char *packed, *data;
	int ret = read_head(r, chunks->next, &head);

	/* The file was whole when it was opened, and has changed. */
	if (ret)
		return ret == RBMAP_ERR_BROKEN ? RBMAP_ERR_CUT : ret;
	packed = malloc(head.packed + 1);
	data = make_room(r, chunks, head.size, &ret);
	if (!ret)
		ret = packed ? dat_read_at(r->fd, packed, head.packed,
					   chunks->next + sizeof(head)) : -ENOMEM;
	if (!ret)
		ret = dat_uncompress(data, head.size, packed, head.packed);
	free(packed);
	*size = head.size;
	chunks->next += sizeof(head) + head.packed;
	chunks->size = ret ? 0 : head.size;
	chunks->at = 0;
	return ret;
}

/* Go on to the next chunk that is not damaged. Return 0 if the data ends before. */
static int go_on(struct rbmap_recording *r, struct dat_cpu_reader *c)
{
	size_t size;
	int ret;

	while (c->at < c->limit) {
		ret = next_chunk(r, c->chunks, &size);
		if (!ret)
			return 1;
		if (ret != RBMAP_ERR_BROKEN)
			return ret;
		dat_count_broken(r, c, (size + c->page_size - 1) / c->page_size);
		c->at = size < c->limit - c->at ? c->at + size : c->limit;
	}
	return 0;
}

int dat_read_chunks(struct rbmap_recording *r, struct dat_cpu_reader *c, void *data, size_t size)
{
	struct dat_chunks *chunks = c->chunks;
	char *to = data;

	while (size) {
		size_t n = chunks->size - chunks->at;

		if (!n) {
			int ret = go_on(r, c);

			if (ret <= 0)
				return ret;
			if (size > c->limit - c->at)
				return 0;
			continue;
		}
		if (n > size)
			n = size;
		memcpy(to, chunks->data + chunks->at, n);
		chunks->at += n;
		to += n;
		size -= n;
	}
	return 1;
}
