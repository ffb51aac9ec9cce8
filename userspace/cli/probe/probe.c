// SPDX-License-Identifier: GPL-2.0-only
/* rbmap probe: make events from any tracepoint while the module is loaded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/complain.h"
#include "base/json.h"
#include "base/suggest.h"
#include "command/command.h"
#include "command/complete.h"
#include "command/options.h"
#include "kernel/control.h"
#include "live/probe/auto_probes.h"
#include "live/probe/dynamic.h"
#include "live/probe/fetch.h"

extern const struct command command_probe;

#define MAX_BTF_FILES	64

struct probe {
	const char *name;
	const char *group;
	const char *file;	/* file with a probe in each line */
	bool dry_run;
	bool json;
	bool all;
	char *btf[MAX_BTF_FILES];
	size_t nr_btf;
};

/* The bits of struct cli_option. */
enum { ADD = 1, LIST = 2, REMOVE = 4, FIELDS = 8 };

struct action {
	const char *name;
	unsigned int bit;
	int (*run)(struct probe *p, char **words, size_t nr);
};

/*
 * Split a text into words. Store at most @room words, and return the number of
 * all words.
 */
static size_t split_words(char *text, char **words, size_t room)
{
	char *save = NULL;
	size_t nr = 0;

	for (char *word = strtok_r(text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save), nr++)
		if (nr < room)
			words[nr] = word;
	return nr < room ? nr : room;
}

/* ---- types */

