// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings: what was written is read, whatever the pieces it came in and
 * whatever ended the writer.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_synth.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"

#define NR_CPUS		3
#define MAX_EXPECTED	300000

static char path[64];

/* RBMAP_TEST_SHORT=1: a third of the lengths of files, a fifth of the random damage, fewer kills */
static bool brief;

static uint64_t seed = 1;

static uint64_t rnd(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

struct expected {
	uint64_t nr, ts, lost;
	uint32_t size;		/* 0: of a number */
	int cpu;
};

static struct expected expected[MAX_EXPECTED];
static size_t nr_expected;
static uint64_t last_lost[NR_CPUS];

static struct dat_writer *create(void)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w = NULL;
	struct buf names = { 0 };

	buf_printf(&names, "1 early\n");
	source.cmdlines = &names;
	assert_int_equal(dat_create(&w, path, &source), 0);
	assert_int_equal(dat_publish(w), 0);
	buf_free(&names);
	return w;
}

/* Write all but the last step: the data is still in the files of the CPUs. */
static void leave_unfinished(struct dat_writer *w)
{
	struct buf cmdlines = { 0 };
	int fd;

	buf_printf(&cmdlines, "1 one\n2 two\n");
	assert_int_equal(dat_finish(w, &cmdlines, NULL, &fd), 0);
	buf_free(&cmdlines);
	close(fd);
}

static int nr_files(void)
{
	char pattern[PATH_MAX];
	glob_t found;
	int nr;

	snprintf(pattern, sizeof(pattern), "%s*", path);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	nr = found.gl_pathc;
	globfree(&found);
	return nr;
}

static double done_before, stop_at, kill_at;

static bool go_on(void *data, double done)
{
	assert_null(data);
	assert_true(done > done_before && done <= 1);
	done_before = done;
	if (done >= kill_at)
		kill(getpid(), SIGKILL);
	return done < stop_at;
}

/* Be stopped, or killed, at a part of the work, from 0 to 1. */
static void set_end(double stop, double kills)
{
	done_before = 0;
	stop_at = stop;
	kill_at = kills;
}

/* Lock a recording, and assemble it. */
static int lock_and_assemble(const char *name, struct dat_assembly *a)
{
	int ret = dat_lock(name);

	if (ret < 0)
		return ret;
	a->fd = ret;
	ret = dat_assemble(name, a);
	close(a->fd);
	return ret;
}

static int assemble_until(bool compress, double end)
{
	struct dat_assembly a = { .compress = compress, .go_on = go_on };
	int ret;

	set_end(end, 2);
	ret = lock_and_assemble(path, &a);
	return ret ? ret : a.compress_error;
}

static void assemble(bool compress)
{
	assert_int_equal(nr_files(), NR_CPUS + 1);
	assert_int_equal(assemble_until(compress, 2), 0);
	assert_int_equal(nr_files(), 1);
}

static void finish(struct dat_writer *w)
{
	leave_unfinished(w);
	assemble(false);
}

static bool go_on_always(void *data, double done)
{
	assert_null(data);
	return done <= 1;
}

/* Complete a recording of any name, with or without events. */
static void finish_as(struct dat_writer *w, const char *name)
{
	struct dat_assembly a = { .go_on = go_on_always };

	leave_unfinished(w);
	assert_int_equal(lock_and_assemble(name, &a), 0);
}

static bool sync_fails;

int fdatasync(int fd)
{
	errno = EIO;
	return sync_fails ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* The process is killed behind so many pieces that were freed. */
static int kill_at_free;

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	int ret = syscall(SYS_fallocate, fd, mode, offset, size);

	if (kill_at_free && !--kill_at_free)
		kill(getpid(), SIGKILL);
	return ret;
}

/* How many bytes the file system is said to have. */
static uint64_t space_left = UINT64_MAX;

int fstatvfs(int fd, struct statvfs *st)
{
	(void)fd;
	*st = (struct statvfs){ .f_blocks = 1, .f_frsize = 1, .f_bavail = space_left };
	return 0;
}

/* Many events in sub-buffers that come in pieces, with losses. */
static void write_random(struct dat_writer *w, unsigned int pages)
{
	static struct synth s[NR_CPUS];
	uint64_t ts = 1000, nr = 0, lost;
	struct rbmap_subbuf sb;

	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	for (unsigned int page = 0; page < pages; page++) {
		unsigned int cpu = rnd(NR_CPUS - 1);	/* one has nothing */
		size_t first = nr_expected;
		unsigned int fill = rnd(3) ? 1000 : rnd(200);

		lost = rnd(2) ? rnd(5000) : 0;
		/* Events of two CPUs have no order if their times are the same. */
		synth_begin(&s[cpu], ++ts);
		for (unsigned int i = 0; i < fill; i++) {
			uint64_t at = ts + rnd(rnd(20) ? 1000 : 1ULL << 33);

			if (!synth_number(&s[cpu], at, 1, nr))
				break;
			expected[nr_expected++] = (struct expected){
				.nr = nr++, .ts = at, .cpu = cpu,
			};
			assert_true(nr_expected < MAX_EXPECTED);
			ts = at;
			if (!rnd(50)) {
				sb = synth_piece(&s[cpu], lost);
				last_lost[cpu] += lost;
				lost = 0;
				assert_int_equal(dat_add(w, cpu, &sb), 0);
			}
		}
		sb = synth_piece(&s[cpu], lost);
		last_lost[cpu] += lost;
		assert_int_equal(dat_add(w, cpu, &sb), 0);
		if (nr_expected > first) {
			expected[first].lost = last_lost[cpu];
			last_lost[cpu] = 0;
		}
	}
}

static unsigned char payload[SYNTH_LARGEST];

/* An event of any size from 16 bytes on. */
static const void *fill_payload(uint64_t nr, size_t size)
{
	struct synth_number_event head = { { .type = SYNTH_PRINT }, nr };

	for (size_t i = 0; i < size; i++)
		payload[i] = nr + i;
	return memcpy(payload, &head, sizeof(head));
}

static void check_payload(const struct rbmap_event *ev, uint32_t size)
{
	const unsigned char *data = ev->data;
	uint64_t nr;

	assert_int_equal(ev->size, size);
	memcpy(&nr, data + 8, sizeof(nr));
	for (size_t i = 16; i < size; i++)
		assert_int_equal(data[i], (unsigned char)(nr + i));
}

