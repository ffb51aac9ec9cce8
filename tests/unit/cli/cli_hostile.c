// SPDX-License-Identifier: GPL-2.0-only
/* The views of recordings that no recorder wrote: what they print, and how long they take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <malloc.h>

#include "base/buf.h"
#include "base/names.h"
#include "cli_synth.h"
#include "intervals/intervals.h"
#include "intervals/layout.h"
#include "print/event_label.h"
#include "print/fields/constants.h"
#include "print/task_names.h"
#include "recording/dat_hosts.h"
#include "recording/dat_read.h"

/* The name of a host is text of others. */
static void test_host(void **state)
{
	struct intervals *intervals = intervals_new(NULL, NULL);
	struct dat_hosts *hosts;
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(dat_hosts_parse(&hosts, DAT_HOSTS_HEAD "0 4 0 web\033[31m\n"), 1);
	intervals_set_hosts(intervals, hosts);
	intervals_print_cpu(intervals, 3, &b);
	buf_add(&b, "", 1);
	assert_string_equal(b.data, "CPU 3 of web\\x1b[31m");
	buf_free(&b);
	intervals_free(intervals);
	dat_hosts_free(hosts);
}

/* An empty line takes as long as it is, whatever follows. Many took minutes. */
static void test_empty_lines(void **state)
{
	static const char last[] = "  0x10 : \"text\"\n\t11 : other\n\r\n -12 : sign\n13";
	struct constants *constants = constants_new();
	const size_t size = 1 << 20;
	char *text = malloc(size + sizeof(last));

	(void)state;
	memset(text, '\n', size);
	memcpy(text + size, last, sizeof(last));
	assert_int_equal(constants_add(constants, text, size + sizeof(last) - 1), 0);
	assert_string_equal(constants_find(constants, 0x10), "text");
	assert_string_equal(constants_find(constants, 0x11), "other");
	assert_null(constants_find(constants, 0x13));
	free(text);
	constants_free(constants);
}

#define NR_LABELS	65536

static struct event_label labels_of_name[NR_LABELS];

/*
 * A label gets its system once. Before, each further label of that name wrote it again, which
 * took minutes.
 */
static void test_labels(void **state)
{
	struct event_label other = { .system = "s1", .name = "other" };
	struct event_label again = { .system = "s1", .name = "other" };
	static char system[NR_LABELS][8];
	struct event_labels labels = { .width = 1 };
	const char *first = NULL;

	(void)state;
	for (unsigned int i = 0; i < NR_LABELS; i++) {
		struct event_label *label = &labels_of_name[i];

		snprintf(system[i], sizeof(system[i]), "s%u", i);
		label->system = system[i];
		label->name = "name";
		assert_true(event_label_add(&labels, label));
		if (i < 2)
			first = labels_of_name[0].text;
		assert_ptr_equal(labels_of_name[0].text, first);
		assert_memory_equal(label->text, i ? "s" : "name: ", i ? 1 : 6);
	}
	assert_memory_equal(labels_of_name[0].text, "s0:name: ", 9);
	assert_memory_equal(labels_of_name[1].text, "s1:name: ", 9);
	/* Two events of a system that have one name do not need it. */
	assert_true(event_label_add(&labels, &other) && event_label_add(&labels, &again));
	assert_memory_equal(other.text, "other: ", 7);
	assert_memory_equal(again.text, "other: ", 7);
	for (unsigned int i = 0; i < NR_LABELS; i++)
		free(labels_of_name[i].text);
	free(other.text);
	free(again.text);
	event_labels_free(&labels);
}

#define NR_NAMES	200000
#define NAME_SIZE	16
#define NR_SUMS		4096

static uint32_t add_char(uint32_t sum, char c)
{
	return (sum ^ (unsigned char)c) * 16777619u;
}

/* Make different names. The sums of FNV-1a, as anyone can compute it, have 12 equal bits. */
static void make_names(char (*name)[NAME_SIZE])
{
	static char ending[NR_SUMS][2];

	for (uint32_t sum = 0; sum < NR_SUMS; sum++)
		for (char a = 'A'; a < '~'; a++)
			for (char b = 'A'; b < '~'; b++)
				if (!(add_char(add_char(sum, a), b) % NR_SUMS)) {
					ending[sum][0] = a;
					ending[sum][1] = b;
				}
	for (unsigned int nr = 0, i = 0; i < NR_NAMES; nr++) {
		uint32_t sum = 2166136261u;

		snprintf(name[i], NAME_SIZE, "%u", nr);
		for (const char *at = name[i]; *at; at++)
			sum = add_char(sum, *at);
		/* A few sums have no ending. */
		if (*ending[sum % NR_SUMS]) {
			strncat(name[i], ending[sum % NR_SUMS], 2);
			i++;
		}
	}
}

