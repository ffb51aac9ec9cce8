// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "json.h"

/* Return the length of a UTF-8 character in bytes, or 0 if it is invalid. */
static size_t utf8(const unsigned char *s, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *s < 0x80 ? 1 : *s >= 0xf5 ? 0 : *s >= 0xf0 ? 4 :
		   *s >= 0xe0 ? 3 : *s >= 0xc2 ? 2 : 0;
	uint32_t value;

	if (n < 2 || n > size)
		return n == 1;
	value = *s & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (s[i] & 0x3f);
	}
	if (value < least[n] || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000))
		return 0;
	return n;
}

/*
 * Names of threads can have any bytes. Replace those that are invalid in UTF-8.
 */
static void put_string(struct json *j, const char *value, size_t size)
{
	const unsigned char *s = (const unsigned char *)value;

	fputc('"', j->out);
	while (size) {
		size_t n = utf8(s, size);

		if (!n) {
			fputs("\\ufffd", j->out);
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			fprintf(j->out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(j->out, "\\u%04x", *s);
		} else {
			fwrite(s, 1, n, j->out);
		}
		s += n;
		size -= n;
	}
	fputc('"', j->out);
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
