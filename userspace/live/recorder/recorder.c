// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/service.h"
#include "kernel/control.h"
#include "live/loss.h"
#include "open_files.h"
#include "recorder.h"

#define WAIT_MS		500	/* then read what is below the watermark, too */
#define PIPE_SIZE	(1 << 20)	/* the most that a user may ask for */
#define MAX_DRY		4
#define SWITCH_NS	1000000	/* then look again whether the threads write another file */
#define MAX_CPUS	65536

struct cpu_recorder {
	struct recorder *rec;
	unsigned int cpu;
	struct rbmap_map *map;		/* NULL: the CPU has no ring */
	struct cmdlines *cmdlines;
	pthread_t thread;
	bool running;

	struct rbmap_loss before;	/* counters at the beginning of the recording */
	uint64_t earlier;		/* lost before the recording and not reported yet */
	uint64_t skip;			/* part of it that is never reported */
	uint64_t count_before[NR_RECORDER_COUNTS];	/* at the beginning of the recording */
	uint64_t file_before[NR_RECORDER_COUNTS];	/* at the beginning of the file */
	uint64_t file_count[NR_RECORDER_COUNTS];	/* since then, when the file ends */
	_Atomic(struct dat_writer *) writer;		/* the file that the thread writes */
	uint64_t given;			/* loss that sub-buffers have reported */
	unsigned int generation;	/* ring that is being read */
	unsigned int first;		/* ring that was written at the beginning */
	_Atomic uint64_t other_clock;	/* number of left-out events */
	bool looks;			/* take names of threads from the events */

	/* Whole sub-buffers go through a pipe, without a map. */
	int pipe[2];
	size_t pipe_size;		/* 0: none was opened */
	unsigned int dry;		/* how often the ring had events, and no whole sub-buffer */

	int error;
	bool reading;
	_Atomic uint64_t lost;
	_Atomic uint64_t events;	/* number of events that were read */
};

struct recorder {
	const char *dir;
	struct cpu_recorder *cpu;	/* max_cpus of them, which threads use */
	unsigned int nr_cpus;
	unsigned int max_cpus;
	size_t page_size;
	int clock;			/* enum rbmap_clock; -1: any */
	_Atomic(struct dat_writer *) writer;
	uint64_t unwritten, too_large;	/* in the files before it */
	const struct comm_fields *fields;
	_Atomic bool stop;
	_Atomic bool failed;
	_Atomic int new_clock;		/* the rings have another clock now */
	_Atomic bool gone;		/* the module that owns the buffer has left */
	enum open_files files;
	bool incomplete;		/* a CPU that came later is not recorded */
};

/* ---- open */
static void complain_open(const char *path, int error)
{
	if (error == RBMAP_ERR_PERMISSION && control_complain_lockdown())
		return;
	if (error == RBMAP_ERR_PERMISSION)
		complain_unreadable(path);
	else
		complain("cannot map %s: %s", path, rbmap_strerror(error));
}

/*
 * Return the number of CPUs that can come online, or 0 if it is unknown. The file has
 * ranges such as 0-3,8-11, in order.
 */
static unsigned int possible_cpus(void)
{
	struct buf list = { 0 };
	unsigned int nr = 0;
	const char *last;

	buf_read_file(&list, "/sys/devices/system/cpu/possible");
	buf_add(&list, "", 1);
	if (!list.failed) {
		last = list.data + strcspn(list.data, "\n");
		while (last > list.data && last[-1] >= '0' && last[-1] <= '9')
			last--;
		if (*last >= '0' && *last <= '9')
			nr = strtoul(last, NULL, 10) + 1;
	}
	buf_free(&list);
	return nr <= MAX_CPUS ? nr : 0;
}

/* The array does not move later, because each thread has a pointer into it. */
static bool alloc_cpus(struct recorder *rec)
{
	unsigned int possible = possible_cpus();

	rec->max_cpus = possible > rec->nr_cpus ? possible : rec->nr_cpus;
	rec->cpu = calloc(rec->max_cpus + 1, sizeof(*rec->cpu));
	if (!rec->cpu)
		complain("out of memory");
	return rec->cpu;
}

