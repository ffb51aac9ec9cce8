// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/suggest.h"
#include "btf_types.h"

#define BTF_DIR		"/sys/kernel/btf"
#define TYPEDEF		"btf_trace_"
#define CALLBACK	"__traceiter_"

/* Types refer to types, and damaged BTF may contain a loop. */
#define DEPTH_MAX	32

const char *ktype_name(const struct btf *btf, const struct btf_type *type)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	return name ? name : "";
}

const struct btf_type *ktype_bare(const struct btf *btf, uint32_t id,
				  uint32_t *bare_id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	for (int depth = 0; type && depth < DEPTH_MAX; depth++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type) &&
		    !btf_is_type_tag(type))
			break;
		id = type->type;
		type = btf__type_by_id(btf, id);
	}
	if (bare_id)
		*bare_id = id;
	/* void has no type of its own: return void, where the walk ends. */
	return type ? type : btf__type_by_id(btf, 0);
}

bool ktype_is_char(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = ktype_bare(btf, id, NULL);

	return btf_is_int(type) && type->size == 1 &&
	       (btf_int_encoding(type) & BTF_INT_CHAR ||
		!strcmp(ktype_name(btf, type), "char"));
}

struct member ktype_member(const struct btf *btf, const struct btf_type *type,
			   unsigned int i)
{
	const struct btf_member *m = &btf_members(type)[i];
	const char *name = btf__name_by_offset(btf, m->name_off);
	struct member member = {
		.name = name && *name ? name : NULL,
		.type = m->type,
		.offset = btf_member_bit_offset(type, i),
		.bits = btf_member_bitfield_size(type, i),
	};
	const struct btf_type *bare = ktype_bare(btf, m->type, NULL);

	/* BTF without the flag for bit-fields has the bits in the type of the member. */
	if (!member.bits && btf_is_int(bare) &&
	    (btf_int_bits(bare) != bare->size * 8 || btf_int_offset(bare))) {
		member.bits = btf_int_bits(bare);
		member.offset += btf_int_offset(bare);
	}
	return member;
}

static bool visit_members(const struct btf *btf, const struct btf_type *type,
			  uint64_t offset, int depth,
			  bool (*visit)(void *data,
					const struct member *member),
			  void *data)
{
	const struct btf_type *inner;
	struct member member;

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		member = ktype_member(btf, type, i);
		member.offset += offset;
		if (member.name) {
			if (visit(data, &member))
				return true;
			continue;
		}
		inner = ktype_bare(btf, member.type, NULL);
		if (btf_is_composite(inner) && depth < DEPTH_MAX &&
		    visit_members(btf, inner, member.offset, depth + 1, visit,
				  data))
			return true;
	}
	return false;
}

bool ktype_each_member(const struct btf *btf, const struct btf_type *type,
		       bool (*visit)(void *data, const struct member *member),
		       void *data)
{
	return visit_members(btf, type, 0, 0, visit, data);
}

/* ---- declarations in C */

static void declare(struct buf *out, const struct btf *btf, uint32_t id,
		    const char *inner, int depth);

static void declare_proto(struct buf *out, const struct btf *btf,
			  const struct btf_type *type, const char *inner,
			  int depth)
{
	const struct btf_param *param = btf_params(type);
	struct buf text = { 0 };

	buf_printf(&text, "%s(", inner);
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		if (i)
			buf_printf(&text, ", ");
		if (!param[i].type)
			buf_printf(&text, "...");
		else
			declare(&text, btf, param[i].type, "", depth + 1);
	}
	buf_printf(&text, btf_vlen(type) ? ")" : "void)");
	buf_add(&text, "", 1);
	if (!text.failed)
		declare(out, btf, type->type, text.data, depth + 1);
	out->failed |= text.failed;
	buf_free(&text);
}

static const char *qualifier(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_CONST:
		return "const ";
	case BTF_KIND_VOLATILE:
		return "volatile ";
	case BTF_KIND_RESTRICT:
		return "restrict ";
	}
	return "";
}

