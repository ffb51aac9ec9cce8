// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/suggest.h"
#include "fetch.h"

struct fetch {
	const struct tracepoint_args *args;
	const struct btf *btf;
	const struct field_expr *expr;
	struct place *place;
	size_t at;		/* offset in the text of what is not followed yet */
	char *error;
	size_t size;
};

/* largest number of members that an error message lists */
#define MEMBERS_SHOWN	12

__attribute__((format(printf, 2, 3)))
static bool refuse(struct fetch *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->error, f->size, fmt, ap);
	va_end(ap);
	return false;
}

/* Return the part of the text that was followed so far, for printf's "%.*s". */
static struct word followed(const struct fetch *f)
{
	const struct field_expr *expr = f->expr;

	return (struct word){ .s = expr->arg.s,
			      .len = expr->text + f->at - expr->arg.s };
}

/* Return the type as C, or NULL if memory is exhausted. The caller frees it. */
static char *type_text(const struct fetch *f, uint32_t type)
{
	struct buf text = { 0 };

	ktype_declare(&text, f->btf, type, "");
	buf_add(&text, "", 1);
	if (text.failed)
		buf_free(&text);
	return text.data;
}

/*
 * Store an error message. @fmt prints two arguments before "...": the followed
 * part of the text, and its type.
 */
#define refuse_type(f, fmt, ...) ({					\
	char *type_ = type_text(f, (f)->place->type);			\
									\
	refuse(f, "%.*s (%s) " fmt, WORD(followed(f)),			\
	       type_ ? type_ : "?", ##__VA_ARGS__);			\
	free(type_);							\
	false;								\
})

static const struct btf_type *bare(const struct fetch *f)
{
	return ktype_bare(f->btf, f->place->type, NULL);
}

/* Return the type of an element or of a pointer's target. */
static uint32_t element_of(const struct btf_type *type)
{
	return btf_is_array(type) ? btf_array(type)->type : type->type;
}

/* Return the bits of the register that holds a structure passed by value. */
static unsigned int register_bits(const struct btf_type *type)
{
	return type->size > 4 ? 64 : type->size > 2 ? 32 : 8 * type->size;
}

/* ---- members */

struct member_list {
	char text[512];
	size_t used;
	unsigned int nr;
	struct suggest suggest;
};

static bool list_member(void *data, const struct member *member)
{
	struct member_list *list = data;

	suggest_offer(&list->suggest, member->name, member->name);
	if (list->nr++ < MEMBERS_SHOWN && list->used < sizeof(list->text))
		list->used += snprintf(list->text + list->used,
				       sizeof(list->text) - list->used,
				       "%s%s", list->used ? ", " : "",
				       member->name);
	return false;
}

/* Write the possible next members: all of them, or those similar to @wanted. */
static void members_text(const struct fetch *f, const struct btf_type *type,
			 const char *wanted, char *text, size_t size)
{
	struct member_list list = { .suggest.wanted = wanted };
	char near[512];

	ktype_each_member(f->btf, type, list_member, &list);
	suggest_list(&list.suggest, near, sizeof(near));
	if (!list.nr)
		snprintf(text, size, "it has no members");
	else if (list.nr <= MEMBERS_SHOWN && list.used < sizeof(list.text))
		snprintf(text, size, "its member%s %s", list.nr > 1 ? "s are" : " is",
			 list.text);
	else if (*wanted && *near)
		snprintf(text, size, "similar names: %s", near);
	else
		snprintf(text, size,
			 "it has %u members, \"rbmap probe fields %s '%.*s'\" lists them",
			 list.nr, f->args->name, WORD(followed(f)));
}

struct member_search {
	struct word name;
	struct member found;
};

static bool is_member(void *data, const struct member *member)
{
	struct member_search *search = data;

	if (strlen(member->name) != search->name.len ||
	    strncmp(member->name, search->name.s, search->name.len))
		return false;
	search->found = *member;
	return true;
}

/* ---- steps */

