// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

#define SYMBOL_NAME_MAX	512	/* that of the kernel, KSYM_NAME_LEN */

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

/* Return the value of the hexadecimal digits at *at, and move *at behind them. */
static uint64_t parse_hex(char **at)
{
	uint64_t value = 0;

	for (;; ++*at) {
		unsigned char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | ((c | 0x20) - 'a' + 10);
		else
			return value;
	}
}

/* Parse "ffffffff81000000 T _text" or "ffffffffc0000000 t init\t[module]". */
static bool parse_line(char *line, char *end, struct symbol *symbol)
{
	char *at = line, *module;

	symbol->addr = parse_hex(&at);
	if (!symbol->addr || at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	/* Absolute symbols: offsets of variables of each CPU. Addresses of users are behind them. */
	if (at[1] == 'A' || at[1] == 'a')
		return false;
	symbol->name = at + 3;
	symbol->module = NULL;
	*end = '\0';
	module = strpbrk(symbol->name, " \t");
	if (module) {
		*module++ = '\0';
		module += strspn(module, " \t[");
		module[strcspn(module, "]")] = '\0';
		if (*module)
			symbol->module = module;
	}
	/* Each event can print it. */
	if (end - symbol->name > SYMBOL_NAME_MAX)
		symbol->name[SYMBOL_NAME_MAX] = '\0';
	return *symbol->name;
}

/* The kernel's symbols are in order; those of the modules follow. */
static void sort(struct symbol *v, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (v[i - 1].addr > v[i].addr) {
			qsort(v, nr, sizeof(*v), by_addr);
			return;
		}
	}
}

static size_t count_lines(const char *text, size_t size)
{
	const char *end = text + size;
	size_t nr = 1;

	while ((text = memchr(text, '\n', end - text))) {
		text++;
		nr++;
	}
	return nr;
}

int symbols_add(struct symbols *symbols, const char *text, size_t size)
{
	struct symbol *v = calloc(count_lines(text, size), sizeof(*v));
	char *copy = malloc(size + 1), *line, *end;
	size_t nr = 0;

	if (!v || !copy) {
		free(v);
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, text, size);
	copy[size] = '\0';
	for (line = copy; line < copy + size; line = end + 1) {
		end = memchr(line, '\n', copy + size - line);
		if (!end)
			end = copy + size;
		/* Hidden addresses are 0. */
		nr += parse_line(line, end, &v[nr]);
	}
	sort(v, nr);
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

const struct symbol *symbols_next(const struct symbols *symbols,
				  const struct symbol *symbol)
{
	return symbol + 1 < symbols->v + symbols->nr ? symbol + 1 : NULL;
}
