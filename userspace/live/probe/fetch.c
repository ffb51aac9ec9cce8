// SPDX-License-Identifier: GPL-2.0-only
/* The text by which the kernel fetches a field. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "fetch_parts.h"

/* ---- how the kernel reads the value */

/* A value as the kernel fetches it. */
struct value {
	enum field_kind kind;
	unsigned int bits;
	uint32_t count;		/* number of an array's elements; 0: not an array */
	bool flexible;		/* the array has no size of its own */
};

static bool is_byte_or_void(const struct fetch *f, uint32_t id)
{
	const struct btf_type *type = ktype_bare(f->btf, id, NULL);

	return btf_is_void(type) || (btf_is_int(type) && type->size == 1);
}

static bool enum_is_signed(const struct btf_type *type)
{
	if (btf_kflag(type))
		return true;
	for (unsigned int i = 0; btf_is_enum(type) && i < btf_vlen(type); i++)
		if (btf_enum(type)[i].val < 0)
			return true;
	return false;
}

/* Describe an integer type from BTF. */
static bool number_of(const struct fetch *f, uint32_t id, struct value *value)
{
	const struct btf_type *type = ktype_bare(f->btf, id, NULL);
	bool is_signed = false;

	value->bits = type->size * 8;
	value->kind = FIELD_UNSIGNED;
	if (btf_is_ptr(type)) {
		value->bits = 64;
		value->kind = FIELD_HEX;
	} else if (btf_is_any_enum(type)) {
		is_signed = enum_is_signed(type);
	} else if (btf_is_int(type)) {
		is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
	} else {
		return false;
	}
	if (is_signed)
		value->kind = FIELD_SIGNED;
	return value->bits == 8 || value->bits == 16 || value->bits == 32 ||
	       value->bits == 64;
}

static bool no_number(struct fetch *f)
{
	const struct btf_type *type = bare(f);
	char members[1024];

	if (btf_is_array(type))
		return refuse_type(f, "is not an array of numbers: choose an element, %.*s[0]",
				   WORD(fetch_followed(f)));
	if (!btf_is_composite(type))
		return refuse_type(f, "is not a number that a field can hold");
	fetch_members_text(f, type, "", members, sizeof(members));
	return refuse_type(f, "is a structure, choose a member: %s", members);
}

static bool declared(struct fetch *f, struct value *value)
{
	const struct btf_type *type = bare(f);

	if (!btf_is_array(type))
		return number_of(f, f->place->type, value) || no_number(f);
	if (ktype_is_char(f->btf, element_of(type))) {
		value->kind = FIELD_STRING;
		return true;
	}
	if (!number_of(f, element_of(type), value))
		return no_number(f);
	value->count = btf_array(type)->nelems;
	value->flexible = !value->count;
	return true;
}

static bool wanted_string(struct fetch *f, struct value *value)
{
	const struct btf_type *type = bare(f);

	value->kind = FIELD_STRING;
	if (btf_is_array(type) && is_byte_or_void(f, element_of(type)))
		return true;
	if (btf_is_ptr(type) && is_byte_or_void(f, type->type))
		return fetch_dereference(f, type->type);
	return refuse_type(f, "is not a text: ':string' is for char pointers and char arrays");
}

/* Use the number of bits that the user wants instead of the type's. */
static bool wanted_number(struct fetch *f, struct value *value)
{
	const struct field_expr *expr = f->expr;
	const struct btf_type *type = bare(f);
	unsigned int bytes = expr->bits / 8;
	struct value own = { 0 };
	int64_t size;

	*value = (struct value){ .kind = expr->kind, .bits = expr->bits,
				 .count = expr->count };
	if (btf_is_ptr(type) && expr->count)
		return fetch_dereference(f, type->type);
	if (btf_is_array(type)) {
		size = btf__resolve_size(f->btf, f->place->type);
		if (!value->count && size > 0)
			value->count = size / bytes;
		value->flexible = !value->count;
		if (size > 0 && (uint64_t)value->count * bytes > (uint64_t)size)
			return refuse_type(f, "has %lld bytes: %u elements of %u bytes are too many",
					   (long long)size, value->count, bytes);
		return true;
	}
	if (expr->count)
		return refuse_type(f, "is neither an array nor a pointer: remove '[%u]'",
				   expr->count);
	/* A structure in a register is read as a number. */
	if (btf_is_composite(type) && !f->place->memory)
		own.bits = register_bits(type);
	else if (!number_of(f, f->place->type, &own))
		return no_number(f);
	if (expr->bits > own.bits)
		return refuse_type(f, "has %u bits: %u are too many",
				   own.bits, expr->bits);
	return true;
}

