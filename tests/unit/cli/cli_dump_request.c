// SPDX-License-Identifier: GPL-2.0-only
/* Asking a flight recorder for a file: a process that answers, or does not. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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
	return dump_request(recorder, 60);
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
	assert_false(dump_request(pid, 60));
}

static unsigned int first_takes;	/* us, the first file of a server */

/*
 * Begin a recorder that answers each request, from when the file @wait_for exists; NULL: from
 * now on. *@files is the number of its files. It ends with SIGTERM.
 */
static pid_t begin_server(const char *wait_for, int *files)
{
	siginfo_t info;
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	/* The signals come meanwhile, and all but one are dropped. */
	while (wait_for && access(wait_for, F_OK))
		usleep(10000);
	for (;;) {
		sigwaitinfo(&set, &info);
		if (dump_request_is_repeated(&info))
			continue;
		if (!(*files)++)
			usleep(first_takes);
		dump_request_answer(&info, true);
	}
}

/* An asker sleeps only when it has sent its signal, unless it has failed and ended. */
static bool has_asked(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %*s %c", &state), 1);
	fclose(file);
	return state == 'S' || state == 'Z';
}

/* Two ask at once: the kernel drops the signal of one of them. Both get a file and an answer. */
static void test_two_askers(void **state)
{
	int *files = mmap(NULL, sizeof(*files), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[] = "/tmp/rbmap-dump-request.XXXXXX";
	int fd = mkstemp(path), status;
	pid_t recorder, asker[2];

	(void)state;
	assert_true(files != MAP_FAILED && fd >= 0);
	close(fd);
	unlink(path);
	/* The children are to be waited for. */
	assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
	recorder = begin_server(path, files);
	for (int i = 0; i < 2; i++) {
		asker[i] = fork();
		if (!asker[i])
			_exit(!dump_request(recorder, 60));
	}
	for (int i = 0; i < 2; i++)
		while (!has_asked(asker[i]))
			usleep(1000);
	close(creat(path, 0600));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(asker[i], &status, 0), asker[i]);
		assert_int_equal(status, 0);
	}
	kill(recorder, SIGTERM);
	waitpid(recorder, NULL, 0);
	assert_int_equal(*files, 2);
	unlink(path);
	munmap(files, sizeof(*files));
}

/* Somebody who is no recorder does not answer. */
static void test_no_answer(void **state)
{
	pid_t pid = fork();
	bool written;

	(void)state;
	if (!pid)
		for (;;)
			pause();
	written = dump_request(pid, 0.1);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	assert_false(written);
}

/* Abstract names of sockets belong to a network namespace. A service can have one of its own. */
static void test_network_namespace(void **state)
{
	pid_t parent, recorder, asker;
	int ready[2], files = 0, status;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	parent = fork();
	if (!parent) {
		recorder = unshare(CLONE_NEWNET) ? 0 : begin_server(NULL, &files);
		if (write(ready[1], &recorder, sizeof(recorder)) != sizeof(recorder))
			_exit(1);
		if (recorder)
			waitpid(recorder, NULL, 0);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &recorder, sizeof(recorder)), sizeof(recorder));
	close(ready[0]);
	close(ready[1]);
	if (!recorder) {
		waitpid(parent, NULL, 0);
		skip();
	}
	asker = fork();
	if (!asker)
		_exit(!dump_request(recorder, 20));
	assert_int_equal(waitpid(asker, &status, 0), asker);
	kill(recorder, SIGTERM);
	waitpid(parent, NULL, 0);
	assert_int_equal(status, 0);
}

/* The asker repeats its request while the recorder writes. That makes no second file. */
static void test_repeated(void **state)
{
	int *files = mmap(NULL, sizeof(*files), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t recorder;

	(void)state;
	assert_true(files != MAP_FAILED);
	first_takes = 2500000;
	recorder = begin_server(NULL, files);
	assert_true(dump_request(recorder, 60));
	/* The recorder takes this one after the repeated one. */
	assert_true(dump_request(recorder, 60));
	assert_int_equal(*files, 2);
	kill(recorder, SIGTERM);
	waitpid(recorder, NULL, 0);
	munmap(files, sizeof(*files));
	first_takes = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_no_process),
		cmocka_unit_test(test_two_askers),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_no_answer),
		cmocka_unit_test(test_network_namespace),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
