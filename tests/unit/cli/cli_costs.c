// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings that are small, and that take much to read. Each is read by a process that may
 * use CPU_SECONDS, a hundred times what it needs, and so many bytes of memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cli_synth.h"
#include "recording/dat_read.h"
#include "recording/dat_reader.h"

#define CPU_SECONDS	20
#define MEMORY_MAX	(3ul << 30)
#define FORMATS_MEMORY_MAX (400ul << 20)
#define MANY		(64u << 20)	/* bytes of a text that is packed */
#define CPUS		8192
#define OPTIONS_AT	64		/* where the options of a file begin */

enum { FILE_LIMIT = 256 << 10 };

static struct buf file;

/* Read all of the file in a process with limits. Return its exit status. */
static int read_limited(int fd, rlim_t bytes)
{
	pid_t child = fork();
	int status;

	if (!child) {
		const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
		const struct rlimit memory = { bytes, bytes };
		struct rbmap_recording *r;
		struct rbmap_event ev;
		int ret;

		setrlimit(RLIMIT_CPU, &cpu);
#ifndef __SANITIZE_ADDRESS__
		setrlimit(RLIMIT_AS, &memory);
#else
		(void)memory;
#endif
		ret = dat_open_fd(&r, fd);
		if (ret)
			_exit(ret == -ENOMEM ? 1 : 2);
		while ((ret = rbmap_recording_next(r, &ev)) == 1)
			;
		_exit(ret == -ENOMEM ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		fail_msg("it was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

static int file_of(const struct buf *b)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);

	assert_true(fd >= 0 && !b->failed && b->size <= FILE_LIMIT);
	assert_int_equal(write(fd, b->data, b->size), b->size);
	return fd;
}

/* Read the file. Its contents must be refused, or be read with little. */
static void assert_cheap(rlim_t bytes)
{
	int fd = file_of(&file), status = read_limited(fd, bytes);

	close(fd);
	assert_true(status == 0 || status == 2);
	file.size = 0;
}

static void begin_file(uint32_t page_size, uint64_t options)
{
	file.size = 0;
	buf_add(&file, DAT_MAGIC, DAT_MAGIC_SIZE);
	buf_add_string(&file, DAT_VERSION_SECTIONS);
	buf_add(&file, (char[]){ 0, sizeof(long) }, 2);
	buf_add_u32(&file, page_size);
	buf_add_string(&file, DAT_COMPRESSION);
	buf_add_string(&file, "1.5.0");
	buf_add_u64(&file, options);
	while (file.size < OPTIONS_AT)
		buf_add(&file, "", 1);
}

/* Add a section, compressed. Return its offset. */
static uint64_t add_section(uint16_t id, const void *data, size_t size)
{
	uint64_t at = file.size;
	struct buf packed = { 0 };
	char *room = buf_room(&packed, ZSTD_compressBound(size));
	size_t n = ZSTD_compress(room, ZSTD_compressBound(size), data, size, 1);

	assert_false(ZSTD_isError(n));
	buf_add_u16(&file, id);
	buf_add_u16(&file, DAT_SECTION_COMPRESSED);
	buf_add_u32(&file, 0);
	buf_add_u64(&file, n + 8);
	buf_add_u32(&file, n);
	buf_add_u32(&file, size);
	buf_add(&file, room, n);
	buf_free(&packed);
	return at;
}

static void add_option(struct buf *options, uint16_t id, const void *data, size_t size)
{
	buf_add_u16(options, id);
	buf_add_u32(options, size);
	buf_add(options, data, size);
}

/* A text that begins with the title of times, and goes on with short lines */
static char *many_lines(void)
{
	char *text = malloc(MANY);
	size_t title = strlen(DAT_TIMES_TITLE);

	assert_non_null(text);
	memset(text, '\n', MANY);
	memcpy(text, DAT_TIMES_TITLE, title);
	return text;
}

/* Begin a file with options that have many lines. @next: offset of further options, or 0 */
static void begin_with_lines(uint64_t next)
{
	char *text = many_lines();
	struct buf options = { 0 };

	begin_file(4096, OPTIONS_AT);
	add_option(&options, DAT_OPTION_CPUSTAT, text, MANY);
	add_option(&options, DAT_OPTION_DONE, &next, sizeof(next));
	add_section(DAT_SECTION_OPTIONS, options.data, options.size);
	buf_free(&options);
	free(text);
}

static void test_many_lines(void **state)
{
	(void)state;
	begin_with_lines(0);
	assert_cheap(MEMORY_MAX);
}

/* The options that follow are the same ones. */
static void test_circle(void **state)
{
	(void)state;
	begin_with_lines(OPTIONS_AT);
	assert_cheap(MEMORY_MAX);
}

static uint64_t add_header_pages(void)
{
	struct buf b = { 0 };
	uint64_t at;

	buf_add_string(&b, DAT_HEADER_PAGE);
	buf_add_u64(&b, strlen(synth_header_page));
	buf_add(&b, synth_header_page, strlen(synth_header_page));
	buf_add_string(&b, DAT_HEADER_EVENT);
	buf_add_u64(&b, strlen(synth_header_event));
	buf_add(&b, synth_header_event, strlen(synth_header_event));
	at = add_section(DAT_OPTION_HEADER_INFO, b.data, b.size);
	buf_free(&b);
	return at;
}

/* Write the options of a file behind its sections. */
static void end_file(struct buf *options)
{
	const uint64_t end = 0;
	uint64_t at;

	add_option(options, DAT_OPTION_DONE, &end, sizeof(end));
	at = add_section(DAT_SECTION_OPTIONS, options->data, options->size);
	buf_free(options);
	memcpy(file.data + DAT_MAGIC_SIZE + 2 + 2 + 4 + 5 + 6, &at, sizeof(at));
}

static void begin_options(struct buf *options, uint32_t cpus)
{
	uint64_t at = add_header_pages();

	*options = (struct buf){ 0 };
	add_option(options, DAT_OPTION_HEADER_INFO, &at, sizeof(at));
	add_option(options, DAT_OPTION_CPUCOUNT, &cpus, sizeof(cpus));
}

/* Zeroes are formats without text, or systems without a name and formats. */
static void test_formats(void **state)
{
	static const uint16_t ids[] = { DAT_OPTION_FTRACE_EVENTS, DAT_OPTION_EVENT_FORMATS };
	struct buf options;
	uint32_t *zeroes;
	uint64_t at;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin_file(4096, 0);
		begin_options(&options, 1);
		zeroes = calloc(1, MANY);
		*zeroes = UINT32_MAX;
		at = add_section(ids[i], zeroes, MANY);
		free(zeroes);
		add_option(&options, ids[i], &at, sizeof(at));
		end_file(&options);
		assert_cheap(FORMATS_MEMORY_MAX);
	}
}

/* Chunks of zeroes. @shared: all CPUs have the same ones; otherwise each has one. */
static void add_chunks(struct buf *option, uint32_t page_size, size_t size, bool shared)
{
	uint32_t chunks = shared ? 1024 : 1;
	char *zeroes = calloc(1, size), *packed = malloc(ZSTD_compressBound(size));
	size_t n = ZSTD_compress(packed, ZSTD_compressBound(size), zeroes, size, 1);
	uint64_t at = file.size, data = 0;

	buf_add_u16(&file, DAT_OPTION_BUFFER);
	buf_add_u16(&file, DAT_SECTION_COMPRESSED);
	buf_add_u32(&file, 0);
	buf_add_u64(&file, 0);
	buf_add_u64(option, at);
	buf_add_string(option, "");
	buf_add_string(option, "local");
	buf_add_u32(option, page_size);
	buf_add_u32(option, shared ? CPUS : 32);
	for (uint32_t cpu = 0; cpu < (shared ? CPUS : 32); cpu++) {
		if (!cpu || !shared) {
			data = file.size;
			buf_add_u32(&file, chunks);
			for (uint32_t i = 0; i < chunks; i++) {
				buf_add_u32(&file, n);
				buf_add_u32(&file, size);
				buf_add(&file, packed, n);
			}
		}
		buf_add_u32(option, cpu);
		buf_add_u64(option, data);
		buf_add_u64(option, file.size - data);
	}
	free(zeroes);
	free(packed);
}

static void test_chunks(void **state)
{
	struct buf options, option = { 0 };

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		option.size = 0;
		begin_file(4096, 0);
		begin_options(&options, CPUS);
		add_chunks(&option, 4096, shared ? 65536 : 64 << 20, shared);
		add_option(&options, DAT_OPTION_BUFFER, option.data, option.size);
		end_file(&options);
		assert_cheap(MEMORY_MAX);
	}
	buf_free(&option);
}

