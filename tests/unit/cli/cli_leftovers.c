// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lock and the unfinished recordings of a flight recorder that was killed, as the next
 * one finds them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_directory.h"
#include "cli_synth.h"
#include "record/directory.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"

#define NAME	"2026-11-26T14.03.12.dat"

static void make(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Return the names in the directory, sorted, with X in place of random letters. */
static const char *names(void)
{
	static char text[4096];
	struct dirent **list;
	int nr = scandir(dir, &list, NULL, alphasort);

	*text = '\0';
	for (int i = 0; i < nr; i++) {
		if (*list[i]->d_name != '.') {
			strcat(text, *text ? " " : "");
			strcat(text, list[i]->d_name);
		}
		free(list[i]);
	}
	free(list);
	return text;
}

/* Write a recording of one event, and end without completing it. */
static void record_and_die(const char *name, bool publish)
{
	struct dat_source source = synth_source(2);
	struct dat_writer *w;
	struct rbmap_subbuf sb;
	struct synth s = { 0 };

	if (dat_create(&w, path_of(name), &source))
		_exit(1);
	synth_begin(&s, 1000);
	synth_number(&s, 1000, 1, 7);
	sb = synth_piece(&s, 0);
	if (dat_add(w, 1, &sb) || (publish && dat_publish(w)))
		_exit(1);
	_exit(0);
}

static void leave(const char *name, bool publish)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		record_and_die(name, publish);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void complete_all(void)
{
	struct assembly *assembly = assembly_new(&(struct assembly_options){
		.compress = true, .quiet = true });

	assert_non_null(assembly);
	incident_leftovers_complete(dir, assembly);
	assert_true(assembly_end(assembly));
}

static void assert_complete(const char *name)
{
	struct rbmap_recording *r;
	struct rbmap_event ev;

	assert_int_equal(dat_open(&r, path_of(name)), 0);
	assert_int_equal(dat_lock(path_of(name)), DAT_ERR_COMPLETE);
	assert_int_equal(rbmap_recording_next(r, &ev), 1);
	assert_int_equal(rbmap_recording_next(r, &ev), 0);
	rbmap_recording_close(r);
}

static void test_published(void **state)
{
	(void)state;
	leave(NAME, true);
	assert_string_equal(names(), NAME " " NAME ".cpu0 " NAME ".cpu1");
	complete_all();
	assert_string_equal(names(), NAME);
	assert_complete(NAME);
	/* A second call finds nothing to do. */
	complete_all();
	assert_complete(NAME);
}

static time_t age_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(path_of(name), &st), 0);
	return time(NULL) - st.st_mtime;
}

/*
 * Files that the thread completes keep their age, so that the oldest one is removed. That
 * happens behind the work that was added before.
 */
static void test_age(void **state)
{
	const struct timespec times[2] = { { .tv_sec = time(NULL) - 1000 },
					   { .tv_sec = time(NULL) - 1000 } };
	const struct incident_files files = { .dir = dir, .keep = 2 };
	struct assembly *assembly;

	(void)state;
	leave(NAME, true);
	assert_int_equal(utimensat(AT_FDCWD, path_of(NAME), times, 0), 0);
	complete_all();
	assert_complete(NAME);
	assert_true(age_of(NAME) >= 1000);

	leave("2026-11-26T14.03.10.dat", true);
	leave("2026-11-26T14.03.11.dat", true);
	assembly = assembly_new(&(struct assembly_options){ .compress = true, .quiet = true });
	assert_non_null(assembly);
	incident_leftovers_complete(dir, assembly);
	assembly_add_removal_of_old(assembly, &files);
	assert_true(assembly_end(assembly));
	assert_string_equal(names(), "2026-11-26T14.03.10.dat 2026-11-26T14.03.11.dat");
}

static void test_temporary(void **state)
{
	(void)state;
	leave(NAME, false);
	assert_null(strstr(names(), NAME " "));
	complete_all();
	assert_string_equal(names(), NAME);
	assert_complete(NAME);
}