static bool open_types(const struct probe *p, struct btf_types *types)
{
	char error[1024];

	if (btf_types_open(types, p->btf, p->nr_btf, error, sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

static bool find_tracepoint(const struct btf_types *types, const char *name,
			    struct tracepoint_args *args)
{
	char error[2048];

	if (btf_types_tracepoint(types, name, args, error, sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

/* ---- add */

static void complain_add(const char *group, const char *name, int error,
			 const char *told)
{
	if (error == -EEXIST)
		complain("an event %s:%s exists already: choose another name with -n, or remove that event ('rbmap probe remove %s:%s')",
			 group, name, group, name);
	else if (*told)
		complain("the kernel refused the probe: %s", told);
	else
		control_complain(CONTROL_WRITE, DYNAMIC_FILE, error);
}

/* A wanted probe, and the line that adds it. */
struct request {
	const char *group;
	const char *name;
	struct buf line;
};

static bool write_line(const struct request *request)
{
	char told[1024];
	int ret;

	ret = klog_write(DYNAMIC_FILE, request->line.data, told, sizeof(told));
	if (ret)
		complain_add(request->group, request->name, ret, told);
	else
		auto_probes_forget(request->group, request->name);
	return !ret;
}

/* Make the line of a probe. */
static bool resolve(const struct probe *p, const struct btf_types *types,
		    struct request *request, char **words, size_t nr)
{
	char error[4096];

	request->group = p->group ? p->group : DEFAULT_GROUP;
	request->name = p->name ? p->name : words[0];
	if (probe_line(&request->line, types, request->group, request->name, words, nr, error,
		       sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

struct requests {
	struct request *v;
	size_t nr;
	char *text;		/* contents of a file, which the names point into */
};

static void free_requests(struct requests *requests)
{
	for (size_t i = 0; i < requests->nr; i++)
		buf_free(&requests->v[i].line);
	free(requests->v);
	free(requests->text);
}

/* Make the lines of all probes before the first one is added. */
static bool write_lines(const struct probe *p, const struct requests *requests)
{
	for (size_t i = 0; p->dry_run && i < requests->nr; i++)
		printf("%s\n", requests->v[i].line.data);
	if (p->dry_run)
		return true;
	if (!control_present())
		return false;
	for (size_t i = 0; i < requests->nr; i++)
		if (!write_line(&requests->v[i]))
			return false;
	return true;
}

static char *read_text(const char *path)
{
	struct buf text = { 0 };
	int ret = buf_read_file(&text, strcmp(path, "-") ? path : "/dev/stdin");

	buf_add(&text, "", 1);
	if (!ret && !text.failed)
		return text.data;
	complain("cannot read %s: %s", path, strerror(ret ? -ret : ENOMEM));
	buf_free(&text);
	return NULL;
}

static bool resolve_lines(const struct probe *p, const struct btf_types *types,
			  struct requests *requests)
{
	char *words[1 + FETCH_FIELDS_MAX + 1], *save = NULL;
	size_t lines = 1, nr;

	for (const char *c = requests->text; *c; c++)
		lines += *c == '\n';
	requests->v = calloc(lines, sizeof(*requests->v));
	if (!requests->v) {
		complain("out of memory");
		return false;
	}
	for (char *line = strtok_r(requests->text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		nr = split_words(line, words, sizeof(words) / sizeof(words[0]));
		if (!nr || *words[0] == '#')
			continue;
		if (!resolve(p, types, &requests->v[requests->nr++], words, nr))
			return false;
	}
	return true;
}

static bool add_all(const struct probe *p, char **words, size_t nr)
{
	struct requests requests = { 0 };
	struct btf_types types;
	bool ok = true;

	if (!open_types(p, &types))
		return false;
	if (p->file) {
		requests.text = read_text(p->file);
		ok = requests.text && resolve_lines(p, &types, &requests);
	} else {
		requests.v = calloc(1, sizeof(*requests.v));
		requests.nr = !!requests.v;
		ok = requests.v && resolve(p, &types, requests.v, words, nr);
	}
	ok = ok && write_lines(p, &requests);
	free_requests(&requests);
	btf_types_close(&types);
	return ok;
}

static int check_name(const char *name, const char *what)
{
	if (!name || is_identifier(name, strlen(name), EVENT_NAME_MAX))
		return STATUS_OK;
	return usage_error(&command_probe,
			   "'%s' is not a valid name for %s: use letters, digits and '_', at most %d characters, and no digit first",
			   name, what, EVENT_NAME_MAX);
}

static int add(struct probe *p, char **words, size_t nr)
{
	int status = check_name(p->group, "a group");

	if (!status)
		status = check_name(p->name, "an event");
	if (status)
		return status;
	if (p->file && (nr || p->name))
		return usage_error(&command_probe,
				   "add: --file excludes a TRACEPOINT and -n: the file names the tracepoints, which name the events");
	if (!p->file && !nr)
		return usage_error(&command_probe, "add: the name of a tracepoint is missing");
	return add_all(p, words, nr) ? STATUS_OK : STATUS_ERROR;
}

/* ---- list */

static void print_text(const struct dynamic_probe *probe)
{
	char name[2 * EVENT_NAME_MAX + 2];

	snprintf(name, sizeof(name), "%s:%s", probe->group, probe->event);
	printf("%-40s %s%s%s\n", name, probe->tracepoint,
	       *probe->fields ? " " : "", probe->fields);
}

static void print_json_field(struct json *j, char *field)
{
	char *fetch = strchr(field, '='), *type = strrchr(field, ':');

	if (!fetch || !type)
		return;
	*fetch = *type = '\0';
	json_open(j, NULL, '{');
	json_string(j, "name", field);
	json_string(j, "fetch", fetch + 1);
	json_string(j, "type", type + 1);
	json_close(j, '}');
}

static void print_json(struct json *j, struct dynamic_probe *probe)
{
	char *field, *save = NULL;

	json_open(j, NULL, '{');
	json_string(j, "system", probe->group);
	json_string(j, "event", probe->event);
	json_string(j, "tracepoint", probe->tracepoint);
	json_open(j, "fields", '[');
	for (field = strtok_r(probe->fields, " ", &save); field;
	     field = strtok_r(NULL, " ", &save))
		print_json_field(j, field);
	json_close(j, ']');
	json_close(j, '}');
}

static int list(struct probe *p, char **words, size_t nr)
{
	struct json j = { .out = stdout };
	struct dynamic_probes probes;

	if (nr)
		return usage_error(&command_probe, "list: unexpected argument '%s'",
				   words[0]);
	if (!dynamic_read(&probes))
		return STATUS_ERROR;
	if (p->json)
		json_open(&j, NULL, '[');
	for (size_t i = 0; i < probes.nr; i++) {
		if (p->json)
			print_json(&j, &probes.v[i]);
		else
			print_text(&probes.v[i]);
	}
	if (p->json)
		json_close(&j, ']');
	dynamic_free(&probes);
	return STATUS_OK;
}

/* ---- remove */

static bool remove_one(const struct dynamic_probe *probe)
{
	char line[256], told[1024];
	int ret;

	snprintf(line, sizeof(line), "-:%s/%s", probe->group, probe->event);
	ret = klog_write(DYNAMIC_FILE, line, told, sizeof(told));
	/* -ENOENT: another process has removed it meanwhile. */
	if (!ret || ret == -ENOENT) {
		auto_probes_forget(probe->group, probe->event);
		return true;
	}
	if (*told)
		complain("the kernel refused to remove %s:%s: %s",
			 probe->group, probe->event, told);
	else
		control_complain(CONTROL_WRITE, DYNAMIC_FILE, ret);
	return false;
}

static void complain_unknown(const struct dynamic_probes *probes,
			     const char *pattern)
{
	struct suggest suggest = suggest_events(pattern);
	char list[512];

	for (size_t i = 0; i < probes->nr; i++)
		suggest_offer_event(&suggest, probes->v[i].group, probes->v[i].event);
	suggest_list(&suggest, list, sizeof(list));
	if (*list)
		complain("no probe '%s': similar names: %s", pattern, list);
	else
		complain("no probe '%s': 'rbmap probe list' lists the probes",
			 pattern);
}

/* Check all names first, so that a wrong name removes nothing. */
static bool all_known(const struct dynamic_probes *probes, char **words,
		      size_t nr)
{
	for (size_t w = 0; w < nr; w++) {
		bool found = false;

		for (size_t i = 0; i < probes->nr; i++)
			found |= control_match(words[w], probes->v[i].group,
					       probes->v[i].event);
		if (!found) {
			complain_unknown(probes, words[w]);
			return false;
		}
	}
	return true;
}

static bool named(const struct dynamic_probe *probe, char **words, size_t nr)
{
	for (size_t w = 0; w < nr; w++)
		if (control_match(words[w], probe->group, probe->event))
			return true;
	return false;
}

static int remove_probes(struct probe *p, char **words, size_t nr)
{
	struct dynamic_probes probes;
	bool ok;

	if (!nr && !p->all)
		return usage_error(&command_probe,
				   "remove: the name of a probe is missing: give a name, or --all");
	if (nr && p->all)
		return usage_error(&command_probe,
				   "remove: names and --all exclude each other");
	if (!dynamic_read(&probes))
		return STATUS_ERROR;
	ok = all_known(&probes, words, nr);
	for (size_t i = 0; ok && i < probes.nr; i++)
		if (p->all || named(&probes.v[i], words, nr))
			ok = remove_one(&probes.v[i]);
	dynamic_free(&probes);
	return ok ? STATUS_OK : STATUS_ERROR;
}

/* ---- fields */

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

static int fields(struct probe *p, char **words, size_t nr)
{
	struct tracepoint_args args;
	struct btf_types types;
	bool ok = true;

	if (!open_types(p, &types))
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

/* ---- command line */

static const struct action actions[] = {
	{ "add",	ADD,	add },
	{ "list",	LIST,	list },
	{ "remove",	REMOVE,	remove_probes },
	{ "fields",	FIELDS,	fields },
};

#define NR_ACTIONS	(sizeof(actions) / sizeof(actions[0]))

static int add_btf(const struct command *cmd, void *to, char *value)
{
	struct probe *p = to;

	if (p->nr_btf == MAX_BTF_FILES)
		return usage_error(cmd, "option --btf was given more than %d times",
				   MAX_BTF_FILES);
	p->btf[p->nr_btf++] = value;
	return STATUS_OK;
}

static const struct cli_option options[] = {
	{ .name = "name", .letter = 'n', .arg = "NAME", .kind = "text",
	  .actions = ADD, .target = STRING(struct probe, name),
	  .help = "name of the event" },
	{ .name = "group", .letter = 'g', .arg = "GROUP", .kind = "text",
	  .actions = ADD, .target = STRING(struct probe, group),
	  .help = "group of the event" },
	{ .name = "dry-run", .letter = 'd', .actions = ADD,
	  .target = FLAG(struct probe, dry_run),
	  .help = "print the lines for dynamic_events and write nothing" },
	{ .name = "file", .letter = 'f', .arg = "FILE", .kind = "file",
	  .actions = ADD, .target = STRING(struct probe, file),
	  .help = "read 'TRACEPOINT [FIELD]...' from each line; -: stdin" },
	{ .name = "btf", .letter = 'b', .arg = "FILE", .kind = "file",
	  .actions = ADD | FIELDS, .target = { .set = add_btf },
	  .help = "read the types of another kernel from a vmlinux or its BTF;\n"
		  "repeat the option for each of its modules (add, fields)" },
	{ .name = "json", .letter = 'j', .actions = LIST,
	  .target = FLAG(struct probe, json),
	  .help = "print JSON (list)" },
	{ .name = "all", .letter = 'a', .actions = REMOVE,
	  .target = FLAG(struct probe, all),
	  .help = "remove all probes (remove)" },
	{ 0 }
};

/* An argument may contain several words: 'sched_switch prev->pid'. */
static int run_words(const struct action *action, struct probe *p, int argc,
		     char **argv)
{
	size_t nr = 0, room = 1;
	char **words;
	int status;

	for (int i = 0; i < argc; i++)
		room += strlen(argv[i]);
	words = calloc(room, sizeof(*words));
	if (!words) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	for (int i = 0; i < argc; i++)
		nr += split_words(argv[i], words + nr, room - nr);
	status = action->run(p, words, nr);
	free(words);
	return status;
}

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < NR_ACTIONS; i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

static int probe(int argc, char **argv)
{
	struct probe p = { 0 };
	const struct action *action;
	int status;

	for (size_t i = 0; complete_wanted(argc, argv) && i < NR_ACTIONS; i++)
		printf("%s\n", actions[i].name);
	if (!parse_options(&command_probe, argc, argv, &p, &status))
		return status;
	if (optind == argc)
		return usage_error(&command_probe,
				   "the action is missing: use add, list, remove or fields");
	action = find_action(argv[optind]);
	if (!action)
		return usage_error(&command_probe,
				   "unknown action '%s': use add, list, remove or fields",
				   argv[optind]);
	argc -= optind;
	argv += optind;
	if (!parse_action_options(&command_probe, action->bit, argc, argv, &p,
				  &status))
		return status;
	return run_words(action, &p, argc - optind, argv + optind);
}

const struct command command_probe = {
	.name		= "probe",
	.synopsis	= "add|list|remove|fields [ARGUMENT]...",
	.summary	= "Make events of any tracepoint at run time",
	.in_order	= true,
	.intro		=
	"  add [-n NAME] [-g GROUP] [--dry-run] 'TRACEPOINT [FIELD]...'\n"
	"       make an event GROUP:NAME (" DEFAULT_GROUP ":TRACEPOINT) with FIELDs\n"
	"       (default: all arguments); --file FILE makes an event for each line\n"
	"  list [--json]\n"
	"       list the probes\n"
	"  remove NAME... | --all\n"
	"       remove probes; NAME is GROUP:NAME, a name or a group, and may contain\n"
	"       the wildcards of the shell\n"
	"  fields [TRACEPOINT [PATH]...]\n"
	"       list the tracepoints, or the arguments of TRACEPOINT, or the members\n"
	"       of PATH\n"
	"\n"
	"  FIELD is [NAME=]ARG[->MEMBER | .MEMBER | [INDEX]]...[:TYPE]\n"
	"  TYPE is u8 to u64, s8 to s64, x8 to x64 (hexadecimal), one of these with\n"
	"  [COUNT], or string; the default is the type that the kernel declares\n",
	.options	= options,
	.help		=
	"  rbmap probe add 'sched_switch prev->pid prev->comm next->prio'\n"
	"  rbmap stream -e tracepoints:sched_switch\n",
	.run		= probe,
};
