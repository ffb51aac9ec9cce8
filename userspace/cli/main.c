// SPDX-License-Identifier: GPL-2.0-only
/* rbmap: control, read and record the rings of the rbmap module. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <rbmap.h>

#include "base/complain.h"
#include "base/suggest.h"
#include "command/command.h"
#include "command/complete.h"
#include "commands.h"
#include "external.h"

static const struct command *const commands[] = {
	&command_load,
	&command_unload,
	&command_create,
	&command_destroy,
	&command_status,
	&command_doctor,
	&command_selftest,
	&command_list,
	&command_enable,
	&command_disable,
	&command_probe,
	&command_new_probe,
	&command_stat,
	&command_stream,
	&command_record,
	&command_snapshot,
	&command_recover,
	&command_report,
	&command_latency,
	&command_why,
	&command_top,
	&command_convert,
	&command_cut,
	&command_tracefs_dir,
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("usage: rbmap COMMAND [ARGUMENT]...\n\n", out);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-11s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nWith the package rbmap-fleet:\n", out);
	for (const struct external_command *c = external_commands; c->name; c++)
		fprintf(out, "  %-11s %s\n", c->name, c->summary);
	fputs("\n"
	      "  help [COMMAND]  print the usage of COMMAND ('rbmap COMMAND --help')\n"
	      "  help TOPIC      show the manual page of filter, dynamic_events or json\n"
	      "  --version       print the version of this command\n"
	      "\n"
	      "Manual pages: rbmap(1), rbmap-COMMAND(1), rbmap-filter(5),\n"
	      "rbmap-dynamic_events(5), rbmap-json(5).\n", out);
}

static void complete_commands(void)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("%s\t%s\n", commands[i]->name, commands[i]->summary);
	for (const struct external_command *c = external_commands; c->name; c++)
		printf("%s\t%s\n", c->name, c->summary);
}

static int unknown_command(const char *name)
{
	struct suggest suggest = { .wanted = name };
	char list[512];

	if (command_hint(name)) {
		complain("no command '%s': %s", name, command_hint(name));
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < NR_COMMANDS; i++)
		suggest_offer(&suggest, commands[i]->name, commands[i]->name);
	for (const struct external_command *c = external_commands; c->name; c++)
		suggest_offer(&suggest, c->name, c->name);
	suggest_list(&suggest, list, sizeof(list));
	if (*list)
		complain("no command '%s': similar names: %s", name, list);
	else
		complain("no command '%s': 'rbmap --help' lists the commands", name);
	return STATUS_USAGE;
}

/* Manual pages that describe no command */
static const char *const topics[] = { "dynamic_events", "filter", "json" };

static int show_topic(const char *topic)
{
	char page[64];

	snprintf(page, sizeof(page), "rbmap-%s", topic);
	execlp("man", "man", page, NULL);
	complain("cannot run man: rbmap-%s(5) is in share/man/man5", topic);
	return STATUS_ERROR;
}

static int help(int argc, char **argv)
{
	char *args[] = { "rbmap", NULL, "--help", NULL };
	const struct command *cmd;

	if (argc < 2) {
		print_help(stdout);
		return STATUS_OK;
	}
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		if (!strcmp(topics[i], argv[1]))
			return show_topic(topics[i]);
	args[1] = argv[1];
	if (is_external_command(argv[1]))
		return run_external_command(args);
	cmd = find_command(argv[1]);
	return cmd ? cmd->run(2, args + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	const struct command *cmd;
	int status;

	/* If the caller has ignored it, no child's end could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	if (argc < 2) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") ||
	    !strcmp(argv[1], "-v") || !strcmp(argv[1], "version")) {
		printf("rbmap %s\n", rbmap_version());
		status = STATUS_OK;
	} else if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help(stdout);
		status = STATUS_OK;
	} else if (complete_wanted(argc, argv)) {
		complete_commands();
		status = STATUS_OK;
	} else if (!strcmp(argv[1], "help")) {
		status = help(argc - 1, argv + 1);
	} else if (argv[1][0] == '-') {
		const char *hint = option_hint("", 0, argv[1]);

		complain("no option '%s': %s", argv[1],
			 hint ? hint : "'rbmap --help' lists the options");
		status = STATUS_USAGE;
	} else if (is_external_command(argv[1])) {
		status = run_external_command(argv);
	} else {
		cmd = find_command(argv[1]);
		status = cmd ? cmd->run(argc - 1, argv + 1) :
			       unknown_command(argv[1]);
	}
	return finish_stdout(status);
}
