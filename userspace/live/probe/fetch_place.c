// SPDX-License-Identifier: GPL-2.0-only
/* The place of a field: follow a tracepoint's argument to members and elements. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/suggest.h"
#include "fetch_parts.h"

#define MEMBERS_SHOWN	12	/* members that an error message lists, at most */

bool fetch_refuse(struct fetch *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->error, f->size, fmt, ap);
	va_end(ap);
	return false;
}

struct word fetch_followed(const struct fetch *f)
{
	const struct field_expr *expr = f->expr;

	return (struct word){ .s = expr->arg.s,
			      .len = expr->text + f->at - expr->arg.s };
}

char *fetch_type_text(const struct fetch *f, uint32_t type)
{
	struct buf text = { 0 };

	ktype_declare(&text, f->btf, type, "");
	buf_add(&text, "", 1);
	if (text.failed)
		buf_free(&text);
	return text.data;
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

void fetch_members_text(const struct fetch *f, const struct btf_type *type,
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
			 list.nr, f->args->name, WORD(fetch_followed(f)));
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

bool fetch_dereference(struct fetch *f, uint32_t type)
{
	struct place *place = f->place;
	char address[sizeof(place->address)];
	size_t used;

	if (place->memory) {
		used = snprintf(address, sizeof(address), "+%llu(%s)",
				(unsigned long long)(place->offset / 8),
				place->address);
		if (used >= sizeof(address))
			return fetch_refuse(f, "%.*s: the path is too long for a field",
					    WORD(fetch_followed(f)));
		strcpy(place->address, address);
	}
	/* The kernel reads the field itself at the last address. */
	if (++place->derefs > FETCH_DEREFS_MAX)
		return fetch_refuse(f, "%.*s is the %dth pointer of the path, but a field may follow at most %d",
				    WORD(fetch_followed(f)), FETCH_DEREFS_MAX + 1,
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
		return fetch_refuse(f, "%.*s is more than 2 GiB behind the pointer's target",
				    WORD(fetch_followed(f)));
	return true;
}

static bool follow_member(struct fetch *f, const struct field_step *step)
{
	const struct btf_type *type = bare(f);
	struct member_search search = { .name = step->member };
	char wanted[64], members[1024];

	if (!ktype_each_member(f->btf, type, is_member, &search)) {
		snprintf(wanted, sizeof(wanted), "%.*s", WORD(step->member));
		fetch_members_text(f, type, wanted, members, sizeof(members));
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
				   WORD(fetch_followed(f)), WORD(step->member));
	if (btf_is_ptr(type)) {
		if (!fetch_dereference(f, type->type))
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
				   WORD(fetch_followed(f)), WORD(step->member));
	if (btf_is_array(type))
		return refuse_type(f, "is an array: write %.*s[0].%.*s",
				   WORD(fetch_followed(f)), WORD(step->member));
	if (!has_members(f, step))
		return false;
	if (!f->place->memory)
		return refuse_type(f, "is passed by value, and its members cannot be fetched: record the whole value, '%.*s:x%u'",
				   WORD(fetch_followed(f)), register_bits(type));
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
		if (!fetch_dereference(f, type->type))
			return false;
	} else {
		return refuse_type(f, "is neither an array nor a pointer and has no element [%u]",
				   step->index);
	}
	size = btf__resolve_size(f->btf, f->place->type);
	if (size <= 0)
		return fetch_refuse(f, "%.*s has elements of unknown size: the offset of '%.*s[%u]' is unknown",
				    WORD(fetch_followed(f)), WORD(fetch_followed(f)),
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
		return fetch_refuse(f, "no argument '%.*s': the tracepoint has no arguments",
				    WORD(f->expr->arg));
	return fetch_refuse(f, "no argument '%.*s': the argument%s %s",
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
			return fetch_refuse(f, "the argument %s is not passed in a register, and %.*s cannot be fetched",
					    f->args->v[j].name, WORD(f->expr->arg));
	*f->place = (struct place){ .type = f->args->v[i].type };
	snprintf(f->place->address, sizeof(f->place->address), "$arg%u", i + 1);
	return true;
}

bool fetch_find_place(struct fetch *f)
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

	return fetch_find_place(&f);
}
