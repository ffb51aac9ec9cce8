// SPDX-License-Identifier: GPL-2.0-only
/* Assembling: the events stay, whatever ends the recorder or the work. */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dat_fixture.h"

static void check_names(const char *names)
{
	struct rbmap_recording *r = NULL;

	assert_int_equal(dat_open(&r, path), 0);
	assert_string_equal(dat_cmdlines(r)->text, names);
	rbmap_recording_close(r);
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
	const int rounds = brief ? 6 : 12;

	(void)state;
	for (int i = 0; i < rounds; i++) {
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
	assert_true((int)nr_killed > rounds);
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
		   "ffffffff81000200 t third\n"
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

/* Two pages are larger than a chunk of the compressed file. */
#define ODD_PAGE	700000
/* On the second page this is beyond the first MiB. */
#define FAR		600000

/* Add a page that has its only event far behind its begin. */
static void add_far(struct dat_writer *w, unsigned int id, uint64_t addr)
{
	struct synth_number_event ev = { { .type = SYNTH_CALL, .pid = 1 }, addr };
	unsigned char *page = calloc(1, ODD_PAGE), *at = page + RBMAP_SUBBUF_HEADER_SIZE;
	struct rbmap_subbuf sb = {
		.start = page, .size = FAR + 4 + sizeof(ev), .timestamp = 5000 + id, .id = id,
	};
	uint32_t word = sizeof(ev) / 4;

	assert_non_null(page);
	synth_pair(at, RBMAP_TYPE_PADDING, 1, FAR - 4);
	memcpy(at + FAR, &word, sizeof(word));
	memcpy(at + FAR + sizeof(word), &ev, sizeof(ev));
	assert_int_equal(dat_add(w, 0, &sb), 0);
	free(page);
}

/* Chunks of the compressed file end with a page, whatever its size is. */
static void test_odd_page(void **state)
{
	struct dat_source source = synth_source(1);
	struct rbmap_recording *r = NULL;
	struct buf all = { 0 };
	struct dat_writer *w;

	(void)state;
	buf_printf(&all, "ffffffff81000000 t first\nffffffff81000100 t second\n"
		   "ffffffff81000200 t third\nffffffff81000300 t end\n");
	source.kallsyms = &all;
	source.page_size = ODD_PAGE;
	assert_int_equal(dat_create(&w, path, &source), 0);
	for (unsigned int id = 0; id < 3; id++)
		add_far(w, id + 1, 0xffffffff81000000 + id * 0x100);
	leave_unfinished(w);
	assert_int_equal(assemble_until(true, 2), 0);
	assert_int_equal(count_events(), 3);
	assert_int_equal(dat_open(&r, path), 0);
	assert_string_equal(dat_kallsyms(r)->text, all.data);
	rbmap_recording_close(r);
	buf_free(&all);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_assembly_killed),
		cmocka_unit_test(test_killed_after_free),
		cmocka_unit_test(test_spool_cut),
		cmocka_unit_test(test_spool_missing),
		cmocka_unit_test(test_sync_fails),
		cmocka_unit_test(test_sign_is_gone),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_asked_symbols),
		cmocka_unit_test(test_odd_page),
		cmocka_unit_test(test_assembly_fails),
	};
	int ret;

	if (!begin_recordings())
		return 1;
	ret = cmocka_run_group_tests_name("cli_dat_assemble", tests, NULL, NULL);
	unlink(path);
	return ret;
}
