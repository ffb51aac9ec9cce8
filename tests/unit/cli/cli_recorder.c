// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test the threads of `rbmap record` and `rbmap snapshot` with rings that are
 * lists of sub-buffers: other sizes and clocks, losses, and frozen rings.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli_synth.h"
#include "kernel/control.h"
#include "live/loss.h"
#include "live/recorder/device_watch.h"
#include "live/recorder/recorder_parts.h"
#include "live/recorder/recording.h"
#include "recording/dat_read.h"

#define NR_CPUS		3
#define MAX_RINGS	6
#define EVENTS		10	/* in a sub-buffer */
#define MAX_WAITS	9
#define UNKNOWN_LOST	9	/* events of a loss without a number */

/* A ring that holds one sub-buffer. */
struct ring {
	uint64_t first;		/* number of its first event; their time too */
	size_t size;		/* size of a sub-buffer */
	int clock;
	uint64_t lost;		/* before that event */
	uint64_t behind;	/* its last event */
};

/* The library's side: one CPU's rings, one after the other. */
struct rbmap_map {
	struct ring ring[MAX_RINGS];
	unsigned int nr, at;
	bool have;		/* the ring's sub-buffer was given out */
	uint64_t gone;		/* lost in rings before this one */
	uint64_t told;
	uint64_t events;
	uint64_t behind;	/* to be told with the next ring's */
	bool snapshot_file, ended;
	struct synth synth;
	int error;		/* returned after the last ring */
	_Atomic bool woken;
};

static char dir[] = "/tmp/rbmap-cli-recorder.XXXXXX";
static char file[64];
static struct rbmap_map cpus[NR_CPUS];
static int open_error[NR_CPUS];
static unsigned int counts[NR_CPUS];	/* events that the kernel missed; it left out twice as many */
static unsigned int unread_cpu = NR_CPUS;	/* has 4 events in its ring, and 33 lost ones */
static bool splices;		/* rings have whole sub-buffers for rbmap_splice() */
static unsigned int nr_spliced;
static unsigned int nr_timeouts;	/* so many waits of CPU 0 end without events */
static int waits[MAX_WAITS];	/* how long CPU 0 was ready to wait */
static _Atomic unsigned int nr_waits;
static struct recorder *running;	/* its threads read until it ends */

int rbmap_open_path(struct rbmap_map **map, const char *path,
		    unsigned int flags)
{
	int cpu = path[strlen(path) - 1] - '0';

	assert_int_equal(flags, 0);
	*map = &cpus[cpu];
	return open_error[cpu];
}

void rbmap_close(struct rbmap_map *map)
{
	(void)map;
}

/* Like rbmap_loss.reported */
static void tell(struct rbmap_map *map, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN || map->told == RBMAP_LOST_UNKNOWN)
		map->told = RBMAP_LOST_UNKNOWN;
	else
		map->told += lost;
}

/* The kernel counts each loss. */
static uint64_t counted(uint64_t lost)
{
	return lost == RBMAP_LOST_UNKNOWN ? UNKNOWN_LOST : lost;
}

static void make_subbuf(struct rbmap_map *map)
{
	struct ring *ring = &map->ring[map->at];
	uint64_t nr;

	map->have = true;
	map->synth.room = ring->size - RBMAP_SUBBUF_HEADER_SIZE;
	synth_begin(&map->synth, ring->first);
	map->synth.id = 1;
	for (nr = ring->first; nr < ring->first + EVENTS; nr++)
		assert_true(synth_number(&map->synth, nr, 1, nr));
	map->events += EVENTS;
	tell(map, ring->lost);
}

ssize_t rbmap_splice(struct rbmap_map *map, int pipe, size_t size)
{
	struct ring *ring = &map->ring[map->at];
	struct rbmap_subbuf_header *header = &map->synth.header;

	if (!splices || map->have || !ring->size || map->behind)
		return 0;
	assert_true(size >= ring->size);
	nr_spliced++;
	make_subbuf(map);
	if (ring->lost == RBMAP_LOST_UNKNOWN) {
		header->commit |= RBMAP_MISSED_EVENTS;
	} else if (ring->lost) {
		memcpy(map->synth.bytes + sizeof(*header) + header->commit, &ring->lost,
		       sizeof(ring->lost));
		header->commit |= RBMAP_MISSED_EVENTS | RBMAP_MISSED_STORED;
	}
	assert_int_equal(write(pipe, map->synth.bytes, ring->size), ring->size);
	return ring->size;
}

