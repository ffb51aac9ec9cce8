// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cli.h"
#include "crash_guard.h"

static bool is_crash(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE ||
	       sig == SIGILL || sig == SIGABRT;
}

/* Die of the same signal, so that the caller's parent sees it. */
static int end_like(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return STATUS_ERROR;
}

int crash_guard(int (*fn)(void *arg), void *arg)
{
	const struct rlimit no_core = { 0 };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		complain("cannot start a process: %s", strerror(errno));
		return STATUS_ERROR;
	}
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		setrlimit(RLIMIT_CORE, &no_core);
		_exit(finish_stdout(fn(arg)));
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_ERROR;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return is_crash(WTERMSIG(status)) ? -1 : end_like(WTERMSIG(status));
}
