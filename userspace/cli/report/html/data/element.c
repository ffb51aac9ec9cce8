// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "element.h"

#define LEVEL	2	/* compression: higher levels take more time, and save little */

struct element {
	unsigned int number;
	struct buf data, packed, text;
};

struct element *element_new(void)
{
	return calloc(1, sizeof(struct element));
}

void element_free(struct element *e)
{
	if (!e)
		return;
	buf_free(&e->data);
	buf_free(&e->packed);
	buf_free(&e->text);
	free(e);
}

void element_fill(struct element *e, unsigned int number, struct buf *data)
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

int element_compress(struct element *e)
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

const struct buf *element_text(const struct element *e)
{
	return &e->text;
}