int rbmap_next_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	struct ring *ring = &map->ring[map->at];

	if (map->have && (map->at + 1 < map->nr || map->snapshot_file) && !map->ended) {
		map->behind += ring->behind;
		tell(map, ring->behind);
		map->ended = map->at + 1 == map->nr;
		if (!map->ended) {
			map->gone += counted(ring->lost) + counted(ring->behind);
			map->have = false;
			ring = &map->ring[++map->at];
			/* The next ring seems to be empty, so that it is spliced. */
			if (splices && !map->behind && running && !recorder_ended(running))
				return 0;
		}
	}
	if (map->have || !ring->size)
		return map->error;
	make_subbuf(map);
	*sb = synth_piece(&map->synth, ring->lost == RBMAP_LOST_UNKNOWN ? ring->lost :
			  ring->lost + map->behind);
	map->behind = 0;
	return 1;
}

/* The buffer that has the names of threads is not there. */
int rbmap_fd(const struct rbmap_map *map)
{
	(void)map;
	return -1;
}

int rbmap_next_event(struct rbmap_map *map, struct rbmap_event *ev)
{
	(void)map;
	(void)ev;
	return 0;
}

/* The kernel counts all losses until now as reported. The map has not reported them. */
int rbmap_discard_unread(struct rbmap_map *map)
{
	uint64_t events = map->events, told = map->told;
	struct rbmap_subbuf sb;
	struct ring *ring;

	while (rbmap_next_subbuf(map, &sb) == 1)
		;
	ring = &map->ring[map->at];
	map->gone += counted(ring->behind);
	ring->behind = 0;
	map->told = told;
	map->behind = 0;
	map->events = events;
	return 0;
}

uint64_t rbmap_events_read(const struct rbmap_map *map)
{
	return map->events;
}

int rbmap_wait(struct rbmap_map *map, int timeout_ms)
{
	if (map == cpus && nr_waits < MAX_WAITS) {
		waits[nr_waits++] = timeout_ms;
		if (nr_waits <= nr_timeouts)
			return 0;
	}
	while (map->have && map->at + 1 == map->nr && !map->woken && !map->error)
		usleep(1000);
	return splices;
}

int rbmap_wake(struct rbmap_map *map)
{
	map->woken = true;
	return 0;
}

int rbmap_loss(struct rbmap_map *map, struct rbmap_loss *loss)
{
	const struct ring *ring = &map->ring[map->at];
	uint64_t lost = counted(ring->lost) + counted(ring->behind);

	*loss = (struct rbmap_loss){
		.overrun = map->gone + lost,
		.total = map->gone + lost,
		.reported = map->told,
		.unreported = map->ended ? 0 : map->have ? ring->behind : lost,
	};
	return 0;
}

size_t rbmap_subbuf_size(const struct rbmap_map *map)
{
	return map->ring[map->at].size;
}

unsigned int rbmap_nr_subbufs(const struct rbmap_map *map)
{
	(void)map;
	return 3;
}

int rbmap_clock(const struct rbmap_map *map)
{
	return map->ring[map->at].clock;
}

unsigned int rbmap_generation(const struct rbmap_map *map)
{
	return map->at + 1;
}

/* Let the CPU write to the ring of that generation. */
static void write_stats(unsigned int cpu, unsigned int generation)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u", dir, cpu);
	mkdir(path, 0755);
	strcat(path, "/stats");
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "subbuf size: %zu\ngeneration: %u\nmissed: %u\nexcluded: %u\n",
		cpus[cpu].ring[generation - 1].size, generation, counts[cpu], 2 * counts[cpu]);
	if (cpu == unread_cpu)
		fputs("entries: 4\nlost events: 33\ndropped no ring: 30\n", f);
	fclose(f);
}

static void add_ring(unsigned int cpu, uint64_t first, size_t size, int clock,
		     uint64_t lost)
{
	struct rbmap_map *map = &cpus[cpu];

	map->ring[map->nr++] = (struct ring){ first, size, clock, lost, 0 };
}

/* Behind the last event of a CPU's rings so far. */
static void lose(unsigned int cpu, uint64_t lost)
{
	cpus[cpu].ring[cpus[cpu].nr - 1].behind = lost;
}

static int begin(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	memset(open_error, 0, sizeof(open_error));
	nr_timeouts = 0;
	nr_waits = 0;
	return 0;
}

