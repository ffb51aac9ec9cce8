/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that is recorded. It is forked before the recording begins and
 * runs after that, so that the recording contains its beginning.
 */
#ifndef RBMAP_CLI_CHILD_H
#define RBMAP_CLI_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;		/* 0: none, or it has ended */
	int go;			/* closing it lets the command run */
	int failed;		/* carries the errno of a failed exec */
	char **argv;
	bool output_to_stderr;
	int status;		/* status of wait() */
	bool ended;
};

bool child_prepare(struct child *child, char **argv);	/* reports errors */
bool child_start(struct child *child);			/* reports errors */
bool child_ended(struct child *child);
void child_signal(struct child *child, int sig);
/* Send the command a signal that has arrived here, unless a terminal has sent it to both. */
void child_pass_on(struct child *child, const siginfo_t *info);
/* Report a command that failed, as one line. */
void child_tell_status(struct child *child);

#endif /* RBMAP_CLI_CHILD_H */
