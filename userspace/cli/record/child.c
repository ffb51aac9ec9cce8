// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "child.h"
#include "live/recorder/open_files.h"

static void run_child(const struct child *child, int go, int failed)
{
	sigset_t none;
	char byte;

	/* End of file: the parent says "go", or has ended. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	open_files_restore();
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (child->output_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(child->argv[0], child->argv);
	if (write(failed, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

bool child_prepare(struct child *child, char **argv)
{
	int go[2], failed[2];

	child->argv = argv;
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC)) {
		complain("cannot run %s: %s", argv[0], strerror(errno));
		return false;
	}
	child->pid = fork();
	if (child->pid < 0) {
		child->pid = 0;
		complain("cannot run %s: %s", argv[0], strerror(errno));
		return false;
	}
	if (!child->pid) {
		close(go[1]);
		close(failed[0]);
		run_child(child, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	child->go = go[1];
	child->failed = failed[0];
	return true;
}

bool child_start(struct child *child)
{
	int error;

	if (write(child->go, "", 1) != 1) {
		complain("cannot run %s: %s", child->argv[0], strerror(errno));
		return false;
	}
	close(child->go);
	/* If exec succeeds, it closes the pipe, and nothing arrives. */
	if (read(child->failed, &error, sizeof(error)) == sizeof(error)) {
		complain("cannot run %s: %s%s", child->argv[0],
			 strerror(error),
			 error == ENOENT && !strchr(child->argv[0], '/') ?
			 " (it is not in the PATH; events are named with -e)" : "");
		close(child->failed);
		waitpid(child->pid, NULL, 0);
		child->pid = 0;
		return false;
	}
	close(child->failed);
	return true;
}

bool child_ended(struct child *child)
{
	if (!child->pid || waitpid(child->pid, &child->status, WNOHANG) <= 0)
		return false;
	child->pid = 0;
	child->ended = true;
	return true;
}

void child_signal(struct child *child, int sig)
{
	if (child->pid)
		kill(child->pid, sig);
}

void child_pass_on(struct child *child, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		child_signal(child, info->si_signo);
}

void child_tell_status(struct child *child)
{
	if (!child->ended)
		return;
	if (WIFSIGNALED(child->status))
		complain("note: %s was ended by signal %d (%s)", child->argv[0],
			 WTERMSIG(child->status),
			 strsignal(WTERMSIG(child->status)));
	else if (WEXITSTATUS(child->status))
		complain("note: %s ended with status %d", child->argv[0],
			 WEXITSTATUS(child->status));
}