static struct dat_writer *create(const struct recorder *rec)
{
	struct dat_source source = synth_source(recorder_nr_cpus(rec));
	struct dat_writer *writer = NULL;

	source.page_size = recorder_page_size(rec);
	source.max_cpus = recorder_max_cpus(rec);
	assert_int_equal(dat_create(&writer, file, &source), 0);
	return writer;
}

static struct recorder_result finish(struct recorder *rec,
				     struct dat_writer *writer)
{
	struct recorder_result result;
	struct cmdlines *cmdlines = cmdlines_new();
	int fd;

	recorder_result(rec, cmdlines, &result);
	cmdlines_free(cmdlines);
	assert_int_equal(dat_finish(writer, NULL, NULL, &fd), 0);
	close(fd);
	recorder_close(rec);
	return result;
}

/* The first numbers of the sub-buffers that the file has, in order; 0 ends. */
static void check_file(const uint64_t *first, uint64_t lost)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_event ev;
	uint64_t nr, told = 0;

	assert_int_equal(dat_open(&r, file), 0);
	for (; *first; first++) {
		for (uint64_t want = *first; want < *first + EVENTS; want++) {
			assert_int_equal(rbmap_recording_next(r, &ev), 1);
			memcpy(&nr, (const char *)ev.data + 8, sizeof(nr));
			assert_int_equal(nr, want);
			assert_int_equal(ev.ts, want);
			told += ev.lost;
		}
	}
	assert_int_equal(rbmap_recording_next(r, &ev), 0);
	for (unsigned int cpu = 0; cpu < rbmap_recording_cpus(r); cpu++)
		told += rbmap_recording_lost_last(r, cpu);
	assert_int_equal(told, lost);
	rbmap_recording_close(r);
}

/* Runs until it ends by itself, or all rings have been read. */
static struct recorder_result record(struct recorder *rec, int clock,
				     uint64_t events)
{
	struct dat_writer *writer = create(rec);
	struct comm_fields *fields = comm_fields_new();
	struct recorder_result result;

	running = rec;
	/* A recorder that looks at events does not splice them. */
	assert_int_equal(recorder_start(rec, writer, splices ? NULL : fields, clock), 0);
	while (!recorder_ended(rec) && recorder_events(rec) < events)
		usleep(1000);
	recorder_stop(rec);
	running = NULL;
	assert_int_equal(recorder_events(rec), events);
	result = finish(rec, writer);
	comm_fields_free(fields);
	return result;
}

static void test_other_sizes(void **state)
{
	static const uint64_t first[] = { 100, 200, 300, 400, 500, 600, 0 };
	struct recorder_result result;
	struct recorder *rec;

	(void)state;
	add_ring(0, 100, 4096, 0, 5);
	lose(0, 4);
	add_ring(0, 300, 65536, 0, 0);
	add_ring(0, 500, 8192, 0, 7);
	add_ring(1, 200, 8192, 0, 0);
	add_ring(1, 400, 4096, 0, 0);
	add_ring(2, 600, 4096, 0, 1);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		write_stats(cpu, 1);
	rec = recorder_open(dir);
	assert_non_null(rec);
	/* The largest of those that are written now. */
	assert_int_equal(recorder_page_size(rec), 8192);
	result = record(rec, 0, 6 * EVENTS);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.new_clock, -1);
	assert_int_equal(result.other_clock, 0);
	/* The losses of the first rings were not reported before. */
	assert_int_equal(result.loss.total, 17);
	assert_int_equal(result.loss.overrun, 17);
	check_file(first, 17);
}

/* All that came before the change is there, of each CPU. */
static void test_clock_that_changes(void **state)
{
	static const uint64_t first[] = { 100, 200, 300, 400, 0 };
	struct recorder_result result;
	struct recorder *rec;

	(void)state;
	add_ring(0, 100, 4096, 0, 0);
	add_ring(0, 900, 4096, 1, 0);
	add_ring(0, 950, 4096, 0, 0);
	add_ring(1, 200, 4096, 0, 0);
	add_ring(1, 300, 4096, 0, 0);
	lose(1, 6);
	add_ring(1, 910, 4096, 1, 1);
	add_ring(2, 400, 4096, 0, 2);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		write_stats(cpu, 1);
	rec = recorder_open(dir);
	assert_non_null(rec);
	result = record(rec, 0, 4 * EVENTS);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.new_clock, 1);
	assert_int_equal(result.other_clock, 2 * EVENTS);
	assert_int_equal(result.loss.total, 9);
	check_file(first, 9);
}

