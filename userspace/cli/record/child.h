/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that a recording is made of.  It is forked before the recording
 * begins and runs after: what it does first is recorded too.
 */
#ifndef RBMAP_CLI_CHILD_H
#define RBMAP_CLI_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;		/* 0: none, or it has ended */
	int go;			/* closed: it may run */
	int failed;		/* it says here why it could not */
	char **argv;
	int status;		/* of wait() */
	bool ended;
};

bool child_prepare(struct child *child, char **argv);	/* complains */
bool child_start(struct child *child);			/* complains */
bool child_ended(struct child *child);
void child_signal(struct child *child, int sig);
/* Until it ends, or a signal of @set comes that it gets too. */
void child_wait(struct child *child, const sigset_t *set);
/* One line if it did not end well. */
void child_tell_status(struct child *child);

#endif /* RBMAP_CLI_CHILD_H */