static void check_random(bool finished)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_damage damage;
	struct rbmap_event ev;
	uint64_t nr;
	size_t i = 0;
	int ret;

	assert_int_equal(dat_open(&r, path), 0);
	assert_int_equal(rbmap_recording_cpus(r), NR_CPUS);
	assert_string_equal(rbmap_recording_clock(r), "local");
	while ((ret = rbmap_recording_next(r, &ev)) == 1) {
		assert_true(i < nr_expected);
		memcpy(&nr, (const char *)ev.data + 8, sizeof(nr));
		assert_int_equal(nr, expected[i].nr);
		assert_int_equal(ev.ts, expected[i].ts);
		assert_int_equal(ev.cpu, expected[i].cpu);
		assert_int_equal(ev.lost, expected[i].lost);
		if (expected[i].size)
			check_payload(&ev, expected[i].size);
		i++;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(i, nr_expected);
	if (finished)
		for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
			assert_int_equal(rbmap_recording_lost_last(r, cpu), last_lost[cpu]);
	damage = *rbmap_recording_damage(r);
	assert_int_equal(damage.unfinished, !finished);
	assert_int_equal(damage.missing, 0);
	assert_int_equal(damage.broken, 0);
	rbmap_recording_close(r);
}

static void test_round_trip(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++) {
		struct dat_writer *w = create();

		write_random(w, rnd(60));
		finish(w);
		check_random(true);
	}
}

/* Remove files that an interrupted compression has left. */
static void remove_others(void)
{
	char pattern[PATH_MAX];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s.*", path);
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			unlink(found.gl_pathv[i]);
	globfree(&found);
}

static void check_names(const char *names)
{
	struct rbmap_recording *r = NULL;

	assert_int_equal(dat_open(&r, path), 0);
	assert_string_equal(dat_cmdlines(r)->text, names);
	rbmap_recording_close(r);
}

static size_t count_events(void)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_event ev;
	size_t n = 0;

	assert_int_equal(dat_open(&r, path), 0);
	while (rbmap_recording_next(r, &ev) == 1)
		n++;
	rbmap_recording_close(r);
	return n;
}

/* If the recorder is killed, the files have all that was written. */
static void test_unfinished(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		struct dat_writer *w = create();
		uint64_t begin = seed;
		int status;
		pid_t pid;

		write_random(w, 40);
		finish(w);
		check_random(true);
		check_names("1 one\n2 two\n");
		/* The same events, with another end. */
		pid = fork();
		if (!pid) {
			seed = begin;
			write_random(create(), 40);
			kill(getpid(), SIGKILL);
		}
		waitpid(pid, &status, 0);
		assert_true(WIFSIGNALED(status));
		check_random(false);
		check_names("1 early\n");
		memset(last_lost, 0, sizeof(last_lost));
		assemble(i % 2);
		check_names("1 early\n");
		check_random(true);
	}
}

/*
 * Assemble the recording in a process that ends as set_end(2, @kills) says, or when it frees
 * the piece @at_free (0: at no piece). Return whether it was not killed.
 */
static bool assemble_in_child(struct dat_assembly *a, double kills, int at_free)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		set_end(2, kills);
		kill_at_free = at_free;
		lock_and_assemble(path, a);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status);
}

/* Kill the process that assembles a recording, anywhere, with space for a copy and without. */
static void test_assembly_killed(void **state)
{
	unsigned int nr_killed = 0;
	const int rounds = brief ? 24 : 60;

	(void)state;
	for (int i = 0; i < rounds; i++) {
		unsigned int kills = rnd(4);
		bool complete = false;

		space_left = i % 3 ? 0 : UINT64_MAX;
		seed = 100 + i;
		struct dat_writer *w = create();

		write_random(w, 300 + rnd(600));
		leave_unfinished(w);
		while (kills-- && !complete) {
			struct dat_assembly a = { .compress = i % 2, .go_on = go_on };

			/* If all data was moved before, no step is left to be killed in. */
			complete = assemble_in_child(&a, (double)rnd(1000) / 1000, 0);
			nr_killed += !complete;
			check_random(complete);
		}
		/* An interrupted compression has left its file. */
		if (!complete)
			assert_int_equal(assemble_until(i % 4 == 1, 2), 0);
		check_random(true);
		remove_others();
	}
	space_left = UINT64_MAX;
	assert_true((int)nr_killed > rounds * 5 / 6);
}

/* On a full disk: kill it as soon as a piece was freed. The recording has its events. */
static void test_killed_after_free(void **state)
{
	unsigned int nr_killed = 0;

	(void)state;
	for (int i = 0; i < 12; i++) {
		bool complete = false;

		space_left = 0;
		seed = 200 + i;
		struct dat_writer *w = create();

		write_random(w, 600);
		leave_unfinished(w);
		for (int at = 1; !complete; at = 1 + i % 3) {
			struct dat_assembly a = { .go_on = go_on_always };

			complete = assemble_in_child(&a, 2, at);
			nr_killed += !complete;
			check_random(complete);
		}
		remove_others();
	}
	space_left = UINT64_MAX;
	assert_true(nr_killed > 12);
}

/* A CPU's file that is cut off: all events before the cut, in the assembled file, too. */
static void test_spool_cut(void **state)
{
	char name[PATH_MAX];
	struct stat st;
	size_t before = 0;

	(void)state;
	for (int i = 0; i < 300; i += brief ? 3 : 1) {
		struct dat_writer *w = create();
		size_t n[2];

		seed = 11;
		write_random(w, 6);
		leave_unfinished(w);
		snprintf(name, sizeof(name), "%s.cpu1", path);
		assert_int_equal(stat(name, &st), 0);
		if (st.st_size <= i * 37)
			break;
		assert_int_equal(truncate(name, st.st_size - i * 37), 0);
		n[0] = count_events();
		assemble(i % 2);
		n[1] = count_events();
		assert_int_equal(n[0], n[1]);
		assert_true(!i || n[0] <= before);
		before = n[0];
	}
	assert_true(before > 0);
}

/* Files of CPUs that are missing, or are no files. */
static void test_spool_missing(void **state)
{
	struct dat_writer *w = create();
	struct rbmap_recording *r = NULL;
	struct rbmap_damage damage;
	char name[PATH_MAX];

	(void)state;
	seed = 12;
	write_random(w, 20);
	leave_unfinished(w);
	snprintf(name, sizeof(name), "%s.cpu1", path);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(dat_open(&r, path), 0);
	damage = *rbmap_recording_damage(r);
	assert_true(damage.unfinished && !damage.busy);
	assert_int_equal(damage.lacking, 1);
	rbmap_recording_close(r);
	assert_int_equal(symlink("/etc/passwd", name), 0);
	assert_int_equal(dat_open(&r, path), -ELOOP);
	assert_int_equal(assemble_until(true, 2), -ELOOP);
	unlink(name);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(dat_open(&r, path), -EINVAL);
	/* The next recording replaces whatever is there. */
	w = create();
	write_random(w, 20);
	finish(w);
	check_random(true);
}

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

/* The space for names grows with them. A limit on the size of files stands for a full disk. */
static void test_tables(void **state)
{
	struct dat_writer *w = create();
	size_t most = dat_cmdlines_room(), first;
	struct rlimit limit, full;
	struct stat before, after;

	(void)state;
	assert_int_equal(dat_reserve_tables(w, 1000), 1000);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	full = limit;
	full.rlim_cur = before.st_size;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	first = dat_reserve_tables(w, most);
	assert_in_range(first, 128 << 10, most / 4);
	assert_int_equal(dat_reserve_tables(w, first), first);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);

	assert_int_equal(dat_reserve_tables(w, most), most);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size - before.st_size, most - first);
	assert_int_equal(dat_reserve_tables(w, most), most);
	assert_int_equal(dat_reserve_tables(w, most + 1), most);
	leave_unfinished(w);
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

