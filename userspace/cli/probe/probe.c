// SPDX-License-Identifier: GPL-2.0-only
/* rbmap probe: make events from any tracepoint while the module is loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "command/command.h"
#include "command/complete.h"
#include "command/options.h"
#include "live/probe/btf_types.h"
#include "live/probe/dynamic.h"
#include "probe.h"

/* The bits of struct cli_option. */
enum { ADD = 1, LIST = 2, REMOVE = 4, FIELDS = 8 };

struct action {
	const char *name;
	unsigned int bit;
	int (*run)(struct probe *p, char **words, size_t nr);
};

size_t probe_split_words(char *text, char **words, size_t room)
{
	char *save = NULL;
	size_t nr = 0;

	for (char *word = strtok_r(text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save), nr++)
		if (nr < room)
			words[nr] = word;
	return nr < room ? nr : room;
}

bool probe_open_types(const struct probe *p, struct btf_types *types)
{
	char error[1024];

	if (btf_types_open(types, p->btf, p->nr_btf, error, sizeof(error)))
		return true;
	complain("%s", error);
	return false;
}

static const struct action actions[] = {
	{ "add",	ADD,	probe_add },
	{ "list",	LIST,	probe_list },
	{ "remove",	REMOVE,	probe_remove },
	{ "fields",	FIELDS,	probe_fields },
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
		nr += probe_split_words(argv[i], words + nr, room - nr);
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
	.synopsis	= "add|list|remove|fields [OPTION]... [ARGUMENT]...",
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
