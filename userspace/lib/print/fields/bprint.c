// SPDX-License-Identifier: LGPL-2.1-only
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bprint.h"
#include "fields.h"

#define WIDTH_MAX	4096

/* The part between the % and the conversion */
struct spec {
	char flags[8];
	int width;		/* negative: to the left */
	int precision;		/* negative: none */
	unsigned int size;	/* bytes of a number */
};

struct printing {
	const char *at;			/* rest of the format */
	struct bprint_args args;
	uint32_t next;			/* place of the next argument */
	bool failed;			/* an argument is missing */
	find_symbol_fn *find;
	void *data;
	struct buf *out;
};

/* Numbers of 8 bytes are at multiples of 4. */
static uint64_t take_number(struct printing *p, unsigned int size)
{
	unsigned int align = size < 4 ? size : 4;
	uint32_t at = (p->next + align - 1) / align * align;

	if (at > p->args.size || p->args.size - at < size) {
		p->failed = true;
		return 0;
	}
	p->next = at + size;
	return field_number(p->args.data + at, size);
}

/* Return a string, which need not have a 0, and its length. */
static const char *take_string(struct printing *p, size_t *len)
{
	const char *text = p->args.data + p->next;

	*len = 0;
	if (p->next >= p->args.size) {
		p->failed = true;
		return "";
	}
	*len = strnlen(text, p->args.size - p->next);
	p->next += *len + 1;
	return text;
}

static int limited(int64_t number)
{
	return number > WIDTH_MAX ? WIDTH_MAX : number < -WIDTH_MAX ? -WIDTH_MAX : (int)number;
}

/* Parse a number of the format, or take one of the arguments. */
static int parse_number(struct printing *p)
{
	char *end;
	long number;

	if (*p->at == '*') {
		p->at++;
		return limited((int32_t)take_number(p, 4));
	}
	if (!isdigit((unsigned char)*p->at))
		return 0;
	number = strtol(p->at, &end, 10);
	p->at = end;
	return limited(number);
}

static void parse_size(struct printing *p, struct spec *spec)
{
	spec->size = 4;
	for (; *p->at && strchr("hlLqzjt", *p->at); p->at++) {
		if (*p->at == 'h')
			spec->size = spec->size == 2 ? 1 : 2;
		else if (*p->at == 'L' || *p->at == 'q' || (*p->at == 'l' && p->at[-1] == 'l'))
			spec->size = 8;
		else
			spec->size = p->args.word;
	}
}

static void parse_spec(struct printing *p, struct spec *spec)
{
	size_t nr = 0;

	*spec = (struct spec){ .precision = -1 };
	while (*p->at && strchr("-+ #0", *p->at)) {
		if (nr < sizeof(spec->flags) - 1 && !strchr(spec->flags, *p->at))
			spec->flags[nr++] = *p->at;
		p->at++;
	}
	spec->width = parse_number(p);
	if (*p->at == '.') {
		p->at++;
		spec->precision = parse_number(p);
	}
	parse_size(p, spec);
}

static void add_number(struct printing *p, const struct spec *spec, char conversion)
{
	bool is_signed = conversion == 'd' || conversion == 'i';
	uint64_t value = take_number(p, spec->size);
	char format[32];

	if (p->failed)
		return;
	if (is_signed)
		value = sign_extend(value, 8 * spec->size);
	snprintf(format, sizeof(format), "%%%s*.*" PRIu64, spec->flags);
	/* The last letter is the conversion: d, u, x, X or o. */
	format[strlen(format) - 1] = is_signed ? 'd' : conversion;
	buf_printf(p->out, format, spec->width, spec->precision, value);
}

static void add_text(struct printing *p, const struct spec *spec, const char *text, size_t len)
{
	int size = len > WIDTH_MAX ? WIDTH_MAX : (int)len;

	if (spec->precision >= 0 && spec->precision < size)
		size = spec->precision;
	buf_printf(p->out, strchr(spec->flags, '-') ? "%-*.*s" : "%*.*s", spec->width, size, text);
}

static void add_symbol(struct printing *p, uint64_t addr, bool with_offset)
{
	const struct symbol *symbol = p->find(p->data, addr);

	if (!symbol)
		buf_printf(p->out, "0x%" PRIx64, addr);
	else if (with_offset)
		buf_printf(p->out, "%s+0x%" PRIx64, symbol->name, addr - symbol->addr);
	else
		buf_printf(p->out, "%s", symbol->name);
}

/* An address has other bytes: those of the kernel are 0xff at one end. */
static bool is_text_next(const struct printing *p)
{
	struct printing look = *p;
	size_t len, n = 0;
	const char *text = take_string(&look, &len);

	while (n < len && isprint((unsigned char)text[n]))
		n++;
	return n && n == len;
}

/*
 * The kernel stores the text of most extensions of %p. Before Linux 5.2, %pf and %pF were
 * functions; now they have text.
 */
static bool stores_text(const struct printing *p, char extension)
{
	if (!isalnum((unsigned char)extension) || strchr("SsxKe", extension))
		return false;
	return !strchr("Ff", extension) || is_text_next(p);
}

static void add_pointer(struct printing *p, const struct spec *spec)
{
	char extension = *p->at;
	const char *text;
	uint64_t addr;
	size_t len;

	if (stores_text(p, extension)) {
		text = take_string(p, &len);
		add_text(p, spec, text, len);
	} else {
		addr = take_number(p, p->args.word);
		if (p->failed)
			return;
		if (extension && strchr("SsFf", extension))
			add_symbol(p, addr, !strchr("sf", extension));
		else
			buf_printf(p->out, "0x%" PRIx64, addr);
	}
	while (isalnum((unsigned char)*p->at))
		p->at++;
}

static void add_conversion(struct printing *p)
{
	struct spec spec;
	const char *text;
	size_t len;
	char c;

	p->at++;
	parse_spec(p, &spec);
	c = *p->at;
	if (!c)
		return;
	p->at++;
	switch (c) {
	case '%':
		buf_add(p->out, "%", 1);
		break;
	case 'c':
		c = take_number(p, 1);
		add_text(p, &spec, &c, !p->failed);
		break;
	case 's':
		text = take_string(p, &len);
		add_text(p, &spec, text, len);
		break;
	case 'p':
		add_pointer(p, &spec);
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		add_number(p, &spec, c);
		break;
	default:
		/* The kernel stops here, too. */
		p->failed = true;
	}
}

void bprint_add(const char *format, const struct bprint_args *args, find_symbol_fn *find,
		void *data, struct buf *out)
{
	struct printing p = { .at = format, .args = *args, .find = find, .data = data,
			      .out = out };
	char c;

	while (*p.at && !p.failed) {
		if (*p.at == '%') {
			add_conversion(&p);
			continue;
		}
		c = *p.at++;
		if (c == '\\' && *p.at)
			c = escaped(*p.at++);
		buf_add(out, &c, 1);
	}
	if (p.failed)
		buf_printf(out, "...");
}
