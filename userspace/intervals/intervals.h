/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times between two events: how long a task waited for a CPU, how long an interrupt's
 * handler ran, how long a disk took for a request.
 *
 * The caller passes formats and events, and gets a call for each interval that has ended.
 * Events may contain any bytes. All times are those of the ring's clock.
 */
#ifndef RBMAP_INTERVALS_INTERVALS_H
#define RBMAP_INTERVALS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rbmap.h>

/**
 * enum interval_kind - what happens in an interval
 * @INTERVAL_RUNQUEUE: a task can run and has no CPU
 * @INTERVAL_OFFCPU: a task does not run, from sched_switch to sched_switch
 * @INTERVAL_IRQ: the handler of a device's interrupt, or of an interrupt vector, runs
 * @INTERVAL_SOFTIRQ: a softirq runs
 * @INTERVAL_SYSCALL: a task is in a system call
 * @INTERVAL_BLOCK_QUEUE: a request of a block device waits for the driver
 * @INTERVAL_BLOCK_DEVICE: the driver and the device work on a request
 * @INTERVAL_HRTIMER: the function of an hrtimer runs
 * @INTERVAL_TIMER: the function of a timer of the timer wheel runs
 * @INTERVAL_WORK: a worker of the kernel runs a work item, or sleeps in it
 * @INTERVAL_LOCK: a task, or an interrupt in its name, waits for a lock of the kernel
 * @INTERVAL_RECLAIM: a task frees memory, because it wants some
 * @INTERVAL_FAULT: a task is in a page fault in which it slept
 * @INTERVAL_THROTTLED: a task can run, and its group has used up its time
 * @INTERVAL_IRQS_OFF: a CPU took no interrupt of an hrtimer that had expired: a task, or
 * a handler, had them off
 * @INTERVAL_ONCPU: a task runs, from sched_switch to sched_switch; pid 0: the CPU is idle
 */
enum interval_kind {
	INTERVAL_RUNQUEUE,
	INTERVAL_OFFCPU,
	INTERVAL_IRQ,
	INTERVAL_SOFTIRQ,
	INTERVAL_SYSCALL,
	INTERVAL_BLOCK_QUEUE,
	INTERVAL_BLOCK_DEVICE,
	INTERVAL_HRTIMER,
	INTERVAL_TIMER,
	INTERVAL_WORK,
	INTERVAL_LOCK,
	INTERVAL_RECLAIM,
	INTERVAL_FAULT,
	INTERVAL_THROTTLED,
	INTERVAL_IRQS_OFF,
	INTERVAL_ONCPU,
	NR_INTERVAL_KINDS
};

#define INTERVAL_COMM_SIZE	64	/* "HOST:" of a merged recording, and 16 bytes */

/**
 * struct interval_waker - the task that ended another one's sleep
 * @pid: its pid; -1: not known; 0: the CPU was idle, so an interrupt ended the sleep
 * @cpu: CPU of the wake-up
 * @flags: common_flags of the event, which tell whether it was in an interrupt
 */
struct interval_waker {
	int pid;
	int cpu;
	unsigned int flags;
	char comm[INTERVAL_COMM_SIZE + 1];
};

#define INTERVAL_CALL_ARGS	3	/* the first arguments of a system call that are kept */
#define INTERVAL_RT_PRIOS	100	/* a larger number is the priority of an ordinary task */
#define INTERVAL_PRIO_NONE	(-2)	/* a deadline task has -1 */

/**
 * struct interval_call - the system call that a task is in
 * @name: as the kind INTERVAL_SYSCALL has it; NULL: none, or it is not known
 * @has_args: its arguments were recorded
 */
struct interval_call {
	const char *name;
	bool has_args;
	uint64_t arg[INTERVAL_CALL_ARGS];
};

/**
 * struct interval - an interval
 * @cpu: the CPU of its last event; -1: not known
 * @pid: the task that waited or called, that was interrupted, or that issued the request
 * @comm: its name; "": not known. It is valid during the call
 * @name: the reason, the handler, the system call or the device; it stays valid as long
 * as the intervals
 * @unfinished: it had not ended when the events ended
 * @asleep: for an unfinished INTERVAL_SYSCALL: the task just sleeps in it
 * @waker: for INTERVAL_RUNQUEUE and INTERVAL_OFFCPU; valid during the call
 * @woken: for INTERVAL_OFFCPU: the time from which on the task could run; 0: it could not
 * @left_cpu: for INTERVAL_RUNQUEUE and INTERVAL_OFFCPU: the CPU that the task left
 * @prio: for these and INTERVAL_ONCPU: the kernel's priority; below 100: a real-time task
 * @call: for INTERVAL_OFFCPU; valid during the call
 * @dev, @bytes: for requests of block devices
 * @again: it reads what another request has read before
 * @device: the name of that device; NULL: not known. It stays valid as those that were set
 * @lock: for INTERVAL_LOCK: the lock's address, or what the kernel shows instead
 */