/* A CPU's data is a hole of a gigabyte times a thousand, and one event behind it is found. */
static void test_hole(void **state)
{
	char path[64] = "/tmp/rbmap-cli-costs.XXXXXX";
	struct dat_source source = synth_source(1);
	struct synth s = { 0 };
	uint64_t entry[2];
	struct rbmap_recording *r;
	struct dat_writer *w;
	struct rbmap_subbuf sb;
	int fd;

	(void)state;
	fd = mkstemp(path);
	close(fd);
	assert_int_equal(dat_create(&w, path, &source), 0);
	assert_int_equal(dat_finish(w, NULL, (char *[]){ NULL }, &fd), 0);
	assert_int_equal(dat_open(&r, path), 0);
	synth_begin(&s, 5000);
	synth_number(&s, 5001, 1, 1);
	sb = synth_piece(&s, 0);
	entry[0] = 4 << 20;
	entry[1] = (1ull << 40) + SYNTH_SUBBUF;
	assert_int_equal(pwrite(fd, entry, sizeof(entry), r->table), sizeof(entry));
	assert_int_equal(pwrite(fd, (char[sizeof(DAT_UNFINISHED)]){ 0 }, strlen(DAT_UNFINISHED),
				r->unfinished), strlen(DAT_UNFINISHED));
	rbmap_recording_close(r);
	if (pwrite(fd, sb.start, SYNTH_SUBBUF, entry[0] + (1ull << 40)) != SYNTH_SUBBUF) {
		print_message("the file system has no files of this size\n");
		skip();
	}
	assert_int_equal(read_limited(fd, MEMORY_MAX), 0);
	close(fd);
	assert_int_equal(dat_open(&r, path), 0);
	assert_int_equal(rbmap_recording_next(r, &(struct rbmap_event){ 0 }), 1);
	assert_int_equal(rbmap_recording_next(r, &(struct rbmap_event){ 0 }), 0);
	rbmap_recording_close(r);
	unlink(path);
	strcat(path, ".cpu0");
	unlink(path);
}

