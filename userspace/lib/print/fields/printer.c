// SPDX-License-Identifier: LGPL-2.1-only
#include <string.h>

#include "fields.h"
#include "numbers.h"
#include "printer.h"
#include "printer_parts.h"

#define NUMBER_ROOM	(NUMBER_MAX + 3)	/* with a sign or 0x */

struct printing {
	const char *record;
	uint32_t size;
	struct buf *out;
	find_symbol_fn *find;
	void *data;
	const struct constants *constants;
	bool failed;			/* libtraceevent has to print this record */
};

static uint64_t value_of(struct printing *p, const struct expression *e)
{
	return expression_value(e, p->record, p->size, &p->failed);
}

static void add_hex(struct printing *p, const char *before, uint64_t value)
{
	char *at = buf_room(p->out, NUMBER_ROOM);

	if (at)
		buf_end(p->out, put_hex(stpcpy(at, before), value, false));
}

/* Add text, and spaces up to the width. */
static void add_aligned(struct printing *p, const struct piece *piece, const char *text,
			size_t size)
{
	size_t pad;
	char *at;

	if (size > piece->precision)
		size = piece->precision;
	pad = piece->width > size ? piece->width - size : 0;
	at = buf_room(p->out, size + pad);
	if (!at)
		return;
	if (!piece->left)
		memset(at, ' ', pad);
	memcpy(piece->left ? at : at + pad, text, size);
	if (piece->left)
		memset(at + size, ' ', pad);
	buf_end(p->out, at + size + pad);
}

static void add_string(struct printing *p, const struct piece *piece, const char *text)
{
	add_aligned(p, piece, text, strlen(text));
}

static void print_flags(struct printing *p, const struct piece *piece,
			const struct string *s)
{
	uint64_t value = value_of(p, s->number);
	bool any = false;

	for (unsigned int i = 0; i < s->nr_values; i++) {
		const struct named_value *flag = &s->value[i];

		/* libtraceevent: a negative number is the name of 0. */
		if (!value && flag->value > INT64_MAX) {
			add_string(p, piece, flag->name);
			return;
		}
		if (!flag->value || flag->value > INT64_MAX ||
		    (value & flag->value) != flag->value)
			continue;
		if (any)
			buf_add(p->out, s->text, s->size);
		add_string(p, piece, flag->name);
		value &= ~flag->value;
		any = true;
	}
	if (!value)
		return;
	if (any)
		buf_add(p->out, s->text, s->size);
	add_hex(p, "0x", value);
}

static void print_symbol(struct printing *p, const struct piece *piece,
			 const struct string *s)
{
	uint64_t value = value_of(p, s->number);

	for (unsigned int i = 0; i < s->nr_values; i++) {
		if (s->value[i].value == value) {
			add_string(p, piece, s->value[i].name);
			return;
		}
	}
	add_hex(p, "0x", value);
}

static void print_dynamic(struct printing *p, const struct piece *piece,
			  const struct string *s)
{
	uint32_t offset, len;

	if (!dynamic_place(p->record, p->size, s->offset, s->relative, &offset, &len)) {
		p->failed = true;
		return;
	}
	/* libtraceevent prints nothing, not even the width. */
	if (len)
		add_aligned(p, piece, p->record + offset,
			    strnlen(p->record + offset, p->size - offset));
}

/* A pointer to a constant string, or another one */
static void print_address(struct printing *p, const struct string *s)
{
	uint64_t addr = value_of(p, s->number);
	const char *text = p->constants ? constants_find(p->constants, addr) : NULL;

	if (text)
		buf_add(p->out, text, strlen(text));
	else
		add_hex(p, "", addr);
}

static void print_string(struct printing *p, const struct piece *piece,
			 const struct string *s)
{
	uint32_t size;

	switch (s->kind) {
	case TEXT:
		add_string(p, piece, s->text);
		break;
	case FIXED:
		size = s->size ? s->size : p->size - s->offset;
		add_aligned(p, piece, p->record + s->offset,
			    strnlen(p->record + s->offset, size));
		break;
	case DYNAMIC:
		print_dynamic(p, piece, s);
		break;
	case ADDRESS:
		print_address(p, s);
		break;
	case FLAGS:
		print_flags(p, piece, s);
		break;
	case SYMBOL:
		print_symbol(p, piece, s);
		break;
	case CHOICE:
		print_string(p, piece, s->choice[!value_of(p, s->number)]);
		break;
	}
}

/* Return the end of the sign or the prefix at @at. */
static char *put_before_digits(char *at, const struct piece *piece, uint64_t *value)
{
	int64_t number;

	if (piece->kind == DECIMAL) {
		number = sign_extend(*value, piece->bits);
		*value = number < 0 ? -(uint64_t)number : (uint64_t)number;
		if (number < 0)
			*at++ = '-';
		return at;
	}
	if (piece->bits < 64)
		*value &= (1ULL << piece->bits) - 1;
	if (piece->kind == HEX && piece->prefix && *value) {
		*at++ = '0';
		*at++ = piece->upper ? 'X' : 'x';
	}
	return at;
}