/* Old events with another clock, and their losses, are not recorded. */
static void test_old_clock(void **state)
{
	static const uint64_t first[] = { 200, 300, 400, 0 };
	struct recorder_result result;
	struct recorder *rec;

	(void)state;
	add_ring(0, 100, 4096, 1, 50);
	lose(0, 7);
	add_ring(0, 150, 4096, 2, 60);
	lose(0, 8);
	add_ring(0, 200, 4096, 0, 3);
	add_ring(1, 300, 4096, 0, 0);
	add_ring(2, 110, 4096, 1, 0);
	add_ring(2, 400, 4096, 0, 0);
	write_stats(0, 3);
	write_stats(1, 1);
	write_stats(2, 2);
	rec = recorder_open(dir);
	assert_non_null(rec);
	result = record(rec, 0, 3 * EVENTS);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.new_clock, -1);
	assert_int_equal(result.other_clock, 3 * EVENTS);
	assert_int_equal(result.loss.total, 3);
	check_file(first, 3);
}

/* A loss without a number before the recording begins does not hide those behind it. */
static void test_old_unknown_loss(void **state)
{
	static const uint64_t first[] = { 200, 300, 0 };
	struct recorder *rec;

	(void)state;
	add_ring(0, 100, 4096, 1, 0);
	lose(0, RBMAP_LOST_UNKNOWN);
	add_ring(0, 200, 4096, 0, 0);
	add_ring(0, 300, 4096, 0, 4);
	write_stats(0, 2);
	open_error[1] = open_error[2] = -ENODATA;
	rec = recorder_open(dir);
	assert_non_null(rec);
	assert_int_equal(record(rec, 0, 2 * EVENTS).error, 0);
	check_file(first, RBMAP_LOST_UNKNOWN + 4);
}

/* Between old rings that belong to the recording, one with another clock does not. */
static void test_old_clock_between(void **state)
{
	static const uint64_t first[] = { 100, 200, 0 };
	struct recorder_result result;
	struct recorder *rec;

	(void)state;
	add_ring(0, 100, 4096, 0, 5);
	add_ring(0, 150, 4096, 1, 0);
	add_ring(0, 200, 4096, 0, 7);
	write_stats(0, 3);
	open_error[1] = open_error[2] = -ENODATA;
	rec = recorder_open(dir);
	assert_non_null(rec);
	result = record(rec, 0, 2 * EVENTS);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.other_clock, EVENTS);
	assert_int_equal(result.loss.total, 12);
	check_file(first, 12);
}

/* It begins with what comes after the discarded rings, whatever their clock. */
static void test_discard(void **state)
{
	static const uint64_t first[] = { 300, 0 };
	struct recorder_result result;
	struct recorder *rec;

	(void)state;
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		add_ring(cpu, 100, 4096, 1, 50);
		lose(cpu, 3);
		add_ring(cpu, 200, 65536, 0, 60);
		lose(cpu, 2);
		/* That has nothing yet. */
		if (cpu == 2)
			add_ring(cpu, 0, 0, 0, 0);
		write_stats(cpu, 2);
	}
	rec = recorder_open(dir);
	assert_non_null(rec);
	assert_int_equal(recorder_discard(rec), 0);
	add_ring(1, 300, 4096, 0, 4);
	result = record(rec, 0, EVENTS);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.other_clock, 0);
	assert_int_equal(result.loss.total, 4);
	check_file(first, 4);
}

