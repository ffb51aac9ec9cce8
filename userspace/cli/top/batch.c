// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "layout.h"

#define WIDTH	100

static void put_line(void *data, int line, enum colour colour, const char *text)
{
	(void)data;
	(void)line;
	printf("%s%s%s\n", colour_begin(colour), text, colour_end(colour));
}

void batch_text(const struct picture *picture, uint64_t most)
{
	struct picture first = *picture;

	if (most && first.nr_rows > most)
		first.nr_rows = most;
	layout_draw(&first, WIDTH, 0, put_line, NULL);
	if (first.nr_rows < picture->nr_rows)
		printf("(%zu more rows: --rows 0 prints all)\n",
		       picture->nr_rows - first.nr_rows);
	putchar('\n');
}

static void print_cpus(struct json *j, const struct sample *sample)
{
	json_open(j, "cpus", '[');
	for (size_t i = 0; i < sample->nr_cpus; i++) {
		const struct cpustats *cpu = &sample->cpu[i];

		json_open(j, NULL, '{');
		json_unsigned(j, "cpu", cpu->cpu);
		for (int stat = 0; stat < NR_CPUSTATS; stat++)
			json_unsigned(j, cpustat_name(stat), cpu->value[stat]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static bool print_rows(struct json *j, const char *name, enum row_key key,
		       const struct counts *counts, const struct row_names *names)
{
	size_t nr;
	struct row *row = rows_make(counts, key, SORT_RATE, "", names, &nr);

	json_open(j, name, '[');
	for (size_t i = 0; row && i < nr; i++) {
		json_open(j, NULL, '{');
		if (key == ROW_TASK || key == ROW_CPU)
			json_number(j, key == ROW_TASK ? "pid" : "cpu", row[i].key);
		if (key == ROW_CGROUP)
			json_string(j, "cgroup", row[i].path ? row[i].path : row[i].name);
		else if (key != ROW_CPU)
			json_string(j, "name", row[i].name);
		json_unsigned(j, "events", row[i].events);
		json_string(j, "mostly", row[i].most);
		json_unsigned(j, "mostly_events", row[i].most_events);
		json_close(j, '}');
	}
	json_close(j, ']');
	free(row);
	return row;
}

bool batch_json(const struct sample *sample, const struct counts *counts,
		const struct row_names *names)
{
	struct json j = { .out = stdout, .compact = true };
	bool ok;

	json_open(&j, NULL, '{');
	json_unsigned(&j, "rbmap_top", 1);
	json_unsigned(&j, "length", sample->seconds * 1e9);
	json_unsigned(&j, "events_read", sample->read);
	json_unsigned(&j, "ring_size", sample->ring_bytes);
	json_unsigned(&j, "own_cpu_time", sample->own_cpu * sample->seconds * 1e9);
	if (sample->measured) {
		json_unsigned(&j, "probe_median", sample->median);
		json_unsigned(&j, "probe_p99", sample->p99);
	}
	print_cpus(&j, sample);
	ok = print_rows(&j, "by_event", ROW_EVENT, counts, names) &&
	     print_rows(&j, "by_task", ROW_TASK, counts, names) &&
	     print_rows(&j, "by_cpu", ROW_CPU, counts, names) &&
	     print_rows(&j, "by_cgroup", ROW_CGROUP, counts, names);
	json_close(&j, '}');
	return ok;
}
