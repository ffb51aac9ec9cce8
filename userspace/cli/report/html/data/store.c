// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "command/pipeline.h"
#include "store.h"

/* ---- elements */

#define LEVEL	2	/* compression: higher levels take more time, and save little */

struct element {
	unsigned int number;
	struct buf data, packed, text;
};

/* NULL: out of memory */
static struct element *element_new(void)
{
	return calloc(1, sizeof(struct element));
}

static void element_free(struct element *e)
{
	if (!e)
		return;
	buf_free(&e->data);
	buf_free(&e->packed);
	buf_free(&e->text);
	free(e);
}

/* Take the bytes of @data, and leave an empty buffer there. */
static void element_fill(struct element *e, unsigned int number, struct buf *data)
{
	struct buf old = e->data;

	e->number = number;
	e->data = *data;
	old.size = 0;
	*data = old;
}

static void add_base64(struct buf *out, const unsigned char *in, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *at = buf_room(out, (size + 2) / 3 * 4);
	size_t i;

	if (!at)
		return;
	for (i = 0; i + 2 < size; i += 3) {
		uint32_t v = in[i] << 16 | in[i + 1] << 8 | in[i + 2];

		*at++ = digits[v >> 18];
		*at++ = digits[v >> 12 & 63];
		*at++ = digits[v >> 6 & 63];
		*at++ = digits[v & 63];
	}
	if (i < size) {
		uint32_t v = in[i] << 16 | (i + 1 < size ? in[i + 1] << 8 : 0);

		*at++ = digits[v >> 18];
		*at++ = digits[v >> 12 & 63];
		*at++ = i + 1 < size ? digits[v >> 6 & 63] : '=';
		*at++ = '=';
	}
	buf_end(out, at);
}

/* Make the text. Return 0 or -ENOMEM. */
static int element_compress(struct element *e)
{
	uLongf size = compressBound(e->data.size);
	char *packed;
	int ret;

	e->packed.size = 0;
	e->text.size = 0;
	packed = buf_room(&e->packed, size);
	if (!packed)
		return -ENOMEM;
	ret = compress2((Bytef *)packed, &size, (const Bytef *)e->data.data, e->data.size, LEVEL);
	if (ret != Z_OK)
		return -ENOMEM;
	buf_printf(&e->text, "<script type=\"application/octet-stream\" id=\"d%u\">", e->number);
	add_base64(&e->text, (const unsigned char *)packed, size);
	buf_printf(&e->text, "</script>\n");
	return e->text.failed ? -ENOMEM : 0;
}

static const struct buf *element_text(const struct element *e)
{
	return &e->text;
}

/* ---- store */

#define ELEMENT_SIZE	(256 << 10)	/* bytes from which on an element is full */
#define MOST_THREADS	4
#define MOST_ELEMENTS	(2 * MOST_THREADS)

/*
 * Levels of detail are in elements of their own, because the page shows them first. Each
 * such group fills one element.
 */
enum group { GROUP_DETAIL, GROUP_LEVELS, NR_GROUPS };

/* Sizes of all elements up to one of them */
struct sizes {
	uint64_t raw, written;
};

/* An element is written when that many later ones were put. The estimate counts it then. */
#define LAG		(2 * MOST_THREADS)
#define NR_SIZES	(2 * LAG)

struct store {
	FILE *out;
	struct pipeline *pipeline;
	struct element *element[MOST_ELEMENTS];
	struct element *filling;
	struct buf group[NR_GROUPS];
	unsigned int number[NR_GROUPS];	/* the element's; 0: not begun */
	unsigned int nr_elements;
	uint64_t raw_size;		/* bytes in all pieces */
	uint64_t known, known_raw;	/* bytes in the elements that the estimate counts */
	double ratio;
	struct sizes put[NR_SIZES];	/* by number of the element, modulo NR_SIZES */
	uint64_t nr_put, nr_written;
	struct buf index;
};