static void test_directory_replaced(void **state)
{
	static const char *const names[] = { "t.dat", "t.dat.cpu0", "t.dat.cpu1", "t.dat.cpu2" };
	char file[128], other[128], aside[80];

	(void)state;
	for (int i = 0; i < 8; i++) {
		struct dat_assembly a = { .compress = i & 1, .go_on = go_on_always };
		struct stat before, after;

		strcpy(good_dir, "/tmp/rbmap-cli-dat-good.XXXXXX");
		strcpy(evil_dir, "/tmp/rbmap-cli-dat-evil.XXXXXX");
		assert_non_null(mkdtemp(good_dir));
		assert_non_null(mkdtemp(evil_dir));
		snprintf(aside, sizeof(aside), "%s.aside", good_dir);
		snprintf(file, sizeof(file), "%s/t.dat", good_dir);
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

/* The files of CPUs stay until the disk has taken their events. */
static void test_sync_fails(void **state)
{
	struct dat_writer *w = create();

	(void)state;
	seed = 16;
	write_random(w, 30);
	leave_unfinished(w);
	sync_fails = true;
	for (int compress = 0; compress < 2; compress++)
		assert_int_equal(assemble_until(compress, 2), -EIO);
	assert_int_equal(nr_files(), NR_CPUS + 1);
	sync_fails = false;
	assemble(true);
	check_random(true);
}

/* No reader finds the sign of a recorder that was killed. */
static void test_sign_is_gone(void **state)
{
	static char bytes[1 << 20];

	(void)state;
	for (int compress = 0; compress < 2; compress++) {
		struct dat_writer *w = create();
		ssize_t size;
		int fd;

		leave_unfinished(w);
		assemble(compress);
		fd = open(path, O_RDONLY);
		size = read(fd, bytes, sizeof(bytes));
		close(fd);
		assert_true(size > 100);
		assert_null(memmem(bytes, size, "unfinished", strlen("unfinished")));
	}
}

/* The same while it is recorded: the files that are written are those that were created. */
static void test_directory_replaced_early(void **state)
{
	char file[128], other[128], aside[80];
	struct dat_source source = synth_source(NR_CPUS);
	struct dat_writer *w;

	(void)state;
	strcpy(good_dir, "/tmp/rbmap-cli-dat-good.XXXXXX");
	strcpy(evil_dir, "/tmp/rbmap-cli-dat-evil.XXXXXX");
	assert_non_null(mkdtemp(good_dir));
	assert_non_null(mkdtemp(evil_dir));
	snprintf(aside, sizeof(aside), "%s.aside", good_dir);
	snprintf(file, sizeof(file), "%s/t.dat", good_dir);
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

static void add(struct dat_writer *w, struct synth *s, uint64_t lost)
{
	struct rbmap_subbuf sb = synth_piece(s, lost);

	assert_int_equal(dat_add(w, 0, &sb), 0);
}

/* Patch the header of a page, and put a number behind its events. */
static void patch_page(int fd, int page, bool keep, uint64_t flags, uint64_t lost)
{
	uint64_t at = (uint64_t)page * SYNTH_SUBBUF, commit;

	assert_int_equal(pread(fd, &commit, 8, at + 8), 8);
	commit = (keep ? commit & RBMAP_COMMIT_MASK : 0) | flags;
	assert_int_equal(pwrite(fd, &commit, 8, at + 8), 8);
	assert_int_equal(pwrite(fd, &lost, 8, at + 16 + (commit & RBMAP_COMMIT_MASK)), 8);
}

/*
 * Losses of several pages before one event: their sum, and no number if one of them has
 * none, in each order.
 */
static void test_losses_of_pages(void **state)
{
	static const struct { uint64_t lost[3], sum; } cases[] = {
		{ { RBMAP_LOST_UNKNOWN, 5, 0 }, RBMAP_LOST_UNKNOWN },
		{ { RBMAP_LOST_UNKNOWN, 0, 5 }, RBMAP_LOST_UNKNOWN },
		{ { 5, RBMAP_LOST_UNKNOWN, 0 }, RBMAP_LOST_UNKNOWN },
		{ { 5, 0, RBMAP_LOST_UNKNOWN }, RBMAP_LOST_UNKNOWN },
		{ { 5, 6, 7 }, 18 },
		{ { RBMAP_LOST_UNKNOWN - 2, 1, 1 }, RBMAP_LOST_UNKNOWN },
	};
	char name[80];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int compress = 0; compress < 2; compress++) {
			struct dat_writer *w = create();
			struct rbmap_recording *r = NULL;
			struct rbmap_event ev;
			int fd;

			for (int page = 0; page < 4; page++) {
				struct synth s = { 0 };

				synth_begin(&s, 5000 + 10 * page);
				assert_true(synth_number(&s, 5001 + 10 * page, 1, page));
				add(w, &s, 0);
				dat_next_ring(w, 0);
			}
			leave_unfinished(w);
			snprintf(name, sizeof(name), "%s.cpu0", path);
			fd = open(name, O_RDWR);
			for (int page = 0; page < 3; page++) {
				uint64_t lost = cases[i].lost[page];
				uint64_t flags = !lost ? 0 : lost == RBMAP_LOST_UNKNOWN ?
					RBMAP_MISSED_EVENTS : RBMAP_MISSED_EVENTS | RBMAP_MISSED_STORED;

				/* The third page has the event. */
				patch_page(fd, page, page == 2, flags, lost);
			}
			close(fd);
			assemble(compress);
			assert_int_equal(dat_open(&r, path), 0);
			assert_int_equal(rbmap_recording_next(r, &ev), 1);
			assert_true(ev.lost == cases[i].sum);
			assert_int_equal(rbmap_recording_next(r, &ev), 1);
			assert_true(ev.lost == 0);
			assert_int_equal(rbmap_recording_next(r, &ev), 0);
			rbmap_recording_close(r);
		}
	}
}

/* Events of one time come in the order of CPUs, and a rewound recording is as it was. */
static void test_order_and_rewind(void **state)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct rbmap_recording *r = NULL;
	struct rbmap_event ev;
	struct dat_writer *w;

	(void)state;
	for (int compress = 0; compress < 2; compress++) {
		assert_int_equal(dat_create(&w, path, &source), 0);
		for (int cpu = NR_CPUS - 1; cpu >= 0; cpu--) {
			struct rbmap_subbuf lost = { .lost = 7 }, sb;
			struct synth s = { 0 };

			synth_begin(&s, 5000);
			assert_true(synth_number(&s, 5000, 1, cpu));
			sb = synth_piece(&s, 0);
			assert_int_equal(dat_add(w, cpu, &sb), 0);
			assert_int_equal(dat_add(w, cpu, &lost), 0);
		}
		leave_unfinished(w);
		assemble(compress);
		assert_int_equal(dat_open(&r, path), 0);
		for (int i = 0; i < 2; i++) {
			for (int cpu = 0; cpu < NR_CPUS; cpu++) {
				assert_int_equal(rbmap_recording_next(r, &ev), 1);
				assert_int_equal(ev.cpu, cpu);
				assert_true(ev.lost == 0);
			}
			assert_int_equal(rbmap_recording_next(r, &ev), 0);
			for (int cpu = 0; cpu < NR_CPUS; cpu++)
				assert_true(rbmap_recording_lost_last(r, cpu) == 7);
			rbmap_recording_rewind(r);
		}
		rbmap_recording_close(r);
	}
}

