// SPDX-License-Identifier: GPL-2.0-only
/* Names: other files, directories and recorders stay as they are. */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dat_fixture.h"

/* If two processes write a recording, the second one is refused. */
static void test_busy(void **state)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w = create(), *other;
	struct rbmap_recording *r = NULL;
	struct rbmap_damage damage;
	int fd;

	(void)state;
	seed = 13;
	write_random(w, 20);
	assert_int_equal(dat_create(&other, path, &source), -EBUSY);
	assert_int_equal(dat_lock(path), DAT_ERR_BUSY);
	assert_int_equal(dat_open(&r, path), 0);
	damage = *rbmap_recording_damage(r);
	assert_true(damage.busy);
	rbmap_recording_close(r);
	leave_unfinished(w);
	fd = dat_lock(path);
	assert_true(fd >= 0);
	assert_int_equal(dat_lock(path), DAT_ERR_BUSY);
	close(fd);
	assemble(true);
	check_random(true);
	assert_int_equal(dat_lock(path), DAT_ERR_COMPLETE);

	w = create();
	dat_discard(w);
	assert_int_equal(access(path, F_OK), -1);
	w = create();
	finish(w);
}

static bool is_busy(void *data, double done)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *other;

	(void)done;
	(*(unsigned int *)data)++;
	assert_int_equal(dat_lock(path), DAT_ERR_BUSY);
	assert_int_equal(dat_create(&other, path, &source), -EBUSY);
	return true;
}

/* While a recording is assembled, another process cannot do so, or record to it. */
static void test_busy_while_assembled(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		unsigned int calls = 0;
		struct dat_assembly a = { .compress = i, .go_on = is_busy, .data = &calls };
		struct dat_writer *w = create();

		seed = 14;
		write_random(w, 20);
		leave_unfinished(w);
		assert_int_equal(lock_and_assemble(path, &a), 0);
		assert_true(calls > 0);
		check_random(true);
	}
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *name, const char *text)
{
	char found[32] = "";
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	assert_non_null(fgets(found, sizeof(found), f));
	fclose(f);
	assert_string_equal(found, text);
}

/* The file of before stays until the recording begins, and so do its CPUs' files. */
static void test_replace(void **state)
{
	struct dat_source source = synth_source(NR_CPUS);
	char spool[sizeof(path) + 8];
	struct dat_writer *w;
	struct stat st;

	(void)state;
	snprintf(spool, sizeof(spool), "%s.cpu0", path);
	put_file(path, "before");
	put_file(spool, "before");
	assert_int_equal(dat_create(&w, path, &source), 0);
	assert_false(dat_published(w));
	assert_text(path, "before");
	assert_text(spool, "before");
	dat_discard(w);
	assert_text(path, "before");
	assert_text(spool, "before");
	assert_int_equal(nr_files(), 2);

	assert_int_equal(dat_create(&w, path, &source), 0);
	assert_int_equal(dat_publish(w), 0);
	assert_true(dat_published(w));
	assert_int_equal(stat(spool, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	finish_as(w, path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(nr_files(), 1);
}

/* Two recorders begin at the same time, without a file from before. */
static void test_both_new(void **state)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *one, *other;

	(void)state;
	unlink(path);
	assert_int_equal(dat_create(&one, path, &source), 0);
	assert_int_equal(dat_create(&other, path, &source), 0);
	assert_int_equal(dat_publish(one), 0);
	assert_int_equal(dat_publish(other), -EBUSY);
	dat_discard(other);
	finish_as(one, path);
	assert_int_equal(nr_files(), 1);
}

static void assert_create(const char *name, int expected)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w;
	int ret = dat_create(&w, name, &source);

	assert_int_equal(ret, expected);
	if (!ret)
		dat_discard(w);
}

/* Links, files of others, and directories: in a directory of our own and in a shared one */
static void test_names(void **state)
{
	struct dat_source source = synth_source(NR_CPUS);
	char dir[] = "/tmp/rbmap-cli-dat-dir.XXXXXX", link[64], file[64];
	struct dat_writer *w;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(file, sizeof(file), "%s/file", dir);
	assert_int_equal(symlink(file, link), 0);
	put_file(file, "before");
	assert_int_equal(dat_create(&w, link, &source), 0);
	finish_as(w, file);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(file, &st), 0);
	assert_true(S_ISREG(st.st_mode) && st.st_size > 100);

	assert_int_equal(chmod(dir, 01777), 0);
	assert_create(link, -ELOOP);
	assert_create(file, 0);
	if (!geteuid()) {
		assert_int_equal(chown(file, 65534, 65534), 0);
		assert_create(file, -EEXIST);
		assert_int_equal(chmod(dir, 0755), 0);
		assert_create(file, 0);
	}
	assert_create(dir, -EISDIR);
	assert_create("/dev/null", -ESPIPE);
	assert_create("/nonexistent/file", -ENOENT);
	unlink(file);
	assert_int_equal(chmod(dir, 02750), 0);
	assert_int_equal(dat_create(&w, file, &source), 0);
	finish_as(w, file);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	unlink(file);
	unlink(link);
	rmdir(dir);
}

