// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of rbmap top, beside sums that are made in another way, and its picture in
 * terminals of all sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/control.h"
#include "top/layout.h"
#include "top/terminal.h"

#define NR_CPUS		3
#define NR_PIDS		50
#define NR_IDS		9
#define NR_CGROUPS	10
#define NR_EVENTS	100000

static void name_event(void *data, int id, char *name, size_t size)
{
	(void)data;
	snprintf(name, size, "system:event%d", id);
}

/* Names have characters of two bytes. */
static void name_task(void *data, int pid, char *name, size_t size)
{
	(void)data;
	snprintf(name, size, "t\xc3\xa4sk-%d", pid);
}

static int cgroup_of(void *data, int pid)
{
	(void)data;
	return pid % NR_CGROUPS;
}

/* Long paths, some without a directory that fits: a row has the end. */
static const char *path_of(void *data, int number)
{
	static char path[NR_CGROUPS][600];

	(void)data;
	snprintf(path[number], sizeof(path[number]), "/%0*d/pod%d.slice/cri-%0*d.scope",
		 20 * number, number, number, number % 2 ? 20 * number : 1, number);
	return path[number];
}

static const struct row_names names = {
	.event = name_event, .task = name_task, .cgroup = cgroup_of, .path = path_of,
};

/* Few tasks write most events. */
static int few_of(int nr)
{
	return random() % (random() % nr + 1);
}

