// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/uplink/clocks.h"
#include "command/service.h"
#include "snapshot.h"

#define SECOND	1000000000ULL
#define LOOK_MS	100

extern char **environ;

/* Cut the command into words. Return their number. */
static int split(char *text, char *words[SNAPSHOT_WORDS + 1])
{
	char *save;
	int nr = 0;

	for (char *word = strtok_r(text, " ", &save); word && nr < SNAPSHOT_WORDS;
	     word = strtok_r(NULL, " ", &save))
		words[nr++] = word;
	words[nr] = NULL;
	return nr;
}

/* Start the command with default signals and an empty input. Return 0 or an errno. */
static int spawn(pid_t *pid, char **words)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t all, none;
	int ret;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	ret = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return ret;
}

/* Return whether the command has ended. If it failed, store the cause. */
static bool has_ended(pid_t *pid, char *error, size_t size)
{
	int status;

	if (*pid && waitpid(*pid, &status, WNOHANG) == *pid) {
		*pid = 0;
		if (WIFSIGNALED(status))
			snprintf(error, size, "the command of the snapshot was killed by signal %d",
				 WTERMSIG(status));
		else if (WEXITSTATUS(status))
			snprintf(error, size, "the command of the snapshot failed with status %d",
				 WEXITSTATUS(status));
	}
	return !*pid;
}

static void wait_for(struct intake *in, pid_t *pid, struct ingest_wanted *wanted, char *error,
		     size_t size)
{
	uint64_t end = clock_monotonic() + SNAPSHOT_SECONDS * SECOND;

	while (!*error) {
		struct pollfd fd = { .fd = in->inotify, .events = POLLIN };

		service_alive();
		if (intake_due(in))
			intake_run(in, wanted);
		if (has_ended(pid, error, size) && wanted->found)
			return;
		if (in->stopped())
			snprintf(error, size, "the agent was ended before the incident was there");
		else if (clock_monotonic() >= end)
			snprintf(error, size, *pid ?
				 "the command of the snapshot did not end within %d s" :
				 "no incident came within %d s", SNAPSHOT_SECONDS);
		else if (!*error)
			poll(&fd, 1, LOOK_MS);
	}
}

bool snapshot_take(const char *command, struct intake *in, struct ingest_wanted *wanted,
		   char *error, size_t size)
{
	char *words[SNAPSHOT_WORDS + 1], text[SNAPSHOT_SIZE];
	pid_t pid;
	int ret;

	*error = '\0';
	snprintf(text, sizeof(text), "%s", command);
	if (!split(text, words)) {
		snprintf(error, size, "this host has no command for a snapshot");
		return false;
	}
	wanted->since = clock_real();
	ret = spawn(&pid, words);
	if (ret) {
		snprintf(error, size, "cannot run '%s': %s", words[0], strerror(ret));
		return false;
	}
	wait_for(in, &pid, wanted, error, size);
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return !*error;
}
