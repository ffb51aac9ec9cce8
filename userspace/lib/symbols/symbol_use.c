// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rbmap.h>

#include "base/hash.h"
#include "event_common.h"
#include "formats/format_text.h"
#include "symbol_use.h"
#include "symbols.h"

#define NR_IDS		65536
#define MAX_FIELDS	32
#define MAX_NAME	64
/* More addresses than the kernel has functions that are called back */
#define MAX_ADDRESSES	65536

/* The fields of an event that are printed as symbols. */
struct event_fields {
	unsigned int nr;
	struct {
		unsigned int offset, size;
	} field[MAX_FIELDS];
};

struct used_addr {
	uint64_t addr;
	bool used;
};

#define ADDR_IS_OF(a, key)	((a)->addr == (key))
#define ADDR_OF(a)		((a)->addr)

HASH_TABLE(used_addrs, struct used_addr);
HASH_FUNCTIONS(used_addrs, struct used_addr, uint64_t, 64, hash_u64, ADDR_IS_OF, ADDR_OF);

struct symbol_use {
	struct event_fields *event[NR_IDS];	/* NULL: the event prints no symbol */
	size_t nr;				/* the pages behind these are never touched */
	bool any;
	struct used_addrs addrs;	/* other than 0 */
	uint64_t left_out;	/* events with an address beyond the limit */
};

struct symbol_use *symbol_use_new(void)
{
	return calloc(1, sizeof(struct symbol_use));
}

void symbol_use_free(struct symbol_use *use)
{
	if (!use)
		return;
	for (size_t i = 0; i < use->nr; i++)
		free(use->event[i]);
	free(use->addrs.slot);
	free(use);
}

bool kallsyms_wanted(const char *format)
{
	const char *at = strstr(format, "print fmt:");

	for (; at && (at = strchr(at, '%')); at++) {
		const char *type = at + 1 + strspn(at + 1, "-+ #*0123456789.");

		if (type[0] == 'p' && type[1] && strchr("sSfFB", type[1]))
			return true;
	}
	return false;
}