/* Return the spelling of C: gcc spells "long int" out, clang does not. */
const char *ktype_spelled(const char *name)
{
	static const char *const names[][2] = {
		{ "_Bool", "bool" },
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	return name;
}

/* Write the end of a declaration: the name and what stands before it. */
static void declare_named(struct buf *out, const char *tag, const char *name,
			  const char *inner)
{
	/* A type without a name is told apart by the name of its variable. */
	buf_printf(out, "%s%s%s%s", tag, *name || !*tag ? name : "{ ... }",
		   *inner ? " " : "", inner);
}

static void declare(struct buf *out, const struct btf *btf, uint32_t id,
		    const char *inner, int depth)
{
	const struct btf_type *type = btf__type_by_id(btf, id), *next;
	struct buf text = { 0 };
	const char *tag = "";

	if (!type || depth > DEPTH_MAX) {
		declare_named(out, "", "?", inner);
		return;
	}
	switch (btf_kind(type)) {
	case BTF_KIND_UNKN:
		declare_named(out, "", "void", inner);
		return;
	case BTF_KIND_TYPE_TAG:
		declare(out, btf, type->type, inner, depth + 1);
		return;
	case BTF_KIND_FUNC_PROTO:
		declare_proto(out, btf, type, inner, depth);
		return;
	case BTF_KIND_PTR:
		next = btf__type_by_id(btf, type->type);
		buf_printf(&text, next && (btf_is_array(next) ||
					   btf_is_func_proto(next)) ?
			   "(*%s)" : "*%s", inner);
		break;
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		next = btf__type_by_id(btf, type->type);
		/* The const of a pointer stands behind the star. */
		if (!next || !btf_is_ptr(next)) {
			buf_printf(out, "%s", qualifier(type));
			declare(out, btf, type->type, inner, depth + 1);
			return;
		}
		buf_printf(&text, "%s%s", qualifier(type), inner);
		if (!*inner && text.size)
			text.size--;
		break;
	case BTF_KIND_ARRAY:
		if (btf_array(type)->nelems)
			buf_printf(&text, "%s[%u]", inner,
				   btf_array(type)->nelems);
		else
			buf_printf(&text, "%s[]", inner);
		break;
	case BTF_KIND_STRUCT:
		tag = "struct ";
		break;
	case BTF_KIND_UNION:
		tag = "union ";
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		tag = "enum ";
		break;
	case BTF_KIND_FWD:
		tag = btf_kflag(type) ? "union " : "struct ";
		break;
	}
	if (text.size || text.failed) {
		buf_add(&text, "", 1);
		if (!text.failed)
			declare(out, btf, btf_is_array(type) ?
				btf_array(type)->type : type->type,
				text.data, depth + 1);
		out->failed |= text.failed;
		buf_free(&text);
		return;
	}
	declare_named(out, tag, ktype_spelled(ktype_name(btf, type)), inner);
}

void ktype_declare(struct buf *out, const struct btf *btf, uint32_t id,
		   const char *name)
{
	declare(out, btf, id, name, 0);
}

/* ---- sources of types */

static bool add(struct btf_types *types, const char *name, struct btf *btf)
{
	char *copy = name ? strdup(name) : NULL;

	if ((name && !copy) || !array_grow(types->v, types->nr)) {
		free(copy);
		btf__free(btf);
		errno = ENOMEM;
		return false;
	}
	types->v[types->nr++] = (struct btf_types_module){ .name = copy, .btf = btf };
	return true;
}

static void open_module(struct btf_types *types, const char *name)
{
	struct btf *btf = btf__load_module_btf(name, types->v[0].btf);

	/* Ignore a module that was unloaded meanwhile. */
	if (btf)
		add(types, name, btf);
}

static bool open_running(struct btf_types *types, char *error, size_t size)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct dirent *entry;
	DIR *dir;

	if (!btf && access(BTF_DIR "/vmlinux", F_OK)) {
		snprintf(error, size,
			 "this kernel does not describe its types: it was built without CONFIG_DEBUG_INFO_BTF (there is no " BTF_DIR "/vmlinux); --btf FILE takes them from a vmlinux of the same build");
		return false;
	}
	if (!btf || !add(types, NULL, btf)) {
		snprintf(error, size, "cannot read " BTF_DIR "/vmlinux: %s",
			 strerror(errno));
		return false;
	}
	dir = opendir(BTF_DIR);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "vmlinux"))
			open_module(types, entry->d_name);
	if (dir)
		closedir(dir);
	return true;
}

static bool open_file(struct btf_types *types, const char *file, char *error,
		      size_t size)
{
	struct btf *base = types->nr ? types->v[0].btf : NULL;
	struct btf *btf = btf__parse_split(file, base);

	if (!btf) {
		snprintf(error, size, errno == ENOENT && !access(file, F_OK) ?
			 "%s has no BTF: give a vmlinux, or a copy of another machine's " BTF_DIR "/vmlinux (%s)" :
			 "cannot read %s: %s", file, strerror(errno));
		return false;
	}
	if (add(types, base ? file : NULL, btf))
		return true;
	snprintf(error, size, "out of memory");
	return false;
}

bool btf_types_open(struct btf_types *types, char *const *files, size_t nr_files,
		    char *error, size_t size)
{
	bool ok = true;

	/* libbpf's own messages have several lines. */
	libbpf_set_print(NULL);
	*types = (struct btf_types){ 0 };
	if (!nr_files)
		ok = open_running(types, error, size);
	for (size_t i = 0; ok && i < nr_files; i++)
		ok = open_file(types, files[i], error, size);
	if (!ok)
		btf_types_close(types);
	return ok;
}

void btf_types_close(struct btf_types *types)
{
	/* Free the kernel's types last: those of modules refer to them. */
	while (types->nr) {
		types->nr--;
		btf__free(types->v[types->nr].btf);
		free(types->v[types->nr].name);
	}
	free(types->v);
	*types = (struct btf_types){ 0 };
}

/* ---- tracepoints */