/* Two CPUs have the same data: it would be read as often as the file has CPUs. */
static void test_overlap(void **state)
{
	char path[64] = "/tmp/rbmap-cli-costs.XXXXXX", spool[80];
	struct dat_source source = synth_source(2);
	uint64_t entry[4] = { 4096, 4 << 20, 4096, 4 << 20 };
	struct rbmap_recording *r;
	struct dat_writer *w;
	int fd;

	(void)state;
	fd = mkstemp(path);
	close(fd);
	assert_int_equal(dat_create(&w, path, &source), 0);
	assert_int_equal(dat_finish(w, NULL, (char *[]){ NULL, NULL }, &fd), 0);
	assert_int_equal(dat_open(&r, path), 0);
	assert_int_equal(pwrite(fd, entry, sizeof(entry), r->table), sizeof(entry));
	rbmap_recording_close(r);
	assert_int_equal(ftruncate(fd, (4 << 20) + 4096), 0);
	assert_int_equal(dat_open(&r, path), RBMAP_ERR_BROKEN);
	close(fd);
	unlink(path);
	for (int cpu = 0; cpu < 2; cpu++) {
		snprintf(spool, sizeof(spool), "%s.cpu%d", path, cpu);
		unlink(spool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_overlap),
	};
	int ret = cmocka_run_group_tests_name("cli_costs", tests, NULL, NULL);

	buf_free(&file);
	return ret;
}
