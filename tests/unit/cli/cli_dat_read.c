// SPDX-License-Identifier: GPL-2.0-only
/* Reading: recordings that are complete, cut off or damaged, and files that are no recordings. */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dat_fixture.h"
#include "recording/dat_reader.h"

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
		assert_true(dat_missed(r, 0, 0) == 30 && !dat_missed(r, 0, 1) &&
			    dat_missed(r, 0, 2) == 5);
		assert_true(!dat_missed(r, 0, NR_CPUS) && !dat_missed(r, 0, UINT_MAX));
		/* Several texts can have counters of one CPU. */
		assert_int_equal(dat_missed_parse(r, "CPU: 2\nmissed: 2\n"), 0);
		assert_int_equal(dat_missed_assign(r), 0);
		for (int i = 0; i < 2; i++) {
			struct rbmap_event ev;

			assert_int_equal(rbmap_recording_next(r, &ev), 0);
			assert_true(rbmap_recording_lost_last(r, 0) == 37);
			assert_true(rbmap_recording_lost_last(r, 1) == 0);
			assert_true(rbmap_recording_lost_last(r, 2) == 7);
			rbmap_recording_rewind(r);
		}
		rbmap_recording_close(r);
	}
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

static size_t read_all(struct rbmap_recording *r, uint64_t *missing)
{
	struct rbmap_event ev;
	size_t n = 0;

	while (rbmap_recording_next(r, &ev) == 1)
		n++;
	*missing = rbmap_recording_damage(r)->missing;
	rbmap_recording_close(r);
	return n;
}

/* A file that becomes shorter while it is read loses no page that it still has. */
static void test_shrinks(void **state)
{
	struct dat_writer *w = create();
	uint64_t missing, missing_before;
	struct rbmap_recording *r = NULL;
	off_t begin, size;
	size_t nr, nr_before;
	int fd;

	(void)state;
	seed = 9;
	write_random(w, 120);
	finish(w);
	fd = open(path, O_RDWR);
	assert_int_equal(dat_open(&r, path), 0);
	begin = r->cpu[r->nr_streams - 2].offset;
	size = begin + r->cpu[r->nr_streams - 2].size;
	rbmap_recording_close(r);
	assert_true(size > begin + 20 * 4096);
	for (size -= 4096; size >= begin; size -= 4096) {
		assert_int_equal(dat_open(&r, path), 0);
		assert_int_equal(ftruncate(fd, size), 0);
		nr = read_all(r, &missing);
		/* It says as much if it was shorter before. */
		assert_int_equal(dat_open(&r, path), 0);
		nr_before = read_all(r, &missing_before);
		assert_int_equal(nr, nr_before);
		assert_int_equal(missing, missing_before);
	}
	close(fd);
}

/*
 * Let the table say that CPU 0 has @size bytes. Then @nr events can be read, and @broken pages
 * have lost others.
 */
static void check_size(uint64_t size, size_t nr, uint64_t broken)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_event ev;
	size_t found;
	int fd;

	assert_int_equal(dat_open(&r, path), 0);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, &size, sizeof(size), r->table + sizeof(uint64_t)),
			 sizeof(size));
	close(fd);
	rbmap_recording_close(r);
	assert_int_equal(dat_open(&r, path), 0);
	for (int i = 0; i < 2; i++) {
		for (found = 0; rbmap_recording_next(r, &ev) == 1; found++)
			assert_int_equal(ev.size, 16);
		assert_int_equal(found, nr);
		assert_int_equal(rbmap_recording_damage(r)->missing, 0);
		assert_int_equal(rbmap_recording_damage(r)->broken, broken);
		rbmap_recording_rewind(r);
	}
	rbmap_recording_close(r);
}

/* The table itself ends within a page, and the file is complete. */
static void test_short_size(void **state)
{
	struct dat_writer *w = create();
	static struct synth s;
	size_t nr = 0;

	(void)state;
	synth_begin(&s, 1000);
	while (synth_number(&s, 1000 + nr, 1, nr))
		nr++;
	add(w, &s, 0);
	synth_begin(&s, 5000);
	synth_number(&s, 5000, 1, 1);
	synth_number(&s, 5001, 1, 2);
	add(w, &s, 0);
	finish(w);
	check_size(2 * SYNTH_SUBBUF, nr + 2, 0);
	/* Both events of the last page are there, one of them, none. */
	check_size(SYNTH_SUBBUF + 16 + 2 * 20, nr + 2, 0);
	check_size(SYNTH_SUBBUF + 16 + 2 * 20 - 1, nr + 1, 1);
	check_size(SYNTH_SUBBUF + 16 + 20, nr + 1, 1);
	check_size(SYNTH_SUBBUF + 16, nr, 1);
	check_size(SYNTH_SUBBUF + 15, nr, 1);
	check_size(SYNTH_SUBBUF + 1, nr, 1);
	check_size(SYNTH_SUBBUF, nr, 0);
	check_size(SYNTH_SUBBUF - 20, nr - 1, 1);
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

static const char *const compressions[] = { "zstd", "none", "rbmap" };

static void write_sections(unsigned int pages, const char *compression)
{
	struct dat_writer *w = create();

	write_random(w, pages);
	finish(w);
	convert(compression);
}

static void test_sections(void **state)
{
	(void)state;
	need_trace_cmd();
	for (size_t i = 0; i < 3; i++) {
		seed = 5 + i;
		write_sections(60, compressions[i]);
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
	(void)state;
	need_trace_cmd();
	for (size_t i = 0; i < 3; i++) {
		write_sections(20, compressions[i]);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses_of_pages),
		cmocka_unit_test(test_order_and_rewind),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_shrinks),
		cmocka_unit_test(test_short_size),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_sections_cut),
		cmocka_unit_test(test_broken_chunk),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_unfinished_noise),
		cmocka_unit_test(test_sections_noise),
		cmocka_unit_test(test_other_files),
	};
	int ret;

	if (!begin_recordings())
		return 1;
	ret = cmocka_run_group_tests_name("cli_dat_read", tests, NULL, NULL);
	unlink(path);
	return ret;
}