/* Names that were all in one list: each search went through it, and all took minutes. */
static void test_names(void **state)
{
	char (*name)[NAME_SIZE] = malloc((size_t)NR_NAMES * NAME_SIZE);
	struct task_names *tasks = task_names_new();
	struct names names = { 0 };
	const char *first, *kept;

	(void)state;
	make_names(name);
	task_names_keep(tasks);
	first = names_add(&names, name[0]);
	assert_int_equal(task_names_set(tasks, 1, name[0]), 1);
	kept = task_names_find(tasks, 1);
	for (unsigned int i = 1; i < NR_NAMES; i++) {
		assert_string_equal(names_add(&names, name[i]), name[i]);
		assert_int_equal(task_names_set(tasks, 1, name[i]), 1);
	}
	/* All are still there, once. */
	assert_ptr_equal(names_add(&names, name[0]), first);
	assert_int_equal(task_names_set(tasks, 1, name[0]), 1);
	assert_ptr_equal(task_names_find(tasks, 1), kept);
	names_free(&names);
	task_names_free(tasks);
	free(name);
}

/* Arguments of system calls are words of the kernel that was recorded. */
static void check_arguments(unsigned int size)
{
	struct {
		struct rbmap_event_common common;
		char id[8];
		union {
			uint32_t word[6];
			uint64_t wide[6];
		} args;
	} record = { .common.type = 7 };
	const struct rbmap_event ev = { .data = &record, .size = 16 + 6 * size };
	struct layouts *layouts = layouts_new();
	const struct layout *layout;
	char format[1024];

	snprintf(format, sizeof(format), "name: sys_enter\nID: 7\n" SYNTH_COMMON
		 "\tfield:long id;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield:unsigned long args[6];\toffset:16;\tsize:%u;\tsigned:0;\n\n"
		 "print fmt: \"%%ld\", REC->id\n", size, 6 * size);
	for (unsigned int i = 0; i < 6; i++) {
		if (size == 4)
			record.args.word[i] = 0xf0000000 + i;
		else
			record.args.wide[i] = 0xf000000000 + i;
	}
	assert_int_equal(layouts_add(layouts, "raw_syscalls", format, strlen(format)), 0);
	layout = layouts_find(layouts, &ev);
	assert_non_null(layout);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(layout_word(layout, &ev, CALL_ARGS, i),
				 (size == 4 ? 0xf0000000 : 0xf000000000) + i);
	assert_int_equal(layout_word(layout, &ev, CALL_ARGS, 6), 0);
	layouts_free(layouts);
}

static void test_arguments(void **state)
{
	(void)state;
	check_arguments(8);
	check_arguments(4);
}

static void count_run(void *data, const struct interval *interval)
{
	*(unsigned int *)data += interval->kind == INTERVAL_ONCPU && interval->pid == 5;
}

/* The last CPU that a recording can have is in the views. */
static void test_last_cpu(void **state)
{
	struct synth_switch_event in = { .common.type = SYNTH_SWITCH, .next_pid = 5 };
	struct synth_switch_event out = { .common = { .type = SYNTH_SWITCH, .pid = 5 }, .prev_pid = 5 };
	struct rbmap_event ev = {
		.data = &in, .size = sizeof(in), .ts = 1000, .cpu = DAT_CPUS_MAX - 1,
	};
	unsigned int runs = 0;
	struct intervals *intervals = intervals_new(count_run, &runs);

	(void)state;
	assert_int_equal(intervals_add_format(intervals, "sched", synth_switch,
					      strlen(synth_switch)), 0);
	assert_int_equal(intervals_event(intervals, &ev), 0);
	ev.data = &out;
	ev.ts = 2000;
	assert_int_equal(intervals_event(intervals, &ev), 0);
	assert_int_equal(runs, 1);
	intervals_free(intervals);
}