/*
 * The next reader gets the loss that no reader has got yet. Its cause is known
 * if none was reported before, or if only one cause exists.
 */
static void count_earlier(struct cpu_recorder *c)
{
	struct rbmap_loss *b = &c->before;
	uint64_t earlier = b->unreported;
	uint64_t *const causes[] = {
		&b->overrun, &b->full, &b->lapped, &b->nested, &b->too_large,
		&b->expired, &b->no_ring,
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (*causes[i] == b->total) {
			*causes[i] -= earlier;
			b->total -= earlier;
			return;
		}
	}
	if (earlier == b->total)
		*b = (struct rbmap_loss){ 0 };
	else
		c->earlier = earlier;
}

/*
 * All pages of a file have one size: that of the CPU with the largest
 * sub-buffers.
 */
static void want_page_size(struct recorder *rec, size_t size)
{
	if (rec->page_size < size)
		rec->page_size = size;
}

static void cpu_path(char *path, size_t size, const struct recorder *rec, unsigned int cpu)
{
	snprintf(path, size, "%s/cpu%u", rec->dir, cpu);
}

/*
 * Map the ring of a CPU, unless the CPU has none, or the snapshot lacks it. Return 0 or an
 * error for rbmap_strerror().
 */
static int open_cpu(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	char path[128];
	int ret;

	cpu_path(path, sizeof(path), rec, cpu);
	if (access(path, F_OK))
		return 0;
	*c = (struct cpu_recorder){ .rec = rec, .cpu = cpu };
	ret = rbmap_open_path(&c->map, path, 0);
	if (ret) {
		c->map = NULL;
		return ret == -ENODATA ? 0 : ret;
	}
	c->cmdlines = cmdlines_new();
	if (!c->cmdlines) {
		rbmap_close(c->map);
		c->map = NULL;
		return -ENOMEM;
	}
	c->generation = rbmap_generation(c->map);
	return 0;
}

static bool map_cpu(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	int ret = open_cpu(rec, cpu);
	char path[128];
	uint64_t size;

	if (ret) {
		cpu_path(path, sizeof(path), rec, cpu);
		complain_open(path, ret);
		return false;
	}
	if (!c->map)
		return true;
	/* The first ring can be an older one that was not read to its end. */
	want_page_size(rec, rbmap_subbuf_size(c->map));
	if (!control_cpu_stat(cpu, "subbuf size", &size))
		want_page_size(rec, size);
	rbmap_loss(c->map, &c->before);
	count_earlier(c);
	return true;
}

static int cpu_of(const char *name)
{
	uint64_t cpu;

	if (strncmp(name, "cpu", 3) || !parse_u64(name + 3, &cpu) ||
	    cpu >= MAX_CPUS)
		return -1;
	return cpu;
}

/* Fail before anything is recorded. Further CPUs may come. */
static bool allow_files(struct recorder *rec)
{
	rlim_t highest = open_files_highest();

	rec->files = open_files_allow(rec->max_cpus);
	if (!rec->files)
		rec->files = open_files_within(rec->nr_cpus, highest);
	if (!rec->files)
		complain("recording %u CPUs needs %llu open files, and the limit is %llu: raise it (ulimit -n)",
			 rec->nr_cpus,
			 (unsigned long long)open_files_needed(rec->nr_cpus, OPEN_FILES_RINGS),
			 (unsigned long long)highest);
	return rec->files;
}

