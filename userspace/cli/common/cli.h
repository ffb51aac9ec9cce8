/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The common parts of rbmap's subcommands: their table and error messages. Each
 * message is one line on stderr that names the problem and its remedy.
 */
#ifndef RBMAP_CLI_CLI_H
#define RBMAP_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_option;

/* exit statuses, as rbmap(1) documents them */
enum {
	STATUS_OK	= 0,
	STATUS_ERROR	= 1,	/* the operation failed */
	STATUS_USAGE	= 2,	/* the command line is invalid */
	STATUS_CUT	= 3,	/* the recording is incomplete */
};

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

/*
 * A command is defined in the file of its name, or of the opposite command's
 * name.
 */
extern const struct command command_load;
extern const struct command command_unload;
extern const struct command command_create;
extern const struct command command_destroy;
extern const struct command command_status;
extern const struct command command_doctor;
extern const struct command command_selftest;
extern const struct command command_list;
extern const struct command command_enable;
extern const struct command command_disable;
extern const struct command command_probe;
extern const struct command command_new_probe;
extern const struct command command_stat;
extern const struct command command_stream;
extern const struct command command_record;
extern const struct command command_snapshot;
extern const struct command command_recover;
extern const struct command command_report;
extern const struct command command_latency;
extern const struct command command_why;
extern const struct command command_top;
extern const struct command command_convert;
extern const struct command command_tracefs_dir;

/* Return the time of CLOCK_MONOTONIC in seconds. */
double now(void);

/* Has the caller, nohup for instance, ignored SIGHUP for this command? */
bool hangup_is_ignored(void);

/* Print "rbmap: ..." and a newline to stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Do the same for an invalid command line. Return STATUS_USAGE. */
int usage_error(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* From now on the errors are in a line of a file; NULL: in the command line. */
void usage_errors_at(const char *path, unsigned int line);

/*
 * Return whether the kernel is likely to accept the name. The kernel decides.
 */
bool is_buffer_name(const char *name);

/* Parse a decimal number. Any other character is an error. */
bool parse_u64(const char *text, uint64_t *value);
/*
 * Parse a length of time: a positive number with an optional fraction, of seconds or of the
 * unit behind it: us, ms, s, m (minutes) or h. Store seconds.
 */
bool parse_seconds(const char *text, double *value);

/* Flush stdout. If that fails, report the error and return another status. */
int finish_stdout(int status);

#endif /* RBMAP_CLI_CLI_H */