/* Return what follows a string of a print format, or its end. */
static const char *end_of_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* Return the end of an argument: a comma that is not in parentheses or in a string. */
static const char *end_of_argument(const char *at)
{
	int depth = 0;

	while (*at && *at != '\n' && (depth || *at != ',')) {
		if (*at == '"') {
			at = end_of_string(at);
			continue;
		}
		depth += strchr("([{", *at) != NULL;
		depth -= strchr(")]}", *at) != NULL;
		at++;
	}
	return at;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void add_field(struct event_fields *fields, const struct format *format, const char *name,
		      size_t len)
{
	for (uint32_t i = 0; i < format->public.nr_fields; i++) {
		const struct rbmap_format_field *f = &format->field[i];

		if (strncmp(f->name, name, len) || f->name[len] || !f->size ||
		    f->size % sizeof(uint64_t) || fields->nr == MAX_FIELDS)
			continue;
		fields->field[fields->nr].offset = f->offset;
		fields->field[fields->nr++].size = f->size;
	}
}

/* Add the fields that an argument names as REC->field. */
static void add_argument(struct event_fields *fields, const struct format *format, const char *at,
			 const char *end)
{
	for (; (at = strstr(at, "REC->")) && at < end; at++) {
		const char *name = at + strlen("REC->");
		size_t len = 0;

		while (is_name(name[len]))
			len++;
		if (len && len < MAX_NAME)
			add_field(fields, format, name, len);
	}
}

/*
 * Find the next argument of a format: that of a conversion, or of a '*' in it. Return what
 * follows it, or NULL. *symbol: the argument is printed as a symbol.
 */
static const char *next_conversion(const char *at, bool *in, bool *symbol)
{
	static const char flags[] = "-+ #0123456789.hlLqjzt";

	*symbol = false;
	for (; *in || (at = strchr(at, '%')); *in = false) {
		at += !*in;
		*in = true;
		at += strspn(at, flags);
		if (*at == '*')
			return at + 1;
		if (!*at)
			return NULL;
		if (*at++ == '%')
			continue;
		*in = false;
		*symbol = at[-1] == 'p' && *at && strchr("sSfFB", *at);
		return at;
	}
	return NULL;
}

/* Append the strings at @at, which the compiler would join. Return what follows them. */
static const char *join_strings(const char *at, struct buf *text)
{
	while (*at == '"') {
		const char *end = end_of_string(at);

		buf_add(text, at + 1, end - at - (end[-1] == '"' ? 2 : 1));
		at = end + strspn(end, " \t");
	}
	buf_add(text, "", 1);
	return at;
}

static int add_symbol_fields(struct event_fields *fields, const struct format *format)
{
	const char *argument, *at = strchr(format->public.print, '"');
	struct buf text = { 0 };
	bool in = false, symbol;

	if (!at)
		return 0;
	argument = join_strings(at, &text);
	if (text.failed)
		return -ENOMEM;
	at = text.data;
	while (*argument == ',' && (at = next_conversion(at, &in, &symbol))) {
		const char *end = end_of_argument(argument + 1);

		if (symbol)
			add_argument(fields, format, argument + 1, end);
		argument = end;
	}
	buf_free(&text);
	return 0;
}

int symbol_use_add_format(struct symbol_use *use, const char *text)
{
	struct event_fields *fields;
	struct format *format;
	int ret;

	if (!kallsyms_wanted(text))
		return 0;
	ret = format_parse(&format, "", text, strlen(text));
	/* An event without a valid format prints no symbol. */
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	fields = use->event[format->public.id] ? NULL : calloc(1, sizeof(*fields));
	if (fields) {
		use->event[format->public.id] = fields;
		if (format->public.id >= use->nr)
			use->nr = format->public.id + 1;
		use->any = true;
		ret = add_symbol_fields(fields, format);
	} else if (!use->event[format->public.id]) {
		ret = -ENOMEM;
	}
	format_free(format);
	return ret;
}

static int add_addr(struct symbol_use *use, uint64_t addr)
{
	struct used_addr *a;

	if (!addr)
		return 0;
	if (use->addrs.nr == MAX_ADDRESSES) {
		use->left_out += !used_addrs_find(&use->addrs, addr);
		return 0;
	}
	a = used_addrs_place(&use->addrs, addr);
	if (!a)
		return -ENOMEM;
	use->addrs.nr += !a->used;
	*a = (struct used_addr){ addr, true };
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

	while (use->any && !ret && rbmap_decode(page, size, &cursor, &ev) == 1)
		if (event_id(&ev, &id) && use->event[id])
			ret = add_event(use, use->event[id], &ev);
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
	const struct symbol **found = calloc(2 * use->addrs.nr, sizeof(*found));
	const struct used_addr *a;
	size_t nr = 0;

	if (!found)
		return -ENOMEM;
	hash_for_each(&use->addrs, a) {
		const struct symbol *s = symbols_find(symbols, a->addr);

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

bool symbol_use_any(const struct symbol_use *use)
{
	return use->any;
}

uint64_t symbol_use_left_out(const struct symbol_use *use)
{
	return use->left_out;
}

int symbol_use_print(const struct symbol_use *use, const char *kallsyms, size_t size,
		     struct buf *out)
{
	struct symbols *symbols;
	int ret;

	if (!use->addrs.nr)
		return 0;
	symbols = symbols_new();
	ret = symbols ? symbols_add(symbols, kallsyms, size) : -ENOMEM;
	if (!ret)
		ret = print_used(use, symbols, out);
	symbols_free(symbols);
	return ret;
}

/* Only the kernel's half of the address space has symbols. A hash is in the other one. */
static int read_symbols(const struct symbol_use *use, symbols_read_fn *read,
			struct buf *kallsyms)
{
	uint64_t *addr = calloc(use->addrs.nr + 1, sizeof(*addr));
	const struct used_addr *a;
	size_t nr = 0;
	int ret;

	if (!addr)
		return -ENOMEM;
	hash_for_each(&use->addrs, a)
		if ((int64_t)a->addr < 0)
			addr[nr++] = a->addr;
	ret = nr ? read(addr, nr, kallsyms) : 0;
	free(addr);
	return ret;
}

int symbol_use_read(const struct symbol_use *use, symbols_read_fn *read, struct buf *out)
{
	struct buf all = { 0 };
	int ret = read_symbols(use, read, &all);

	if (!ret && all.size)
		ret = symbol_use_print(use, all.data, all.size, out);
	buf_free(&all);
	return ret;
}