/* Continue with the memory that the value points to. */
static bool dereference(struct fetch *f, uint32_t type)
{
	struct place *place = f->place;
	char address[sizeof(place->address)];
	size_t used;

	if (place->memory) {
		used = snprintf(address, sizeof(address), "+%llu(%s)",
				(unsigned long long)(place->offset / 8),
				place->address);
		if (used >= sizeof(address))
			return refuse(f, "%.*s: the path is too long for a field",
				      WORD(followed(f)));
		strcpy(place->address, address);
	}
	/* The kernel reads the field itself at the last address. */
	if (++place->derefs > FETCH_DEREFS_MAX)
		return refuse(f, "%.*s is the %dth pointer of the path, but a field may follow at most %d",
			      WORD(followed(f)), FETCH_DEREFS_MAX + 1,
			      FETCH_DEREFS_MAX);
	place->memory = true;
	place->offset = 0;
	place->bits = 0;
	place->type = type;
	return true;
}

static bool add_offset(struct fetch *f, uint64_t bits)
{
	f->place->offset += bits;
	if (f->place->offset / 8 > INT32_MAX)
		return refuse(f, "%.*s is more than 2 GiB behind the pointer's target",
			      WORD(followed(f)));
	return true;
}

static bool follow_member(struct fetch *f, const struct field_step *step)
{
	const struct btf_type *type = bare(f);
	struct member_search search = { .name = step->member };
	char wanted[64], members[1024];

	if (!ktype_each_member(f->btf, type, is_member, &search)) {
		snprintf(wanted, sizeof(wanted), "%.*s", WORD(step->member));
		members_text(f, type, wanted, members, sizeof(members));
		return refuse_type(f, "has no member '%s': %s", wanted,
				   members);
	}
	if (!add_offset(f, search.found.offset))
		return false;
	f->place->bits = search.found.bits;
	f->place->type = search.found.type;
	return true;
}

/* Check that the next step leads to a member of the current type. */
static bool has_members(struct fetch *f, const struct field_step *step)
{
	const struct btf_type *type = bare(f);

	if (btf_is_composite(type))
		return true;
	if (btf_is_fwd(type))
		return refuse_type(f, "is declared only: this kernel's BTF does not describe its members");
	return refuse_type(f, "is not a structure and has no member '%.*s'",
			   WORD(step->member));
}

static bool follow_arrow(struct fetch *f, const struct field_step *step)
{
	const struct btf_type *type = bare(f);

	if (btf_is_composite(type) && f->place->memory)
		return refuse_type(f, "is not a pointer: write %.*s.%.*s",
				   WORD(followed(f)), WORD(step->member));
	if (btf_is_ptr(type)) {
		if (!dereference(f, type->type))
			return false;
	} else if (btf_is_array(type) && f->place->memory) {
		f->place->type = element_of(type);
	} else {
		return refuse_type(f, "is not a pointer and has no member '%.*s'",
				   WORD(step->member));
	}
	return has_members(f, step) && follow_member(f, step);
}

static bool follow_dot(struct fetch *f, const struct field_step *step)
{
	const struct btf_type *type = bare(f);

	if (btf_is_ptr(type) &&
	    btf_is_composite(ktype_bare(f->btf, type->type, NULL)))
		return refuse_type(f, "is a pointer: write %.*s->%.*s",
				   WORD(followed(f)), WORD(step->member));
	if (btf_is_array(type))
		return refuse_type(f, "is an array: write %.*s[0].%.*s",
				   WORD(followed(f)), WORD(step->member));
	if (!has_members(f, step))
		return false;
	if (!f->place->memory)
		return refuse_type(f, "is passed by value, and its members cannot be fetched: record the whole value, '%.*s:x%u'",
				   WORD(followed(f)), register_bits(type));
	return follow_member(f, step);
}

static bool follow_index(struct fetch *f, const struct field_step *step)
{
	const struct btf_type *type = bare(f);
	uint32_t nelems;
	int64_t size;

	if (btf_is_array(type) && f->place->memory) {
		nelems = btf_array(type)->nelems;
		if (nelems && step->index >= nelems)
			return refuse_type(f, "has no element %u: its elements are 0 to %u",
					   step->index, nelems - 1);
		f->place->type = element_of(type);
	} else if (btf_is_ptr(type)) {
		if (!dereference(f, type->type))
			return false;
	} else {
		return refuse_type(f, "is neither an array nor a pointer and has no element [%u]",
				   step->index);
	}
	size = btf__resolve_size(f->btf, f->place->type);
	if (size <= 0)
		return refuse(f, "%.*s has elements of unknown size: the offset of '%.*s[%u]' is unknown",
			      WORD(followed(f)), WORD(followed(f)),
			      step->index);
	return add_offset(f, (uint64_t)size * 8 * step->index);
}

