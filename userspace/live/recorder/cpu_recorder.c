// SPDX-License-Identifier: GPL-2.0-only
/* The thread of a recorder that moves the ring of a CPU to the file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "command/service.h"
#include "kernel/control.h"
#include "live/loss.h"
#include "recorder_parts.h"
#include "recording/dat_read.h"

#define WAIT_MS		500	/* then read what is below the watermark, too */
#define PATIENT_WAIT_MS	32000	/* the longest wait of a patient recorder */
#define PIPE_SIZE	(1 << 20)	/* the most that a user may ask for */
#define MAX_DRY		4

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
	c->given = dat_lost_sum(c->given, sb->lost);
	return ret;
}

/* Return the loss after a ring's last event, which the next ring reports. */
static uint64_t lost_behind(const struct cpu_recorder *c,
			    const struct rbmap_loss *loss)
{
	/* The sum became unknown by a loss that no sub-buffer has reported. */
	if (loss->reported == RBMAP_LOST_UNKNOWN && c->given != RBMAP_LOST_UNKNOWN)
		return RBMAP_LOST_UNKNOWN;
	return loss->reported > c->given ? loss->reported - c->given : 0;
}

/* Exclude earlier losses from the recording. */
static void begin_here(struct cpu_recorder *c)
{
	rbmap_loss(c->map, &c->before);
	c->earlier = 0;
	c->skip = dat_lost_sum(c->before.unreported, lost_behind(c, &c->before));
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
		/* The file has the losses of rings before this one. */
		if (!c->recorded)
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
	c->recorded = true;
	if (!ret)
		return true;
	c->error = ret;
	c->reading = ret == RBMAP_ERR_CORRUPT;
	return false;
}

bool cpu_recorder_must_switch(const struct cpu_recorder *c)
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
		if ((c->rec->stop || cpu_recorder_must_switch(c)) && !once)
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
 * Return true if whole sub-buffers can go to the file as they are. A ring is read through its map
 * if it had events, but no whole sub-buffer, several times. Such a ring has few sub-buffers, or
 * wakes its readers at each event, and its map costs less.
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
		c->recorded = true;
		c->given = dat_lost_sum(c->given, newly_lost(reported, loss_reported(c)));
		c->error = dat_add_pipe(c->writer, c->cpu, c->pipe[0], size,
					rbmap_events_read(c->map) - events);
	} while (!c->error && (size_t)size == c->pipe_size && sum < limit);
	return sum;
}

/*
 * After a timeout a patient recorder waits longer, up to a limit, because nobody watches it and
 * an idle machine shall not be woken for a few events. The watermark ends each wait.
 */
static void choose_wait(struct cpu_recorder *c, bool timeout)
{
	if (!timeout || !c->rec->patient)
		c->wait_ms = WAIT_MS;
	else if (c->wait_ms < PATIENT_WAIT_MS)
		c->wait_ms *= 2;
}

/* Wait for events and read them. Return false to give up. */
static bool turn(struct cpu_recorder *c)
{
	int ret = rbmap_wait(c->map, c->wait_ms);

	if (ret && ret != 1 && ret != -EINTR) {
		c->error = ret;
		c->reading = true;
		return false;
	}
	choose_wait(c, !ret);
	/*
	 * After a timeout without a whole sub-buffer, the events of the sub-buffer that the writer
	 * is in are read, too.
	 */
	if (can_splice(c)) {
		if (splice_subbufs(c))
			return !c->error;
		if (ret == 1)
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
		if (cpu_recorder_must_switch(c))
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
	if (rec->signal && recorder_ended(rec))
		kill(getpid(), rec->signal);
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

int cpu_recorder_start(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	char name[24];
	int ret;

	if (rec->files >= OPEN_FILES_PIPES)
		open_pipe(c);
	c->writer = rec->writer;
	c->wait_ms = WAIT_MS;
	ret = pthread_create(&c->thread, NULL, run, c);
	if (ret)
		return -ret;
	snprintf(name, sizeof(name), "rbmap-cpu%u", cpu);
	pthread_setname_np(c->thread, name);
	c->running = true;
	return 0;
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
	if (!rec->failed)
		recorder_look_for_hidden(rec);
}