/* Events that the kernel missed are lost, and no page of a ring says so. */
static void test_missed(void **state)
{
	char *stats[NR_CPUS] = {
		"entries: 1\nmissed: 30\nlost events: 7", "entries: 1\nmissed: 0", "missed: 5",
	};
	struct dat_source source = synth_source(NR_CPUS);
	struct buf cmdlines = { 0 };
	struct rbmap_recording *r = NULL;
	struct dat_writer *w;
	int fd;

	(void)state;
	for (int compress = 0; compress < 2; compress++) {
		struct rbmap_subbuf lost = { .lost = 7 };

		assert_int_equal(dat_create(&w, path, &source), 0);
		assert_int_equal(dat_add(w, 0, &lost), 0);
		assert_int_equal(dat_finish(w, &cmdlines, stats, &fd), 0);
		close(fd);
		assemble(compress);
		assert_int_equal(dat_open(&r, path), 0);
		assert_true(dat_missed(r, 0) == 30 && !dat_missed(r, 1) && dat_missed(r, 2) == 5);
		assert_true(!dat_missed(r, NR_CPUS) && !dat_missed(r, UINT_MAX));
		for (int i = 0; i < 2; i++) {
			struct rbmap_event ev;

			assert_int_equal(rbmap_recording_next(r, &ev), 0);
			assert_true(rbmap_recording_lost_last(r, 0) == 37);
			assert_true(rbmap_recording_lost_last(r, 1) == 0);
			assert_true(rbmap_recording_lost_last(r, 2) == 5);
			rbmap_recording_rewind(r);
		}
		rbmap_recording_close(r);
	}
}

/* A writer that gets losses before an event: no number, if one of them has none. */
static void test_losses_written(void **state)
{
	static const uint64_t losses[][2] = {
		{ RBMAP_LOST_UNKNOWN, 5 }, { 5, RBMAP_LOST_UNKNOWN }, { 5, 6 },
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rbmap_subbuf only_lost = { .lost = losses[i][0] };
		struct dat_writer *w = create();
		struct rbmap_recording *r = NULL;
		struct rbmap_event ev;
		struct synth s = { 0 };

		assert_int_equal(dat_add(w, 0, &only_lost), 0);
		synth_begin(&s, 5000);
		assert_true(synth_number(&s, 5001, 1, 1));
		add(w, &s, losses[i][1]);
		leave_unfinished(w);
		assemble(false);
		assert_int_equal(dat_open(&r, path), 0);
		assert_int_equal(rbmap_recording_next(r, &ev), 1);
		assert_true(ev.lost == (i == 2 ? 11 : RBMAP_LOST_UNKNOWN));
		rbmap_recording_close(r);
	}
}

/* The file takes the space of its data. */
static void test_size(void **state)
{
	struct dat_writer *w = create();
	uint64_t bytes;
	struct stat st;

	(void)state;
	write_random(w, 50);
	bytes = dat_bytes(w);
	finish(w);
	assert_int_equal(stat(path, &st), 0);
	assert_true((uint64_t)st.st_size >= bytes);
	assert_true((uint64_t)st.st_size <= bytes + (4 << 20));
}

/* A loss before a full sub-buffer has no room for its number in there. */
static void test_lost_without_room(void **state)
{
	struct dat_writer *w = create();
	struct synth s = { 0 };
	struct rbmap_subbuf sb;
	uint64_t nr = 0;

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	synth_begin(&s, 5000);
	/* 4080 / 20 leaves no byte. */
	while (synth_number(&s, 5000 + 10 * nr, 1, nr)) {
		expected[nr_expected++] = (struct expected){
			.nr = nr, .ts = 5000 + 10 * nr,
		};
		nr++;
	}
	assert_int_equal(s.header.commit, SYNTH_ROOM);
	expected[0].lost = 1234567;
	sb = synth_piece(&s, 1234567);
	assert_int_equal(dat_add(w, 0, &sb), 0);
	finish(w);
	check_random(true);
}

/* A sub-buffer that someone else read a part of: only the rest is ours. */
static void test_begin_in_the_middle(void **state)
{
	struct dat_writer *w = create();
	struct synth s = { 0 };
	struct rbmap_subbuf sb;

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	synth_begin(&s, 5000);
	for (uint64_t nr = 0; nr < 10; nr++)
		synth_number(&s, 5000 + (nr << 30), 1, nr);
	sb = synth_piece(&s, 0);
	for (uint64_t nr = 10; nr < 20; nr++) {
		synth_number(&s, 5000 + (nr << 30), 1, nr);
		expected[nr_expected++] = (struct expected){
			.nr = nr, .ts = 5000 + (nr << 30), .cpu = 1,
		};
	}
	sb = synth_piece(&s, 0);
	assert_true(sb.offset > 0);
	assert_int_equal(dat_add(w, 1, &sb), 0);
	finish(w);
	check_random(true);
}

/* Add an event to those that the file must contain. */
static void expect(uint64_t nr, uint64_t ts, size_t size, int cpu)
{
	size_t head = size % 4 || size / 4 > RBMAP_TYPE_LEN_MAX ? 8 : 4;

	if (head + (size + 3) / 4 * 4 > SYNTH_ROOM) {
		last_lost[cpu]++;
		return;
	}
	assert_true(nr_expected < MAX_EXPECTED);
	expected[nr_expected++] = (struct expected){
		.nr = nr, .ts = ts, .size = size, .cpu = cpu,
		.lost = last_lost[cpu],
	};
	last_lost[cpu] = 0;
}

static void begin_split(void)
{
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
}

/*
 * An event of each size around that of a page, at each place around its end,
 * with a loss before it and without, in one piece and in two.
 */