struct recorder *recorder_open(const char *dir_name)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	struct dirent *entry;
	bool ok = rec;
	DIR *dir;
	int cpu;

	if (rec) {
		rec->dir = dir_name;
		rec->clock = -1;
		rec->new_clock = -1;
	}
	dir = opendir(dir_name);
	if (!dir || !rec) {
		if (dir)
			complain("out of memory");
		else if (control_present())
			complain("cannot read %s: %s (/dev may not be a devtmpfs)",
				 dir_name, strerror(errno));
		ok = false;
	}
	while (ok && (entry = readdir(dir))) {
		cpu = cpu_of(entry->d_name);
		if (cpu >= (int)rec->nr_cpus)
			rec->nr_cpus = cpu + 1;
	}
	ok = ok && alloc_cpus(rec);
	ok = ok && allow_files(rec);
	for (cpu = 0; ok && cpu < (int)rec->nr_cpus; cpu++)
		ok = map_cpu(rec, cpu);
	if (ok && !rec->page_size) {
		if (!strcmp(dir_name, control_snapshot_devices()))
			complain("no snapshot exists: 'rbmap snapshot%s%s' takes one",
				 control_buffer() ? " -B " : "",
				 control_buffer() ? control_buffer() : "");
		else
			complain("%s contains no ring: see the kernel log (dmesg | grep rbmap)",
				 dir_name);
		ok = false;
	}
	if (dir)
		closedir(dir);
	if (!ok && rec) {
		recorder_close(rec);
		rec = NULL;
	}
	return rec;
}

static void close_files(struct cpu_recorder *c)
{
	rbmap_close(c->map);
	c->map = NULL;
	if (c->pipe_size) {
		close(c->pipe[0]);
		close(c->pipe[1]);
	}
	c->pipe_size = 0;
}

static void close_cpu(struct cpu_recorder *c)
{
	close_files(c);
	cmdlines_free(c->cmdlines);
}

void recorder_close_files(struct recorder *rec)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		close_files(&rec->cpu[i]);
}

bool recorder_can_open_names(const struct recorder *rec)
{
	return rec->files == OPEN_FILES_ALL;
}

void recorder_close(struct recorder *rec)
{
	for (unsigned int i = 0; rec->cpu && i < rec->nr_cpus; i++)
		close_cpu(&rec->cpu[i]);
	free(rec->cpu);
	free(rec);
}

unsigned int recorder_nr_cpus(const struct recorder *rec)
{
	return rec->nr_cpus;
}

unsigned int recorder_max_cpus(const struct recorder *rec)
{
	return rec->max_cpus;
}

bool recorder_has_cpu(const struct recorder *rec, unsigned int cpu)
{
	return rec->cpu[cpu].map;
}

int recorder_clock(const struct recorder *rec)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		if (rec->cpu[i].map)
			return rbmap_clock(rec->cpu[i].map);
	return -1;
}

size_t recorder_page_size(const struct recorder *rec)
{
	return rec->page_size;
}

/* ---- read */

/* Publish the sums for the progress line. */
static void publish_sums(struct cpu_recorder *c)
{
	struct rbmap_loss now, sum = { 0 };

	c->events = rbmap_events_read(c->map) - c->other_clock;
	if (rbmap_loss(c->map, &now))
		return;
	loss_add(&sum, &now, &c->before);
	c->lost = sum.total;
}

/*
 * Return the number of sub-buffers that a ring can hold. After reading so many,
 * all old events are read, even if the writer fills the ring meanwhile.
 */
static unsigned int whole_ring(const struct cpu_recorder *c)
{
	return rbmap_nr_subbufs(c->map) + 1;
}

/* Like sums of the library: once a loss without a number is in it, the sum has none. */
static uint64_t lost_sum(uint64_t a, uint64_t b)
{
	if (a == RBMAP_LOST_UNKNOWN || b == RBMAP_LOST_UNKNOWN)
		return RBMAP_LOST_UNKNOWN;
	return a + b;
}

/*
 * Like rbmap_next_subbuf(). Set *@other if the reader went on to another ring.
 */
static int next_piece(struct cpu_recorder *c, struct rbmap_subbuf *sb,
		      bool *other)
{
	int ret = rbmap_next_subbuf(c->map, sb);
	unsigned int generation = rbmap_generation(c->map);

	*other = ret == 1 && generation != c->generation;
	if (ret != 1)
		return ret;
	c->generation = generation;
	if (*other)
		c->dry = 0;
	if (*other && c->writer)
		dat_next_ring(c->writer, c->cpu);
	c->given = lost_sum(c->given, sb->lost);
	return ret;
}