/* Put an unfinished recording of one event for each CPU into a directory. */
static void leave_in(const char *file)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w;

	assert_int_equal(dat_create(&w, file, &source), 0);
	assert_int_equal(dat_publish(w), 0);
	seed = 14;
	write_random(w, 30);
	leave_unfinished(w);
}

/*
 * While a recording is assembled, its directory becomes a link to another one, with files of
 * the same names. Nothing there may change.
 */
static char good_dir[64], evil_dir[64];

static void exchange_directories(void)
{
	char aside[80];

	snprintf(aside, sizeof(aside), "%s.aside", good_dir);
	if (!access(aside, F_OK))
		return;
	assert_int_equal(rename(good_dir, aside), 0);
	assert_int_equal(symlink(evil_dir, good_dir), 0);
}

static bool exchange_at_once(void *data, double done)
{
	(void)data;
	exchange_directories();
	return done <= 1;
}

/* Make both directories, and name the recording in the good one and what that becomes. */
static void make_directories(char *file, size_t file_size, char *aside, size_t aside_size)
{
	strcpy(good_dir, "/tmp/rbmap-cli-dat-good.XXXXXX");
	strcpy(evil_dir, "/tmp/rbmap-cli-dat-evil.XXXXXX");
	assert_non_null(mkdtemp(good_dir));
	assert_non_null(mkdtemp(evil_dir));
	snprintf(aside, aside_size, "%s.aside", good_dir);
	snprintf(file, file_size, "%s/t.dat", good_dir);
}

static void test_directory_replaced(void **state)
{
	static const char *const names[] = { "t.dat", "t.dat.cpu0", "t.dat.cpu1", "t.dat.cpu2" };
	char file[128], other[128], aside[80];

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct dat_assembly a = { .compress = i & 1, .go_on = go_on_always };
		struct stat before, after;

		make_directories(file, sizeof(file), aside, sizeof(aside));
		space_left = i & 2 ? 0 : UINT64_MAX;
		leave_in(file);
		for (size_t n = 0; n < 4; n++) {
			snprintf(other, sizeof(other), "%s/%s", evil_dir, names[n]);
			put_file(other, "another's");
		}
		a.fd = dat_lock(file);
		assert_true(a.fd >= 0);
		assert_int_equal(fstat(a.fd, &before), 0);
		/* Between the lock and the work, and in the middle of the work */
		if (i < 4)
			a.go_on = exchange_at_once;
		else
			exchange_directories();
		assert_int_equal(dat_assemble(file, &a), i < 4 ? 0 : -ESTALE);
		assert_int_equal(a.compress_error, 0);
		/* Nothing is assembled from other files. */
		assert_int_equal(fstat(a.fd, &after), 0);
		if (i >= 4)
			assert_int_equal(after.st_size, before.st_size);
		close(a.fd);
		for (size_t n = 0; n < 4; n++) {
			snprintf(other, sizeof(other), "%s/%s", evil_dir, names[n]);
			assert_text(other, "another's");
			unlink(other);
			snprintf(other, sizeof(other), "%s/%s", aside, names[n]);
			assert_int_equal(access(other, F_OK), i < 4 && n ? -1 : 0);
			unlink(other);
		}
		assert_int_equal(unlink(good_dir) || rmdir(aside) || rmdir(evil_dir), 0);
	}
	space_left = UINT64_MAX;
}

/* Another file gets the name of the recording while it is assembled. */
static bool replace_file(void *data, double done)
{
	char other[80];

	(void)data;
	snprintf(other, sizeof(other), "%s.new", path);
	put_file(other, "another's");
	assert_int_equal(rename(other, path), 0);
	return done <= 1;
}

