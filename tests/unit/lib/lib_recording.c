// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings through the API of librbmap: events, losses, names, moments, damage, and
 * files that are not recordings.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../cli/cli_synth.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_reader.h"

#define NR_CPUS	3
#define NR	200	/* events of each CPU, of which the last has none */
#define FIRST	1000000
#define STEP	1000

void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode);

static char path[] = "/tmp/rbmap-lib-recording.XXXXXX";
static bool without_zstd;

void *__wrap_dlopen(const char *file, int mode)
{
	return without_zstd ? NULL : __real_dlopen(file, mode);
}

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static void add_events(struct dat_writer *w, int cpu)
{
	struct synth s = { 0 };
	struct rbmap_subbuf sb;

	for (int page = 0; page < 2; page++) {
		synth_begin(&s, FIRST + cpu);
		for (int i = page * NR / 2; i < (page + 1) * NR / 2; i++)
			assert_true(i % 10 ? synth_number(&s, FIRST + cpu + i * STEP, 10 + cpu, i) :
				    synth_sched_switch(&s, FIRST + cpu + i * STEP, 10, "ten", 11,
						       "eleven"));
		sb = synth_piece(&s, page ? 7 : 0);
		assert_int_equal(dat_add(w, cpu, &sb), 0);
	}
	/* Lost after the last event */
	sb = (struct rbmap_subbuf){ .start = s.bytes, .lost = cpu ? RBMAP_LOST_UNKNOWN : 3,
				    .size = sb.size, .offset = sb.size, .id = sb.id };
	assert_int_equal(dat_add(w, cpu, &sb), 0);
}

static void make(bool compress, struct dat_format *formats, size_t nr_formats)
{
	struct dat_assembly assembly = { .compress = compress, .go_on = go_on };
	struct dat_source source = synth_source(NR_CPUS);
	char *stats[NR_CPUS] = { NULL };
	struct buf names = { 0 }, table = { 0 }, devices = { 0 };
	struct dat_writer *w;
	int fd;

	if (formats) {
		source.formats = formats;
		source.nr_formats = nr_formats;
	}
	source.times = (struct dat_times){
		.begin = { 1, 2, 3, 37, 4 }, .trigger = { 5, 6, 7, 37, 8 }, .reason = "why",
	};
	buf_printf(&names, "11 eleven\n10 first\n10 ten\n");
	buf_printf(&table, "rbmap cgroups\n/web: 10:3 11\n");
	buf_printf(&devices, "rbmap devices\n253:1 vda1\n");
	assert_int_equal(dat_create(&w, path, &source), 0);
	for (int cpu = 0; cpu < 2; cpu++)
		add_events(w, cpu);
	dat_add_table(w, &table);
	dat_add_table(w, &devices);
	assert_int_equal(dat_finish(w, &names, stats, &fd), 0);
	assembly.fd = fd;
	assert_int_equal(dat_assemble(path, &assembly), 0);
	assert_int_equal(assembly.compress_error, 0);
	close(fd);
	buf_free(&names);
	buf_free(&table);
	buf_free(&devices);
}

static struct rbmap_recording *open_it(void)
{
	struct rbmap_recording *r;

	assert_int_equal(rbmap_recording_open(&r, path, 0), 0);
	return r;
}

static void check_event(const struct rbmap_recording *r, const struct rbmap_event *ev, int i)
{
	const struct rbmap_format *f = rbmap_formats_of(rbmap_recording_formats(r), ev);
	const char *text;
	uint64_t value;
	size_t len;

	assert_int_equal(ev->cpu, i % 2);
	assert_true(ev->ts == FIRST + (uint64_t)(i % 2) + (uint64_t)(i / 2) * STEP);
	assert_int_equal(ev->lost, i / 2 == NR / 2 ? 7 : 0);
	assert_non_null(f);
	if (i / 2 % 10) {
		assert_string_equal(f->name, "number");
		assert_int_equal(rbmap_field_number(rbmap_format_field_by_name(f, "nr"), ev, 0,
						    &value), 0);
		assert_int_equal(value, i / 2);
	} else {
		assert_string_equal(f->system, "sched");
		assert_int_equal(rbmap_field_string(rbmap_format_field_by_name(f, "next_comm"),
						    ev, &text, &len), 0);
		assert_int_equal(len, 6);
		assert_memory_equal(text, "eleven", 6);
	}
}