/* Return the loss after a ring's last event, which the next ring reports. */
static uint64_t lost_behind(const struct cpu_recorder *c,
			    const struct rbmap_loss *loss)
{
	/* The sum has got a loss without a number that no sub-buffer has reported. */
	if (loss->reported == RBMAP_LOST_UNKNOWN && c->given != RBMAP_LOST_UNKNOWN)
		return RBMAP_LOST_UNKNOWN;
	return loss->reported > c->given ? loss->reported - c->given : 0;
}

/* Exclude earlier losses from the recording. */
static void begin_here(struct cpu_recorder *c)
{
	rbmap_loss(c->map, &c->before);
	c->earlier = 0;
	c->skip = lost_sum(c->before.unreported, lost_behind(c, &c->before));
	/* A loss without a number cannot be told from later ones. */
	if (c->skip == RBMAP_LOST_UNKNOWN)
		c->skip = 0;
}

/* Take the names of threads from the events of a sub-buffer. */
static void look(struct cpu_recorder *c, const struct rbmap_subbuf *sb)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;

	/* The writer may have added events. They belong to the next piece. */
	while (cursor.offset < sb->size &&
	       rbmap_decode(sb->start, rbmap_subbuf_size(c->map), &cursor,
			    &ev) == 1)
		if (cursor.offset > sb->offset && cursor.offset <= sb->size)
			cmdlines_learn_event(c->cmdlines, c->rec->fields, &ev);
}

/*
 * A file has one clock. An old ring with another clock, and its losses, are
 * left out of a recording that begins now. A new ring with another clock ends
 * the recording.
 */
static bool leave_out(struct cpu_recorder *c, const struct rbmap_subbuf *sb,
		      uint64_t events)
{
	struct rbmap_subbuf only_lost = { .lost = sb->lost };

	c->other_clock += events;
	if (c->generation < c->first) {
		begin_here(c);
		return true;
	}
	c->error = dat_add(c->writer, c->cpu, &only_lost);
	c->rec->new_clock = rbmap_clock(c->map);
	c->rec->stop = true;
	return false;
}

/*
 * Record a piece with this number of events. Return false if this CPU has nothing
 * more to record.
 */
static bool record_piece(struct cpu_recorder *c, struct rbmap_subbuf *sb,
			 uint64_t events)
{
	uint64_t skip = sb->lost < c->skip ? sb->lost : c->skip;
	int ret;

	if (c->rec->clock >= 0 && rbmap_clock(c->map) != c->rec->clock)
		return leave_out(c, sb, events);
	if (sb->lost != RBMAP_LOST_UNKNOWN) {
		sb->lost -= skip;
		c->skip -= skip;
	}
	if (c->looks)
		look(c, sb);
	ret = dat_add(c->writer, c->cpu, sb);
	if (!ret)
		return true;
	c->error = ret;
	c->reading = ret == RBMAP_ERR_CORRUPT;
	return false;
}

/* Is another file to be written? */
static bool must_switch(const struct cpu_recorder *c)
{
	return c->writer != c->rec->writer;
}

/*
 * Read until the ring is empty; with @once, only what the rings held at first.
 * Return false to give up.
 */
static bool drain(struct cpu_recorder *c, bool once)
{
	unsigned int limit = whole_ring(c);
	struct rbmap_subbuf sb;
	uint64_t before;
	bool other;
	int ret;

	for (;;) {
		before = rbmap_events_read(c->map);
		ret = next_piece(c, &sb, &other);
		if (ret == 1) {
			if (other)
				limit = whole_ring(c);
			if (!record_piece(c, &sb, rbmap_events_read(c->map) - before))
				return false;
			if (once && !sb.offset && !limit--)
				return true;
		} else if (!ret) {
			return true;
		}
		if (ret < 0 && ret != -EINTR) {
			c->error = ret;
			c->reading = true;
			return false;
		}
		if ((c->rec->stop || must_switch(c)) && !once)
			return true;
	}
}