static void test_split_boundaries(void **state)
{
	static struct synth s = { .room = SYNTH_LARGEST - 16 };
	uint64_t ts = 1000, nr = 0, too_large = 0;

	(void)state;
	for (size_t before = 0; before < 5; before++) {
		struct dat_writer *w = create();

		begin_split();
		for (size_t at = 4000; at <= 4100; at += 4)
		for (size_t size = 4020; size <= 4090; size += 1 + size % 3)
		for (unsigned int way = 0; way < 4; way++) {
			uint64_t lost = way & 1 ? 77 : 0;
			size_t fill = before ? at / before : 0;

			/* Only with something before it is its place another. */
			if (!before && at > 4000)
				continue;
			if (nr_expected > MAX_EXPECTED - 20)
				continue;
			if (before > 1 && (size + at / 4) % 16)
				continue;
			synth_begin(&s, ts);
			last_lost[0] += lost;
			for (size_t i = 0; i < before; i++) {
				expect(nr, ts, fill, 0);
				assert_true(synth_add(&s, ts, fill_payload(nr, fill),
						      fill));
				nr++;
				ts += 3;
			}
			if (way & 2 && before) {
				add(w, &s, lost);
				lost = 0;
			}
			expect(nr, ts, size, 0);
			assert_true(synth_add(&s, ts, fill_payload(nr, size), size));
			nr++;
			ts += 1 + (way << 28);
			expect(nr, ts, 16, 0);
			assert_true(synth_add(&s, ts, fill_payload(nr, 16), 16));
			nr++;
			add(w, &s, lost);
		}
		assert_int_equal(dat_unwritten(w), 0);
		too_large += dat_too_large(w);
		finish(w);
		check_random(true);
	}
	assert_true(too_large > 50);
}

/* Rings of all sizes, one after the other, with all that stands in them. */
static void test_split_random(void **state)
{
	static struct synth s[NR_CPUS];
	static struct rbmap_subbuf sb;
	uint64_t too_large = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct dat_writer *w = create();
		uint64_t ts = ((1 + rnd(2)) << 59) - rnd(1ULL << 34), nr = 0, lost;

		begin_split();
		for (unsigned int n = rnd(40); n; n--) {
			unsigned int cpu = rnd(NR_CPUS), fill = rnd(4) ? 5000 :
								rnd(100);
			bool middle = !rnd(8);
			size_t at = 0;

			s[cpu].room = ((size_t)SYNTH_SUBBUF << rnd(5)) - 16;
			lost = rnd(2) ? rnd(5000) : 0;
			synth_begin(&s[cpu], ts);
			if (middle) {
				/* Someone else has read it up to here. */
				for (uint64_t k = rnd(300); k; k--)
					synth_number(&s[cpu], ts += rnd(1 << 28),
						     1, 0);
				synth_piece(&s[cpu], 0);
				at = s[cpu].told;
			}
			last_lost[cpu] += lost;
			while (fill--) {
				size_t size = 16 + rnd(rnd(4) ? 40 : rnd(30) ?
						       1000 : 9000);
				uint64_t time = ts + 1 + rnd(rnd(20) ? 1000 : 1 << 30);

				if (!rnd(6))
					synth_padding(&s[cpu], 1 + rnd(9), 8 + 4 *
						      rnd(rnd(9) ? 20 : 1500));
				if (time < s[cpu].ts)
					time = s[cpu].ts;
				if (!synth_add_as(&s[cpu], RBMAP_TYPE_TIME_EXTEND +
						  !rnd(4), time,
						  fill_payload(nr, size), size) ||
				    nr_expected > MAX_EXPECTED - 2)
					break;
				ts = time;
				expect(nr++, ts, size, cpu);
				if (rnd(40))
					continue;
				if (!rnd(3))
					synth_padding(&s[cpu], 1 + rnd(9), 8 + 4 *
						      rnd(1500));
				sb = synth_piece(&s[cpu], lost);
				assert_int_equal(dat_add(w, cpu, &sb), 0);
				lost = 0;
			}
			ts = s[cpu].ts;
			sb = synth_piece(&s[cpu], lost);
			assert_true(sb.offset >= at);
			assert_int_equal(dat_add(w, cpu, &sb), 0);
			if (!rnd(3))
				dat_next_ring(w, cpu);
		}
		too_large += dat_too_large(w);
		finish(w);
		check_random(true);
	}
	assert_true(too_large > 10);
}

/* Another ring's sub-buffer with the same id, read by someone to the same place. */
static void test_next_ring(void **state)
{
	struct dat_writer *w = create();
	static struct synth s[2];
	struct rbmap_subbuf sb;

	(void)state;
	begin_split();
	for (uint64_t i = 0; i < 2; i++) {
		synth_begin(&s[i], 5000 + i * 1000);
		for (uint64_t nr = 0; nr < 4; nr++) {
			synth_number(&s[i], 5000 + i * 1000 + nr, 1, nr);
			if (nr == 1) {
				sb = synth_piece(&s[i], 0);
				if (!i)
					assert_int_equal(dat_add(w, 0, &sb), 0);
			}
			if (!i && nr < 2)
				expect(nr, 5000 + nr, 16, 0);
			if (i && nr > 1)
				expect(nr, 6000 + nr, 16, 0);
		}
	}
	dat_next_ring(w, 0);
	sb = synth_piece(&s[1], 0);
	assert_int_equal(dat_add(w, 0, &sb), 0);
	finish(w);
	check_random(true);
}

/* Create a file that may grow to @size bytes. Return the limit before. */
static struct rlimit create_limited(struct dat_writer **w, rlim_t size)
{
	struct dat_source source = synth_source(1);
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(dat_create(w, path, &source), 0);
	return old;
}

/* The file must have those of @nr events that do not count as unwritten. */
static void check_limited(struct dat_writer *w, const struct rlimit *old, uint64_t nr)
{
	nr -= dat_unwritten(w);
	leave_unfinished(w);
	/* Both do not fit in one file. */
	assert_int_equal(assemble_until(false, 2), -EFBIG);
	assert_int_equal(count_events(), nr);
	setrlimit(RLIMIT_FSIZE, old);
	assert_int_equal(assemble_until(false, 2), 0);
	assert_int_equal(count_events(), nr);
	assert_int_equal(nr_files(), 1);
}

static int pipe_of(struct synth *s, unsigned int pages)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	for (unsigned int i = 0; i < pages; i++)
		assert_int_equal(write(ends[1], s[i].bytes, SYNTH_SUBBUF), SYNTH_SUBBUF);
	close(ends[1]);
	return ends[0];
}

/* Some sub-buffers come in pieces, others whole through a pipe. */
static void test_pipe(void **state)
{
	struct dat_writer *w = create();
	static struct synth s[4];
	uint64_t nr = 0;

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	for (unsigned int turn = 0; turn < 40; turn++) {
		unsigned int pages = 1 + rnd(4);
		uint64_t first = nr;
		int from;

		for (unsigned int i = 0; i < pages; i++) {
			synth_begin(&s[i], 5000 + nr);
			while (rnd(300) && synth_number(&s[i], 5000 + nr, 1, nr)) {
				expect(nr, 5000 + nr, 0, 0);
				nr++;
			}
		}
		if (turn % 3) {
			from = pipe_of(s, pages);
			assert_int_equal(dat_add_pipe(w, 0, from, pages * SYNTH_SUBBUF,
						      nr - first), 0);
			close(from);
		} else {
			for (unsigned int i = 0; i < pages; i++)
				add(w, &s[i], 0);
		}
	}
	assert_int_equal(dat_unwritten(w), 0);
	finish(w);
	check_random(true);
}

