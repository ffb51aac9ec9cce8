// SPDX-License-Identifier: LGPL-2.1-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "constants.h"

/* libtraceevent reads as many arguments as a format has: a longer one is damage. */
#define TEXT_MAX	4096

struct constant {
	uint64_t addr;
	char *text;
};

struct constants {
	struct constant *v;	/* sorted by address */
	size_t nr;
};

struct constants *constants_new(void)
{
	return calloc(1, sizeof(struct constants));
}

void constants_free(struct constants *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++) {
		free(c->v[i].text);
	}
	free(c->v);
	free(c);
}

static int compare(const void *a, const void *b)
{
	const struct constant *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* libtraceevent does the same with a string that it prints. */
static char *without_quotes(const char *line, size_t size)
{
	if (size && *line == '"') {
		line++;
		size--;
	}
	if (size && line[size - 1] == '"')
		size--;
	if (size >= 2 && line[size - 2] == '\\' && line[size - 1] == 'n')
		size -= 2;
	return strndup(line, size);
}

static int add_line(struct constants *c, uint64_t addr, const char *line, size_t size)
{
	struct constant k = { .addr = addr };

	if (!array_grow(c->v, c->nr))
		return -ENOMEM;
	k.text = without_quotes(line, size);
	if (!k.text)
		return -ENOMEM;
	c->v[c->nr++] = k;
	return 0;
}

int constants_add(struct constants *c, const char *text, size_t size)
{
	const char *end = text + size, *next;
	int ret = 0;

	/* The caller's text has a 0 behind its end. */
	for (; text < end && !ret; text = next) {
		const char *stop = memchr(text, '\n', end - text);
		char *colon;
		uint64_t addr;

		stop = stop ? stop : end;
		next = stop + 1;
		while (text < stop && (*text == ' ' || *text == '\t'))
			text++;
		/* strtoull() would skip the ends of all empty lines that follow, for each of them. */
		if (!isxdigit((unsigned char)*text))
			continue;
		addr = strtoull(text, &colon, 16);
		while (colon < stop && *colon == ' ')
			colon++;
		if (colon >= stop || *colon != ':' || stop - colon > TEXT_MAX)
			continue;
		colon++;
		while (colon < stop && *colon == ' ')
			colon++;
		ret = add_line(c, addr, colon, stop - colon);
	}
	if (c->nr)
		qsort(c->v, c->nr, sizeof(*c->v), compare);
	return ret;
}

const char *constants_find(const struct constants *c, uint64_t addr)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->v[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->nr && c->v[low].addr == addr ? c->v[low].text : NULL;
}

void constants_each(const struct constants *c, constant_fn *each, void *data)
{
	for (size_t i = 0; i < c->nr; i++)
		each(data, c->v[i].addr, c->v[i].text);
}