static void test_file_replaced(void **state)
{
	char spool[80];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct dat_assembly a = { .compress = i & 1, .go_on = replace_file };
		struct dat_writer *w = create();

		space_left = i & 2 ? 0 : UINT64_MAX;
		seed = 15;
		write_random(w, 30);
		leave_unfinished(w);
		assert_int_equal(lock_and_assemble(path, &a), -ESTALE);
		assert_text(path, "another's");
		snprintf(spool, sizeof(spool), "%s.cpu0", path);
		assert_int_equal(access(spool, F_OK), 0);
	}
	space_left = UINT64_MAX;
	remove_others();
}

/* Another file gets the name of a CPU's file, which a full disk has to free. */
static bool replace_spool(void *data, double done)
{
	char spool[80], other[96];

	(void)data;
	snprintf(spool, sizeof(spool), "%s.cpu1", path);
	snprintf(other, sizeof(other), "%s.new", spool);
	put_file(other, "another's");
	assert_int_equal(rename(other, spool), 0);
	return done <= 1;
}

static void test_spool_replaced(void **state)
{
	struct dat_assembly a = { .go_on = replace_spool };
	struct dat_writer *w = create();
	char spool[80];

	(void)state;
	seed = 17;
	write_random(w, 600);
	leave_unfinished(w);
	space_left = 0;
	assert_int_equal(lock_and_assemble(path, &a), -ESTALE);
	space_left = UINT64_MAX;
	snprintf(spool, sizeof(spool), "%s.cpu1", path);
	assert_text(spool, "another's");
	remove_others();
}

/* The same while it is recorded: the files that are written are those that were created. */
static void test_directory_replaced_early(void **state)
{
	char file[128], other[128], aside[80];
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w;

	(void)state;
	make_directories(file, sizeof(file), aside, sizeof(aside));
	snprintf(other, sizeof(other), "%s/t.dat.cpu0", evil_dir);
	put_file(other, "another's");
	assert_int_equal(dat_create(&w, file, &source), 0);
	exchange_directories();
	assert_int_equal(dat_publish(w), 0);
	assert_text(other, "another's");
	dat_discard(w);
	assert_text(other, "another's");
	unlink(other);
	assert_int_equal(unlink(good_dir) || rmdir(aside) || rmdir(evil_dir), 0);
}

/* Files of CPUs that have another owner or another name, and links in shared directories */
static void test_recover_hostile(void **state)
{
	char dir[] = "/tmp/rbmap-cli-dat-dir.XXXXXX", file[64], spool[64], other[64];
	struct dat_assembly a = { .go_on = go_on_always };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/t.dat", dir);
	snprintf(spool, sizeof(spool), "%s/t.dat.cpu1", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	leave_in(file);
	assert_int_equal(link(spool, other), 0);
	for (int compress = 0; compress < 2; compress++) {
		a.compress = compress;
		assert_int_equal(lock_and_assemble(file, &a), -EPERM);
	}
	assert_int_equal(unlink(other), 0);
	if (!geteuid()) {
		assert_int_equal(chown(spool, 65534, 65534), 0);
		assert_int_equal(lock_and_assemble(file, &a), -EPERM);
		assert_int_equal(chown(spool, 0, 0), 0);
	}
	assert_int_equal(symlink(file, other), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(dat_lock(other), -ELOOP);
	assert_int_equal(unlink(other), 0);
	/* A directory on the way, too */
	assert_int_equal(symlink(dir, other), 0);
	snprintf(spool, sizeof(spool), "%s/other/t.dat", dir);
	assert_int_equal(dat_lock(spool), -ELOOP);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(lock_and_assemble(spool, &a), 0);
	unlink(other);
	unlink(file);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_busy_while_assembled),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_both_new),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_file_replaced),
		cmocka_unit_test(test_spool_replaced),
		cmocka_unit_test(test_directory_replaced),
		cmocka_unit_test(test_directory_replaced_early),
		cmocka_unit_test(test_recover_hostile),
	};
	int ret;

	if (!begin_recordings())
		return 1;
	ret = cmocka_run_group_tests_name("cli_dat_files", tests, NULL, NULL);
	unlink(path);
	return ret;
}