/* Without a pipe, all events are read from the map. */
static void open_pipe(struct cpu_recorder *c)
{
	int size;

	if (pipe2(c->pipe, O_CLOEXEC))
		return;
	/* The pipe keeps its size if the user has too many of them. */
	fcntl(c->pipe[1], F_SETPIPE_SZ, PIPE_SIZE);
	size = fcntl(c->pipe[1], F_GETPIPE_SZ);
	if (size >= (int)c->rec->page_size) {
		c->pipe_size = size;
		return;
	}
	close(c->pipe[0]);
	close(c->pipe[1]);
}

/*
 * Can whole sub-buffers go to the file as they are? A ring that again and again has
 * events, but no whole sub-buffer, costs less by its map: its sub-buffers are few, or
 * readers are woken by each event.
 */
static bool can_splice(const struct cpu_recorder *c)
{
	const struct recorder *rec = c->rec;

	return c->pipe_size && c->dry < MAX_DRY && !c->looks && !c->skip &&
	       rbmap_subbuf_size(c->map) == rec->page_size &&
	       (rec->clock < 0 || rbmap_clock(c->map) == rec->clock);
}

static uint64_t loss_reported(struct cpu_recorder *c)
{
	struct rbmap_loss loss;

	rbmap_loss(c->map, &loss);
	return loss.reported;
}

static uint64_t newly_lost(uint64_t before, uint64_t after)
{
	return after == RBMAP_LOST_UNKNOWN ? after : after - before;
}

/*
 * Move whole sub-buffers to the file, through the pipe, at most as many as the ring can
 * hold. Set c->error if they cannot be written. Return whether there was one.
 */
static bool splice_subbufs(struct cpu_recorder *c)
{
	size_t limit = whole_ring(c) * rbmap_subbuf_size(c->map);
	size_t sum = 0;
	ssize_t size;

	do {
		uint64_t events = rbmap_events_read(c->map);
		uint64_t reported = loss_reported(c);

		size = rbmap_splice(c->map, c->pipe[1], c->pipe_size);
		/* The map reports errors of the ring. */
		if (size <= 0)
			break;
		sum += size;
		c->given = lost_sum(c->given, newly_lost(reported, loss_reported(c)));
		c->error = dat_add_pipe(c->writer, c->cpu, c->pipe[0], size,
					rbmap_events_read(c->map) - events);
	} while (!c->error && (size_t)size == c->pipe_size && sum < limit);
	return sum;
}

/* Wait for events and read them. Return false to give up. */
static bool turn(struct cpu_recorder *c)
{
	int ret = rbmap_wait(c->map, WAIT_MS);

	if (ret && ret != 1 && ret != -EINTR) {
		c->error = ret;
		c->reading = true;
		return false;
	}
	/* After a timeout, the events of the sub-buffer that the writer is in are read, too. */
	if (ret == 1 && can_splice(c)) {
		if (splice_subbufs(c))
			return !c->error;
		c->dry++;
	}
	return drain(c, false);
}

static void *run(void *arg)
{
	struct cpu_recorder *c = arg;
	struct recorder *rec = c->rec;
	bool ok = true;

	while (ok && !rec->stop) {
		/* The next events go to another file. The file of before may be closed then. */
		if (must_switch(c))
			c->writer = rec->writer;
		ok = turn(c);
		/* The events from before the recording have been read. */
		c->looks = false;
		publish_sums(c);
	}
	if (ok && !rec->failed) {
		if (can_splice(c))
			splice_subbufs(c);
		if (!c->error)
			drain(c, true);
		publish_sums(c);
	}
	/* The ring was read to its end. */
	if (c->error == RBMAP_ERR_GONE && c->reading) {
		c->error = 0;
		rec->gone = true;
		rec->stop = true;
	}
	if (c->error) {
		rec->failed = true;
		rec->stop = true;
	}
	return NULL;
}

int recorder_discard(struct recorder *rec)
{
	int ret;

	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		struct cpu_recorder *c = &rec->cpu[i];

		if (!c->map)
			continue;
		ret = rbmap_discard_unread(c->map);
		if (ret)
			return ret;
		begin_here(c);
	}
	return 0;
}

