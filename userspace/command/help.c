// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "options.h"

static int format_names(char *text, size_t size, const struct cli_option *o)
{
	char letter[] = "    ";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	return snprintf(text, size, "%s--%s%s%s", letter, o->name,
			o->arg ? " " : "", o->arg ? o->arg : "");
}

/* Print the names in a column of @width, and the lines of the text beside it. */
static void print_option(const struct cli_option *o, int width)
{
	char names[64];

	format_names(names, sizeof(names), o);
	printf("  %-*s  ", width, names);
	for (const char *c = o->help; *c; c++) {
		putchar(*c);
		if (*c == '\n')
			printf("%*s", width + 4, "");
	}
	putchar('\n');
}

static void print_options(const struct cli_option *options)
{
	int width = 0;

	for (const struct cli_option *o = options; o->name; o++) {
		int len = format_names(NULL, 0, o);

		if (o->help && len > width)
			width = len;
	}
	putchar('\n');
	for (const struct cli_option *o = options; o->name; o++)
		if (o->help)
			print_option(o, width);
}

void print_command_help(const struct command *cmd)
{
	printf("usage: rbmap %s%s%s\n\n%s.\n", cmd->name,
	       *cmd->synopsis ? " " : "", cmd->synopsis, cmd->summary);
	if (cmd->intro)
		printf("\n%s", cmd->intro);
	if (cmd->options)
		print_options(cmd->options);
	if (cmd->help)
		printf("\n%s", cmd->help);
	/* A command with subcommands has one page. */
	printf("\nManual page: rbmap-%.*s(1).\n", (int)strcspn(cmd->name, " "), cmd->name);
}
