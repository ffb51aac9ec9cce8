// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/units.h"
#include "command.h"
#include "complete.h"
#include "options.h"

#define MAX_OPTIONS	32	/* options of a table */
#define NO_LETTER	256	/* larger than each letter */

const struct cli_option help_option = {
	.name = "help", .letter = 'h', .help = "print the options",
};

/* The table as getopt_long() reads it. */
struct getopt_table {
	char shorts[2 + 2 * MAX_OPTIONS + 2];
	struct option longs[MAX_OPTIONS + 2];
};

/* Return the value of getopt_long() for an option. */
static int getopt_value(const struct command *cmd, const struct cli_option *o)
{
	return o->letter ? o->letter : NO_LETTER + (int)(o - cmd->options);
}

static const struct cli_option *find_option(const struct command *cmd, int value)
{
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		if (getopt_value(cmd, o) == value)
			return o;
	return NULL;
}

/*
 * The long names are those of all actions, so that the message can name the
 * action that lacks an option. Before the action, none of them is valid.
 */
static void make_table(struct getopt_table *table, const struct command *cmd,
		       unsigned int action)
{
	struct option *longs = table->longs;
	char *shorts = table->shorts;

	if (cmd->in_order && !action)
		*shorts++ = '+';
	/*
	 * With a leading colon getopt_long() tells a missing value from an
	 * unknown option.
	 */
	*shorts++ = ':';
	for (const struct cli_option *o = cmd->options; o && o->name; o++) {
		assert(o - cmd->options < MAX_OPTIONS);
		if (o->actions && !action)
			continue;
		*longs++ = (struct option){
			.name = o->name,
			.has_arg = o->arg ? required_argument : no_argument,
			.val = getopt_value(cmd, o),
		};
		if (!o->letter || (o->actions && !(o->actions & action)))
			continue;
		*shorts++ = o->letter;
		if (o->arg)
			*shorts++ = ':';
	}
	*longs++ = (struct option){
		.name = help_option.name, .val = help_option.letter,
	};
	*longs = (struct option){ 0 };
	*shorts++ = help_option.letter;
	*shorts = '\0';
}

static int complain_option(const struct command *cmd, int c, const char *word)
{
	const char *foreign = option_hint(cmd->name, optopt, word);

	if (c == ':')
		return usage_error(cmd, "option '%s' requires a value", word);
	if (foreign && strncmp(word, "--", 2))
		return usage_error(cmd, "no option '-%c': %s", optopt, foreign);
	if (foreign)
		return usage_error(cmd, "no option '%s': %s", word, foreign);
	if (optopt && optopt < 128 && isprint(optopt) && strncmp(word, "--", 2))
		return usage_error(cmd, "no option '-%c'", optopt);
	if (optopt)
		return usage_error(cmd, "option '%s' takes no value", word);
	return usage_error(cmd, "no option '%s'", word);
}

bool parse_action_options(const struct command *cmd, unsigned int action,
			  int argc, char **argv, void *to, int *status)
{
	struct getopt_table table;
	int c;

	*status = STATUS_OK;
	if (complete_wanted(argc, argv)) {
		complete_print(cmd, action);
		return false;
	}
	make_table(&table, cmd, action);
	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, table.shorts, table.longs,
				NULL)) != -1) {
		const struct cli_option *o = find_option(cmd, c);

		if (c == help_option.letter) {
			print_command_help(cmd);
			return false;
		}
		if (!o)
			*status = complain_option(cmd, c, argv[optind - 1]);
		else if (o->actions && !(o->actions & action))
			*status = usage_error(cmd, "%s has no option '--%s'",
					      argv[0], o->name);
		else
			*status = o->target.set(cmd,
						(char *)to + o->target.offset,
						optarg);
		if (*status)
			return false;
	}
	return true;
}

bool parse_options(const struct command *cmd, int argc, char **argv, void *to,
		   int *status)
{
	return parse_action_options(cmd, 0, argc, argv, to, status);
}

int choose_one(const struct command *cmd, const char *option, const char *value,
	       const char *const *choices, int nr, int *choice)
{
	char all[128] = "";

	for (int i = 0; i < nr; i++) {
		if (!strcmp(choices[i], value)) {
			*choice = i;
			return STATUS_OK;
		}
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
			 !i ? "" : i + 1 < nr ? ", " : " or ", choices[i]);
	}
	return usage_error(cmd, "invalid %s '%s': %s", option, value, all);
}

int set_flag(const struct command *cmd, void *to, char *value)
{
	(void)cmd;
	(void)value;
	*(bool *)to = true;
	return STATUS_OK;
}

int set_pattern(const struct command *cmd, void *to, char *value)
{
	struct patterns *patterns = to;
	char *name;

	/* No name of an event has a comma. */
	while ((name = strsep(&value, ","))) {
		if (patterns->nr == MAX_PATTERNS)
			return usage_error(cmd, "option -e was given more than %d times: use a wildcard",
					   MAX_PATTERNS);
		if (!*name)
			return usage_error(cmd, "the name of an event is empty");
		patterns->pattern[patterns->nr++] = name;
	}
	return STATUS_OK;
}

int set_seconds(const struct command *cmd, void *to, char *value)
{
	if (parse_seconds(value, to))
		return STATUS_OK;
	return usage_error(cmd, "invalid number of seconds '%s': 10, 0.5, 500ms, 2m", value);
}

int set_size_kb(const struct command *cmd, void *to, char *value)
{
	if (parse_size_kb(value, to))
		return STATUS_OK;
	return usage_error(cmd, "invalid size '%s': use a number of KiB, or a number with K, M or G",
			   value);
}

int set_string(const struct command *cmd, void *to, char *value)
{
	(void)cmd;
	*(char **)to = value;
	return STATUS_OK;
}