static int start_cpu(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	char name[24];
	int ret;

	if (rec->files >= OPEN_FILES_PIPES)
		open_pipe(c);
	c->writer = rec->writer;
	ret = pthread_create(&c->thread, NULL, run, c);
	if (ret)
		return -ret;
	snprintf(name, sizeof(name), "rbmap-cpu%u", cpu);
	pthread_setname_np(c->thread, name);
	c->running = true;
	return 0;
}

int recorder_start(struct recorder *rec, struct dat_writer *writer,
		   const struct comm_fields *fields, int clock)
{
	uint64_t first;
	int ret;

	rec->writer = writer;
	rec->clock = clock;
	rec->fields = fields;
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		struct cpu_recorder *c = &rec->cpu[i];

		if (!c->map)
			continue;
		if (!control_cpu_stat(i, "generation", &first))
			c->first = first;
		for (int k = 0; k < NR_RECORDER_COUNTS; k++) {
			control_cpu_stat(i, recorder_count_name(k), &c->count_before[k]);
			c->file_before[k] = c->count_before[k];
		}
		c->looks = fields;
		ret = start_cpu(rec, i);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Record a CPU that came online: all of its ring belongs to the recording. Return 0 or an
 * error for rbmap_strerror().
 */
static int add_late_cpu(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	int ret = cpu < rec->max_cpus ? open_cpu(rec, cpu) : -E2BIG;

	if (ret || !c->map)
		return ret;
	ret = dat_add_cpu(rec->writer, cpu);
	if (!ret)
		ret = start_cpu(rec, cpu);
	if (!ret) {
		if (cpu >= rec->nr_cpus)
			rec->nr_cpus = cpu + 1;
		return 0;
	}
	close_cpu(c);
	*c = (struct cpu_recorder){ 0 };
	return ret;
}

/* A CPU can lack its ring at first, because memory is short. */
static void look_for_cpus(struct recorder *rec, bool last)
{
	DIR *dir = opendir(rec->dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int cpu = cpu_of(entry->d_name), ret;

		if (cpu < 0 || (cpu < (int)rec->max_cpus && rec->cpu[cpu].map))
			continue;
		ret = add_late_cpu(rec, cpu);
		if (!ret || !last)
			continue;
		complain("CPU %d came online, and the recording has no events of it: %s",
			 cpu, rbmap_strerror(ret));
		rec->incomplete = true;
	}
	if (dir)
		closedir(dir);
}

void recorder_look_for_cpus(struct recorder *rec)
{
	look_for_cpus(rec, false);
}

/* Store the loss after the last event: no other ring will report it. */
static void tell_end(struct cpu_recorder *c)
{
	struct rbmap_subbuf only_lost = { 0 };
	struct rbmap_loss loss;

	rbmap_loss(c->map, &loss);
	only_lost.lost = lost_behind(c, &loss);
	record_piece(c, &only_lost, 0);
}

void recorder_read_all(struct recorder *rec, struct dat_writer *writer,
		       const struct comm_fields *fields, int clock)
{
	rec->writer = writer;
	rec->fields = fields;
	rec->clock = clock;
	for (unsigned int i = 0; i < rec->nr_cpus && !rec->failed; i++) {
		struct cpu_recorder *c = &rec->cpu[i];

		if (!c->map)
			continue;
		c->writer = writer;
		/* Later rings have another clock, and are left out. */
		c->first = UINT_MAX;
		c->looks = true;
		if (drain(c, false))
			tell_end(c);
		publish_sums(c);
		service_busy();
		rec->failed = c->error;
	}
}

bool recorder_ended(const struct recorder *rec)
{
	return rec->failed || rec->gone || rec->new_clock >= 0;
}

bool recorder_buffer_is_gone(const struct recorder *rec)
{
	return rec->gone;
}

uint64_t recorder_events(const struct recorder *rec)
{
	uint64_t sum = 0, missing;

	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		sum += rec->cpu[i].events;
	missing = rec->unwritten + rec->too_large + dat_unwritten(rec->writer) +
		  dat_too_large(rec->writer);
	/* The threads publish their sums later than the file's counts. */
	return sum > missing ? sum - missing : 0;
}

uint64_t recorder_lost(const struct recorder *rec)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		sum += rec->cpu[i].lost;
	return sum;
}