static bool follow(struct fetch *f, const struct field_step *step)
{
	switch (step->kind) {
	case STEP_ARROW:
		return follow_arrow(f, step);
	case STEP_DOT:
		return follow_dot(f, step);
	case STEP_INDEX:
		return follow_index(f, step);
	}
	return false;
}

/* ---- the argument */

static bool unknown_arg(struct fetch *f)
{
	char list[512] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < f->args->nr && used < sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%s",
				 i ? ", " : "", f->args->v[i].name);
	if (!f->args->nr)
		return refuse(f, "no argument '%.*s': the tracepoint has no arguments",
			      WORD(f->expr->arg));
	return refuse(f, "no argument '%.*s': the argument%s %s",
		      WORD(f->expr->arg), f->args->nr > 1 ? "s are" : " is", list);
}

/* Accept the argument's name, or argN. */
static bool is_arg(const struct fetch *f, unsigned int i, bool by_number)
{
	const struct word arg = f->expr->arg;
	char number[16];

	snprintf(number, sizeof(number), "arg%u", i + 1);
	return !strncmp(by_number ? number : f->args->v[i].name, arg.s,
			arg.len) &&
	       strlen(by_number ? number : f->args->v[i].name) == arg.len;
}

/*
 * A structure may take two registers, which shifts the numbers of later
 * arguments.
 */
static bool in_one_register(const struct fetch *f, unsigned int i)
{
	const struct btf_type *type = ktype_bare(f->btf, f->args->v[i].type,
						 NULL);

	return btf_is_ptr(type) || (!btf_is_float(type) && type->size <= 8);
}

static bool begin(struct fetch *f)
{
	unsigned int i, nr = f->args->nr;
	bool dollar = f->expr->arg.s > f->expr->text &&
		      f->expr->arg.s[-1] == '$';

	for (i = 0; i < 2 * nr; i++)
		if ((i >= nr || !dollar) && is_arg(f, i < nr ? i : i - nr, i >= nr))
			break;
	if (i == 2 * nr)
		return unknown_arg(f);
	if (i >= nr)
		i -= nr;
	for (unsigned int j = 0; j <= i; j++)
		if (!in_one_register(f, j))
			return refuse(f, "the argument %s is not passed in a register, and %.*s cannot be fetched",
				      f->args->v[j].name, WORD(f->expr->arg));
	*f->place = (struct place){ .type = f->args->v[i].type };
	snprintf(f->place->address, sizeof(f->place->address), "$arg%u", i + 1);
	return true;
}

static bool find_place(struct fetch *f)
{
	const struct field_expr *expr = f->expr;

	f->at = expr->arg.s + expr->arg.len - expr->text;
	if (!begin(f))
		return false;
	for (unsigned int i = 0; i < expr->nr_steps; i++) {
		if (!follow(f, &expr->step[i]))
			return false;
		f->at = i + 1 < expr->nr_steps ? expr->step[i + 1].at :
						 expr->path_end;
	}
	return true;
}

bool fetch_place(const struct tracepoint_args *args,
		 const struct field_expr *expr, struct place *place,
		 char *error, size_t size)
{
	struct fetch f = {
		.args = args, .btf = args->btf, .expr = expr, .place = place,
		.error = error, .size = size,
	};

	return find_place(&f);
}

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
				   WORD(followed(f)));
	if (!btf_is_composite(type))
		return refuse_type(f, "is not a number that a field can hold");
	members_text(f, type, "", members, sizeof(members));
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
		return dereference(f, type->type);
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
		return dereference(f, type->type);
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
				   WORD(followed(f)), WORD(followed(f)));
	if (value->count > FETCH_ELEMENTS_MAX)
		return refuse_type(f, "has more elements than the %d of a field: give a number, '%.*s:%c%u[%d]'",
				   FETCH_ELEMENTS_MAX, WORD(followed(f)),
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

	if (!find_place(f))
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