/* A copy that dat_compress() had not completed */
static void test_half_a_copy(void **state)
{
	(void)state;
	leave(NAME, true);
	make(NAME ".Ab12cD", "\027\010Dtracing7");
	complete_all();
	assert_string_equal(names(), NAME);
	assert_complete(NAME);
}

static void test_taken_name(void **state)
{
	(void)state;
	leave(NAME, false);
	make(NAME, "of somebody else");
	complete_all();
	assert_non_null(strstr(names(), NAME "."));
	assert_int_equal(access(path_of(NAME), F_OK), 0);
}

static void test_foreign(void **state)
{
	static const char foreign[] = NAME ".Ab12cD " NAME ".Ab12cD.cpu1 trace.dat x" NAME;

	(void)state;
	make("trace.dat", "x");
	make("x" NAME, "x");
	/* There are events, so this may be what is left of a recording. */
	make(NAME ".Ab12cD", "x");
	make(NAME ".Ab12cD.cpu1", "x");
	/* Here are none. */
	make(NAME ".Ab12cE", "x");
	make(NAME ".Ab12cE.cpu0", "");
	make("2026-11-26T14.03.13.dat.Ab12cE", "");
	complete_all();
	assert_string_equal(names(), foreign);
}

/* Return what take() prints on standard error. */
static const char *said(int *fd)
{
	static char text[512];
	int saved = dup(2), out = open(path_of(".said"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t got;

	dup2(out, 2);
	*fd = directory_lock_take(dir);
	dup2(saved, 2);
	close(saved);
	got = pread(out, text, sizeof(text) - 1, 0);
	close(out);
	text[got < 0 ? 0 : got] = '\0';
	return text;
}

static void test_lock(void **state)
{
	char line[128];
	int fd, other;

	(void)state;
	assert_string_equal(said(&fd), "");
	assert_true(fd >= 0);
	snprintf(line, sizeof(line), "another flight recorder (process %d) writes to ", getpid());
	assert_non_null(strstr(said(&other), line));
	assert_int_equal(other, -1);
	directory_lock_saved(fd);
	directory_lock_release(fd, true);
	assert_string_equal(said(&fd), "");
	directory_lock_release(fd, true);
}

static void test_unsaved(void **state)
{
	char line[128];
	int fd;

	(void)state;
	assert_string_equal(said(&fd), "");
	directory_lock_release(fd, false);
	snprintf(line, sizeof(line), "(process %d) ended without saving its events since 2",
		 getpid());
	assert_non_null(strstr(said(&fd), line));
	directory_lock_release(fd, false);
	make(".rbmap-recorder", "process 12\nboot 00000000-0000-0000-0000-000000000000\n"
	     "unsaved since 1700000000\n");
	assert_non_null(strstr(said(&fd), "the machine stopped before the flight recorder (process 12) had saved its events since 2023-11-1"));
	directory_lock_release(fd, true);
}

static void test_bad_lock(void **state)
{
	int fd;

	(void)state;
	make(".rbmap-recorder", "process x");
	assert_string_equal(said(&fd), "");
	directory_lock_release(fd, true);
	unlink(path_of(".rbmap-recorder"));
	assert_int_equal(symlink("trace.dat", path_of(".rbmap-recorder")), 0);
	assert_non_null(strstr(said(&fd), "cannot write to the directory"));
	assert_int_equal(fd, -1);
	assert_int_not_equal(access(path_of("trace.dat"), F_OK), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_published, begin, end),
		cmocka_unit_test_setup_teardown(test_age, begin, end),
		cmocka_unit_test_setup_teardown(test_temporary, begin, end),
		cmocka_unit_test_setup_teardown(test_half_a_copy, begin, end),
		cmocka_unit_test_setup_teardown(test_taken_name, begin, end),
		cmocka_unit_test_setup_teardown(test_foreign, begin, end),
		cmocka_unit_test_setup_teardown(test_lock, begin, end),
		cmocka_unit_test_setup_teardown(test_unsaved, begin, end),
		cmocka_unit_test_setup_teardown(test_bad_lock, begin, end),
	};

	return cmocka_run_group_tests_name("cli_leftovers", tests, NULL, NULL);
}