/* Read to the end and no further; a CPU without a snapshot is left out. */
static void test_snapshot_file(void **state)
{
	static const uint64_t first[] = { 100, 200, 0 };
	struct comm_fields *fields = comm_fields_new();
	struct recorder_result result;
	struct dat_writer *writer;
	struct recorder *rec;

	(void)state;
	add_ring(0, 100, 8192, 1, 9);
	lose(0, 4);
	add_ring(1, 150, 8192, 0, 0);
	add_ring(2, 200, 8192, 1, 0);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		cpus[cpu].snapshot_file = true;
		write_stats(cpu, 1);
	}
	rec = recorder_open(dir);
	assert_non_null(rec);
	assert_int_equal(recorder_clock(rec), 1);
	writer = create(rec);
	recorder_read_all(rec, writer, fields, 1);
	result = finish(rec, writer);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.new_clock, -1);
	assert_int_equal(result.other_clock, EVENTS);
	assert_int_equal(result.loss.total, 13);
	check_file(first, 13);

	begin(NULL);
	add_ring(2, 200, 8192, 0, 0);
	open_error[0] = open_error[1] = -ENODATA;
	rec = recorder_open(dir);
	assert_non_null(rec);
	assert_false(recorder_has_cpu(rec, 1));
	assert_true(recorder_has_cpu(rec, 2));
	writer = create(rec);
	recorder_read_all(rec, writer, fields, recorder_clock(rec));
	result = finish(rec, writer);
	assert_int_equal(result.error, 0);
	check_file(first + 1, 0);

	open_error[2] = -ENODATA;
	assert_null(recorder_open(dir));

	/* One that cannot be read to its end says so. */
	begin(NULL);
	open_error[0] = open_error[1] = -ENODATA;
	add_ring(2, 200, 8192, 0, 0);
	cpus[2].error = RBMAP_ERR_CORRUPT;
	rec = recorder_open(dir);
	writer = create(rec);
	recorder_read_all(rec, writer, fields, 0);
	result = finish(rec, writer);
	assert_int_equal(result.error, RBMAP_ERR_CORRUPT);
	assert_true(result.reading);
	assert_int_equal(result.cpu, 2);
	check_file(first + 1, 0);
	comm_fields_free(fields);
}

/* Write a file of frozen rings, whose CPUs have missed so many events. Check those of the file. */
static void check_counts(struct recorder_counts *before, const unsigned int now[NR_CPUS],
			 const unsigned int want[NR_CPUS], bool is_written)
{
	struct recording r = { .no_compress = true, .quiet = true };
	struct rbmap_recording *reader = NULL;
	struct recorder_result result;
	struct dat_writer *writer;
	struct recorder *rec;
	unsigned int sum = 0;

	begin(NULL);
	memcpy(counts, now, sizeof(counts));
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		add_ring(cpu, 100, 8192, 0, 0);
		cpus[cpu].snapshot_file = true;
		write_stats(cpu, 1);
		sum += want[cpu];
	}
	rec = recorder_open(dir);
	assert_non_null(rec);
	if (before)
		assert_true(recorder_begin_counts(rec, before));
	writer = create(rec);
	r.fields = comm_fields_new();
	r.cmdlines = cmdlines_new();
	recorder_read_all(rec, writer, r.fields, 0);
	recorder_result(rec, r.cmdlines, &result);
	assert_int_equal(result.missed, sum);
	assert_int_equal(result.excluded, 2 * sum);
	assert_int_equal(result.loss.total, sum);
	assert_int_equal(result.since_begin, !before);
	assert_true(recording_end_file(&r, writer, file, rec));
	if (before && is_written)
		recorder_keep_counts(rec, before);
	recorder_close(rec);
	recording_free(&r);
	assert_int_equal(dat_open(&reader, file), 0);
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		assert_int_equal(dat_missed(reader, 0, cpu), want[cpu]);
	rbmap_recording_close(reader);
}

/* The files of a flight recorder share the events that came to no ring: each is in one file. */
static void test_counts_of_files(void **state)
{
	static const unsigned int now[][NR_CPUS] = {
		{ 7, 0, 3 }, { 7, 0, 3 }, { 8, 5, 3 }, { 9, 6, 4 }, { 1, 6, 4 },
	};
	static const unsigned int want[][NR_CPUS] = {
		{ 7, 0, 3 }, { 0, 0, 0 }, { 1, 5, 0 }, { 2, 6, 1 }, { 1, 0, 0 },
	};
	struct recorder_counts before = { 0 };

	(void)state;
	/* The third one cannot be written, and leaves its events to the next one. Then a reset. */
	for (unsigned int i = 0; i < 5; i++)
		check_counts(&before, now[i], want[i], i != 2);
	recorder_counts_free(&before);
	/* A recorder of later events begins with what the counts are then. */
	assert_true(recorder_counts_init(&before));
	check_counts(&before, now[3], (const unsigned int[NR_CPUS]){ 8, 0, 0 }, true);
	recorder_counts_free(&before);
	/* Without a recorder nobody knows which events an earlier file has. */
	check_counts(NULL, now[3], now[3], true);
	memset(counts, 0, sizeof(counts));
}

/*
 * Read a snapshot whose CPU 0 lost @first and @lost events before the events of its rings, and
 * @behind after them.
 */