static void print_number(struct printing *p, const struct piece *piece)
{
	uint64_t value = value_of(p, piece->number);
	char *at = buf_room(p->out, NUMBER_ROOM + piece->width);
	char *digits, *end;

	if (!at)
		return;
	digits = put_before_digits(at, piece, &value);
	end = piece->kind == HEX ? put_hex(digits, value, piece->upper) :
				   put_decimal(digits, value);
	if (piece->left)
		end = align_left(at, end, piece->width);
	else if (piece->zeros && piece->width > digits - at)
		end = align_right(digits, end, piece->width - (digits - at), '0');
	else
		end = align_right(at, end, piece->width, ' ');
	buf_end(p->out, end);
}

static void add_symbol(struct printing *p, const struct symbol *symbol)
{
	buf_add(p->out, symbol->name, strlen(symbol->name));
}

static void print_function(struct printing *p, const struct piece *piece)
{
	uint64_t addr = value_of(p, piece->number);
	const struct symbol *symbol = p->find(p->data, addr);

	if (!symbol) {
		add_hex(p, "0x", addr);
		return;
	}
	add_symbol(p, symbol);
	if (piece->with_offset)
		add_hex(p, "+0x", addr - symbol->addr);
}

/* Add at least eight digits. */
static void add_eight_digits(struct printing *p, uint64_t value)
{
	char *at = buf_room(p->out, NUMBER_ROOM);

	if (!at)
		return;
	at = stpcpy(at, "0x");
	buf_end(p->out, align_right(at, put_hex(at, value, false), 8, '0'));
}

/* The plugins of libtraceevent cut a function and its offset. */
#define FUNCTION_FIELD_MAX	127

static void print_function_field(struct printing *p, const struct piece *piece)
{
	uint64_t addr = value_of(p, piece->number);
	const struct symbol *symbol = p->find(p->data, addr);
	size_t before = p->out->size;

	if (!symbol) {
		add_eight_digits(p, addr);
		return;
	}
	add_symbol(p, symbol);
	add_hex(p, "/0x", symbol->addr - addr);
	if (p->out->size - before > FUNCTION_FIELD_MAX)
		p->out->size = before + FUNCTION_FIELD_MAX;
}

/* The plugins print the offset as a number of 32 bits. */
static void print_call_site(struct printing *p, const struct piece *piece)
{
	uint64_t addr = value_of(p, piece->number);
	const struct symbol *symbol = p->find(p->data, addr);

	if (!symbol)
		return;
	buf_add(p->out, "(", 1);
	add_symbol(p, symbol);
	add_hex(p, "+0x", (uint32_t)(addr - symbol->addr));
	buf_add(p->out, ") ", 2);
}

static void print_states(struct printing *p, const struct piece *piece)
{
	uint64_t value = value_of(p, piece->number);
	char *at = buf_room(p->out, 2 * piece->size + 1), *begin = at;

	if (!at)
		return;
	for (size_t i = 0; i < piece->size; i++) {
		if (!(value >> i & 1))
			continue;
		if (at != begin)
			*at++ = '|';
		*at++ = piece->text[i];
	}
	if (at == begin)
		*at++ = 'R';
	buf_end(p->out, at);
}

static void print_pointer(struct printing *p, const struct piece *piece)
{
	uint64_t value = value_of(p, piece->number);

	if (value)
		add_hex(p, "0x", value);
	else
		buf_add(p->out, "(nil)", 5);
}

static void print_piece(struct printing *p, const struct piece *piece)
{
	switch (piece->kind) {
	case LITERAL:
		buf_add(p->out, piece->text, piece->size);
		break;
	case DECIMAL:
	case UNSIGNED:
	case HEX:
		print_number(p, piece);
		break;
	case POINTER:
		print_pointer(p, piece);
		break;
	case FUNCTION:
		print_function(p, piece);
		break;
	case STRING:
		print_string(p, piece, piece->string);
		break;
	case CALL_SITE:
		print_call_site(p, piece);
		break;
	case FUNCTION_FIELD:
		print_function_field(p, piece);
		break;
	case STATES:
		print_states(p, piece);
		break;
	}
}

bool printer_print(const struct printer *printer, const void *record, uint32_t size,
		   find_symbol_fn *find, void *data, struct buf *out)
{
	struct printing p = {
		.record = record,
		.size = size,
		.out = out,
		.find = find,
		.data = data,
		.constants = printer->constants,
	};
	size_t before = out->size;

	if (size < printer->need)
		return false;
	for (unsigned int i = 0; i < printer->nr_pieces; i++)
		print_piece(&p, &printer->piece[i]);
	if (p.failed)
		out->size = before;
	return !p.failed;
}

void printer_set_constants(struct printer *printer, const struct constants *constants)
{
	printer->constants = constants;
}

bool printer_is_plain(const struct printer *printer)
{
	return printer->is_plain;
}
