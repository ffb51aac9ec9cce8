// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rbmap.h>

#include "kallsyms.h"
#include "symbol_use.h"
#include "symbols.h"

#define NR_IDS		65536
#define MAX_FIELDS	32
#define MIN_ROOM	64

/* The fields of an event that can be addresses. */
struct event_fields {
	unsigned int nr;
	struct {
		unsigned int offset, size;
	} field[MAX_FIELDS];
};

/* A set of addresses other than 0: a hash table with room for twice as many. */
struct symbol_use {
	struct event_fields *event[NR_IDS];	/* NULL: the event prints no symbol */
	bool any;
	uint64_t *addr;
	size_t room;		/* a power of two */
	size_t nr;
};

struct symbol_use *symbol_use_new(void)
{
	return calloc(1, sizeof(struct symbol_use));
}

void symbol_use_free(struct symbol_use *use)
{
	if (!use)
		return;
	for (size_t i = 0; i < NR_IDS; i++)
		free(use->event[i]);
	free(use->addr);
	free(use);
}

int symbol_use_add_format(struct symbol_use *use, const char *format)
{
	const char *at = strstr(format, "ID:");
	struct event_fields *fields;
	unsigned int id, offset, size;

	if (!kallsyms_wanted(format))
		return 0;
	if (!at || sscanf(at, "ID: %u", &id) != 1 || id >= NR_IDS || use->event[id])
		return 0;
	fields = calloc(1, sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	use->event[id] = fields;
	use->any = true;
	while ((at = strstr(at, "offset:")) && fields->nr < MAX_FIELDS) {
		if (sscanf(at, "offset:%u; size:%u;", &offset, &size) == 2 && size &&
		    size % sizeof(uint64_t) == 0) {
			fields->field[fields->nr].offset = offset;
			fields->field[fields->nr++].size = size;
		}
		at++;
	}
	return 0;
}

static size_t slot_of(const struct symbol_use *use, uint64_t addr)
{
	size_t slot = (addr * 0x9e3779b97f4a7c15ULL) >> 20;

	for (slot &= use->room - 1; use->addr[slot] && use->addr[slot] != addr;)
		slot = (slot + 1) & (use->room - 1);
	return slot;
}

static int grow(struct symbol_use *use)
{
	uint64_t *old = use->addr;
	size_t old_room = use->room;

	use->room = old_room ? 2 * old_room : MIN_ROOM;
	use->addr = calloc(use->room, sizeof(*use->addr));
	if (!use->addr) {
		use->addr = old;
		use->room = old_room;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			use->addr[slot_of(use, old[i])] = old[i];
	free(old);
	return 0;
}

static int add_addr(struct symbol_use *use, uint64_t addr)
{
	size_t slot;
	int ret;

	if (!addr)
		return 0;
	if (2 * use->nr >= use->room) {
		ret = grow(use);
		if (ret)
			return ret;
	}
	slot = slot_of(use, addr);
	use->nr += !use->addr[slot];
	use->addr[slot] = addr;
	return 0;
}

static int add_event(struct symbol_use *use, const struct event_fields *fields,
		     const struct rbmap_event *ev)
{
	int ret = 0;

	for (unsigned int i = 0; i < fields->nr && !ret; i++) {
		size_t at = fields->field[i].offset, end = at + fields->field[i].size;

		for (; at < end && at + sizeof(uint64_t) <= ev->size && !ret;
		     at += sizeof(uint64_t)) {
			uint64_t addr;

			memcpy(&addr, (const char *)ev->data + at, sizeof(addr));
			ret = add_addr(use, addr);
		}
	}
	return ret;
}

int symbol_use_add_page(struct symbol_use *use, const void *page, size_t size)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;
	uint16_t id;
	int ret = 0;

	while (use->any && !ret && rbmap_decode(page, size, &cursor, &ev) == 1) {
		if (ev.size < sizeof(id))
			continue;
		memcpy(&id, ev.data, sizeof(id));
		if (use->event[id])
			ret = add_event(use, use->event[id], &ev);
	}
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a;
	const struct symbol *y = *(const struct symbol *const *)b;

	return (x > y) - (x < y);
}

static void print_symbols(const struct symbol **found, size_t nr, struct buf *out)
{
	qsort(found, nr, sizeof(*found), by_place);
	for (size_t i = 0; i < nr; i++) {
		const struct symbol *s = found[i];

		if (i && s == found[i - 1])
			continue;
		buf_printf(out, "%016" PRIx64 " t %s", s->addr, s->name);
		if (s->module)
			buf_printf(out, "\t[%s]", s->module);
		buf_printf(out, "\n");
	}
}

static int print_used(const struct symbol_use *use, const struct symbols *symbols,
		      struct buf *out)
{
	const struct symbol **found = calloc(2 * use->nr, sizeof(*found));
	size_t nr = 0;

	if (!found)
		return -ENOMEM;
	for (size_t i = 0; i < use->room; i++) {
		const struct symbol *s =
			use->addr[i] ? symbols_find(symbols, use->addr[i]) : NULL;

		if (!s)
			continue;
		found[nr++] = s;
		/* For libtraceevent, a symbol ends where the next one begins. */
		s = symbols_next(symbols, s);
		if (s)
			found[nr++] = s;
	}
	print_symbols(found, nr, out);
	free(found);
	return out->failed ? -ENOMEM : 0;
}

int symbol_use_print(const struct symbol_use *use, const char *kallsyms, size_t size,
		     struct buf *out)
{
	struct symbols *symbols;
	int ret;

	if (!use->nr)
		return 0;
	symbols = symbols_new();
	ret = symbols ? symbols_add(symbols, kallsyms, size) : -ENOMEM;
	if (!ret)
		ret = print_used(use, symbols, out);
	symbols_free(symbols);
	return ret;
}