static void check_heads(struct rbmap_recording *r)
{
	const struct rbmap_moment *moment;

	assert_int_equal(rbmap_recording_cpus(r), NR_CPUS);
	assert_string_equal(rbmap_recording_clock(r), "local");
	assert_string_equal(rbmap_recording_uname(r), "Linux host 6.1 x86_64");
	assert_string_equal(rbmap_recording_reason(r), "why");
	assert_string_equal(rbmap_recording_comm(r, 10), "ten");
	assert_string_equal(rbmap_recording_comm(r, 11), "eleven");
	assert_null(rbmap_recording_comm(r, 9));
	assert_null(rbmap_recording_comm(r, 12));
	assert_null(rbmap_recording_comm(r, -1));
	assert_string_equal(rbmap_recording_cgroup(r, 10), "/web");
	assert_string_equal(rbmap_recording_cgroup(r, 11), "/web");
	assert_null(rbmap_recording_cgroup(r, 12));
	assert_null(rbmap_recording_cgroup(r, 0));
	assert_int_equal(rbmap_recording_ns_pid(r, 10), 3);
	assert_int_equal(rbmap_recording_ns_pid(r, 11), 0);
	assert_int_equal(rbmap_recording_ns_pid(r, -1), 0);
	assert_string_equal(rbmap_recording_device(r, 253u << 20 | 1), "vda1");
	assert_null(rbmap_recording_device(r, 253u << 20));
	assert_null(rbmap_recording_host(r, 0));
	assert_null(rbmap_recording_host(r, 99));
	moment = rbmap_recording_moment(r, RBMAP_MOMENT_TRIGGER);
	assert_non_null(moment);
	assert_int_equal(moment->ring, 5);
	assert_int_equal(moment->real, 6);
	assert_int_equal(moment->error, 8);
	assert_null(rbmap_recording_moment(r, RBMAP_MOMENT_END));
	assert_null(rbmap_recording_moment(r, 99));
}

/* Read all events. */
static void check_events(struct rbmap_recording *r)
{
	struct rbmap_event ev;

	assert_true(rbmap_recording_done(r) == 0);
	for (int i = 0; i < 2 * NR; i++) {
		assert_int_equal(rbmap_recording_next(r, &ev), 1);
		check_event(r, &ev, i);
	}
	assert_int_equal(rbmap_recording_next(r, &ev), 0);
	assert_int_equal(rbmap_recording_next(r, &ev), 0);
	assert_true(rbmap_recording_done(r) == 1);
	assert_int_equal(rbmap_recording_lost_last(r, 0), 3);
	assert_true(rbmap_recording_lost_last(r, 1) == RBMAP_LOST_UNKNOWN);
	assert_int_equal(rbmap_recording_lost_last(r, 2), 0);
	assert_int_equal(rbmap_recording_lost_last(r, NR_CPUS), 0);
}

/* The sub-buffers have the same events, and all losses. */
static void check_subbufs(struct rbmap_recording *r)
{
	uint64_t lost = 0, nr = 0;
	struct rbmap_subbuf sb;

	for (unsigned int cpu = 0; cpu <= NR_CPUS; cpu++) {
		while (rbmap_recording_next_subbuf(r, cpu, &sb) == 1) {
			struct rbmap_cursor cursor = { 0 };
			struct rbmap_event ev;

			lost += sb.lost == RBMAP_LOST_UNKNOWN ? 1000 : sb.lost;
			while (rbmap_decode(sb.start, sb.size + RBMAP_SUBBUF_HEADER_SIZE,
					    &cursor, &ev) == 1)
				nr++;
		}
		assert_int_equal(rbmap_recording_next_subbuf(r, cpu, &sb), 0);
	}
	assert_int_equal(nr, 2 * NR);
	assert_int_equal(lost, 7 + 7 + 3 + 1000);
}

static void check_all(void)
{
	struct rbmap_recording *r = open_it();
	const struct rbmap_damage *damage;
	struct rbmap_event ev;

	check_heads(r);
	check_events(r);
	rbmap_recording_rewind(r);
	check_subbufs(r);
	rbmap_recording_rewind(r);
	for (int i = 0; i < NR; i++)
		assert_int_equal(rbmap_recording_next(r, &ev), 1);
	rbmap_recording_rewind(r);
	check_events(r);
	damage = rbmap_recording_damage(r);
	assert_false(damage->missing || damage->broken || damage->formats || damage->lacking ||
		     damage->unfinished || damage->busy);
	rbmap_recording_close(r);
	rbmap_recording_close(NULL);
}