void btf_types_each_tracepoint(const struct btf_types *types,
			       void (*visit)(void *data, const char *name),
			       void *data)
{
	const struct btf_type *type;
	const struct btf *btf;
	const char *name;
	uint32_t first;

	for (size_t m = 0; m < types->nr; m++) {
		btf = types->v[m].btf;
		first = m ? btf__type_cnt(types->v[0].btf) : 1;
		for (uint32_t id = first; id < btf__type_cnt(btf); id++) {
			type = btf__type_by_id(btf, id);
			name = ktype_name(btf, type);
			if (btf_is_typedef(type) &&
			    !strncmp(name, TYPEDEF, strlen(TYPEDEF)))
				visit(data, name + strlen(TYPEDEF));
			else if (btf_is_func(type) &&
				 !strncmp(name, CALLBACK, strlen(CALLBACK)))
				visit(data, name + strlen(CALLBACK));
		}
	}
}

static const struct btf_type *proto_of(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = ktype_bare(btf, id, NULL);

	if (btf_is_ptr(type) || btf_is_func(type))
		type = ktype_bare(btf, type->type, NULL);
	return btf_is_func_proto(type) && btf_vlen(type) ? type : NULL;
}

static const struct btf_type *find_proto(const struct btf *btf,
					 const char *prefix, const char *name,
					 uint32_t kind)
{
	char full[256];
	int id;

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	id = btf__find_by_name_kind(btf, full, kind);
	return id > 0 ? proto_of(btf, id) : NULL;
}

/*
 * The typedef exists for each tracepoint that has an event, but the parameters
 * of a type have no names. The function that calls the probes has names.
 */
static bool tracepoint_in(const struct btf *btf, const char *name,
			  struct tracepoint_args *args, unsigned int *nr)
{
	const struct btf_type *proto, *named;
	const struct btf_param *type_of, *name_of;
	const char *arg;

	proto = find_proto(btf, TYPEDEF, name, BTF_KIND_TYPEDEF);
	named = find_proto(btf, CALLBACK, name, BTF_KIND_FUNC);
	if (!proto)
		proto = named;
	if (!proto)
		return false;
	if (!named || btf_vlen(named) != btf_vlen(proto))
		named = proto;
	/* The first parameter is the probe's own void *. */
	type_of = btf_params(proto) + 1;
	name_of = btf_params(named) + 1;
	*nr = btf_vlen(proto) - 1;
	for (unsigned int i = 0; i < *nr && i < TRACEPOINT_ARGS_MAX; i++) {
		arg = btf__name_by_offset(btf, name_of[i].name_off);
		args->v[i].type = type_of[i].type;
		if (arg && *arg && strlen(arg) < sizeof(args->v[i].name))
			strcpy(args->v[i].name, arg);
		else
			snprintf(args->v[i].name, sizeof(args->v[i].name),
				 "arg%u", i + 1);
	}
	args->btf = btf;
	args->nr = *nr;
	return true;
}

static void offer(void *data, const char *name)
{
	struct suggest *suggest = data;

	for (unsigned int i = 0; i < suggest->nr; i++)
		if (!strcmp(suggest->found[i].name, name))
			return;
	suggest_offer(suggest, name, name);
}

static bool has_function(const struct btf_types *types, const char *name)
{
	for (size_t i = 0; i < types->nr; i++)
		if (btf__find_by_name_kind(types->v[i].btf, name, BTF_KIND_FUNC) > 0)
			return true;
	return false;
}

static void say_unknown(const struct btf_types *types, const char *name,
			char *error, size_t size)
{
	const char *colon = strrchr(name, ':');
	struct suggest suggest = { .wanted = colon ? colon + 1 : name };
	char list[512];

	if (has_function(types, suggest.wanted)) {
		snprintf(error, size,
			 "%s is a function and no tracepoint, and rbmap probes tracepoints: 'rbmap probe fields' lists them; trace-cmd and perf probe functions",
			 name);
		return;
	}
	btf_types_each_tracepoint(types, offer, &suggest);
	suggest_list(&suggest, list, sizeof(list));
	if (*list)
		snprintf(error, size, "no tracepoint '%s': similar names: %s",
			 name, list);
	else
		snprintf(error, size,
			 "no tracepoint '%s' in this kernel and its loaded modules: 'rbmap probe fields' lists all; load the module that has the tracepoint first",
			 name);
}

bool btf_types_tracepoint(const struct btf_types *types, const char *name,
			  struct tracepoint_args *args, char *error, size_t size)
{
	unsigned int nr;

	*args = (struct tracepoint_args){ .name = name };
	for (size_t m = 0; m < types->nr; m++) {
		if (!tracepoint_in(types->v[m].btf, name, args, &nr))
			continue;
		args->module = types->v[m].name;
		if (nr <= TRACEPOINT_ARGS_MAX)
			return true;
		snprintf(error, size,
			 "the tracepoint %s has %u arguments, but a probe takes at most %d",
			 name, nr, TRACEPOINT_ARGS_MAX);
		return false;
	}
	say_unknown(types, name, error, size);
	return false;
}