/* ---- pids and requests that a hash without a secret puts into one slot */
#define NR_TASKS	30000
#define NR_REQUESTS	60000

static void note_order(void *data, const struct interval *interval)
{
	int *last = data;

	assert_true(interval->pid >= *last);
	*last = interval->pid;
}

/* The events took half a minute. Intervals without an end come by pid, whatever the hashes are. */
static void test_pids(void **state)
{
	struct synth_switch_event sw = { .common.type = SYNTH_SWITCH };
	struct rbmap_event ev = { .data = &sw, .size = sizeof(sw), .ts = 1000 };
	int last = 0;
	struct intervals *intervals = intervals_new(note_order, &last);
	struct task_names *names = task_names_new();

	(void)state;
	assert_int_equal(intervals_add_format(intervals, "sched", synth_switch,
					      strlen(synth_switch)), 0);
	intervals_pass_sleepers(intervals);
	for (unsigned int i = NR_TASKS; i; i--) {
		sw.common.pid = sw.prev_pid = i << 16;
		sw.prev_state = 1;
		assert_int_equal(intervals_event(intervals, &ev), 0);
		assert_int_equal(task_names_set(names, i << 16, "name"), 1);
		last = 0;
		ev.ts++;
	}
	last = 1;
	intervals_end(intervals);
	assert_int_equal(last, NR_TASKS << 16);
	intervals_free(intervals);
	task_names_free(names);
}

#define NR_COMMS	100000
#define BYTES_OF_COMM	200

static size_t used_memory(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/*
 * A small file had the names of two million tasks without events. Each became a task, with memory
 * for all that can happen to one: two gigabytes.
 */
static void test_comms(void **state)
{
	struct synth_switch_event sw = { .common.type = SYNTH_SWITCH, .next_pid = 5 };
	struct rbmap_event ev = { .data = &sw, .size = sizeof(sw), .ts = 1000 };
	struct intervals *intervals = intervals_new(NULL, NULL);
	const size_t before = used_memory();

	(void)state;
	assert_int_equal(intervals_add_format(intervals, "sched", synth_switch,
					      strlen(synth_switch)), 0);
	for (int pid = 1; pid <= NR_COMMS; pid++)
		assert_int_equal(intervals_add_comm(intervals, pid, "name"), 0);
	assert_in_range(used_memory() - before, 0, BYTES_OF_COMM * NR_COMMS);
	assert_int_equal(intervals_add_comm(intervals, 7, "another"), 0);
	strcpy(sw.next_comm, "new");
	assert_int_equal(intervals_event(intervals, &ev), 0);
	assert_string_equal(intervals_comm(intervals, 5), "new");
	assert_string_equal(intervals_comm(intervals, 6), "name");
	assert_string_equal(intervals_comm(intervals, 7), "another");
	assert_string_equal(intervals_comm(intervals, NR_COMMS + 1), "");
	assert_string_equal(intervals_comm(intervals, -1), "");
	intervals_free(intervals);
}

static const char request_format[] =
	"name: block_rq_issue\nID: 7\n" SYNTH_COMMON
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int nr_sector;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char rwbs[8];\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%u\", REC->dev\n";

/* The requests, and the chunks that they read */
static void test_requests(void **state)
{
	struct {
		struct rbmap_event_common common;
		uint32_t dev, nr_sector;
		uint64_t sector;
		char rwbs[8];
	} record = { .common.type = 7, .nr_sector = 8, .rwbs = "R" };
	struct rbmap_event ev = { .data = &record, .size = sizeof(record), .ts = 1000 };
	struct intervals *intervals = intervals_new(NULL, NULL);

	(void)state;
	assert_int_equal(intervals_add_format(intervals, "block", request_format,
					      strlen(request_format)), 0);
	for (unsigned int i = 1; i <= NR_REQUESTS; i++) {
		record.dev = i;
		record.sector = (uint64_t)i << 40 ^ 0x123;
		assert_int_equal(intervals_event(intervals, &ev), 0);
		record.sector = ((uint64_t)i << 40 ^ 0x123) * 64;
		assert_int_equal(intervals_event(intervals, &ev), 0);
		ev.ts++;
	}
	intervals_free(intervals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_empty_lines),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_last_cpu),
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_comms),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests_name("cli_hostile", tests, NULL, NULL);
}