void recorder_stop(struct recorder *rec)
{
	/* A CPU can have come a moment ago. */
	if (!recorder_ended(rec))
		look_for_cpus(rec, true);
	rec->stop = true;
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		struct cpu_recorder *c = &rec->cpu[i];

		if (c->running)
			rbmap_wake(c->map);
	}
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		if (rec->cpu[i].running)
			pthread_join(rec->cpu[i].thread, NULL);
		rec->cpu[i].running = false;
	}
}

static bool all_have_switched(const struct recorder *rec)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		if (rec->cpu[i].running && must_switch(&rec->cpu[i]))
			return false;
	return true;
}

void recorder_switch(struct recorder *rec, struct dat_writer *writer)
{
	const struct timespec pause = { .tv_nsec = SWITCH_NS };
	struct dat_writer *before = rec->writer;

	rec->writer = writer;
	while (!all_have_switched(rec) && !rec->stop) {
		for (unsigned int i = 0; i < rec->nr_cpus; i++)
			if (rec->cpu[i].running && must_switch(&rec->cpu[i]))
				rbmap_wake(rec->cpu[i].map);
		nanosleep(&pause, NULL);
	}
	/* A thread that gives up does not switch. */
	if (rec->stop)
		recorder_stop(rec);
	rec->unwritten += dat_unwritten(before);
	rec->too_large += dat_too_large(before);
}

void recorder_add_names(const struct recorder *rec, struct cmdlines *cmdlines)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		if (rec->cpu[i].cmdlines)
			cmdlines_merge(cmdlines, rec->cpu[i].cmdlines);
}

const char *recorder_count_name(enum recorder_count count)
{
	return count == RECORDER_MISSED ? "missed" : "excluded";
}

void recorder_end_file(struct recorder *rec)
{
	uint64_t now;

	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		for (int k = 0; k < NR_RECORDER_COUNTS; k++) {
			struct cpu_recorder *c = &rec->cpu[i];

			c->file_count[k] = 0;
			if (!c->map || control_cpu_stat(i, recorder_count_name(k), &now))
				continue;
			/* A reset sets the counter to 0. */
			c->file_count[k] = now - (now < c->file_before[k] ? 0 : c->file_before[k]);
			c->file_before[k] = now;
		}
}

uint64_t recorder_file_count(const struct recorder *rec, unsigned int cpu,
			     enum recorder_count count)
{
	return rec->cpu[cpu].file_count[count];
}

uint64_t recorder_count(const struct recorder *rec, unsigned int cpu,
			enum recorder_count count)
{
	uint64_t before = rec->cpu[cpu].count_before[count], now;

	if (control_cpu_stat(cpu, recorder_count_name(count), &now))
		return 0;
	/* A reset sets the counter to 0. */
	return now < before ? now : now - before;
}

void recorder_result(const struct recorder *rec, struct cmdlines *cmdlines,
		     struct recorder_result *result)
{
	struct rbmap_loss now;

	*result = (struct recorder_result){
		.new_clock = rec->new_clock, .incomplete = rec->incomplete,
		.gone = rec->gone,
	};
	for (unsigned int i = 0; i < rec->nr_cpus; i++) {
		const struct cpu_recorder *c = &rec->cpu[i];

		if (!c->cmdlines)
			continue;
		cmdlines_merge(cmdlines, c->cmdlines);
		if (c->error && !result->error) {
			result->error = c->error;
			result->reading = c->reading;
			result->cpu = i;
		}
		result->earlier += c->earlier;
		result->other_clock += c->other_clock;
		if (c->map && !rbmap_loss(c->map, &now))
			loss_add(&result->loss, &now, &c->before);
		if (c->map) {
			result->excluded += recorder_count(rec, i, RECORDER_EXCLUDED);
			result->missed += recorder_count(rec, i, RECORDER_MISSED);
		}
	}
	result->loss.total += result->earlier + result->missed;
	if (rec->writer) {
		result->unwritten = rec->unwritten + dat_unwritten(rec->writer);
		result->too_large = rec->too_large + dat_too_large(rec->writer);
		result->loss.total += result->too_large;
	}
}
