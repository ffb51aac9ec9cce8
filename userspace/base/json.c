// SPDX-License-Identifier: LGPL-2.1-only
#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "printable.h"

#define EACH	0x0101010101010101ULL

/*
 * Return whether eight bytes are all from ' ' to '~', and neither '"' nor '\\'. A borrow
 * from a lower byte can only make the answer false, and then each byte is looked at.
 */
static bool are_plain(const unsigned char *s)
{
	uint64_t v, quote, escape;

	memcpy(&v, s, sizeof(v));
	quote = (v ^ '"' * EACH) - EACH;
	escape = (v ^ '\\' * EACH) - EACH;
	return !((v | (v - ' ' * EACH) | (v + EACH) | quote | escape) & 0x80 * EACH);
}

/* Return the number of bytes that need no change. */
static size_t plain(const unsigned char *s, size_t size)
{
	static const bool changed[256] = {
		[0 ... 0x1f] = true, ['"'] = true, ['\\'] = true, [0x7f ... 0xff] = true,
	};
	size_t n = 0;

	while (size - n >= sizeof(uint64_t) && are_plain(s + n))
		n += sizeof(uint64_t);
	while (n < size && !changed[s[n]])
		n++;
	return n;
}

/* Append a character as an escape sequence, or two for UTF-16. */
static void add_escape(struct buf *out, uint32_t c)
{
	if (c < 0x10000)
		buf_printf(out, "\\u%04x", c);
	else
		buf_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
}

/*
 * Append the first character of @s. Return its length. A terminal may show the text, so that
 * characters without an image, and those that change the order of others, are escaped.
 */
static size_t add_character(struct buf *out, const unsigned char *s, size_t size)
{
	size_t n = utf8_length(s, size);
	uint32_t hidden = utf8_hidden(s, n);

	if (!n) {
		buf_add(out, "\\ufffd", 6);
		return 1;
	}
	if (*s == '"' || *s == '\\')
		buf_add(out, "\\", 1);
	if (*s < 0x20 || *s == 0x7f || hidden)
		add_escape(out, hidden ? hidden : *s);
	else
		buf_add(out, s, n);
	return n;
}

/* Append a string that needs no change, with one look at the room. */
static void add_plain(struct buf *out, const char *value, size_t size)
{
	char *at = buf_room(out, size + 2);

	if (!at)
		return;
	*at = '"';
	if (size)
		memcpy(at + 1, value, size);
	at[size + 1] = '"';
	buf_end(out, at + size + 2);
}

/* Names of threads can have any bytes. */
void json_add_string(struct buf *out, const char *value, size_t size)
{
	const unsigned char *s = (const unsigned char *)value;
	size_t n = plain(s, size);

	if (n == size) {
		add_plain(out, value, size);
		return;
	}
	buf_add(out, "\"", 1);
	while (size) {
		n = plain(s, size);
		if (n)
			buf_add(out, s, n);
		else
			n = add_character(out, s, size);
		s += n;
		size -= n;
	}
	buf_add(out, "\"", 1);
}

static void put_string(struct json *j, const char *value, size_t size)
{
	struct buf text = { 0 };

	json_add_string(&text, value, size);
	fwrite(text.data, 1, text.size, j->out);
	buf_free(&text);
}

static void begin(struct json *j, const char *key)
{
	if (j->depth) {
		if (j->some[j->depth - 1])
			fputs(j->compact ? ", " : ",", j->out);
		j->some[j->depth - 1] = true;
		if (!j->compact)
			fprintf(j->out, "\n%*s", 2 * j->depth, "");
	}
	if (key) {
		put_string(j, key, strlen(key));
		fputs(": ", j->out);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	fputc(bracket, j->out);
	if (j->depth < JSON_DEPTH)
		j->some[j->depth++] = false;
}

void json_close(struct json *j, char bracket)
{
	j->depth--;
	if (j->some[j->depth] && !j->compact)
		fprintf(j->out, "\n%*s", 2 * j->depth, "");
	fputc(bracket, j->out);
	if (!j->depth)
		fputc('\n', j->out);
}

void json_string(struct json *j, const char *key, const char *value)
{
	json_bytes(j, key, value, strlen(value));
}

void json_bytes(struct json *j, const char *key, const char *value, size_t size)
{
	begin(j, key);
	put_string(j, value, size);
}

void json_number(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->out);
}