/* No space for all of a pipe: each event is there or counted. */
static void test_pipe_limit(void **state)
{
	struct dat_writer *w = NULL;
	struct rlimit old = create_limited(&w, (4 << 20) + 6 * SYNTH_SUBBUF + 100);
	static struct synth s[4];
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	while (!ret) {
		uint64_t first = nr;
		int from;

		for (unsigned int i = 0; i < 4; i++) {
			synth_begin(&s[i], 5000 + nr);
			while (synth_number(&s[i], 5000 + nr, 1, nr))
				nr++;
		}
		from = pipe_of(s, 4);
		ret = dat_add_pipe(w, 0, from, 4 * SYNTH_SUBBUF, nr - first);
		close(from);
		assert_true(nr < 100000000);
	}
	assert_int_equal(ret, -EFBIG);
	assert_true(dat_unwritten(w) > 0);
	assert_true(nr - dat_unwritten(w) > 1000);
	check_limited(w, &old, nr);
}

/* No space in the middle of a sub-buffer: each event is there or counted. */
static void test_split_limit(void **state)
{
	struct dat_writer *w = NULL;
	struct rlimit old = create_limited(&w, (4 << 20) + 5 * SYNTH_SUBBUF);
	static struct synth s = { .room = SYNTH_LARGEST - 16 };
	struct rbmap_subbuf sb;
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	while (!ret) {
		synth_begin(&s, 5000 + nr);
		while (synth_add(&s, 5000 + nr, fill_payload(nr, 1000), 1000))
			nr++;
		sb = synth_piece(&s, 0);
		ret = dat_add(w, 0, &sb);
	}
	assert_int_equal(ret, -EFBIG);
	check_limited(w, &old, nr);
}

/* Add events of these addresses, and assemble; the recording must have these symbols. */
static void check_symbols(const uint64_t *addr, size_t nr, bool compress, const char *wanted)
{
	struct dat_source source = synth_source(NR_CPUS);
	struct synth s = { 0 };
	struct buf all = { 0 };
	struct rbmap_recording *r = NULL;
	struct dat_writer *w;

	buf_printf(&all, "ffffffff81000000 T first\n"
		   "ffffffff81000100 t second\n"
		   "ffffffff81000200 T third\n"
		   "ffffffffc0001000 t last\t[module]\n"
		   "ffffffffc0000000 t early\t[module]\n");
	source.kallsyms = &all;
	assert_int_equal(dat_create(&w, path, &source), 0);
	synth_begin(&s, 5000);
	for (size_t i = 0; i < nr; i++)
		assert_true(synth_call_of(&s, 5000 + i, 1, addr[i]));
	add(w, &s, 0);
	leave_unfinished(w);
	assemble(compress);
	assert_int_equal(dat_open(&r, path), 0);
	assert_string_equal(dat_kallsyms(r)->text, wanted ? wanted : all.data);
	rbmap_recording_close(r);
	buf_free(&all);
}

/* A compressed recording has the symbols that its events print, and where they end. */
static void test_symbols(void **state)
{
	const uint64_t addr[] = {
		0xffffffffc0000004, 0xffffffff81000100, 0xffffffff81000123, 0,
		0xffffffffc0000000, 0xffffffff81000100, 5,
	};

	(void)state;
	check_symbols(addr, 7, true,
		      "ffffffff81000100 t second\n"
		      "ffffffff81000200 t third\n"
		      "ffffffffc0000000 t early\t[module]\n"
		      "ffffffffc0001000 t last\t[module]\n");
	check_symbols(addr, 1, true,
		      "ffffffffc0000000 t early\t[module]\n"
		      "ffffffffc0001000 t last\t[module]\n");
	check_symbols(addr, 0, true, "");
	check_symbols(addr, 7, false, NULL);
}

#define SYMBOL_1	"ffffffff81000100 t second\n"
#define SYMBOL_2	"ffffffffc0000000 t early\t[module]\n"

static int read_result;

static int read_symbols(const uint64_t *addr, size_t nr, struct buf *kallsyms)
{
	assert_int_equal(nr, 2);
	assert_true(addr[0] + addr[1] == 0xffffffff81000123 + 0xffffffffc0000004);
	buf_printf(kallsyms, SYMBOL_2 SYMBOL_1);
	return read_result;
}

/* A recording with place for symbols, or without, gets those of its events. */
static void check_asked(const char *place, bool compress, const char *wanted, uint64_t left_out)
{
	struct dat_assembly a = {
		.compress = compress, .go_on = go_on, .read = read_symbols,
	};
	struct dat_source source = synth_source(NR_CPUS);
	struct synth s = { 0 };
	struct buf room = { 0 };
	struct rbmap_recording *r = NULL;
	struct dat_writer *w;

	buf_printf(&room, "%s", place);
	source.kallsyms = &room;
	assert_int_equal(dat_create(&w, path, &source), 0);
	synth_begin(&s, 5000);
	assert_true(synth_call_of(&s, 5000, 1, 0xffffffffc0000004));
	assert_true(synth_call_of(&s, 5001, 1, 0xffffffff81000123));
	assert_true(synth_call_of(&s, 5002, 1, 0x12345678));
	add(w, &s, 0);
	leave_unfinished(w);
	set_end(2, 2);
	assert_int_equal(lock_and_assemble(path, &a), 0);
	assert_int_equal(a.compress_error, 0);
	assert_int_equal(a.symbols_error, read_result);
	assert_int_equal(a.left_out, left_out);
	assert_int_equal(dat_open(&r, path), 0);
	assert_string_equal(dat_kallsyms(r)->text, wanted);
	rbmap_recording_close(r);
	buf_free(&room);
}

static void test_asked_symbols(void **state)
{
	static const char lines[] = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
	char place[100] = "", filled[200];

	(void)state;
	while (strlen(place) < 80)
		strcat(place, lines);
	snprintf(filled, sizeof(filled), SYMBOL_1 SYMBOL_2 "%s",
		 place + strlen(SYMBOL_1 SYMBOL_2));
	check_asked(place, true, SYMBOL_1 SYMBOL_2, 0);
	check_asked("", true, SYMBOL_1 SYMBOL_2, 0);
	check_asked(place, false, filled, 0);
	place[40] = '\0';
	snprintf(filled, sizeof(filled), SYMBOL_1 "%s", place + strlen(SYMBOL_1));
	check_asked(place, false, filled, strlen(SYMBOL_2));
	check_asked("", false, "", strlen(SYMBOL_1 SYMBOL_2));
	/* Without symbols the recording is complete. */
	read_result = -EPERM;
	check_asked(place, true, "", 0);
	check_asked(place, false, place, 0);
	read_result = 0;
}