static void rows_are_sums(void **state)
{
	static uint64_t wanted[NR_ROW_KEYS][NR_PIDS], pairs[NR_PIDS][NR_IDS];
	struct counts *counts = counts_new();
	struct row *row;
	uint64_t sum, most;
	size_t nr;

	(void)state;
	assert_non_null(counts);
	for (int i = 0; i < NR_EVENTS; i++) {
		int cpu = few_of(NR_CPUS), pid = few_of(NR_PIDS), id = few_of(NR_IDS);

		counts_add(counts, cpu, pid, id);
		wanted[ROW_CPU][cpu]++;
		wanted[ROW_TASK][pid]++;
		wanted[ROW_EVENT][id]++;
		wanted[ROW_CGROUP][pid % NR_CGROUPS]++;
		pairs[pid][id]++;
	}
	for (int key = 0; key < NR_ROW_KEYS; key++) {
		row = rows_make(counts, key, SORT_RATE, "", &names, &nr);
		assert_non_null(row);
		sum = 0;
		for (size_t i = 0; i < nr; i++) {
			assert_int_equal(row[i].events, wanted[key][row[i].key]);
			assert_true(!i || row[i].events <= row[i - 1].events);
			sum += row[i].events;
			most = 0;
			for (int other = 0; key == ROW_TASK && other < NR_IDS; other++)
				if (pairs[row[i].key][other] > most)
					most = pairs[row[i].key][other];
			if (key == ROW_TASK)
				assert_int_equal(row[i].most_events, most);
			if (key == ROW_CGROUP) {
				assert_string_equal(row[i].path, path_of(NULL, row[i].key));
				assert_true(strlen(row[i].name) < ROW_NAME_SIZE);
				assert_string_equal(row[i].path + strlen(row[i].path) - strlen(row[i].name),
						    row[i].name);
			}
			assert_true(row[i].most_events && row[i].most_events <= row[i].events);
		}
		assert_int_equal(sum, NR_EVENTS);
		free(row);
	}
	row = rows_make(counts, ROW_EVENT, SORT_NAME, "EVENT3", &names, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(row[0].name, "system:event3");
	free(row);
	counts_clear(counts);
	row = rows_make(counts, ROW_EVENT, SORT_RATE, "", &names, &nr);
	assert_int_equal(nr, 0);
	free(row);
	counts_free(counts);
}

/* More tasks than the table has room for: no event is forgotten. */
static void counts_are_bounded(void **state)
{
	struct counts *counts = counts_new();
	const struct count *all;
	struct row *row;
	uint64_t sum = 0;
	size_t nr;

	(void)state;
	assert_non_null(counts);
	for (int pid = 0; pid < 3 * (int)COUNTS_MOST; pid++)
		counts_add(counts, 0, pid, 1);
	all = counts_all(counts, &nr);
	assert_int_equal(nr, COUNTS_MOST);
	for (size_t i = 0; i < nr; i++)
		sum += all[i].events;
	assert_int_equal(sum, 3 * COUNTS_MOST);
	row = rows_make(counts, ROW_TASK, SORT_RATE, "", &names, &nr);
	assert_int_equal(row[0].key, -1);
	assert_int_equal(row[0].events, 2 * COUNTS_MOST + 1);
	assert_string_equal(row[0].name, "(others)");
	free(row);
	counts_free(counts);
}

/* An event counts on its CPU, and an interval begins with nothing. */
static void counts_begin_again(void **state)
{
	struct counts *counts = counts_new();
	const struct count *all;
	size_t nr;

	(void)state;
	assert_non_null(counts);
	counts_add(counts, 0, 1, 7);
	counts_add(counts, 0, 1, 7);
	counts_add(counts, 1, 1, 7);
	all = counts_all(counts, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(all[0].events, 2);
	counts_clear(counts);
	for (int cpu = 0; cpu < (int)COUNTS_MOST / 2; cpu++)
		counts_add(counts, cpu, 1, 7);
	counts_all(counts, &nr);
	assert_int_equal(nr, COUNTS_MOST / 2);
	counts_clear(counts);
	counts_add(counts, 1, 1, 7);
	all = counts_all(counts, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(all[0].cpu, 1);
	assert_int_equal(all[0].events, 1);
	counts_free(counts);
}

static char root[] = "/tmp/rbmap-cli-top.XXXXXX";

/* Write the counters of CPU 0. */
static void put_stats(unsigned int emitted, unsigned int lost)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu0/stats", root);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "emitted: %u\nlost events: %u\n", emitted, lost);
	fclose(f);
}

/* Take a sample of an interval with these numbers. */
static void check_sample(struct sampler *sampler, uint64_t emitted, uint64_t lost,
			 uint64_t lost_before)
{
	struct sample sample;

	assert_true(sample_take(&sample, sampler, 0));
	assert_int_equal(sample.sum[CPUSTAT_EMITTED], emitted);
	assert_int_equal(sample.sum[CPUSTAT_LOST], lost);
	assert_int_equal(sample.lost_before, lost_before);
	/* One thread takes no more than one processor. */
	assert_true(sample.own_cpu < 2);
	sample_free(&sample);
}

/* Use the processor for 0.1 s. */
static void work(void)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		;
}

/* A sample has what came in its interval, and the losses of all intervals before it. */
static void samples_are_of_intervals(void **state)
{
	struct sampler sampler;
	char command[128];

	(void)state;
	assert_non_null(mkdtemp(root));
	control_set_root(root);
	snprintf(command, sizeof(command), "mkdir -p %s/per_cpu/cpu0", root);
	assert_int_equal(system(command), 0);
	put_stats(100, 10);
	work();
	assert_true(sampler_begin(&sampler));
	put_stats(130, 14);
	check_sample(&sampler, 30, 4, 0);
	put_stats(131, 15);
	check_sample(&sampler, 1, 1, 4);
	/* The next buffer of a driver counts from 0 on. */
	sampler_restart(&sampler);
	put_stats(200, 3);
	check_sample(&sampler, 200, 3, 5);
	sampler_end(&sampler);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

struct screen {
	int width, height;
	int lines;
};

static void check_line(void *data, int line, enum colour colour, const char *text)
{
	struct screen *screen = data;
	int columns = 0;

	(void)colour;
	for (const char *at = text; *at; at++)
		columns += (*at & 0xc0) != 0x80;
	assert_true(columns <= screen->width);
	if (screen->height && line >= screen->height)
		return;		/* the terminal leaves it out */
	screen->lines++;
}

/* Text of all kinds in a terminal of any size, with any keys */
static void pictures_fit(void **state)
{
	struct cpustats cpu[NR_CPUS] = { { .cpu = 0 }, { .cpu = 2 }, { .cpu = 5 } };
	struct sample sample = { .seconds = 1, .cpu = cpu, .nr_cpus = NR_CPUS,
				 .ring_bytes = 4096 };
	struct top_view view = { .interval = 1 };
	struct counts *counts = counts_new();
	struct picture picture = { .view = &view, .sample = &sample };
	static const int keys[] = { 'e', 't', 'c', 's', '/', 'x', '\n', ' ', 'h', '+', '-', 27,
				    0402, 0403, 0522, 0523, 0406, 0407, 127, 0x1ff };

	(void)state;
	cpu[1].value[CPUSTAT_BYTES] = UINT64_MAX;
	cpu[1].value[CPUSTAT_LOST] = sample.sum[CPUSTAT_LOST] = UINT64_MAX;
	sample.sum[CPUSTAT_OVERRUN] = UINT64_MAX;
	for (int pid = 0; pid < 300; pid++)
		counts_add(counts, pid % 7, pid, pid % 5);
	for (int round = 0; round < 3000; round++) {
		struct screen screen = { .width = random() % 200, .height = random() % 60 };
		struct row *row;

		assert_true(press_key(&view, keys[random() % (sizeof(keys) / sizeof(keys[0]))],
				      layout_rows(screen.height)));
		assert_true(view.interval >= 0.1 && view.interval <= 60);
		assert_true(strlen(view.search) < SEARCH_SIZE);
		row = rows_make(counts, view.key, view.sort, view.search, &names,
				&picture.nr_rows);
		assert_non_null(row);
		if (view.first >= picture.nr_rows)
			view.first = 0;
		picture.row = row;
		layout_draw(&picture, screen.width, screen.height, check_line, &screen);
		assert_true(screen.lines > 0);
		free(row);
	}
	view.asks = false;
	assert_false(press_key(&view, 'q', 10));
	counts_free(counts);
}

/* Keep the text of all lines. */
static void keep_line(void *data, int line, enum colour colour, const char *text)
{
	char *kept = data;

	(void)line;
	(void)colour;
	strncat(kept, text, 4000 - strlen(kept));
	strcat(kept, "\n");
}

static void assert_drawn(const struct sample *sample, const char *events, const char *causes)
{
	struct top_view view = { .interval = 1 };
	struct picture picture = { .view = &view, .sample = sample };
	char kept[4096] = "";

	layout_draw(&picture, 150, 40, keep_line, kept);
	if (!strstr(kept, events) || !strstr(kept, causes))
		fail_msg("no '%s' and '%s' in %s", events, causes, kept);
}

/* "nothing was lost" stands beside no loss, neither of this interval nor of one before. */
static void losses_are_said(void **state)
{
	struct cpustats cpu[NR_CPUS] = { { .cpu = 0 } };
	struct sample sample = { .seconds = 2, .cpu = cpu, .nr_cpus = NR_CPUS,
				 .ring_bytes = 4096 };

	(void)state;
	assert_drawn(&sample, " 0/s lost; 0 lost since the start\n", "Causes  nothing was lost\n");
	sample.lost_before = 106837;
	assert_drawn(&sample, " 0/s lost; 106837 lost since the start\n",
		     "Causes  nothing was lost in this interval\n");
	sample.sum[CPUSTAT_LOST] = sample.sum[CPUSTAT_NESTED] = 40;
	assert_drawn(&sample, " 20/s lost; 106877 lost since the start\n",
		     "Causes  nested 20/s\n");
	sample.sum[CPUSTAT_NESTED] = 0;
	assert_drawn(&sample, " 20/s lost; 106877 lost since the start\n", "Causes  unknown\n");
	/* The counter of overwritten events has those of freed rings, which are expired. */
	sample.sum[CPUSTAT_LOST] = sample.sum[CPUSTAT_OVERRUN] = 40;
	sample.sum[CPUSTAT_EXPIRED] = 30;
	assert_drawn(&sample, " 20/s lost; 106877 lost since the start\n",
		     "Causes  overwritten 5.0/s  expired 15/s\n");
	sample.sum[CPUSTAT_EXPIRED] = 40;
	assert_drawn(&sample, " 20/s lost; 106877 lost since the start\n",
		     "Causes  expired 20/s\n");
}

/* For tests/cli/top.sh: JSON of two intervals */
static int print_json(void)
{
	struct cpustats cpu = { .cpu = 1 };
	struct sample sample = { .seconds = 0.5, .read = 3, .cpu = &cpu, .nr_cpus = 1 };
	struct counts *counts = counts_new();
	bool ok;

	counts_add(counts, 1, 4711, 7);
	counts_add(counts, 1, 4711, 7);
	counts_add(counts, 1, 0, 8);
	ok = counts && batch_json(&sample, counts, &names);
	sample.measured = true;
	counts_clear(counts);
	ok = ok && batch_json(&sample, counts, &names);
	counts_free(counts);
	return !ok;
}

/* For tests/cli/top.sh: the text of three rows, with at most @most of them */
static int print_text(const char *most)
{
	struct sample sample = { .seconds = 1, .read = 6 };
	struct top_view view = { .interval = 1, .key = ROW_TASK };
	struct picture picture = { .view = &view, .sample = &sample };
	struct counts *counts = counts_new();
	struct row *row;

	for (int i = 0; counts && i < 6; i++)
		counts_add(counts, 0, 1 + i % 3, 7);
	row = rows_make(counts, view.key, view.sort, "", &names, &picture.nr_rows);
	picture.row = row;
	batch_text(&picture, strtoull(most, NULL, 10));
	free(row);
	counts_free(counts);
	return !row;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sums),
		cmocka_unit_test(counts_are_bounded),
		cmocka_unit_test(counts_begin_again),
		cmocka_unit_test(samples_are_of_intervals),
		cmocka_unit_test(pictures_fit),
		cmocka_unit_test(losses_are_said),
	};

	if (argc > 1 && !strcmp(argv[1], "--json"))
		return print_json();
	if (argc > 2 && !strcmp(argv[1], "--text"))
		return print_text(argv[2]);
	srandom(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