struct interval {
	enum interval_kind kind;
	int prio;
	uint64_t begin, end;
	int cpu;
	int pid;
	const char *comm;
	const char *name;
	bool unfinished;
	bool asleep;
	const struct interval_waker *waker;
	uint64_t woken;
	int left_cpu;
	const struct interval_call *call;
	uint32_t dev;
	uint64_t bytes;
	bool again;
	const char *device;
	uint64_t lock;
};

/* Return true if no signal could wake the task, which waited for a lock or a device. */
bool interval_is_uninterruptible(const struct interval *interval);

/* Return true if @comm is the name of a thread of rbmap, which waits for events. */
bool comm_is_recorder(const char *comm);
/*
 * Would the interval hide all others: a kernel thread waits for work, rbmap for events, or a task
 * for what another one may do after the recording?
 */
bool interval_is_idle(const struct interval *interval);

struct intervals;
struct layout;
typedef void interval_fn(void *data, const struct interval *interval);

/* Return NULL if memory is lacking. */
struct intervals *intervals_new(interval_fn *each, void *data);
void intervals_free(struct intervals *intervals);

/* Set the kernel that made the events: "SYSTEM HOST RELEASE MACHINE". The default is this one. */
void intervals_set_uname(struct intervals *intervals, const char *uname);

/*
 * Set a function that returns the name of a kernel's function, valid as long as the
 * intervals, or NULL. Without it functions have their addresses as names.
 */
typedef const char *interval_symbol_fn(void *data, uint64_t address);
void intervals_set_symbols(struct intervals *intervals, interval_symbol_fn *symbol, void *data);

/* Pass tasks that sleep at the end, too, all as unfinished. By default they are left out. */
void intervals_pass_sleepers(struct intervals *intervals);

/* Return true if the task makes the system calls of 32-bit programs. */
bool intervals_is_compat(const struct intervals *intervals, int pid);

/*
 * Add the format of an event. Events that no interval begins or ends with are ignored.
 * Return 0 or a negative errno.
 */
int intervals_add_format(struct intervals *intervals, const char *system, const char *format,
			 size_t size);

/* Return the layout of an event. NULL: no interval begins or ends with it. */
const struct layout *intervals_layout(const struct intervals *intervals,
				      const struct rbmap_event *ev);

/* Return whether formats were added that intervals of this kind need. */
bool intervals_has_kind(const struct intervals *intervals, enum interval_kind kind);

/*
 * After the last event: return whether such an event was among them. A recorder can add
 * formats of events that it does not record.
 */
bool intervals_saw_kind(const struct intervals *intervals, enum interval_kind kind);

/*
 * Set the name that a task has until an event names it, before the first event. The last one of
 * several names counts. A name alone takes little memory: a recording can have those of millions
 * of tasks without events. Return 0 or a negative errno.
 */
int intervals_add_comm(struct intervals *intervals, int pid, const char *comm);

/*
 * Return true if a CPU has lost events since its last event. @cpu: -1: any CPU. @at_end: there are
 * no more events; otherwise the moment behind the last event of intervals_event() counts.
 */
typedef bool interval_gap_fn(const void *data, int cpu, bool at_end);

/*
 * Set what knows that a CPU has lost events as soon as the loss begins, as a recording does.
 * Without it the events are those of running rings, which say so with the next event of the CPU
 * (@ev->lost).
 */
void intervals_set_gaps(struct intervals *intervals, interval_gap_fn *gap, const void *data);

/*
 * Look at the events of a recording before the first one is processed. Then the system calls of
 * a task that executed its program before the recording have the names of its kind, also those
 * before the event that tells it. Likewise a task has the name of that time before the first
 * event that names it. @from: the time of the first event that is processed. Return 0
 * or -ENOMEM.
 */
int intervals_scan(struct intervals *intervals, const struct rbmap_event *ev, uint64_t from);
/*
 * Few recordings need this, and it takes as long as to read the events. So a command processes
 * the events without it: return whether an event has shown that intervals before it have wrong
 * names. The command then begins again, with new intervals.
 */
bool intervals_wants_scan(const struct intervals *intervals);

/*
 * Process the next event in the order of time. An interval in which events were lost is
 * discarded, because its end may be among them. Return 0 or -ENOMEM.
 */
int intervals_event(struct intervals *intervals, const struct rbmap_event *ev);

/*
 * No event follows: pass the intervals that have not ended. They last until the last event
 * that could have ended one of their kind: a recorder disables one event before the other.
 * Return 0 or -ENOMEM.
 */
