// SPDX-License-Identifier: GPL-2.0-only
/* The file that a command writes replaces another one only when it is safe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/complain.h"
#include "input/output_file.h"

static char dir[] = "/tmp/rbmap-cli-output.XXXXXX", path[64];
static int fsync_error, close_error, failing_fd = -1;
static unsigned int synced;
static bool raises;		/* the next close() gets SIGTERM */
static char complaint[256];

/* The system calls and the messages of output_file.c */
int fsync(int fd)
{
	(void)fd;
	/* The name of before must still be there. */
	synced++;
	errno = fsync_error;
	return fsync_error ? -1 : 0;
}

int close(int fd)
{
	int ret = syscall(SYS_close, fd);

	if (raises)
		raise(SIGTERM);
	if (fd != failing_fd || !close_error)
		return ret;
	errno = close_error;
	return -1;
}

void complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(complaint, sizeof(complaint), fmt, args);
	va_end(args);
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/rbmap-cli-output.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/out", dir);
	fsync_error = close_error = synced = 0;
	failing_fd = -1;
	*complaint = '\0';
	return 0;
}

static int end(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void put(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void put_before(void)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	put(fd, "before");
	close(fd);
}

static void assert_text(const char *text)
{
	char found[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, found, sizeof(found) - 1) >= 0);
	close(fd);
	assert_string_equal(found, text);
}

static unsigned int nr_files(void)
{
	char pattern[80];
	unsigned int nr;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*", dir);
	glob(pattern, 0, NULL, &found);
	nr = found.gl_pathc;
	globfree(&found);
	return nr;
}

static bool replace(bool complete)
{
	struct output_file file = { .path = path, .noun = "page" };

	put_before();
	assert_true(output_file_begin(&file, false, STDIN_FILENO));
	put(file.fd, "after");
	failing_fd = file.fd;
	assert_text("before");
	return output_file_end(&file, complete);
}

static void test_complete(void **state)
{
	(void)state;
	assert_true(replace(true));
	assert_int_equal(synced, 1);
	assert_text("after");
	assert_string_equal(complaint, "");
	assert_int_equal(nr_files(), 1);
}

static void test_incomplete(void **state)
{
	(void)state;
	assert_true(replace(false));
	assert_text("before");
	assert_int_equal(nr_files(), 1);
}

/* The disk does not take what write() has taken. */
static void test_sync_fails(void **state)
{
	(void)state;
	fsync_error = EIO;
	assert_false(replace(true));
	assert_text("before");
	assert_non_null(strstr(complaint, "Input/output error"));
	assert_int_equal(nr_files(), 1);
}

static void test_close_fails(void **state)
{
	(void)state;
	close_error = EIO;
	assert_false(replace(true));
	assert_non_null(strstr(complaint, "Input/output error"));
	assert_int_equal(nr_files(), 1);
}

/* The file of before is closed when the new one has its name. A signal comes then. */
static void test_signal_behind(void **state)
{
	struct output_file file = { .path = path, .noun = "page" };
	int status;
	pid_t pid;

	(void)state;
	put_before();
	pid = fork();
	if (!pid) {
		if (!output_file_begin(&file, false, STDIN_FILENO))
			_exit(1);
		put(file.fd, "after");
		raises = true;
		output_file_end(&file, true);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_text("after");
	assert_int_equal(nr_files(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_complete, begin, end),
		cmocka_unit_test_setup_teardown(test_incomplete, begin, end),
		cmocka_unit_test_setup_teardown(test_sync_fails, begin, end),
		cmocka_unit_test_setup_teardown(test_close_fails, begin, end),
		cmocka_unit_test_setup_teardown(test_signal_behind, begin, end),
	};

	return cmocka_run_group_tests_name("cli_output", tests, NULL, NULL);
}
