/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of the running kernel, for a command that uses each of them at once. Functions
 * report the errors that they find.
 */
#ifndef RBMAP_LIVE_LIVE_EVENTS_H
#define RBMAP_LIVE_LIVE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

#include "command/options.h"
#include "driver_buffer.h"
#include "event_select.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "live/probe/auto_probes.h"
#include "private_buffer.h"
#include "shared_ring.h"

/**
 * struct live_events - the events, and what was changed for them
 * @patterns: events that are enabled meanwhile; none: those that are enabled already
 * @observe: copy the events and leave them in the rings; live_events_open() sets it if
 * another process reads the buffer
 * @survives: wait for the next buffer if a driver's module is removed
 * @own: the buffer
 * @event_select: filters and pids
 * @events: all events of the buffer, also of the next one
 * @reloads: number of buffers of a driver that have come since the beginning
 * @before: the losses before this command
 * @stats_before: the counters of the CPUs before it; @nr_stats_before of them
 */
struct live_events {
	struct patterns patterns;
	bool observe;
	bool survives;
	struct private_buffer *own;
	struct event_select event_select;

	struct rbmap_merge *merge;
	struct control_events events;
	unsigned int reloads;
	struct rbmap_loss before;
	struct cpustats *stats_before;
	size_t nr_stats_before;
	struct auto_probes made;
	bool switched;			/* this command enabled the events */
	struct shared_ring shared;
	struct driver_buffer driver;
	double next_look;		/* at other readers */
	unsigned int corrupt;
	uint64_t taken;			/* number of events that live_events_next() has returned */
};

/*
 * Let SIGINT, SIGTERM, SIGQUIT and SIGHUP end a wait. The first of them does not end a write:
 * what it writes has been read. A second one does. If the reader of the output has left, the
 * process lives on, to restore the events.
 */
void live_events_catch_signals(void);
bool live_events_interrupted(void);
/* Forget the signals that have come. */
void live_events_continue(void);

/* Open the buffer, and make the events that are not built in. Nothing is enabled yet. */
bool live_events_open(struct live_events *live);
bool live_events_enable(struct live_events *live);

/* Note on stderr what restricts the buffer, unless it is the command's own. */
void live_events_tell_selection(const struct live_events *live);

/* Read the list of events again. Return false, and keep the old one, if that fails. */
bool live_events_read_again(struct live_events *live);

/* Return whether a driver's buffer has ended, and the next one has not been seen. */
bool live_events_buffer_is_gone(struct live_events *live);

/* Return the format of an event, or NULL. The caller frees it. */
char *live_events_format(const struct control_event *event);

/* Return 1 and store an event, 0: none is there now, or -1 after an error. */
int live_events_next(struct live_events *live, struct rbmap_event *ev);
/*
 * Pass the events that are there to @each, until @deadline, a time of now(), or a signal.
 * Return false after an error, or if @each returns false.
 */
bool live_events_drain(struct live_events *live, double deadline,
		       bool (*each)(void *data, const struct rbmap_event *ev), void *data);
/*
 * Return the time until which the last events are to be read, after live_events_disable(). A
 * buffer of the command's own is read to its end, as it ends with the command. A signal cuts
 * that short. The rest of a buffer of others can be read later.
 */
double live_events_last_deadline(const struct live_events *live);
/* Wait for events, @ms at most. Return false after an error. */
bool live_events_wait(struct live_events *live, int ms);
/* Tell the user if another process consumes events, too. Call this now and then. */
void live_events_look(struct live_events *live);

/* Disable the events, and restore filters and pids. The rings can still be read. */
void live_events_disable(struct live_events *live);
void live_events_close(struct live_events *live);

/**
 * struct live_loss - the losses of a command
 * @sum: the causes; the total has all losses, also those that no event carries
 * @earlier: the part that was lost before the command began
 * @missed: the part of which the kernel had no record
 * @excluded: no loss: events that were left out
 * @unopened: the part in rings of CPUs that could not be opened
 * @unread: the part of these that such a ring still has
 * @more: there are losses of an unknown number: an observer has skipped a ring, or a CPU has no
 *	device here
 */
struct live_loss {
	struct rbmap_loss sum;
	uint64_t earlier;
	uint64_t missed;
	uint64_t excluded;
	uint64_t unopened;
	uint64_t unread;
	bool more;
};

struct live_loss live_events_loss(const struct live_events *live);

/*
 * Pass the losses that no event has carried to @each, with their CPU. These are what a ring still
 * has to report, events of which the kernel had no record, and rings that could not be opened. A
 * CPU may come several times. @lost is RBMAP_LOST_UNKNOWN if nobody knows the number. These
 * losses and those of the events add up to live_events_loss().
 */
void live_events_lost_last(const struct live_events *live,
			   void (*each)(void *data, int cpu, uint64_t lost), void *data);

/*
 * Print to stderr how many events were read, how many were lost, with the causes, and how many
 * a signal has cut off. Name the CPUs whose rings could not be opened, and return false if there
 * are any.
 */
bool live_events_print_loss(struct live_events *live, uint64_t events,
			    const struct live_loss *loss);

#endif /* RBMAP_LIVE_LIVE_EVENTS_H */