static int compress_element(void *data, void *element, unsigned int worker)
{
	(void)data;
	(void)worker;
	return element_compress(element);
}

static int write_element(void *data, void *element)
{
	struct store *store = data;
	const struct buf *text = element_text(element);
	uint64_t before = store->put[store->nr_written % NR_SIZES].written;

	store->put[++store->nr_written % NR_SIZES].written = before + text->size;
	return fwrite(text->data, 1, text->size, store->out) == text->size ? 0 : -errno;
}

struct store *store_new(FILE *out, unsigned int threads)
{
	static const struct pipeline_ops ops = { compress_element, write_element };
	struct store *store = calloc(1, sizeof(*store));
	void *batch[MOST_ELEMENTS];

	if (!store)
		return NULL;
	store->out = out;
	store->ratio = 1;
	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	for (unsigned int i = 0; i < pipeline_batches(threads); i++) {
		store->element[i] = element_new();
		if (!store->element[i]) {
			store_free(store);
			return NULL;
		}
		batch[i] = store->element[i];
	}
	store->pipeline = pipeline_new(&ops, store, batch, threads);
	if (!store->pipeline) {
		store_free(store);
		return NULL;
	}
	return store;
}

void store_free(struct store *store)
{
	if (!store)
		return;
	pipeline_free(store->pipeline);
	for (unsigned int i = 0; i < MOST_ELEMENTS; i++)
		element_free(store->element[i]);
	for (unsigned int i = 0; i < NR_GROUPS; i++)
		buf_free(&store->group[i]);
	buf_free(&store->index);
	free(store);
}

/* An element was put: write the earlier ones that are due. */
static void note_put(struct store *store, size_t size)
{
	uint64_t before = store->put[store->nr_put % NR_SIZES].raw;
	const struct sizes *known;

	store->put[++store->nr_put % NR_SIZES].raw = before + size;
	if (store->nr_put <= LAG)
		return;
	known = &store->put[(store->nr_put - LAG) % NR_SIZES];
	store->known = known->written;
	store->known_raw = known->raw;
	store->ratio = (double)known->written / known->raw;
}

/* Hand a group's element to the threads. */
static int put_group(struct store *store, enum group group)
{
	void *element;
	int ret;

	if (!store->number[group])
		return 0;
	ret = pipeline_get(store->pipeline, &element);
	if (ret)
		return ret;
	note_put(store, store->group[group].size);
	element_fill(element, store->number[group], &store->group[group]);
	store->number[group] = 0;
	pipeline_put(store->pipeline);
	return 0;
}

static void add_to_index(struct store *store, const struct piece *piece, enum group group)
{
	buf_printf(&store->index, "%s[%u,%zu,%d,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu32 "]",
		   store->index.size ? ",\n" : "", store->number[group],
		   store->group[group].size, piece->kind, piece->owner, piece->level,
		   piece->count, piece->begin, piece->end - piece->begin, piece->mask);
}

int store_add(struct store *store, const struct piece *piece, const struct buf *data)
{
	enum group group = piece->kind == PIECE_LEVEL ? GROUP_LEVELS : GROUP_DETAIL;
	struct buf *to = &store->group[group];

	if (!store->number[group])
		store->number[group] = ++store->nr_elements;
	add_to_index(store, piece, group);
	store->raw_size += data->size;
	buf_add(to, data->data, data->size);
	if (data->failed || to->failed || store->index.failed)
		return -ENOMEM;
	return to->size < ELEMENT_SIZE ? 0 : put_group(store, group);
}

int store_end(struct store *store)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < NR_GROUPS; i++)
		ret = put_group(store, i);
	return ret ? ret : pipeline_flush(store->pipeline);
}

uint64_t store_estimate(const struct store *store)
{
	return store->known + (store->raw_size - store->known_raw) * store->ratio;
}

const struct buf *store_index(const struct store *store)
{
	return &store->index;
}
