// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a recording of random records of events:
 *
 *	cli_make_random FILE CLOCK RECORDS SEED DIR...
 *
 * Each DIR has formats, SYSTEM/EVENT/format. Each event gets RECORDS records, on four CPUs.
 * Events are lost now and then, with and without a number. The recording has two moments, and
 * the clock runs 2.5 times as fast as the time. A part of the records is damaged: they are
 * too short, have no known format, or have strings outside of the record.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli_synth.h"
#include "recording/assemble/dat_assemble.h"

#define NR_CPUS		4
#define MOST_EVENTS	256
#define MOST_PLACES	16
#define RECORD_ROOM	512
#define BEGIN_RING	1000000000ULL
#define BEGIN_REAL	1700000000123456789ULL
#define BEGIN_BOOT	77000000000ULL
#define FASTER(ns)	((ns) * 5 / 2)

/* @place: offsets of the fields that have the places of dynamic data */
static struct event {
	char *system;
	struct buf format;
	unsigned int id, size;
	unsigned int place[MOST_PLACES], nr_places;
} events[MOST_EVENTS];

static unsigned int nr_events;
static uint64_t state;

static void fail(const char *text)
{
	fprintf(stderr, "cli_make_random: %s\n", text);
	exit(1);
}

/* xorshift64*: the same numbers from the same seed on each machine */
static unsigned int pick(unsigned int nr)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL >> 32) % nr;
}

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static void parse_field(struct event *e, const char *line)
{
	unsigned int offset, size;
	const char *at = strstr(line, "\toffset:");

	if (!at || sscanf(at, "\toffset:%u;\tsize:%u;", &offset, &size) != 2)
		return;
	if (offset + size > e->size)
		e->size = offset + size;
	if (strstr(line, "field:__data_loc") && e->nr_places < MOST_PLACES)
		e->place[e->nr_places++] = offset;
}

static void add_format(const char *dir, const char *path)
{
	struct event *e = &events[nr_events++];
	const char *system = path + strlen(dir) + 1;
	struct buf file = { 0 };
	char *rest, *line;

	if (nr_events == MOST_EVENTS || buf_read_file(&file, path))
		fail(path);
	buf_add(&file, "", 1);
	e->system = strndup(system, strcspn(system, "/"));
	/* An empty line ends the fields that all events have. */
	for (rest = file.data; (line = strsep(&rest, "\n"));) {
		if (*line == '#')
			continue;
		sscanf(line, "ID: %u", &e->id);
		parse_field(e, line);
		buf_printf(&e->format, "%s\n", line);
	}
	buf_add(&e->format, "", 1);
	buf_free(&file);
}

static void add_formats(const char *dir)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*/*/format", dir);
	if (glob(pattern, 0, NULL, &found))
		fail(dir);
	for (size_t i = 0; i < found.gl_pathc; i++)
		add_format(dir, found.gl_pathv[i]);
	globfree(&found);
}

/* Numbers are often small. Strings are often letters, and sometimes UTF-8 or other bytes. */
static void fill(unsigned char *at, unsigned int size)
{
	unsigned int kind = pick(4);

	for (unsigned int i = 0; i < size; i++)
		at[i] = kind == 0 ? 0 : kind == 1 ? 'a' + pick(26) : pick(256);
	if (kind == 1 && size > 2 && !pick(3))
		memcpy(at, "\xc3\xa9", 2);
}

/* The dynamic data is behind the fields, or anywhere if @wild. */
static unsigned int set_places(const struct event *e, unsigned char *record, bool wild)
{
	unsigned int end = e->size;

	for (unsigned int i = 0; i < e->nr_places; i++) {
		uint32_t len = 1 + pick(24), place = end | len << 16;

		if (wild)
			place = pick(2) ? pick(UINT32_MAX) : pick(600) | pick(600) << 16;
		memcpy(record + e->place[i], &place, sizeof(place));
		fill(record + end, len);
		record[end + len - 1] = '\0';
		end += len;
	}
	return end;
}

