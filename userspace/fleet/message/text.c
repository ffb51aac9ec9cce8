// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

void text_add(struct buf *out, const char *name, const char *value)
{
	size_t from;

	buf_add(out, name, strlen(name));
	buf_add(out, " = ", 3);
	from = out->size;
	buf_add(out, value, strlen(value));
	for (size_t i = from; !out->failed && i < out->size; i++)
		if (is_control(out->data[i]))
			out->data[i] = ' ';
	buf_add(out, "\n", 1);
}

void text_add_u64(struct buf *out, const char *name, uint64_t value)
{
	buf_printf(out, "%s = %" PRIu64 "\n", name, value);
}

/* Store the text between two places, without spaces around it. */
static void store(char *to, size_t size, const char *at, const char *end)
{
	size_t len;

	while (at < end && *at == ' ')
		at++;
	while (at < end && end[-1] == ' ')
		end--;
	len = (size_t)(end - at) < size ? (size_t)(end - at) : size - 1;
	for (size_t i = 0; i < len; i++)
		to[i] = is_control(at[i]) ? ' ' : at[i];
	to[len] = '\0';
}

bool text_next(struct text *t, char *name, size_t name_size, char *value, size_t value_size)
{
	while (t->at < t->end) {
		const char *line = t->at;
		const char *end = memchr(line, '\n', t->end - line);
		const char *is;

		t->at = end ? end + 1 : t->end;
		end = end ? end : t->end;
		is = memchr(line, '=', end - line);
		if (!is)
			continue;
		store(name, name_size, line, is);
		store(value, value_size, is + 1, end);
		return true;
	}
	return false;
}

bool text_u64(const char *value, uint64_t *number)
{
	char *end;

	if (*value < '0' || *value > '9')
		return false;
	errno = 0;
	*number = strtoull(value, &end, 10);
	return !*end && !errno;
}
