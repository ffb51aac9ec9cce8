/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subcommands of rbmap share: how they are found, how they take
 * options, and how they complain.  Every complaint is one line on stderr that
 * says what is wrong and what to do about it.
 */
#ifndef RBMAP_CLI_CLI_H
#define RBMAP_CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses; rbmap(1) promises them. */
enum {
	STATUS_OK	= 0,
	STATUS_ERROR	= 1,	/* could not do it */
	STATUS_USAGE	= 2,	/* the command line makes no sense */
	STATUS_CUT	= 3,	/* a recording is there, but not all of it */
};

struct command {
	const char *name;
	const char *synopsis;	/* what follows "rbmap NAME" */
	const char *summary;	/* one line in "rbmap --help" */
	const char *help;	/* options and the like, lines */
	int (*run)(int argc, char **argv);	/* argv[0] is the name */
};

/* Each is defined in the file of its name, or of its opposite's. */
extern const struct command command_load;
extern const struct command command_unload;
extern const struct command command_create;
extern const struct command command_destroy;
extern const struct command command_status;
extern const struct command command_doctor;
extern const struct command command_list;
extern const struct command command_enable;
extern const struct command command_disable;
extern const struct command command_probe;
extern const struct command command_new_probe;
extern const struct command command_stat;
extern const struct command command_stream;
extern const struct command command_record;
extern const struct command command_snapshot;
extern const struct command command_report;
extern const struct command command_tracefs_dir;

/* "rbmap: ..." and a newline on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for a wrong command line; returns STATUS_USAGE. */
int usage_error(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * getopt_long() with -h/--help, -B and errors dealt with: returns another option,
 * -1 at the end, or OPTION_DONE with *status set, when the command is to return
 * it.
 * @shorts begins with "+" or ":" or nothing, as for getopt_long().
 */
#define OPTION_DONE	(-2)
int next_option(const struct command *cmd, int argc, char **argv,
		const char *shorts, const struct option *longs, int *status);

/* Of a command that has -B. */
#define BUFFER_OPTION	{ "buffer", required_argument, NULL, 'B' }
/* What the kernel takes; it has the last word. */
bool is_buffer_name(const char *name);

/* What -e was given, each time. */
#define MAX_PATTERNS	256
struct patterns {
	char *pattern[MAX_PATTERNS];
	size_t nr;
};
int add_pattern(const struct command *cmd, struct patterns *patterns,
		char *pattern);

/* A whole decimal number, nothing else. */
bool parse_u64(const char *text, uint64_t *value);
/* Seconds with an optional fraction, more than 0. */
bool parse_seconds(const char *text, double *value);

/* Did all of stdout get to where it goes?  Complains if not. */
int finish_stdout(int status);

#endif /* RBMAP_CLI_CLI_H */
