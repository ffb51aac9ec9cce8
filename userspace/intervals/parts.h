/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files that find intervals. */
#ifndef RBMAP_INTERVALS_PARTS_H
#define RBMAP_INTERVALS_PARTS_H

#include "base/hash.h"
#include "base/names.h"
#include "comms.h"
#include "intervals.h"
#include "layout.h"
#include "print/fields/syscalls.h"
#include "print/task_names.h"
#include "recording/dat_read.h"

#define MAX_CPUS	DAT_CPUS_MAX
#define MAX_DEVICES	256	/* further devices are counted, and their requests are not */
#define NR_RUNS		1024	/* switches of a CPU that are kept: a power of two */

/**
 * struct stage - a time between two events of a task
 * @begin: time of the first event; 0: there was none yet
 * @key: value that both events contain
 */
struct stage {
	uint64_t begin;
	uint64_t key;
	const char *name;
};

/**
 * struct task - a task, by its pid
 * @comm: its name; "": not known
 * @named: an event has told the name, and not only the table of names
 * @first_event: number of the event with which it came
 * @running: it runs, as far as is known
 * @left: time at which it left its CPU; 0: it has not, or that is not known
 * @runnable: time from which on it could run again; 0: it sleeps or runs
 * @why_left, @why_runnable: the reasons
 * @wakes: bits of the roles of the events that have woken it since it left
 * @last_cpu: the CPU that it left
 * @call_begin: time of its sys_enter; 0: it is in no system call, or that is not known
 * @call: number of that system call
 * @call_cpu: the CPU on which it began
 * @prio: its priority when an event last said it
 * @guessed: a call got the name of a 64-bit program's, and no event has told the kind yet
 * @throttled: it left its CPU to one that may run before it only if its group has no time
 * @fault: time of its page fault; 0: it has returned from it, or that is not known
 * @work, @lock, @reclaim: the item, lock or reclaim that it is in, if any
 */
struct task {
	int pid;
	bool used;
	bool running;
	bool named;
	char comm[INTERVAL_COMM_SIZE + 1];
	uint64_t first_event;
	uint64_t left;
	uint64_t runnable;
	const char *why_left;
	const char *why_runnable;
	unsigned int wakes;
	int last_cpu;
	struct interval_waker waker;
	uint64_t call_begin;
	long call;
	int call_cpu;
	const char *call_name;
	struct interval_call call_args;
	struct syscall_state syscall;
	bool guessed;
	int prio;
	bool throttled;
	uint64_t fault;
	struct stage work, lock, reclaim;
};

/* A handler that runs; @begin: 0: no handler runs */
struct handler {
	uint64_t begin;
	uint64_t number;
	int pid;
	const char *name;
};

/* An hrtimer runs in its interrupt or, at a lower level, in a softirq. */
enum handler_level {
	HANDLER_IRQ, HANDLER_VECTOR, HANDLER_SOFTIRQ, HANDLER_HRTIMER, HANDLER_SOFT_HRTIMER,
	HANDLER_TIMER, NR_HANDLER_LEVELS
};

struct run {
	int pid;
	uint64_t begin, end;
};

/* The outermost of the handlers in each other */
struct handled {
	uint64_t begin, end;
};

/**
 * struct cpu - a CPU
 * @pid: the task that runs; -1: not known
 * @since: time from which on it runs
 * @lossless_since: no event of the CPU was lost since that time
 * @in_gap: at the end: events were lost behind its last one
 * @late_until: end of the last time in which an hrtimer was late
 */
struct cpu {
	bool seen;
	int pid;
	uint64_t since;
	uint64_t lossless_since;
	bool in_gap;
	uint64_t late_until;
	struct handler handler[NR_HANDLER_LEVELS];
	uint64_t nr_runs;
	struct run run[NR_RUNS];	/* the last ones, at their number modulo NR_RUNS */
	uint64_t nr_handled;
	struct handled handled[NR_RUNS];	/* likewise */
};

/**
 * struct request - a request of a block device, by its first sector
 * @inserted: time at which it came to the queue; 0: it did not, or is out of it
 * @issued: time at which the driver got it; 0: it has not
 * @counted_since: it is counted unless events were lost since that time
 * @was_issued: the driver has got it, and may have given it back
 * @again: it reads what another request has read before
 */
struct request {
	bool used;
	bool was_issued;
	bool again;
	uint32_t dev;
	uint64_t sector;
	uint32_t sectors;
	uint64_t inserted;
	uint64_t issued;
	uint64_t counted_since;
	int pid;
	const char *name;
};

#define CHUNK_SECTORS	64	/* bits of read_chunk.sectors */
#define CHUNKS_MAX	(1u << 20)	/* 32 GiB of a disk; later chunks are ignored */

/* Sectors of a device that requests have read */
struct read_chunk {
	bool used;
	uint32_t dev;
	uint64_t number;
	uint64_t sectors;
};

#define OTHER_DEVICES_MAX	(1u << 16)	/* later ones are ignored */

/* A device that has had requests when there were MAX_DEVICES before it */
struct other_device {
	bool used;
	uint32_t dev;
};

HASH_TABLE(device_table, struct other_device);
HASH_TABLE(chunk_table, struct read_chunk);
HASH_TABLE(task_table, struct task);
HASH_TABLE(request_table, struct request);

#define TIMER_BITS	12
#define NR_TIMERS	(1u << TIMER_BITS)	/* hrtimers whose time is kept: an address has one slot */

struct hrtimer {
	uint64_t address;
	uint64_t expires;
};

/* The name that a task had until a time. @order: the number of the event that changed it */
struct old_comm {
	int pid;
	uint64_t until;
	uint64_t order;
	const char *comm;
};

