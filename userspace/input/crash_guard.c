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
#include "command/command.h"
#include "crash_guard.h"
#include "print/crash_notes.h"

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

/* Return the status, or CRASH_GUARD_FAILED with the signal in @sig. */
static int run_once(const struct crash_guard *g, int *sig)
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
	*sig = WTERMSIG(status);
	if (is_crash(*sig))
		return CRASH_GUARD_FAILED;
	if (g->dies)
		g->dies(g->arg);
	return end_like(*sig);
}

/* The process may have written anything into the notes. */
static const char *noted_path(const struct crash_guard *g)
{
	unsigned int file = crash_notes()->file;

	return g->path[file < g->nr_paths ? file : 0];
}

/* Append the recording, or the first and the last one: which of them was read is not known. */
static void add_paths(struct buf *text, const struct crash_guard *g)
{
	buf_printf(text, "%s", g->path[0]);
	if (g->nr_paths > 1)
		buf_printf(text, " to %s", g->path[g->nr_paths - 1]);
}

/* The crash was not in libtraceevent. */
static void tell_crash(const struct crash_guard *g, int sig)
{
	static const char *const doing[CRASH_SECTIONS] = {
		[CRASH_TABLES]	= "read the formats and names of",
		[CRASH_EVENTS]	= "used the events of",
		[CRASH_RESULT]	= "printed the result of",
	};
	unsigned int section = crash_notes()->section;
	struct buf paths = { 0 };

	add_paths(&paths, g);
	buf_add(&paths, "", 1);
	complain("%s was ended by signal %d (%s) while it %s %s: the recording is damaged, or rbmap has a bug, which you can report",
		 g->command->name, sig, strsignal(sig),
		 doing[section < CRASH_SECTIONS ? section : CRASH_TABLES],
		 paths.failed ? g->path[0] : paths.data);
	buf_free(&paths);
}

static void tell_bad(const struct crash_guard *g, const char *then)
{
	const struct crash_notes *n = crash_notes();
	struct buf name = { 0 };

	buf_add_printable(&name, n->system, strnlen(n->system, sizeof(n->system)));
	buf_add(&name, ":", 1);
	buf_add_printable(&name, n->name, strnlen(n->name, sizeof(n->name)));
	if (!name.failed)
		complain("%s is damaged: libtraceevent crashes on the format of %.*s, %s",
			 noted_path(g), (int)name.size, name.data, then);
	buf_free(&name);
}

int crash_guard(const struct crash_guard *g)
{
	int status, sig = 0;

	if (!crash_notes_share()) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	while ((status = run_once(g, &sig)) == CRASH_GUARD_FAILED) {
		if (!crash_notes()->mark) {
			tell_crash(g, sig);
			return CRASH_GUARD_FAILED;
		}
		if (!g->again(g->arg)) {
			tell_bad(g, "and a part of the output is already written: write it to a file with -o");
			return CRASH_GUARD_FAILED;
		}
		tell_bad(g, "which is left out");
		if (!crash_leave_out()) {
			complain("%s has too many such formats", noted_path(g));
			return CRASH_GUARD_FAILED;
		}
		crash_notes()->section = CRASH_TABLES;
	}
	return status == STATUS_OK && crash_left_out() ? STATUS_CUT : status;
}
