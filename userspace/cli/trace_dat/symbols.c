// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* An address so far above a symbol does not belong to it. */
#define SYMBOL_REACH	(1ULL << 24)

struct symbols {
	char *text;
	struct symbol *v;
	size_t nr;
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->text);
	free(symbols->v);
	free(symbols);
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Parse "ffffffff81000000 T _text" or "ffffffffc0000000 t init\t[module]". */
static bool parse_line(char *line, struct symbol *symbol)
{
	char *end;

	symbol->addr = strtoull(line, &end, 16);
	if (!symbol->addr || end == line || end[0] != ' ' || !end[1] ||
	    end[2] != ' ')
		return false;
	symbol->name = end + 3;
	symbol->module = NULL;
	end = strpbrk(symbol->name, " \t");
	if (end) {
		*end++ = '\0';
		end += strspn(end, " \t[");
		end[strcspn(end, "]")] = '\0';
		if (*end)
			symbol->module = end;
	}
	return *symbol->name;
}

int symbols_add(struct symbols *symbols, const char *text, size_t size)
{
	struct symbol *v = NULL;
	size_t nr = 0, room = 0;
	char *copy, *line, *save;

	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, size);
	copy[size] = '\0';

	for (line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (nr == room) {
			struct symbol *more;

			room = room ? 2 * room : 1024;
			more = realloc(v, room * sizeof(*v));
			if (!more) {
				free(v);
				free(copy);
				return -ENOMEM;
			}
			v = more;
		}
		/* Hidden addresses are 0. */
		nr += parse_line(line, &v[nr]);
	}
	if (nr)
		qsort(v, nr, sizeof(*v), by_addr);
	free(symbols->text);
	free(symbols->v);
	symbols->text = copy;
	symbols->v = v;
	symbols->nr = nr;
	return 0;
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t addr)
{
	size_t low = 0, high = symbols->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->v[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr - symbols->v[low - 1].addr >= SYMBOL_REACH)
		return NULL;
	return &symbols->v[low - 1];
}