static void test_nothing(void **state)
{
	struct dat_writer *w = create();

	(void)state;
	nr_expected = 0;
	memset(last_lost, 0, sizeof(last_lost));
	finish(w);
	check_random(true);
}

/* Events up to the cut, and a word about it, for every length, or every third. */
static void test_cut(void **state)
{
	struct dat_writer *w = create();
	size_t before = 0, n;
	struct rbmap_damage damage;
	struct rbmap_recording *r;
	struct rbmap_event ev;
	struct stat st;
	int fd, ret;

	(void)state;
	seed = 4;
	write_random(w, 6);
	finish(w);
	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= brief ? 3 : 1) {
		/* Padding between headers and data is long and dull. */
		if (size > 8192 && size < st.st_size - 30000)
			size = 8192;
		assert_int_equal(ftruncate(fd, size), 0);
		r = NULL;
		ret = dat_open(&r, path);
		if (ret) {
			assert_true(ret == RBMAP_ERR_CUT ||
				    (!size && ret == RBMAP_ERR_NO_RECORDING));
			assert_null(r);
			continue;
		}
		for (n = 0; (ret = rbmap_recording_next(r, &ev)) == 1; n++) {
			assert_true(n < nr_expected);
			/* Nothing is there that was not written. */
			assert_int_equal(ev.size, 16);
		}
		assert_int_equal(ret, 0);
		damage = *rbmap_recording_damage(r);
		assert_true(damage.missing > 0);
		/* A byte less never shows more. */
		if (size < st.st_size - 1)
			assert_true(n <= before);
		before = n;
		rbmap_recording_close(r);
	}
	close(fd);
}

/* Write the recording again as version 7, with trace-cmd or our own writer. */
static void convert(const char *compression)
{
	struct rbmap_recording *r = NULL;
	char command[512];

	if (!strcmp(compression, "rbmap")) {
		set_end(2, 2);
		assert_int_equal(dat_open(&r, path), 0);
		assert_int_equal(dat_compress(r, &(struct dat_assembly){ .go_on = go_on }), 0);
		rbmap_recording_close(r);
		return;
	}
	snprintf(command, sizeof(command),
		 "trace-cmd convert --file-version 7 --compression %s -i %s -o %s.7 "
		 ">/dev/null 2>&1 && mv %s.7 %s", compression, path, path, path, path);
	assert_int_equal(system(command), 0);
}

static void need_trace_cmd(void)
{
	if (system("command -v trace-cmd >/dev/null")) {
		print_message("# SKIP trace-cmd is not installed\n");
		skip();
	}
}

static void test_sections(void **state)
{
	static const char *const compressions[] = { "zstd", "none", "rbmap" };

	(void)state;
	need_trace_cmd();
	for (size_t i = 0; i < 3; i++) {
		struct dat_writer *w = create();

		seed = 5 + i;
		write_random(w, 60);
		finish(w);
		convert(compressions[i]);
		check_random(true);
	}
}

/* A recording that is cut off, at each length: all of its events, or an error. */
static void test_sections_cut(void **state)
{
	struct dat_writer *w = create();
	struct stat st;
	off_t nr_cut = 0, step = brief ? 3 : 1;
	int fd, ret;

	(void)state;
	seed = 7;
	write_random(w, 6);
	finish(w);
	convert("rbmap");
	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t size = st.st_size - 1; size >= 0; size -= step) {
		struct rbmap_recording *r = NULL;
		struct rbmap_event ev;
		size_t n = 0;

		assert_int_equal(ftruncate(fd, size), 0);
		ret = dat_open(&r, path);
		/* The options with the place of the data follow it; then come strings. */
		if (ret) {
			assert_int_equal(ret, size ? RBMAP_ERR_CUT : RBMAP_ERR_NO_RECORDING);
			nr_cut += step;
			continue;
		}
		while (rbmap_recording_next(r, &ev) == 1)
			n++;
		assert_int_equal(n, nr_expected);
		rbmap_recording_close(r);
	}
	assert_true(nr_cut > st.st_size / 2);
	close(fd);
}

/* A damaged chunk costs its own events alone. */
static void test_broken_chunk(void **state)
{
	struct dat_writer *w = create();
	struct rbmap_recording *r = NULL;
	struct rbmap_damage damage;
	struct rbmap_event ev;
	struct stat st;
	size_t n = 0;
	char *bytes, *at;
	int fd;

	(void)state;
	seed = 8;
	write_random(w, 600);
	finish(w);
	convert("rbmap");
	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc(st.st_size);
	assert_int_equal(pread(fd, bytes, st.st_size, 0), st.st_size);
	/* Damage the magic number of a frame among the data. */
	at = memmem(bytes + st.st_size / 2, st.st_size / 2, "\x28\xb5\x2f\xfd", 4);
	assert_non_null(at);
	assert_int_equal(pwrite(fd, "zstd", 4, at - bytes), 4);
	free(bytes);
	close(fd);

	assert_int_equal(dat_open(&r, path), 0);
	for (size_t i = 0; rbmap_recording_next(r, &ev) == 1; n++) {
		while (i < nr_expected && expected[i].ts < ev.ts)
			i++;
		assert_true(i < nr_expected && expected[i].ts == ev.ts);
	}
	damage = *rbmap_recording_damage(r);
	assert_in_range(damage.broken, 1, 256);
	assert_int_equal(damage.missing, 0);
	assert_true(n < nr_expected && n > nr_expected / 4);
	rbmap_recording_close(r);
}