/* ---- the text that the kernel parses */

/*
 * The container is the smallest aligned one, or one that begins at the field's
 * first byte.
 */
static bool print_bits(struct fetch *f, struct buf *out)
{
	struct place *place = f->place;
	unsigned int container, shift;
	struct value value = { 0 };
	uint64_t start;

	if (f->expr->kind != FIELD_DERIVED)
		return refuse_type(f, "is a bit-field of %u bits: remove the type",
				   place->bits);
	if (!number_of(f, place->type, &value))
		return refuse_type(f, "is not a number that a field can hold");
	for (unsigned int i = 0; i < 8; i++) {
		container = 8 << i % 4;
		start = place->offset / (i < 4 ? container : 8) *
			(i < 4 ? container : 8);
		shift = place->offset - start;
		if (shift + place->bits > container)
			continue;
		buf_printf(out, "+%llu(%s):%sb%u@%u/%u",
			   (unsigned long long)(start / 8), place->address,
			   value.kind == FIELD_SIGNED ? "s" : "", place->bits,
			   shift, container);
		return true;
	}
	return refuse_type(f, "is a bit-field that spans more than 64 bits");
}

static bool print_value(struct fetch *f, struct buf *out,
			const struct value *value)
{
	const struct place *place = f->place;
	static const char letter[] = {
		[FIELD_UNSIGNED] = 'u', [FIELD_SIGNED] = 's', [FIELD_HEX] = 'x',
	};

	if (value->flexible)
		return refuse_type(f, "has an unknown number of elements: choose an element, %.*s[0], or give a number, '%.*s:x8[16]'",
				   WORD(fetch_followed(f)), WORD(fetch_followed(f)));
	if (value->count > FETCH_ELEMENTS_MAX)
		return refuse_type(f, "has more elements than the %d of a field: give a number, '%.*s:%c%u[%d]'",
				   FETCH_ELEMENTS_MAX, WORD(fetch_followed(f)),
				   letter[value->kind], value->bits,
				   FETCH_ELEMENTS_MAX);
	if (place->memory)
		buf_printf(out, "+%llu(%s):",
			   (unsigned long long)(place->offset / 8),
			   place->address);
	else
		buf_printf(out, "%s:", place->address);
	if (value->kind == FIELD_STRING)
		buf_printf(out, "string");
	else
		buf_printf(out, "%c%u", letter[value->kind], value->bits);
	if (value->count)
		buf_printf(out, "[%u]", value->count);
	return true;
}

/*
 * Make the name prev_pid of prev->pid. If the path is long, use as many of the
 * last steps as fit.
 */
static void make_name(const struct field_expr *expr, char *name, size_t size)
{
	struct buf text = { 0 };
	size_t start[FIELD_STEPS_MAX + 1] = { 0 };
	const char *part;

	buf_printf(&text, "%.*s", WORD(expr->arg));
	for (unsigned int i = 0; i < expr->nr_steps; i++) {
		const struct field_step *step = &expr->step[i];

		start[i + 1] = text.size;
		if (step->kind == STEP_INDEX)
			buf_printf(&text, "_%u", step->index);
		else
			buf_printf(&text, "_%.*s", WORD(step->member));
	}
	buf_add(&text, "", 1);
	*name = '\0';
	for (unsigned int i = 0; !text.failed && text.data && i <= expr->nr_steps; i++) {
		part = text.data + start[i];
		part += i && is_identifier(part + 1, 1, 1);
		snprintf(name, size, "%s", part);
		if (strlen(part) < size)
			break;
	}
	buf_free(&text);
}