static void check_unknown(uint64_t first, uint64_t lost, uint64_t behind, uint64_t last)
{
	struct comm_fields *fields = comm_fields_new();
	struct rbmap_recording *r = NULL;
	struct dat_writer *writer;
	struct rbmap_event ev;
	struct recorder *rec;

	begin(NULL);
	open_error[1] = open_error[2] = -ENODATA;
	add_ring(0, 100, 8192, 0, first);
	add_ring(0, 200, 8192, 0, lost);
	lose(0, behind);
	cpus[0].snapshot_file = true;
	write_stats(0, 1);
	rec = recorder_open(dir);
	assert_non_null(rec);
	writer = create(rec);
	recorder_read_all(rec, writer, fields, 0);
	assert_int_equal(finish(rec, writer).error, 0);
	assert_int_equal(dat_open(&r, file), 0);
	for (unsigned int i = 0; i < 2 * EVENTS; i++) {
		assert_int_equal(rbmap_recording_next(r, &ev), 1);
		assert_int_equal(ev.lost, !i ? first : i == EVENTS ? lost : 0);
	}
	assert_int_equal(rbmap_recording_next(r, &ev), 0);
	assert_int_equal(rbmap_recording_lost_last(r, 0), last);
	rbmap_recording_close(r);
	comm_fields_free(fields);
}

/* A loss without a number is reported once, and is not taken for one of 2^64 - 1 events. */
static void test_unknown_loss(void **state)
{
	(void)state;
	check_unknown(2, 3, 4, 4);
	check_unknown(2, RBMAP_LOST_UNKNOWN, 0, 0);
	check_unknown(RBMAP_LOST_UNKNOWN, 3, 0, 0);
	check_unknown(2, 3, RBMAP_LOST_UNKNOWN, RBMAP_LOST_UNKNOWN);
}

/* Losses since a beginning, also if the counters were reset meanwhile */
static void test_loss_sums(void **state)
{
	const struct rbmap_loss before = { .total = 10, .overrun = 10 };
	const struct rbmap_loss later = { .total = 17, .overrun = 17 };
	const struct rbmap_loss reset = { .total = 4, .overrun = 4 };
	struct rbmap_loss sum = { 0 };

	(void)state;
	loss_add(&sum, &later, &before);
	assert_int_equal(sum.total, 7);
	loss_add(&sum, &reset, &before);
	assert_int_equal(sum.total, 11);
	assert_int_equal(sum.overrun, 11);
}

/* Each cause has a sum of its own. */
static void test_loss_sums_of_causes(void **state)
{
	const struct rbmap_loss before = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0 };
	const struct rbmap_loss now = { 12, 23, 34, 45, 56, 67, 78, 89, 100, 111, 0 };
	struct rbmap_loss sum = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= 2; i++) {
		loss_add(&sum, &now, &before);
		assert_int_equal(sum.overrun, 11 * i);
		assert_int_equal(sum.full, 21 * i);
		assert_int_equal(sum.lapped, 31 * i);
		assert_int_equal(sum.nested, 41 * i);
		assert_int_equal(sum.too_large, 51 * i);
		assert_int_equal(sum.expired, 61 * i);
		assert_int_equal(sum.no_ring, 71 * i);
		assert_int_equal(sum.total, 81 * i);
		assert_int_equal(sum.reported, 91 * i);
		assert_int_equal(sum.disabled, 101 * i);
	}
}

static void start_and_wait(bool patient)
{
	struct recorder *rec;
	struct dat_writer *writer;

	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		add_ring(cpu, 100, 4096, 0, 0);
		write_stats(cpu, 1);
	}
	rec = recorder_open(dir);
	assert_non_null(rec);
	writer = create(rec);
	recorder_set_patient(rec, patient);
	assert_int_equal(recorder_start(rec, writer, NULL, 0), 0);
	while (nr_waits <= nr_timeouts)
		usleep(1000);
	recorder_stop(rec);
	finish(rec, writer);
}

/* The waits grow while nothing comes, up to a limit, if nobody looks. */
static void test_patience(void **state)
{
	static const int growing[] = { 500, 1000, 2000, 4000, 8000, 16000, 32000, 32000 };

	(void)state;
	nr_timeouts = 7;
	start_and_wait(true);
	assert_memory_equal(waits, growing, sizeof(growing));
}

