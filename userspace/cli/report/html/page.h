/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a page. Functions return 0 or a negative errno. */
#ifndef RBMAP_REPORT_HTML_PAGE_H
#define RBMAP_REPORT_HTML_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <rbmap.h>

#include "base/names.h"
#include "choose.h"
#include "intervals/intervals.h"
#include "intervals/layout.h"
#include "intervals/summary/summary.h"
#include "print/fields/syscalls.h"
#include "recording/dat_read.h"
#include "report/html/data/arrows.h"
#include "report/html/data/events.h"
#include "report/html/data/store.h"
#include "report/html/data/tasks.h"
#include "report/html/data/texts.h"
#include "report/html/data/track.h"
#include "report/html/data/types.h"

#define MOST_CPUS	DAT_CPUS_MAX
#define MOST_DEVICES	32
#define MOST_LOSSES	1000	/* that are listed */
#define CACHED_CALLS	1024	/* names of system calls */

/**
 * struct cpu_lane - a CPU
 * @task, @call, @softirq, @irq: what runs, one within the other
 * @pid: the task that runs; -1: not known
 * @index: its index
 * @since: time from which on it runs
 * @call_since: time from which on its system call runs here
 * @last: time of the last event
 */
struct cpu_lane {
	unsigned int cpu;
	struct track task, call, softirq, irq;
	struct events events;
	struct arrows arrows;
	int pid;
	uint32_t index;
	uint64_t since;
	uint64_t call_since;
	uint64_t last;
	uint64_t nr_events, lost;
	bool lost_unknown;
};

/**
 * struct task_lane - a task that has a lane of its own
 * @interest: why it has one
 * @state, @call, @irq: its state, its system calls, and the handlers that interrupted it
 * @waits, @runnable, @why: it could run from that time on; added when the wait ends
 * @waits_end: the time at which it ran
 */
struct task_lane {
	int pid;
	uint32_t index;
	enum interest interest;
	struct track state, call, irq;
	bool waits;
	uint64_t runnable, waits_end;
	uint64_t why;
};

/* The requests of a block device: how many wait in its queue, and how many it works on */
enum depth_row { DEPTH_QUEUED, DEPTH_ISSUED, NR_DEPTH_ROWS };
struct device_lane {
	uint32_t dev;
	struct track depth[NR_DEPTH_ROWS];
	unsigned int now[NR_DEPTH_ROWS];
	unsigned int most[NR_DEPTH_ROWS];
	uint64_t since[NR_DEPTH_ROWS];
};

struct loss {
	uint64_t ts;
	int cpu;
	uint64_t lost;
};

/**
 * struct page - a page
 * @base: the ring's time of the first event
 * @last: the time of the last one since then
 * @blocked: intervals of INTERVAL_OFFCPU with an uninterruptible sleep. Most other long
 * sleeps are intended
 * @left_out: events that are not shown, because they are not selected
 * @selector: NULL: all events are selected
 * @named: the user has named tasks: intervals of idle threads are shown, too
 * @idle: number of intervals of each kind that are left out otherwise
 * @without_text, @without_values: events whose text, or whose numbers, had no room
 * @without_lane: tasks that had no room
 * @losses: number of times that events were lost, on CPUs that are selected
 * @gaps: the same on all CPUs
 * @call_text: number of the name of a system call, plus 1
 * @text_spent: an estimate of the bytes that texts of events take in the page
 * @error: negative errno; an interval could not be added
 */
struct page {
	struct store *store;
	struct types *types;
	struct intervals *intervals;
	struct syscalls_machine machine;
	struct print_session *session;
	struct print_line *line;
	struct names names;
	struct texts texts;
	struct tasks tasks;
	struct summary summary[NR_INTERVAL_KINDS];
	struct summary blocked;
	struct buf body;

	bool begun;
	uint64_t base, last;
	uint64_t events, lost;
	uint64_t left_out;
	const struct selector *selector;
	bool named;
	uint64_t idle[NR_INTERVAL_KINDS];
	uint64_t without_text, without_values;
	uint64_t without_lane;
	bool lost_unknown;
	uint64_t losses, gaps;
	struct loss loss[MOST_LOSSES];
	uint32_t call_text[CACHED_CALLS];
	uint64_t text_spent;

	struct cpu_lane *cpu[MOST_CPUS];
	struct task_lane *task_lane[MOST_TASK_LANES];
	unsigned int nr_task_lanes;
	struct device_lane device[MOST_DEVICES];
	unsigned int nr_devices;
	unsigned int nr_tracks;
	int error;
};

/* page.c: @worst: number of the longest intervals of each kind. NULL: out of memory */
struct page *page_new(unsigned int worst);
void page_free(struct page *page);
/* Add a format of an event to the types; the caller adds it to the intervals. */
int page_add_format(struct page *page, const char *system, const char *format, size_t size);
/* Give a task a lane of its own, unless there are too many. */
int page_add_task_lane(struct page *page, int pid, enum interest interest);
/*
 * Add the next event in the order of time. If it is not @shown, it is counted, and it changes
 * what tasks and devices do.
 */
int page_event(struct page *page, const struct rbmap_event *ev, bool shown);
/* Events of a CPU were lost after its last event. */
int page_lost_last(struct page *page, int cpu, uint64_t lost);
/* After the last event: complete all lanes, and write their data. */
int page_end(struct page *page);

/* Return the time since the first event. It is exact as a double, too. */
static inline uint64_t page_time(const struct page *page, uint64_t ts)
{
	uint64_t since = ts > page->base ? ts - page->base : 0;

	return since < 1ULL << 53 ? since : (1ULL << 53) - 1;
}

/* cpu_lane.c: return the lane of a CPU, or NULL: out of memory. */
struct cpu_lane *cpu_lane_get(struct page *page, int cpu);
void cpu_lane_free(struct cpu_lane *lane);
/* The event was recorded while this task ran. @layout: NULL: its fields are not known */
int cpu_lane_event(struct page *page, struct cpu_lane *lane, const struct rbmap_event *ev,
		   const struct layout *layout, int pid);
/* Events were lost: forget which task runs. */
int cpu_lane_forget(struct page *page, struct cpu_lane *lane);
/* No event follows: let the task that runs end at the last event of all CPUs. */
int cpu_lane_stop(struct page *page, struct cpu_lane *lane);
int cpu_lane_end(struct page *page, struct cpu_lane *lane);
/* Write the lane's slices up to now, and free their memory. */
int cpu_lane_flush(struct page *page, struct cpu_lane *lane);

/* task_lane.c */
void task_lane_init(struct page *page, struct task_lane *lane, int pid, uint32_t index);
void task_lane_free(struct task_lane *lane);
/* Write the slices of a lane that has many, and free their memory. */
int task_lane_flush(struct page *page, struct task_lane *lane);
int task_lane_runs(struct page *page, struct task_lane *lane, unsigned int cpu,
		   uint64_t begin, uint64_t end);
/* An interval of the task has ended; @text: number of its name */
int task_lane_interval(struct page *page, struct task_lane *lane,
		       const struct interval *interval, uint64_t text);
int task_lane_end(struct page *page, struct task_lane *lane);

/* device_lane.c: an event of block devices has come. */
int device_lanes_event(struct page *page, uint64_t ts);
int device_lanes_end(struct page *page);
void device_lane_free(struct device_lane *lane);

/* interval_lane.c: an interval_fn; @data: struct page */
void page_interval(void *data, const struct interval *interval);

/* frame.c: write the text before the data, and the text behind them. */
void frame_write_begin(FILE *out);
void frame_write_end(FILE *out);

#endif /* RBMAP_REPORT_HTML_PAGE_H */