static bool print_field(struct fetch *f, struct buf *out)
{
	struct value value = { 0 };
	char name[FIELD_NAME_MAX + 1];
	bool ok;

	if (!fetch_find_place(f))
		return false;
	if (f->expr->name.len)
		snprintf(name, sizeof(name), "%.*s", WORD(f->expr->name));
	else
		make_name(f->expr, name, sizeof(name));
	buf_printf(out, " %s=", name);
	if (f->place->bits)
		return print_bits(f, out);
	if (f->expr->kind == FIELD_DERIVED)
		ok = declared(f, &value);
	else if (f->expr->kind == FIELD_STRING)
		ok = wanted_string(f, &value);
	else
		ok = wanted_number(f, &value);
	return ok && print_value(f, out, &value);
}

bool fetch_field(struct buf *out, const struct tracepoint_args *args,
		 const struct field_expr *expr, char *error, size_t size)
{
	struct place place;
	struct fetch f = {
		.args = args, .btf = args->btf, .expr = expr, .place = &place,
		.error = error, .size = size,
	};

	return print_field(&f, out);
}

/* Fetch the arguments in registers as numbers, and follow none. */
static bool fetch_raw(struct buf *out, const struct tracepoint_args *args,
		      char *error, size_t size)
{
	const struct btf_type *type;
	struct field_expr expr;
	char text[128];

	for (unsigned int i = 0; i < args->nr; i++) {
		type = ktype_bare(args->btf, args->v[i].type, NULL);
		snprintf(text, sizeof(text), "%.*s=$arg%u", FIELD_NAME_MAX,
			 args->v[i].name, i + 1);
		if (btf_is_composite(type))
			sprintf(text + strlen(text), ":x%u",
				register_bits(type));
		if (!field_parse(&expr, text, error, size) ||
		    !fetch_field(out, args, &expr, error, size))
			return false;
	}
	return true;
}

/* Return the name of a field that was printed at @at, after a blank. */
static struct word name_at(const struct buf *out, size_t at)
{
	struct word name = { .s = out->data + at + 1 };

	while (name.s[name.len] != '=')
		name.len++;
	return name;
}

static bool is_duplicate(const struct buf *out, const size_t *at, size_t nr)
{
	struct word name = name_at(out, at[nr]), other;

	for (size_t i = 0; i < nr; i++) {
		other = name_at(out, at[i]);
		if (other.len == name.len &&
		    !strncmp(other.s, name.s, name.len))
			return true;
	}
	return false;
}

bool fetch_fields(struct buf *out, const struct tracepoint_args *args,
		  char *const *fields, size_t nr_fields, char *error,
		  size_t size)
{
	size_t at[FETCH_FIELDS_MAX];
	struct field_expr expr;

	if (nr_fields > FETCH_FIELDS_MAX) {
		snprintf(error, size, "%zu fields are too many, a probe takes at most %d: add a second probe with the rest",
			 nr_fields, FETCH_FIELDS_MAX);
		return false;
	}
	if (!nr_fields)
		return fetch_raw(out, args, error, size);
	for (size_t i = 0; i < nr_fields; i++) {
		at[i] = out->size;
		if (!field_parse(&expr, fields[i], error, size) ||
		    !fetch_field(out, args, &expr, error, size))
			return false;
		if (out->failed) {
			snprintf(error, size, "out of memory");
			return false;
		}
		if (is_duplicate(out, at, i)) {
			snprintf(error, size, "two fields have the name %.*s: rename one of them, 'NAME=%s'",
				 WORD(name_at(out, at[i])), expr.arg.s);
			return false;
		}
	}
	return true;
}