struct intervals {
	interval_fn *each;
	void *data;
	struct layouts *layouts;
	struct names names;
	struct syscalls_machine machine;
	struct task_table tasks;
	struct task_names *comms;	/* names of tasks until these have an event */
	bool keeps_comms;
	struct old_comm *old_comm;	/* if @keeps_comms; sorted at the end */
	size_t nr_old_comms;
	uint64_t nr_events;
	struct request_table requests;
	struct chunk_table chunks;
	struct interval_requests device[MAX_DEVICES];
	unsigned int nr_devices;
	struct device_table other_devices;
	struct cpu *cpu[MAX_CPUS];
	uint64_t lossless_since;	/* no event of any CPU was lost since that time */
	uint64_t discarded[NR_INTERVAL_KINDS];
	uint64_t last[NR_ROLES];	/* time of the last event of each role */
	uint64_t now;			/* time of the last event of all */
	interval_gap_fn *gap;		/* NULL: the events come from rings */
	const void *gap_data;
	bool at_end;			/* there are no more events */
	bool in_gap;			/* some CPU has lost events since its last one */
	const struct dat_cgroups *cgroups;	/* NULL: not known */
	const struct dat_devices *devices;	/* NULL: not known */
	const struct dat_hosts *hosts;		/* NULL: one host */
	interval_symbol_fn *symbol;
	void *symbol_data;
	bool passes_sleepers;
	struct hrtimer timer[NR_TIMERS];
	struct syscall_states *first_calls;	/* NULL: intervals_scan() was not called */
	bool wants_scan;
	bool failed;			/* memory was lacking */
};

/* An event, and what it has in common with all others. */
struct event_context {
	const struct rbmap_event *ev;
	const struct layout *layout;
	struct cpu *cpu;
	int pid;
	unsigned int flags;
};

/* tasks.c: return the task of a pid, or NULL if memory is lacking. */
struct task *intervals_task(struct intervals *intervals, int pid);
/* Return the task if it is known, or NULL. */
const struct task *intervals_find_task(const struct intervals *intervals, int pid);
/* The task runs: it neither waits nor sleeps. */
void task_runs(struct task *task);
/* Set a task's name from a field of an event. */
void task_set_comm_from(struct intervals *intervals, struct task *task,
			const struct event_context *m, unsigned int field);
/* Learn the names of tasks from an event that no interval begins or ends with. */
void intervals_learn_comms(struct intervals *intervals, const struct rbmap_event *ev);
/* For intervals_comm_at(), at the end */
void intervals_sort_comms(struct intervals *intervals);

/* intervals.c: return the text's only copy, or NULL if memory is lacking. */
const char *intervals_name(struct intervals *intervals, const char *text);
/*
 * Pass an interval, unless events were lost in it on @cpu. @cpu: NULL: on any CPU, because the
 * interval can end on each of them.
 */
void intervals_pass(struct intervals *intervals, const struct interval *interval,
		    const struct cpu *cpu);
/* Pass an interval that no event has ended; @end: the role of such an event. */
void intervals_pass_unfinished(struct intervals *intervals, struct interval *interval,
			       const struct cpu *cpu, enum layout_role end);

/* Return the name of a kernel's function, or NULL if memory is lacking. */
const char *intervals_function(struct intervals *intervals, uint64_t address);

/* sched.c */
void intervals_sched_switch(struct intervals *intervals, const struct event_context *m);
void intervals_sched_wake(struct intervals *intervals, const struct event_context *m);
/* @pid has run on the CPU since cpu->since. */
void intervals_add_run(struct cpu *cpu, int pid, uint64_t ts);
/* Pass the time in which @pid has run on the CPU. */
void intervals_pass_run(struct intervals *intervals, struct interval *run, int cpu);
void intervals_tasks_end(struct intervals *intervals);
/* Return true if the task has left its CPU, and waits for an event that any task may cause. */
bool task_sleeps(const struct task *task);

/* calls.c */
void intervals_sys_enter(struct intervals *intervals, const struct event_context *m);
void intervals_sys_exit(struct intervals *intervals, const struct event_context *m);
void intervals_call_end(struct intervals *intervals, const struct task *task);
/* Return the kind of a task's first system calls, if intervals_scan() has found it. */
enum syscall_abi intervals_first_abi(const struct intervals *intervals, int pid);
/* Learn from an event whose system calls its task makes. */
void intervals_learn_call(const struct intervals *intervals, const struct layout *layout,
			  const struct rbmap_event *ev, struct syscall_state *state);

/* stages.c: times between two events of a task */
void intervals_stage_begin(struct intervals *intervals, const struct event_context *m);
void intervals_stage_end(struct intervals *intervals, const struct event_context *m);
void intervals_fault(struct intervals *intervals, const struct event_context *m);
/* The task runs again after it slept in a page fault. */
void intervals_fault_slept(struct intervals *intervals, struct task *task,
			   const struct event_context *m);
void intervals_stages_end(struct intervals *intervals, const struct task *task);

/* handlers.c */
void intervals_handler_entry(struct intervals *intervals, const struct event_context *m);
void intervals_handler_exit(struct intervals *intervals, const struct event_context *m);
void intervals_hrtimer_start(struct intervals *intervals, const struct event_context *m);
void intervals_handlers_end(struct intervals *intervals, int cpu);

/* requests.c */
void intervals_request_insert(struct intervals *intervals, const struct event_context *m);
void intervals_request_issue(struct intervals *intervals, const struct event_context *m);
void intervals_request_complete(struct intervals *intervals, const struct event_context *m);
void intervals_request_requeue(struct intervals *intervals, const struct event_context *m);
void intervals_requests_end(struct intervals *intervals);
/* Events were lost: count requests anew. */
void intervals_requests_forget(struct intervals *intervals);

#endif /* RBMAP_INTERVALS_PARTS_H */
