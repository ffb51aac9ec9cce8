/* SPDX-License-Identifier: GPL-2.0-only */
/* A command of the family, errors of its command line, and hints in them. */
#ifndef RBMAP_COMMAND_COMMAND_H
#define RBMAP_COMMAND_COMMAND_H

#include <stdbool.h>

struct cli_option;

struct command {
	const char *name;
	const char *synopsis;	/* text after "rbmap NAME" */
	const char *summary;	/* line in "rbmap --help" */
	const char *intro;	/* lines before the options in --help, or NULL */
	const struct cli_option *options;	/* NULL: only -h */
	const char *help;	/* lines after the options in --help, or NULL */
	bool in_order;		/* options end at the first argument */
	int (*run)(int argc, char **argv);	/* argv[0] is the name */
};

/* Report an invalid command line. Return STATUS_USAGE. */
int usage_error(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* From now on the errors are in a line of a file; NULL: in the command line. */
void usage_errors_at(const char *path, unsigned int line);

/*
 * Return whether the kernel is likely to accept the name. The kernel decides.
 */
bool is_buffer_name(const char *name);

/*
 * Users of trace-cmd and perf know other names: hints.c. Return the end of a message about an
 * unknown name, which says what rbmap has instead, or NULL.
 */
const char *command_hint(const char *name);
const char *event_hint(const char *pattern);

/* The same for a kernel that has no events of system calls by name. */
const char *syscall_hint(const char *pattern);

/*
 * Return such an end for an option that a command does not have. @letter is its letter, or 0
 * for a long option, which @word has as it was typed.
 */
const char *option_hint(const char *command, int letter, const char *word);

#endif /* RBMAP_COMMAND_COMMAND_H */