static void test_events(void **state)
{
	(void)state;
	make(false, NULL, 0);
	check_all();
}

static void test_compressed(void **state)
{
	(void)state;
	make(true, NULL, 0);
	check_all();
}

/* A format that is invalid, and two with one number */
static void test_formats(void **state)
{
	struct dat_format formats[] = {
		{ "rbmap", synth_call }, { "rbmap", "name: without the rest\n" },
		{ "rbmap", synth_print }, { "same", synth_print }, { "sched", synth_switch },
	};
	struct rbmap_recording *r;

	(void)state;
	make(false, formats, sizeof(formats) / sizeof(formats[0]));
	r = open_it();
	assert_int_equal(rbmap_recording_damage(r)->formats, 2);
	assert_string_equal(rbmap_formats_by_id(rbmap_recording_formats(r), SYNTH_PRINT)->system,
			    "rbmap");
	rbmap_recording_close(r);
}

/* A recording of rbmap has one buffer, and its times are right. */
static void test_buffers(void **state)
{
	struct rbmap_recording *r;
	struct rbmap_event ev;

	(void)state;
	make(false, NULL, 0);
	r = open_it();
	assert_int_equal(rbmap_recording_buffers(r), 1);
	assert_string_equal(rbmap_recording_buffer_name(r, 0), "");
	assert_null(rbmap_recording_buffer_name(r, 1));
	assert_int_equal(rbmap_recording_buffer_cpus(r, 0), NR_CPUS);
	assert_int_equal(rbmap_recording_buffer_cpus(r, 1), 0);
	assert_int_equal(rbmap_recording_choose_buffer(r, 1), -EINVAL);
	assert_int_equal(rbmap_recording_choose_buffer(r, 0), 0);
	assert_int_equal(rbmap_recording_next(r, &ev), 1);
	assert_int_equal(rbmap_recording_event_buffer(r), 0);
	assert_int_equal(rbmap_recording_is_dated(r), 0);
	assert_int_equal(rbmap_recording_correct(r, 1, 123), 123);
	rbmap_recording_close(r);
}

static void test_damage(void **state)
{
	struct rbmap_recording *r;
	struct rbmap_event ev;
	struct stat st;
	int nr = 0, ret;

	(void)state;
	make(false, NULL, 0);
	assert_int_equal(stat(path, &st), 0);
	/* The last page has a loss alone, and the one before it ends with zeroes. */
	assert_int_equal(truncate(path, st.st_size - 2 * SYNTH_SUBBUF - 100), 0);
	r = open_it();
	for (int pass = 1; pass <= 2; pass++) {
		while ((ret = rbmap_recording_next(r, &ev)) == 1)
			nr++;
		assert_int_equal(ret, 0);
		assert_true(nr > pass * NR && nr < pass * 2 * NR);
		assert_int_equal(rbmap_recording_damage(r)->missing, 2 * SYNTH_SUBBUF + 100);
		rbmap_recording_rewind(r);
	}
	rbmap_recording_close(r);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(rbmap_recording_open(&r, path, 0), RBMAP_ERR_CUT);
}

/* Run before anything has loaded libzstd. */
static void test_no_zstd(void **state)
{
	struct rbmap_recording *r;

	(void)state;
	make(true, NULL, 0);
	without_zstd = true;
	assert_int_equal(rbmap_recording_open(&r, path, 0), RBMAP_ERR_NO_ZSTD);
	assert_non_null(strstr(rbmap_strerror(RBMAP_ERR_NO_ZSTD), "install libzstd1"));
	without_zstd = false;
	r = open_it();
	rbmap_recording_close(r);
}

