// SPDX-License-Identifier: GPL-2.0-only
/* A crash is reported with the command, the section of the file and the signal. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/complain.h"
#include "command/command.h"
#include "input/crash_guard.h"
#include "print/crash_notes.h"

static const struct command command = { .name = "report" };
static const char *const paths[] = { "first.dat", "second.dat", "last.dat" };
static char complaint[512];
static unsigned int complaints;
static FILE *told;

/* Read what was told since the last call, without the name of the program. */
static void read_complaints(void)
{
	size_t prefix = strlen("rbmap: ");
	char *line = NULL;
	size_t room = 0;

	complaints = 0;
	*complaint = 0;
	rewind(told);
	while (getline(&line, &room, told) > 0) {
		complaints++;
		assert_memory_equal(line, "rbmap: ", prefix);
		snprintf(complaint, sizeof(complaint), "%.*s", (int)strcspn(line + prefix, "\n"),
			 line + prefix);
	}
	free(line);
	assert_int_equal(ftruncate(fileno(told), 0), 0);
	rewind(told);
}

/* The process sets a section or enters a format, and ends by a signal. */
struct crash {
	unsigned int section;
	int sig;
	bool in_format;
	bool can_repeat;
};

static int run(void *arg)
{
	const struct crash *crash = arg;

	if (crash->section)
		crash_notes()->section = crash->section;
	if (crash->in_format && !crash_enter(7, 1, "odd", "divide"))
		return STATUS_OK;
	if (crash->sig)
		raise(crash->sig);
	return STATUS_OK;
}

static bool again(void *arg)
{
	const struct crash *crash = arg;

	return crash->can_repeat;
}

static int died[2];

/* The process that dies tells the test. */
static void dies(void *arg)
{
	const struct crash *crash = arg;

	if (write(died[1], &crash->sig, sizeof(crash->sig)) < 0)
		_exit(1);
}

static int guarded(struct crash crash, unsigned int nr_paths)
{
	const struct crash_guard guard = {
		.run = run, .again = again, .dies = dies, .arg = &crash, .command = &command,
		.path = paths, .nr_paths = nr_paths,
	};

	int status, stderr_fd = dup(STDERR_FILENO);

	dup2(fileno(told), STDERR_FILENO);
	status = crash_guard(&guard);
	dup2(stderr_fd, STDERR_FILENO);
	close(stderr_fd);
	read_complaints();
	return status;
}

static void assert_crash(struct crash crash, unsigned int nr_paths, const char *doing)
{
	char expected[512];

	assert_int_equal(guarded(crash, nr_paths), CRASH_GUARD_FAILED);
	assert_int_equal(complaints, 1);
	snprintf(expected, sizeof(expected), "report was ended by signal %d (%s) while it %s: the recording is damaged, or rbmap has a bug, which you can report",
		 crash.sig, strsignal(crash.sig), doing);
	assert_string_equal(complaint, expected);
}

static void no_crash(void **state)
{
	(void)state;
	assert_int_equal(guarded((struct crash){ 0 }, 1), STATUS_OK);
	assert_int_equal(complaints, 0);
}

static void sections(void **state)
{
	(void)state;
	assert_crash((struct crash){ .sig = SIGSEGV }, 1,
		     "read the formats and names of first.dat");
	assert_crash((struct crash){ .sig = SIGABRT, .section = CRASH_EVENTS }, 1,
		     "used the events of first.dat");
	assert_crash((struct crash){ .sig = SIGFPE, .section = CRASH_RESULT }, 1,
		     "printed the result of first.dat");
}

static void several_files(void **state)
{
	(void)state;
	assert_crash((struct crash){ .sig = SIGBUS, .section = CRASH_EVENTS }, 3,
		     "used the events of first.dat to last.dat");
}

/* The command dies of the signal, and has removed its output before. */
static void other_signals(void **state)
{
	static const int sigs[] = { SIGKILL, SIGXCPU, SIGTERM };
	int status, sig;

	(void)state;
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(guarded((struct crash){ .sig = sigs[i] }, 1));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), sigs[i]);
		assert_int_equal(read(died[0], &sig, sizeof(sig)), sizeof(sig));
		assert_int_equal(sig, sigs[i]);
	}
	/* Neither a crash nor an end without a signal is such a death. */
	assert_int_equal(guarded((struct crash){ .sig = SIGSEGV }, 1), CRASH_GUARD_FAILED);
	assert_int_equal(guarded((struct crash){ 0 }, 1), STATUS_OK);
	assert_int_equal(read(died[0], &sig, sizeof(sig)), -1);
}

/* The process that has crashed may have written any number. */
static void no_section(void **state)
{
	(void)state;
	assert_crash((struct crash){ .sig = SIGILL, .section = UINT32_MAX }, 1,
		     "read the formats and names of first.dat");
}

static void format_without_repetition(void **state)
{
	(void)state;
	assert_int_equal(guarded((struct crash){ .sig = SIGSEGV, .in_format = true }, 3),
			 CRASH_GUARD_FAILED);
	assert_int_equal(complaints, 1);
	assert_string_equal(complaint, "second.dat is damaged: libtraceevent crashes on the format of odd:divide, and a part of the output is already written: write it to a file with -o");
}

/* The last test: from now on the format is left out. */
static void format_left_out(void **state)
{
	(void)state;
	assert_int_equal(guarded((struct crash){ .sig = SIGSEGV, .in_format = true,
						 .can_repeat = true }, 3), STATUS_CUT);
	assert_int_equal(complaints, 1);
	assert_string_equal(complaint, "second.dat is damaged: libtraceevent crashes on the format of odd:divide, which is left out");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_crash),
		cmocka_unit_test(sections),
		cmocka_unit_test(several_files),
		cmocka_unit_test(other_signals),
		cmocka_unit_test(no_section),
		cmocka_unit_test(format_without_repetition),
		cmocka_unit_test(format_left_out),
	};

	told = tmpfile();
	if (!told || pipe2(died, O_NONBLOCK))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