static void test_impatience(void **state)
{
	static const int same[] = { 500, 500, 500, 500 };

	(void)state;
	nr_timeouts = 3;
	start_and_wait(false);
	assert_memory_equal(waits, same, sizeof(same));
}

/* Whole sub-buffers are moved after a timeout, too, and not read by the map. */
static void test_timeout_splices(void **state)
{
	unsigned int before = nr_spliced;

	(void)state;
	nr_timeouts = 1;
	start_and_wait(true);
	assert_int_equal(nr_spliced - before, splices ? NR_CPUS : 0);
}

static int signal_within(time_t seconds)
{
	const struct timespec limit = { .tv_sec = seconds };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	return sigtimedwait(&set, NULL, &limit);
}

/* Start a recorder of CPUs with two rings each. The second one has this clock. */
static struct recorder *begin_signals(struct dat_writer **writer, int clock)
{
	struct recorder *rec;

	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		add_ring(cpu, 100, 4096, 0, 0);
		add_ring(cpu, 200, 4096, clock, 0);
		write_stats(cpu, 1);
	}
	/* Each thread of an earlier recorder has sent one. */
	while (signal_within(0) == SIGIO)
		;
	rec = recorder_open(dir);
	assert_non_null(rec);
	*writer = create(rec);
	recorder_set_signal(rec, SIGIO);
	assert_int_equal(recorder_start(rec, *writer, NULL, 0), 0);
	return rec;
}

/* Nobody need ask whether the recorder has ended. */
static void test_end_signals(void **state)
{
	struct dat_writer *writer;
	struct recorder *rec;
	bool ended;
	int sig;

	(void)state;
	rec = begin_signals(&writer, 1);
	sig = signal_within(20);
	ended = recorder_ended(rec);
	/* Its threads would disturb other tests. */
	recorder_stop(rec);
	finish(rec, writer);
	assert_int_equal(sig, SIGIO);
	assert_true(ended);
}

/* The test's end of the socket that tells when devices come */
static int devices = -1;

int device_watch_open(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
		return -1;
	devices = pair[1];
	return pair[0];
}

/* Nobody need look for CPUs that come. One that cannot be recorded is tried again. */
static void test_device_signals(void **state)
{
	struct dat_writer *writer;
	bool before, with, after;
	struct recorder *rec;
	char path[64];
	int sig;

	(void)state;
	snprintf(path, sizeof(path), "%s/cpu60000", dir);
	rec = begin_signals(&writer, 0);
	before = recorder_look_for_cpus(rec);
	close(creat(path, 0600));
	assert_int_equal(send(devices, "add", 3, 0), 3);
	sig = signal_within(20);
	with = recorder_look_for_cpus(rec);
	unlink(path);
	after = recorder_look_for_cpus(rec);
	recorder_stop(rec);
	finish(rec, writer);
	assert_int_equal(sig, SIGIO);
	assert_true(before);
	assert_false(with);
	assert_true(after);
}

/* Let each new thread need this much memory for its stack. */
static void set_stacks(size_t size)
{
	pthread_attr_t attr;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, size), 0);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
}

/*
 * The file has a CPU that came later, and whose thread could not begin. It ends well, and all
 * events of the CPU are lost, in the sums and in the file.
 */
static void test_late_without_thread(void **state)
{
	struct recording r = { .no_compress = true, .quiet = true };
	static const uint64_t first[] = { 100, 200, 0 };
	struct recorder_result result;
	char path[64], away[64];
	struct dat_writer *writer;
	struct recorder *rec;
	size_t stack;
	pthread_attr_t attr;

	(void)state;
	snprintf(path, sizeof(path), "%s/cpu2", dir);
	snprintf(away, sizeof(away), "%s/away", dir);
	assert_int_equal(rename(path, away), 0);
	unread_cpu = 2;
	counts[2] = 5;
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		add_ring(cpu, 100 * cpu + 100, 4096, 0, 0);
		write_stats(cpu, 1);
	}
	rec = recorder_open(dir);
	assert_non_null(rec);
	assert_int_equal(recorder_nr_cpus(rec), 2);
	/* The array has an element more, if this machine has no third CPU. */
	if (rec->max_cpus < NR_CPUS)
		rec->max_cpus = NR_CPUS;
	writer = create(rec);
	assert_int_equal(recorder_start(rec, writer, NULL, 0), 0);
	assert_int_equal(rename(away, path), 0);
	assert_int_equal(pthread_getattr_default_np(&attr), 0);
	assert_int_equal(pthread_attr_getstacksize(&attr, &stack), 0);
	pthread_attr_destroy(&attr);
	set_stacks(SIZE_MAX / 4);
	recorder_stop(rec);
	set_stacks(stack);
	assert_true(rec->incomplete);
	assert_int_equal(dat_nr_cpus(writer), NR_CPUS);
	r.cmdlines = cmdlines_new();
	recorder_result(rec, r.cmdlines, &result);
	assert_int_equal(result.loss.total, 42);
	assert_int_equal(result.loss.no_ring, 30);
	assert_int_equal(result.unopened, 7);
	assert_int_equal(result.missed, 5);
	assert_false(result.more);
	assert_true(recording_end_file(&r, writer, file, rec));
	recording_free(&r);
	recorder_close(rec);
	check_file(first, 42);
	unread_cpu = NR_CPUS;
	counts[2] = 0;
	write_stats(2, 1);
}

