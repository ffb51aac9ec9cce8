// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "complete.h"
#include "options.h"

bool complete_wanted(int argc, char **argv)
{
	return argc == 2 && !strcmp(argv[1], COMPLETE);
}

static void print_line(const struct cli_option *o)
{
	char letter[] = { '-', o->letter, '\0' };

	printf("--%s\t%s\t%s\t", o->name, letter, o->arg ? o->kind : "-");
	for (const char *c = o->help; *c; c++)
		putchar(*c == '\n' ? ' ' : *c);
	putchar('\n');
}

void complete_print(const struct command *cmd, unsigned int action)
{
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		if (o->help && (!o->actions || o->actions & action))
			print_line(o);
	print_line(&help_option);
}