static void put_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void test_errors(void **state)
{
	static const int errors[] = {
		RBMAP_ERR_NO_RECORDING, RBMAP_ERR_DAT_VERSION, RBMAP_ERR_FOREIGN, RBMAP_ERR_CUT,
		RBMAP_ERR_BROKEN, RBMAP_ERR_LATENCY, RBMAP_ERR_COMPRESSION, RBMAP_ERR_NO_ZSTD,
		RBMAP_ERR_COMPRESSED,
	};
	struct rbmap_recording *r;
	int fd;

	(void)state;
	assert_int_equal(rbmap_recording_open(&r, "/no/such", 0), -ENOENT);
	assert_int_equal(rbmap_recording_open(&r, "/", 0), -EISDIR);
	assert_int_equal(rbmap_recording_open(&r, path, 1), -EINVAL);
	put_file("hello, world");
	assert_int_equal(rbmap_recording_open(&r, path, 0), RBMAP_ERR_NO_RECORDING);
	put_file("\x17\x08\x44tracing9");
	assert_true(rbmap_recording_open(&r, path, 0) < 0);
	/* The descriptor is closed in any case. */
	fd = open(path, O_RDONLY);
	assert_int_equal(rbmap_recording_open_fd(&r, fd, 1), -EINVAL);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	fd = open(path, O_RDONLY);
	assert_true(rbmap_recording_open_fd(&r, fd, 0) < 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	make(false, NULL, 0);
	assert_int_equal(rbmap_recording_open_fd(&r, open(path, O_RDONLY), 0), 0);
	rbmap_recording_close(r);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		assert_memory_equal(rbmap_strerror(errors[i]), "the file ", 9);
}

static void print_all(unsigned int flags, struct buf *out)
{
	struct rbmap_recording *r = open_it();
	struct rbmap_report *p;
	struct rbmap_event ev;
	const char *text;
	size_t size;

	assert_int_equal(rbmap_report_open(&p, r, flags), 0);
	assert_int_equal(rbmap_report_head(p, &text, &size), 0);
	buf_add(out, text, size);
	while (rbmap_recording_next(r, &ev) == 1) {
		assert_int_equal(rbmap_report_event(p, &ev, &text, &size), 0);
		assert_int_equal(text[size - 1], '\n');
		buf_add(out, text, size);
	}
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		assert_int_equal(rbmap_report_lost(p, cpu, rbmap_recording_lost_last(r, cpu),
						    &text, &size), 0);
		assert_int_equal(size > 0, cpu < 2);
		buf_add(out, text, size);
	}
	rbmap_report_close(p);
	rbmap_recording_close(r);
	buf_add(out, "", 1);
	assert_false(out->failed);
}

static size_t count(const struct buf *out, const char *what)
{
	size_t nr = 0;

	for (const char *at = out->data; (at = strstr(at, what)); at++)
		nr++;
	return nr;
}

/* tests/cli/print_recording.sh compares whole recordings with rbmap report. */
static void test_print(void **state)
{
	struct rbmap_recording *r;
	struct rbmap_report *p = NULL;
	struct buf out = { 0 };

	(void)state;
	make(true, NULL, 0);
	print_all(0, &out);
	assert_memory_equal(out.data, "cpus=3\n", 7);
	/* The task of the numbers has its name in later events. */
	assert_int_equal(count(&out, " ten-10 "), NR + NR / 10);
	assert_int_equal(count(&out, "number: "), 2 * (NR - NR / 10));
	assert_int_equal(count(&out, "CPU:0 [7 EVENTS DROPPED]\n"), 1);
	assert_int_equal(count(&out, "CPU:0 [3 EVENTS DROPPED]\n"), 1);
	assert_int_equal(count(&out, "CPU:1 [EVENTS DROPPED]\n"), 1);
	out.size = 0;
	print_all(RBMAP_REPORT_UTC, &out);
	assert_int_equal(count(&out, " 1970-01-01 00:00:00."), 2 * NR);
	out.size = 0;
	print_all(RBMAP_REPORT_JSON, &out);
	assert_memory_equal(out.data, "{\"rbmap_json\": 1", 16);
	assert_int_equal(count(&out, "\n{\"ts\""), 2 * NR);
	assert_int_equal(count(&out, "\"lost\""), 4);
	assert_int_equal(count(&out, "\"cgroup\": \"/web\""), 2 * NR);
	buf_free(&out);

	r = open_it();
	assert_int_equal(rbmap_report_open(&p, r, 1u << 31), -EINVAL);
	/* Nothing says when it was made. */
	r->times = (struct dat_times){ 0 };
	assert_int_equal(rbmap_report_open(&p, r, RBMAP_REPORT_WALL), -ENODATA);
	assert_null(p);
	rbmap_report_close(NULL);
	rbmap_recording_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_zstd),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_errors),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests_name("lib_recording", tests, NULL, NULL);
	unlink(path);
	return failed;
}
