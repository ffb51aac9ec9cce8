// SPDX-License-Identifier: GPL-2.0-only
/* Asking a flight recorder for a file: a process that answers, or does not. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/recorder/snapshot_file.h"

enum answer { WRITTEN, FAILED, NONE };

/* SIGUSR1 is blocked, as in a recorder, before the process exists. */
static pid_t begin_recorder(enum answer answer)
{
	siginfo_t info;
	sigset_t set;
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid) {
		/* The first signal was taken: else the second one could be merged with it. */
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		close(ready[1]);
		return pid;
	}
	/* A signal of kill(1) has no number, and nobody waits for an answer. */
	kill(getpid(), SIGUSR1);
	sigwaitinfo(&set, &info);
	dump_request_answer(&info, true);
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	if (sigwaitinfo(&set, &info) == SIGUSR1 && answer != NONE)
		dump_request_answer(&info, answer == WRITTEN);
	_exit(0);
}

/* A process that has ended and is not waited for would still take signals. */
static bool request(enum answer answer)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	pid_t recorder;

	assert_int_equal(sigaction(SIGCHLD, &ignore, NULL), 0);
	recorder = begin_recorder(answer);
	return dump_request(recorder);
}

static void test_answers(void **state)
{
	(void)state;
	assert_true(request(WRITTEN));
	assert_false(request(FAILED));
	assert_false(request(NONE));
}

static void test_no_process(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_false(dump_request(pid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_no_process),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