static unsigned int make(const struct event *e, unsigned char *record)
{
	struct rbmap_event_common common = {
		.type = pick(50) ? e->id : 64000, .flags = pick(256), .preempt_count = pick(256),
		.pid = pick(20) ? (int)pick(5000) : -1,
	};
	unsigned int size, at = sizeof(common);

	memset(record, 0, RECORD_ROOM);
	memcpy(record, &common, sizeof(common));
	while (at < e->size) {
		size = e->size - at < 8 ? e->size - at : 8;
		fill(record + at, size);
		at += size;
	}
	size = set_places(e, record, !pick(8));
	if (e->size == sizeof(common))
		size += pick(40);
	if (!pick(40))
		size = pick(size);
	return (size + 3) / 4 * 4;
}

static void flush(struct dat_writer *w, unsigned int cpu, struct synth *s)
{
	unsigned int what = pick(4);
	struct rbmap_subbuf sb = synth_piece(s, what == 0 ? RBMAP_LOST_UNKNOWN :
						what == 1 ? 1 + pick(1000) : 0);

	if (dat_add(w, cpu, &sb))
		fail("cannot add a sub-buffer");
}

static void add_events(struct dat_writer *w, unsigned int records)
{
	static struct synth cpus[NR_CPUS];
	unsigned char record[RECORD_ROOM];
	uint64_t ts = BEGIN_RING;
	bool used[NR_CPUS] = { false };

	for (unsigned int i = 0; i < records * nr_events; i++) {
		unsigned int cpu = pick(NR_CPUS), size = make(&events[pick(nr_events)], record);

		ts += pick(1000000);
		if (!size || (used[cpu] && synth_add(&cpus[cpu], ts, record, size)))
			continue;
		if (used[cpu])
			flush(w, cpu, &cpus[cpu]);
		synth_begin(&cpus[cpu], ts);
		used[cpu] = true;
		if (!synth_add(&cpus[cpu], ts, record, size))
			fail("the record is too large");
	}
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		if (used[cpu])
			flush(w, cpu, &cpus[cpu]);
}

int main(int argc, char **argv)
{
	struct dat_assembly assembly = { .go_on = go_on };
	struct dat_source source = synth_source(NR_CPUS);
	struct rbmap_moment end = {
		.ring = BEGIN_RING + FASTER(20000000000ULL), .real = BEGIN_REAL + 20000000000,
		.boot = BEGIN_BOOT + 20000000000, .tai_offset = 37, .error = 100,
	};
	char *stats[NR_CPUS] = { NULL };
	static struct dat_format format[MOST_EVENTS];
	struct buf cmdlines = { 0 };
	struct dat_writer *w;
	int fd;

	if (argc < 6)
		fail("usage: cli_make_random FILE CLOCK RECORDS SEED DIR...");
	state = strtoull(argv[4], NULL, 0) + 1;
	for (int i = 5; i < argc; i++)
		add_formats(argv[i]);
	for (unsigned int i = 0; i < nr_events; i++)
		format[i] = (struct dat_format){ events[i].system, events[i].format.data };
	source.formats = format;
	source.nr_formats = nr_events;
	source.clocks = argv[2];
	source.times.begin = (struct rbmap_moment){ BEGIN_RING, BEGIN_REAL, BEGIN_BOOT, 37, 100 };
	if (dat_create(&w, argv[1], &source) || dat_publish(w))
		fail("cannot create the recording");
	add_events(w, strtoul(argv[3], NULL, 10));
	dat_set_end(w, &end);
	for (unsigned int pid = 1; pid < 1500; pid++)
		buf_printf(&cmdlines, "%u task-%u\n", pid, pid);
	if (dat_finish(w, &cmdlines, stats, &fd))
		fail("cannot finish the recording");
	assembly.fd = fd;
	return dat_assemble(argv[1], &assembly);
}