int intervals_end(struct intervals *intervals);

/* Return the number of intervals that were discarded. */
uint64_t intervals_discarded(const struct intervals *intervals, enum interval_kind kind);

/* Return the last name of a task, or "": not known. It is valid until the next event. */
const char *intervals_comm(const struct intervals *intervals, int pid);

/*
 * Keep the names that tasks had before. This comes before the first event. Behind
 * intervals_end(), intervals_comm_at() returns the name that a task had at a time.
 */
void intervals_keep_comms(struct intervals *intervals);
const char *intervals_comm_at(const struct intervals *intervals, int pid, uint64_t time);
/* Has the task had a name that fits the pattern, at any time? */
bool intervals_had_comm(const struct intervals *intervals, int pid, const char *pattern);

/*
 * Set the cgroups and the numbers of tasks in their own namespaces. They belong to the caller,
 * and may grow.
 */
struct dat_cgroups;
void intervals_set_cgroups(struct intervals *intervals, const struct dat_cgroups *cgroups);

struct dat_hosts;
/* The hosts of a merged recording: names of tasks begin with them. They belong to the caller. */
void intervals_set_hosts(struct intervals *intervals, const struct dat_hosts *hosts);
const struct dat_hosts *intervals_hosts(const struct intervals *intervals);

/* Append "CPU 4", or "CPU 4 of HOST" in a merged recording. @intervals may be NULL. */
struct buf;
void intervals_print_cpu(const struct intervals *intervals, int cpu, struct buf *out);

/* Set the names of block devices. They belong to the caller, and may grow. */
struct dat_devices;
void intervals_set_devices(struct intervals *intervals, const struct dat_devices *devices);

/* Return the name of a block device, or NULL: not known. */
const char *intervals_device(const struct intervals *intervals, uint32_t dev);

/* Return what is known of a task, or NULL. */
const struct dat_task *intervals_recorded_task(const struct intervals *intervals, int pid);

/* Return the number of a task in its own PID namespace; 0: not known, or the same. */
int intervals_ns_pid(const struct intervals *intervals, int pid);

/* Return the last name of the task of an event, or "": not known. */
const char *intervals_comm_of(const struct intervals *intervals, const struct rbmap_event *ev);

/**
 * struct interval_share - the time that a task ran on a CPU
 */
struct interval_share {
	int pid;
	char comm[INTERVAL_COMM_SIZE + 1];
	uint64_t time;
};

/*
 * Store the tasks that ran on @cpu between two times, the longest first, at most @room
 * of them. Return how many. Only the last switches of each CPU are known. The time of handlers
 * is not the task's: @interrupts is their sum.
 */
unsigned int intervals_ran(const struct intervals *intervals, int cpu, uint64_t begin,
			   uint64_t end, struct interval_share *share, unsigned int room,
			   uint64_t *interrupts);

/**
 * struct interval_requests - the requests of a block device after the last event
 * @queued: those that wait for the driver
 * @issued: those that the driver and the device work on
 */
struct interval_requests {
	uint32_t dev;
	unsigned int queued;
	unsigned int issued;
};

/*
 * Store the devices that had requests, and return their number. Requests that were begun
 * before a loss are not counted, because their end may have been lost.
 */
unsigned int intervals_requests(const struct intervals *intervals,
				const struct interval_requests **requests);

/* Return the number of devices that had requests, and are too many for intervals_requests(). */
unsigned int intervals_other_devices(const struct intervals *intervals);

struct functions;

/*
 * Add the formats, the system and the names of tasks and functions of a recording. The
 * intervals use @functions and the reader, so the caller frees the intervals first. Return
 * false if memory is lacking.
 */
bool intervals_load(struct intervals *intervals, const struct rbmap_recording *reader,
		    struct functions **functions);

/*
 * Call intervals_scan() for all events of the recording, and go back to its beginning. Return 0
 * or -ENOMEM.
 */
int intervals_scan_recording(struct intervals *intervals, struct rbmap_recording *reader,
			     uint64_t from);

struct json;

/*
 * Add a task, with the same keys in all views: "pid", "comm", and, if they are known, "host",
 * "ns_pid" and "cgroup". @comm: "" becomes null. @cpu has the task, if that is an idle one;
 * -1: not known. @intervals: NULL: only the first two are known.
 */
void task_json_add(struct json *j, const struct intervals *intervals, const char *comm, int pid,
		   int cpu);

/* Add the "host" of a task, or of a CPU if @pid is not positive, in a merged recording. */
void task_json_add_host(struct json *j, const struct intervals *intervals, int pid, int cpu);

#endif /* RBMAP_INTERVALS_INTERVALS_H */
