// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/complain.h"
#include "base/printable.h"
#include "crash_guard.h"
#include "print/crash_notes.h"
#include "sandbox.h"

static bool is_crash(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE ||
	       sig == SIGILL || sig == SIGABRT || sig == SIGSYS;
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

/* The handlers of the command remove the parent's file. */
static void reset_signals(void)
{
	static const int signals[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signal(signals[i], SIG_DFL) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

/* Return the status, or CRASH_GUARD_FAILED. */
static int run_once(const struct crash_guard *g)
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
		reset_signals();
		setrlimit(RLIMIT_CORE, &no_core);
		sandbox_enter();
		_exit(finish_stdout(g->run(g->arg)));
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_ERROR;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return is_crash(WTERMSIG(status)) ? CRASH_GUARD_FAILED : end_like(WTERMSIG(status));
}

/* The process may have written anything into the notes. */
static const char *noted_path(const struct crash_guard *g)
{
	unsigned int file = crash_notes()->file;

	return g->path[file < g->nr_paths ? file : 0];
}

/* The crash was not in libtraceevent, or nothing can be printed again. */
static void tell_end(const struct crash_guard *g)
{
	if (crash_notes()->mark || g->nr_paths == 1)
		complain("%s is damaged: it contains an invalid event format", noted_path(g));
	else
		complain("one of %u recordings is damaged, %s to %s: it contains an invalid event format",
			 g->nr_paths, g->path[0], g->path[g->nr_paths - 1]);
}

static void tell_bad(const struct crash_guard *g)
{
	const struct crash_notes *n = crash_notes();
	struct buf name = { 0 };

	buf_add_printable(&name, n->system, strnlen(n->system, sizeof(n->system)));
	buf_add(&name, ":", 1);
	buf_add_printable(&name, n->name, strnlen(n->name, sizeof(n->name)));
	if (!name.failed)
		complain("%s is damaged: libtraceevent crashes on the format of %.*s, which is left out",
			 noted_path(g), (int)name.size, name.data);
	buf_free(&name);
}

int crash_guard(const struct crash_guard *g)
{
	int status;

	if (!crash_notes_share()) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	while ((status = run_once(g)) == CRASH_GUARD_FAILED) {
		if (!crash_notes()->mark || !g->again(g->arg)) {
			tell_end(g);
			return CRASH_GUARD_FAILED;
		}
		tell_bad(g);
		if (!crash_leave_out()) {
			complain("%s has too many such formats", noted_path(g));
			return CRASH_GUARD_FAILED;
		}
	}
	return status == STATUS_OK && crash_left_out() ? STATUS_CUT : status;
}
