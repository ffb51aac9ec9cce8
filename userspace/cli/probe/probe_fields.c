// SPDX-License-Identifier: GPL-2.0-only
/* rbmap probe fields: tracepoints, their arguments and the members of these */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/complain.h"
#include "live/probe/fetch.h"
#include "probe.h"

static bool find_tracepoint(const struct btf_types *types, const char *name,
			    struct tracepoint_args *args)
{
	char error[2048];

	if (btf_types_tracepoint(types, name, args, error, sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

struct names {
	char **v;
	size_t nr;
	bool failed;
};

static void add_name(void *data, const char *name)
{
	struct names *names = data;

	if (!array_grow(names->v, names->nr)) {
		names->failed = true;
		return;
	}
	names->v[names->nr++] = (char *)name;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool print_tracepoints(const struct btf_types *types)
{
	struct names names = { 0 };

	btf_types_each_tracepoint(types, add_name, &names);
	if (names.nr)
		qsort(names.v, names.nr, sizeof(*names.v), by_name);
	for (size_t i = 0; i < names.nr; i++)
		if (!i || strcmp(names.v[i], names.v[i - 1]))
			printf("%s\n", names.v[i]);
	free(names.v);
	if (names.failed)
		complain("out of memory");
	return !names.failed;
}

static void print_type(const struct btf *btf, const char *text, uint32_t type,
		       unsigned int bits)
{
	struct buf c = { 0 };

	ktype_declare(&c, btf, type, "");
	if (bits)
		buf_printf(&c, " : %u", bits);
	buf_add(&c, "", 1);
	printf("%-31s %s\n", text, c.failed ? "?" : c.data);
	buf_free(&c);
}

struct member_printer {
	const struct btf *btf;
	const char *path;	/* path that leads to the member */
};

static bool print_member(void *data, const struct member *member)
{
	const struct member_printer *printer = data;
	char text[512];

	snprintf(text, sizeof(text), "%s%s", printer->path, member->name);
	print_type(printer->btf, text, member->type, member->bits);
	return false;
}

/*
 * Print the members of the structure at the place, or of the one it points to.
 * Otherwise print the place itself.
 */
static void print_place(const struct tracepoint_args *args, const char *path,
			const struct place *place)
{
	const struct btf_type *type = ktype_bare(args->btf, place->type, NULL);
	struct member_printer printer = { .btf = args->btf };
	const char *step = ".";
	char text[512];

	if (btf_is_ptr(type)) {
		type = ktype_bare(args->btf, type->type, NULL);
		step = "->";
	} else if (btf_is_array(type)) {
		type = ktype_bare(args->btf, btf_array(type)->type, NULL);
		step = "[0].";
	}
	if (!btf_is_composite(type)) {
		print_type(args->btf, path, place->type, place->bits);
		return;
	}
	snprintf(text, sizeof(text), "%s%s", path, step);
	printer.path = text;
	ktype_each_member(args->btf, type, print_member, &printer);
}

static bool print_path(const struct tracepoint_args *args, const char *path)
{
	struct field_expr expr;
	struct place place;
	char error[4096];

	if (!field_parse(&expr, path, error, sizeof(error)) ||
	    !fetch_place(args, &expr, &place, error, sizeof(error))) {
		complain("%s", error);
		return false;
	}
	if (expr.name.len || path[expr.path_end]) {
		complain("'%s' is not a path: a path is ARG[->MEMBER|.MEMBER|[INDEX]]...",
			 path);
		return false;
	}
	print_place(args, path, &place);
	return true;
}

int probe_fields(struct probe *p, char **words, size_t nr)
{
	struct tracepoint_args args;
	struct btf_types types;
	bool ok = true;

	if (!probe_open_types(p, &types))
		return STATUS_ERROR;
	if (!nr) {
		ok = print_tracepoints(&types);
	} else if (!find_tracepoint(&types, words[0], &args)) {
		ok = false;
	} else if (nr == 1) {
		for (unsigned int i = 0; i < args.nr; i++)
			print_type(args.btf, args.v[i].name, args.v[i].type, 0);
	}
	for (size_t i = 1; ok && i < nr; i++)
		ok = print_path(&args, words[i]);
	btf_types_close(&types);
	return ok ? STATUS_OK : STATUS_ERROR;
}
