// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "live.h"

#define FILE_NAME	"trace.dat"

static void run_record(const char *path, double duration)
{
	char seconds[32];
	const char *argv[] = {
		"rbmap", "record", "--for", "why", "-q", "-o", path, "-d", seconds, NULL
	};

	snprintf(seconds, sizeof(seconds), "%f", duration);
	if (!duration)
		argv[7] = NULL;
	/* Without its parent nobody would end the recording, or read it. */
	prctl(PR_SET_PDEATHSIG, SIGINT);
	execv("/proc/self/exe", (char **)argv);
	complain("cannot run rbmap record: %s", strerror(errno));
	_exit(STATUS_ERROR);
}

/* Ctrl-C is for the recorder: it ends, and this command goes on. */
static bool record_to(const char *path, double seconds)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status = 0;
	pid_t pid;

	pid = fork();
	if (!pid)
		run_record(path, seconds);
	if (pid < 0) {
		complain("cannot start a process: %s", strerror(errno));
		return false;
	}
	sigaction(SIGINT, &ignore, &before);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool live_record(struct live_recording *live, double seconds)
{
	const char *dir = getenv("TMPDIR");

	snprintf(live->folder, sizeof(live->folder), "%s/rbmap-why-XXXXXX",
		 dir && *dir ? dir : "/tmp");
	if (!mkdtemp(live->folder)) {
		complain("cannot make a folder %s for the recording: %s (TMPDIR names another place)",
			 live->folder, strerror(errno));
		return false;
	}
	snprintf(live->path, sizeof(live->path), "%s/" FILE_NAME, live->folder);
	if (record_to(live->path, seconds))
		return true;
	live_remove(live);
	return false;
}

void live_remove(const struct live_recording *live)
{
	unlink(live->path);
	rmdir(live->folder);
}