/* Return whether the file has an unknown loss of a CPU. */
static bool has_unknown_loss(unsigned int cpu)
{
	struct rbmap_recording *r = NULL;
	struct rbmap_event ev;
	bool has;

	assert_int_equal(dat_open(&r, file), 0);
	while (rbmap_recording_next(r, &ev) == 1)
		;
	has = cpu < rbmap_recording_cpus(r) &&
	      rbmap_recording_lost_last(r, cpu) == RBMAP_LOST_UNKNOWN;
	rbmap_recording_close(r);
	return has;
}

/* A container has only some of the devices: the recording lacks a CPU. */
static void test_hidden_cpu(void **state)
{
	char path[64];
	struct recorder_result result;
	struct dat_writer *writer;
	struct recorder *rec;
	unsigned int most;

	(void)state;
	for (int hidden = 0; hidden < 2; hidden++) {
		begin(NULL);
		for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
			add_ring(cpu, 100, 4096, 0, 0);
			write_stats(cpu, 1);
		}
		snprintf(path, sizeof(path), "%s/per_cpu/cpu7", dir);
		if (hidden)
			assert_int_equal(mkdir(path, 0755), 0);
		rec = recorder_open(dir);
		assert_non_null(rec);
		/* This machine may have fewer CPUs. */
		most = rec->max_cpus;
		rec->max_cpus = 8;
		writer = create(rec);
		rec->max_cpus = most;
		assert_int_equal(recorder_start(rec, writer, NULL, 0), 0);
		recorder_stop(rec);
		assert_int_equal(rec->incomplete, hidden);
		result = finish(rec, writer);
		assert_int_equal(result.more, hidden);
		assert_int_equal(has_unknown_loss(7), hidden);
	}
	assert_int_equal(rmdir(path), 0);
}

static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_other_sizes, begin),
		cmocka_unit_test_setup(test_clock_that_changes, begin),
		cmocka_unit_test_setup(test_old_clock, begin),
		cmocka_unit_test_setup(test_old_unknown_loss, begin),
		cmocka_unit_test_setup(test_old_clock_between, begin),
		cmocka_unit_test_setup(test_discard, begin),
		cmocka_unit_test_setup(test_snapshot_file, begin),
		cmocka_unit_test_setup(test_patience, begin),
		cmocka_unit_test_setup(test_impatience, begin),
		cmocka_unit_test_setup(test_timeout_splices, begin),
		cmocka_unit_test_setup(test_end_signals, begin),
		cmocka_unit_test_setup(test_device_signals, begin),
		cmocka_unit_test_setup(test_late_without_thread, begin),
		cmocka_unit_test(test_counts_of_files),
		cmocka_unit_test_setup(test_hidden_cpu, begin),
		cmocka_unit_test(test_unknown_loss),
		cmocka_unit_test(test_loss_sums),
		cmocka_unit_test(test_loss_sums_of_causes),
	};
	char command[128];
	int ret;

	if (!mkdtemp(dir))
		return 1;
	snprintf(file, sizeof(file), "%s/trace.dat", dir);
	snprintf(command, sizeof(command),
		 "cd %s && mkdir per_cpu && touch cpu0 cpu1 cpu2", dir);
	if (system(command))
		return 1;
	control_set_root(dir);
	block_signals();
	ret = cmocka_run_group_tests_name("cli_recorder", tests, NULL, NULL);
	splices = true;
	ret |= cmocka_run_group_tests_name("cli_recorder, splice", tests, NULL, NULL);
	ret |= nr_spliced < 5;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || ret;
}