/* Whatever ends the work, the recording stays, and no other file. */
static void test_assembly_fails(void **state)
{
	struct dat_writer *w = create();
	struct rlimit old, limit;
	struct stat st;

	(void)state;
	seed = 9;
	write_random(w, 600);
	leave_unfinished(w);
	for (int compress = 0; compress < 2; compress++) {
		assert_int_equal(assemble_until(compress, 0.3), 1);
		assert_true(done_before >= 0.3 && done_before < 1);
		check_random(false);
	}
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(assemble_until(true, 2), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	check_random(false);
	assert_int_equal(nr_files(), NR_CPUS + 1);

	/* The file keeps its mode. */
	assert_int_equal(chmod(path, 0640), 0);
	assemble(true);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	check_random(true);
	assert_int_equal(assemble_until(true, 2), DAT_ERR_COMPLETE);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(assemble_until(true, 2), RBMAP_ERR_CUT);
	assert_int_equal(dat_lock(path), RBMAP_ERR_CUT);
	assert_int_equal(dat_lock("/nonexistent"), -ENOENT);
	assert_int_equal(nr_files(), 1);
}

/* Change bytes at random: a result or an error, no crash and no endless loop. */
static void add_noise(size_t headers, bool is_compressed)
{
	unsigned char *good, *bad;
	struct stat st;
	size_t most;
	int fd;

	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	most = is_compressed ? 10000000 : (size_t)st.st_size / 4;
	good = malloc(st.st_size);
	bad = malloc(st.st_size);
	assert_int_equal(pread(fd, good, st.st_size, 0), st.st_size);
	for (int i = 0; i < 3000; i++) {
		struct rbmap_recording *r = NULL;
		struct rbmap_event ev;
		size_t n = 0;

		memcpy(bad, good, st.st_size);
		for (uint64_t k = rnd(20) + 1; k; k--) {
			/* The headers are small, and where it matters. */
			size_t at = rnd(rnd(3) ? headers : (size_t)st.st_size);

			bad[at] = rnd(4) ? rnd(256) : (rnd(2) ? 255 : 0);
		}
		assert_int_equal(pwrite(fd, bad, st.st_size, 0), st.st_size);
		if (dat_open(&r, path))
			continue;
		while (rbmap_recording_next(r, &ev) == 1) {
			volatile char c = 0;

			for (uint32_t k = 0; k < ev.size; k++)
				c += ((const char *)ev.data)[k];
			assert_true(n++ < most);
		}
		rbmap_recording_close(r);
	}
	free(good);
	free(bad);
	close(fd);
}

static void test_noise(void **state)
{
	struct dat_writer *w = create();

	(void)state;
	write_random(w, 20);
	finish(w);
	add_noise(brief ? 1000 : 5000, false);
}

/* The same while the data is in the files of the CPUs; then damage one of them. */
static void test_unfinished_noise(void **state)
{
	struct dat_writer *w = create();
	char name[PATH_MAX];

	(void)state;
	write_random(w, 20);
	leave_unfinished(w);
	add_noise(brief ? 1000 : 5000, true);
	remove_others();

	w = create();
	write_random(w, 20);
	leave_unfinished(w);
	snprintf(name, sizeof(name), "%s.cpu0", path);
	for (int i = 0; i < (brief ? 60 : 300); i++) {
		struct stat st;
		unsigned char byte = rnd(256);
		int fd = open(name, O_RDWR);

		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(pwrite(fd, &byte, 1, rnd(st.st_size)), 1);
		close(fd);
		count_events();
	}
	assemble(true);
	count_events();
}

static void test_sections_noise(void **state)
{
	static const char *const compressions[] = { "zstd", "none", "rbmap" };

	(void)state;
	need_trace_cmd();
	for (size_t i = 0; i < 3; i++) {
		struct dat_writer *w = create();

		write_random(w, 20);
		finish(w);
		convert(compressions[i]);
		add_noise(brief ? 300 : 1500, strcmp(compressions[i], "none"));
	}
}

static void test_other_files(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int error;
	} files[] = {
		{ "", 0, RBMAP_ERR_NO_RECORDING },
		{ "hello, world", 12, RBMAP_ERR_NO_RECORDING },
		{ "\x17\x08\x44trac", 7, RBMAP_ERR_CUT },
		{ "\x17\x08\x44tracing8\0", 12, RBMAP_ERR_DAT_VERSION },
		{ "\x17\x08\x44tracing7\0", 12, RBMAP_ERR_CUT },
		{ "\x17\x08\x44tracing7\0\0\x8\0\x10\0\0zlib\0" "1\0", 25,
		  RBMAP_ERR_COMPRESSION },
		{ "\x17\x08\x44tracing6\0\1\x8\0\x10\0\0", 18, RBMAP_ERR_FOREIGN },
		{ "\x17\x08\x44tracing6\0\0\x2\0\x10\0\0", 18, RBMAP_ERR_FOREIGN },
		{ "\x17\x08\x44tracing6\0\0\x8\0\0\0\0", 18, RBMAP_ERR_BROKEN },
	};
	struct rbmap_recording *r = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd = open(path, O_RDWR | O_TRUNC);

		assert_int_equal(write(fd, files[i].bytes, files[i].size),
				 files[i].size);
		close(fd);
		assert_int_equal(dat_open(&r, path), files[i].error);
		assert_true(strlen(dat_strerror(files[i].error)) > 10);
	}
	assert_int_equal(dat_open(&r, "/nonexistent"), -ENOENT);
	assert_int_equal(dat_open(&r, "/tmp"), -EISDIR);
	assert_int_equal(dat_open(&r, "/dev/null"), RBMAP_ERR_NO_RECORDING);
}

/* A file that may not grow: what was written stays, and can be read. */
static void test_limit(void **state)
{
	struct dat_source source = synth_source(1);
	struct dat_writer *w = NULL;
	struct rlimit old = create_limited(&w, 4 << 20), limit = old;
	struct synth s = { 0 };
	struct rbmap_subbuf sb;
	uint64_t nr = 0;
	int ret = 0;

	(void)state;
	while (!ret) {
		synth_begin(&s, 5000 + nr);
		while (synth_number(&s, 5000 + nr, 1, nr))
			nr++;
		sb = synth_piece(&s, 0);
		ret = dat_add(w, 0, &sb);
		assert_true(nr < 100000000);
	}
	assert_int_equal(ret, -EFBIG);
	assert_true(nr - dat_unwritten(w) > 1000);
	check_limited(w, &old, nr);

	limit.rlim_cur = 100 << 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(dat_create(&w, path, &source), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(nr_files(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_assembly_killed),
		cmocka_unit_test(test_killed_after_free),
		cmocka_unit_test(test_spool_cut),
		cmocka_unit_test(test_spool_missing),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_both_new),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_losses_of_pages),
		cmocka_unit_test(test_losses_written),
		cmocka_unit_test(test_order_and_rewind),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_file_replaced),
		cmocka_unit_test(test_spool_replaced),
		cmocka_unit_test(test_sync_fails),
		cmocka_unit_test(test_sign_is_gone),
		cmocka_unit_test(test_directory_replaced),
		cmocka_unit_test(test_directory_replaced_early),
		cmocka_unit_test(test_recover_hostile),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_lost_without_room),
		cmocka_unit_test(test_begin_in_the_middle),
		cmocka_unit_test(test_split_boundaries),
		cmocka_unit_test(test_split_random),
		cmocka_unit_test(test_next_ring),
		cmocka_unit_test(test_split_limit),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_pipe_limit),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_asked_symbols),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_sections_cut),
		cmocka_unit_test(test_broken_chunk),
		cmocka_unit_test(test_assembly_fails),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_unfinished_noise),
		cmocka_unit_test(test_sections_noise),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_limit),
	};
	const char *dir = getenv("TMPDIR");
	int fd, ret;

	/* In memory the many fdatasync() take no time. */
	snprintf(path, sizeof(path), "%s/rbmap-cli-dat.XXXXXX", dir && strlen(dir) < 32 ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	brief = getenv("RBMAP_TEST_SHORT");
	/* For tests/mutants: the random tests take most of the time. */
	if (getenv("RBMAP_TEST_QUICK"))
		cmocka_set_skip_filter("*noise*");
	ret = cmocka_run_group_tests_name("cli_dat", tests, NULL, NULL);
	unlink(path);
	return ret;
}
