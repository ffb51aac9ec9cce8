/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of options. The parser, --help and the completion of the shells use
 * the same table.
 */
#ifndef RBMAP_COMMAND_OPTIONS_H
#define RBMAP_COMMAND_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

struct command;

/*
 * Store the value of an option; NULL: the option takes no value. Return
 * STATUS_OK, or the status of a usage error, which has been reported.
 */
typedef int set_option_fn(const struct command *cmd, void *to, char *value);

/**
 * struct option_target - where an option is stored
 * @set: function that stores the value
 * @offset: place of the member that @set gets, in the command's structure
 */
struct option_target {
	set_option_fn *set;
	size_t offset;
};

/**
 * struct cli_option - an option of a command; a table ends with { 0 }
 * @name: long name, without "--"
 * @arg: name of the value in --help; NULL: the option takes no value
 * @kind: values that the shells offer: buffer, dir, event, file, kernel or pid; or the values
 * themselves, with commas between them; text and number: they offer none
 * @help: the lines of --help, without a newline at the end; NULL: the option is
 * hidden
 * @target: where the option is stored
 * @actions: bits of the actions that have the option; 0: all of the command
 * @letter: short name, or 0
 */
struct cli_option {
	const char *name;
	const char *arg;
	const char *kind;
	const char *help;
	struct option_target target;
	unsigned int actions;
	char letter;
};

/* -h, which every command has in addition to its table */
extern const struct cli_option help_option;

/*
 * Store the options in the structure @to. Return true if the command goes on
 * with the arguments from argv[optind] on. Otherwise the command must return
 * *status.
 */
bool parse_options(const struct command *cmd, int argc, char **argv, void *to,
		   int *status);
/* Do the same for the options after an action, whose name is argv[0]. */
bool parse_action_options(const struct command *cmd, unsigned int action,
			  int argc, char **argv, void *to, int *status);

/*
 * Store the index of @value in @choices, or report a usage error that names them all.
 * @option is its name with "--". Return STATUS_OK or the status of the error.
 */
int choose_one(const struct command *cmd, const char *option, const char *value,
	       const char *const *choices, int nr, int *choice);

set_option_fn set_flag, set_pattern, set_seconds, set_size_kb, set_string;

/*
 * Store the option in a member, by a function that expects this type. If the
 * member has another type, the array has a negative size and does not compile.
 */
#define OPTION_MEMBER(function, expected, type, structure, member) {	\
	.set = (function),						\
	.offset = offsetof(structure, member) + 0 * sizeof(char[	\
		__builtin_types_compatible_p(expected, type) ? 1 : -1]), }
#define TYPE_OF(structure, member)	__typeof__(((structure *)0)->member)
#define OPTION_TO(function, expected, structure, member)		\
	OPTION_MEMBER(function, expected, TYPE_OF(structure, member),	\
		      structure, member)

#define FLAG(structure, member)						\
	OPTION_TO(set_flag, bool, structure, member)
#define SECONDS(structure, member)					\
	OPTION_TO(set_seconds, double, structure, member)
#define PATTERNS(structure, member)					\
	OPTION_TO(set_pattern, struct patterns, structure, member)
/* The member is a pointer to char or const char. */
#define STRING(structure, member)					\
	OPTION_MEMBER(set_string, char,					\
		      __typeof__(*(TYPE_OF(structure, member))0),	\
		      structure, member)

#define JSON_OPTION(structure, member) {				\
	.name = "json", .letter = 'j', .help = "print JSON",		\
	.target = FLAG(structure, member) }

/* Print the text of "rbmap COMMAND --help". */
void print_command_help(const struct command *cmd);

/* arguments of all -e options */
#define MAX_PATTERNS	256
struct patterns {
	char *pattern[MAX_PATTERNS];
	size_t nr;
};

#endif /* RBMAP_COMMAND_OPTIONS_H */
