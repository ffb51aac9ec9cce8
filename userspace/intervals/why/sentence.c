// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "intervals/intervals.h"
#include "print/time_view.h"
#include "recording/dat_devices.h"
#include "sentence.h"

#define NICE_0		120
#define CONVOY		3	/* tasks that had a lock one after the other */

static const char *const names[NR_CAUSE_KINDS] = {
	[CAUSE_RAN] = "ran", [CAUSE_OCCUPIED] = "occupied", [CAUSE_HANDLER] = "handler",
	[CAUSE_IRQS_OFF] = "irqs-off", [CAUSE_QUOTA] = "quota",
	[CAUSE_RT_THROTTLED] = "rt-throttled", [CAUSE_IDLE_CPU] = "idle-cpu",
	[CAUSE_DISK] = "disk", [CAUSE_THRASH] = "thrash", [CAUSE_MEMORY_HIGH] = "memory-high",
	[CAUSE_RECLAIM] = "reclaim", [CAUSE_LOCK] = "spinning", [CAUSE_TIMER] = "timer",
	[CAUSE_NETWORK] = "network", [CAUSE_DEVICE] = "device", [CAUSE_RCU] = "rcu",
	[CAUSE_STOPPED] = "stopped", [CAUSE_NOT_WOKEN] = "not-woken",
	[CAUSE_UNKNOWN] = "unknown",
};

const char *cause_name(enum cause_kind kind)
{
	return names[kind];
}

void tell_task(const struct teller *t, int pid, struct buf *out)
{
	const char *comm = intervals_comm_at(t->intervals, pid, t->at);

	if (!pid) {
		buf_printf(out, "idle");
		return;
	}
	buf_add_printable(out, *comm ? comm : "<...>", strlen(*comm ? comm : "<...>"));
	buf_printf(out, "-%d", pid);
	if (intervals_ns_pid(t->intervals, pid))
		buf_printf(out, ":%d", intervals_ns_pid(t->intervals, pid));
}

/* "52.1 ms" */
static void tell_length(const struct teller *t, uint64_t length, struct buf *out)
{
	char text[LENGTH_ROOM];
	size_t digits;

	length_text(t->time, length, text);
	digits = strspn(text, "0123456789.");
	buf_printf(out, "%.*s%s%s", (int)digits, text, text[digits] ? " " : "", text + digits);
}

static void tell_name(const char *name, struct buf *out)
{
	buf_add_printable(out, name, strlen(name));
}

/* A real-time priority as chrt has it; that of all others is 0, and they have a nice value. */
static int priority(int prio)
{
	return prio >= 0 && prio < INTERVAL_RT_PRIOS ? INTERVAL_RT_PRIOS - 1 - prio : 0;
}

static bool is_above(int prio, int other)
{
	return prio != INTERVAL_PRIO_NONE && other != INTERVAL_PRIO_NONE && prio < other;
}

/* " (priority 20, above its 0)" */
static void tell_priority(const struct cause *cause, struct buf *out)
{
	int actor = cause->actor_prio, victim = cause->victim_prio;

	if (actor == INTERVAL_PRIO_NONE || victim == INTERVAL_PRIO_NONE || actor == victim)
		return;
	if (actor < 0) {
		buf_printf(out, " (a deadline task)");
	} else if (actor < INTERVAL_RT_PRIOS || victim < INTERVAL_RT_PRIOS) {
		buf_printf(out, " (priority %d, %s its %d)", priority(actor),
			   is_above(actor, victim) ? "above" : "below", priority(victim));
	} else {
		buf_printf(out, " (nice %d, its is %d)", actor - NICE_0, victim - NICE_0);
	}
}

static const char *handler_title(const struct cause *cause)
{
	switch (cause->handler) {
	case INTERVAL_HRTIMER:
		return "an hrtimer handler";
	case INTERVAL_TIMER:
		return "a timer handler";
	case INTERVAL_SOFTIRQ:
		return "the softirq";
	default:
		return "the interrupt handler";
	}
}

/* "an hrtimer handler (slow_timer)", "softirq NET_RX" */
static void tell_handler(const struct cause *cause, struct buf *out)
{
	buf_printf(out, "%s", handler_title(cause));
	if (cause->handler == INTERVAL_SOFTIRQ) {
		buf_printf(out, " ");
		tell_name(cause->name, out);
		return;
	}
	buf_printf(out, " (");
	tell_name(cause->name, out);
	buf_printf(out, ")");
}

static void tell_cpu(const struct teller *t, int cpu, const char *before, struct buf *out)
{
	if (cpu < 0)
		return;
	buf_printf(out, "%s ", before);
	intervals_print_cpu(t->intervals, cpu, out);
}

static void tell_bytes(uint64_t bytes, struct buf *out)
{
	if (bytes % (1 << 20) == 0 && bytes)
		buf_printf(out, "%" PRIu64 " MiB", bytes >> 20);
	else if (bytes % 1024 == 0)
		buf_printf(out, "%" PRIu64 " KiB", bytes >> 10);
	else
		buf_printf(out, "%" PRIu64 " bytes", bytes);
}

/* The kernel's letters of what a request does begin with flags, or with the operation. */
static const char *operation(const char *name)
{
	const char *rwbs = strchr(name, ' ');

	if (rwbs && strchr(rwbs, 'W'))
		return "a write";
	if (rwbs && strchr(rwbs, 'R'))
		return "a read";
	if (rwbs && strchr(rwbs, 'D'))
		return "a discard";
	return "a request";
}

/* "disk 253:1 (vda1), which took 1.9 s for a write of 4 KiB; 37 requests were before it" */
static void tell_disk(const struct teller *t, const struct cause *cause, struct buf *out)
{
	const struct piece *request = cause->longest;

	buf_printf(out, "disk %u:%u", DAT_DEV_MAJOR(request->dev), DAT_DEV_MINOR(request->dev));
	if (request->device) {
		buf_printf(out, " (");
		tell_name(request->device, out);
		buf_printf(out, ")");
	}
	buf_printf(out, ", which took ");
	tell_length(t, request->end - request->begin, out);
	buf_printf(out, " for %s of ", operation(request->name));
	tell_bytes(request->bytes, out);
	if (cause->kind == CAUSE_THRASH)
		buf_printf(out, " that had been read before: its page cache thrashes");
	else if (cause->requests)
		buf_printf(out, "; %u request%s before it", cause->requests,
			   cause->requests > 1 ? "s were" : " was");
}

/* The verb of each cause before its length, and the words behind that */
static const struct {
	const char *before, *behind;
} predicates[NR_CAUSE_KINDS] = {
	[CAUSE_RAN]		= { "ran", "" },
	[CAUSE_OCCUPIED]	= { "was runnable", "" },
	[CAUSE_HANDLER]		= { "was held up", "" },
	[CAUSE_IRQS_OFF]	= { "was held up", "" },
	[CAUSE_QUOTA]		= { "was throttled", " by the CPU quota of " },
	[CAUSE_RT_THROTTLED]	= { "was runnable", "" },
	[CAUSE_IDLE_CPU]	= { "was runnable", " and its CPU idle" },
	[CAUSE_DISK]		= { "waited", " for " },
	[CAUSE_THRASH]		= { "waited", " for " },
	[CAUSE_MEMORY_HIGH]	= { "had to wait",
				    " because its cgroup has more memory than memory.high" },
	[CAUSE_RECLAIM]		= { "freed memory for", "" },
	[CAUSE_LOCK]		= { "ran", " until it got a spinning lock" },
	[CAUSE_TIMER]		= { "slept", "" },
	[CAUSE_NETWORK]		= { "waited", " for a packet from the network" },
	[CAUSE_DEVICE]		= { "waited", " for an interrupt" },
	[CAUSE_RCU]		= { "waited", " for a grace period of RCU" },
	[CAUSE_STOPPED]		= { "was stopped for", "" },
	[CAUSE_NOT_WOKEN]	= { "slept", ", and nothing had woken it at the end" },
	[CAUSE_UNKNOWN]		= { "waited", " for something that was not recorded" },
};

/* Append the name of the cause, if it has one, with these texts around it. */
static void tell_named(const struct cause *cause, const char *before, const char *behind,
		       struct buf *out)
{
	if (!cause->name)
		return;
	buf_printf(out, "%s", before);
	tell_name(cause->name, out);
	buf_printf(out, "%s", behind);
}

/* ", where codec-30 (priority 20, above its 0) ran" */
static void tell_occupant(const struct teller *t, const struct cause *cause, struct buf *out)
{
	if (cause->actor <= 0)
		return;
	buf_printf(out, cause->cpu < 0 ? " while " : ", where ");
	tell_task(t, cause->actor, out);
	tell_priority(cause, out);
	buf_printf(out, " ran");
	tell_named(cause, " ", "", out);
}

/* "/shop.slice (10 ms of each 100 ms)", "its cgroup /shop.slice" */
static void tell_quota(const struct teller *t, const struct cause *cause, struct buf *out)
{
	struct dat_quota quota;
	int ret = history_quota(t->history, cause->victim, &quota);

	if (ret <= 0)
		buf_printf(out, "its cgroup%s", quota.cgroup ? " " : "");
	if (quota.cgroup)
		tell_name(quota.cgroup, out);
	if (ret > 0)
		buf_printf(out, " (%g ms of each %g ms)", quota.quota / 1000.0,
			   quota.period / 1000.0);
}

/* The end of a sentence that begins with the victim, "which" or "it" */
static void tell_predicate(const struct teller *t, const struct cause *cause, struct buf *out)
{
	buf_printf(out, "%s ", predicates[cause->kind].before);
	tell_length(t, cause->time, out);
	buf_printf(out, "%s", predicates[cause->kind].behind);
	switch (cause->kind) {
	case CAUSE_RAN:
		tell_named(cause, " in ", "", out);
		break;
	case CAUSE_OCCUPIED:
	case CAUSE_RT_THROTTLED:
		tell_cpu(t, cause->cpu, " on", out);
		tell_occupant(t, cause, out);
		if (cause->kind == CAUSE_RT_THROTTLED)
			buf_printf(out, ", because real-time tasks had used up their time (sched_rt_runtime_us)");
		break;
	case CAUSE_HANDLER:
		buf_printf(out, " by ");
		tell_handler(cause, out);
		tell_cpu(t, cause->cpu, " on", out);
		break;
	case CAUSE_IRQS_OFF:
		tell_cpu(t, cause->cpu, " on", out);
		buf_printf(out, ", where interrupts were off in ");
		tell_task(t, cause->actor, out);
		break;
	case CAUSE_QUOTA:
		tell_quota(t, cause, out);
		break;
	case CAUSE_DISK:
	case CAUSE_THRASH:
		tell_disk(t, cause, out);
		break;
	case CAUSE_TIMER:
		tell_named(cause, " in ", "", out);
		buf_printf(out, " until a timer ended that");
		break;
	case CAUSE_DEVICE:
		tell_named(cause, " (", ")", out);
		break;
	case CAUSE_STOPPED:
		if (cause->actor <= 0)
			break;
		buf_printf(out, " until ");
		tell_task(t, cause->actor, out);
		buf_printf(out, " continued it");
		break;
	default:
		break;
	}
}

/* A task of low priority has what the first one waits for, and a task between them runs. */
static bool is_inversion(const struct cause *cause, const struct stall *stall)
{
	return cause->kind == CAUSE_OCCUPIED && cause->nr_links > 1 &&
	       is_above(cause->actor_prio, cause->victim_prio) &&
	       is_above(stall->piece->prio, cause->actor_prio);
}

static const struct cause *convoy_of(const struct analysis *analysis, unsigned int *tasks)
{
	const struct cause *longest = NULL;

	*tasks = 0;
	for (unsigned int i = 0; i < analysis->nr_causes; i++) {
		unsigned int nr = cause_same_lock(&analysis->cause[i]);

		if (nr > *tasks) {
			*tasks = nr;
			longest = &analysis->cause[i];
		}
	}
	return *tasks >= CONVOY ? longest : NULL;
}

/* " in futex", " in a page fault" */
static void tell_place(const struct piece *wait, struct buf *out)
{
	if (!wait)
		return;
	if (strstr(wait->name, "in page fault")) {
		buf_printf(out, " in a page fault");
	} else if (wait->call) {
		buf_printf(out, " in ");
		tell_name(wait->call, out);
	}
}

static void tell_wait(const struct teller *t, const struct stall *stall, struct buf *out)
{
	const struct piece *piece = stall->piece;

	tell_task(t, piece->pid, out);
	buf_printf(out, " waited ");
	tell_length(t, piece->end - piece->begin, out);
}

static void tell_repetition(const struct teller *t, const struct stall *stall, struct buf *out)
{
	if (stall->waits < 2)
		return;
	buf_printf(out, " (the longest of %u such waits, ", stall->waits);
	tell_length(t, stall->time, out);
	buf_printf(out, " in all)");
}

static void tell_convoy(const struct teller *t, const struct stall *stall,
			const struct cause *cause, unsigned int tasks, struct buf *out)
{
	tell_wait(t, stall, out);
	tell_place(cause->chain[0].wait, out);
	buf_printf(out, " behind %u other tasks, which had the lock one after the other: a lock convoy",
		   tasks - 1);
	tell_repetition(t, stall, out);
}

/* A handler ran in the task's name: the task did not wait. */
static void tell_interrupted(const struct teller *t, const struct stall *stall,
			     const struct cause *cause, struct buf *out)
{
	if (cause->kind == CAUSE_HANDLER) {
		tell_handler(cause, out);
		buf_printf(out, " ran ");
	} else {
		buf_printf(out, "interrupts were off for ");
	}
	tell_length(t, cause->time, out);
	tell_cpu(t, stall->piece->cpu, " on", out);
	if (cause->kind == CAUSE_HANDLER && stall->piece->pid) {
		buf_printf(out, " in the name of ");
		tell_task(t, stall->piece->pid, out);
	} else if (stall->piece->pid) {
		buf_printf(out, " in ");
		tell_task(t, stall->piece->pid, out);
	} else {
		buf_printf(out, ", which was idle");
	}
	tell_repetition(t, stall, out);
}

/* The task itself is the victim. */
static void tell_own(const struct teller *t, const struct stall *stall,
		     const struct cause *cause, struct buf *out)
{
	switch (cause->kind) {
	case CAUSE_QUOTA:
	case CAUSE_STOPPED:
	case CAUSE_MEMORY_HIGH:
	case CAUSE_IDLE_CPU:
	case CAUSE_OCCUPIED:
	case CAUSE_RT_THROTTLED:
		tell_task(t, stall->piece->pid, out);
		buf_printf(out, " ");
		tell_predicate(t, cause, out);
		break;
	case CAUSE_DISK:
	case CAUSE_THRASH:
		tell_wait(t, stall, out);
		tell_place(cause->chain[0].wait, out);
		buf_printf(out, " for ");
		tell_disk(t, cause, out);
		break;
	default:
		tell_wait(t, stall, out);
		tell_place(cause->chain[0].wait, out);
		buf_printf(out, ": it ");
		tell_predicate(t, cause, out);
		break;
	}
	tell_repetition(t, stall, out);
}

void tell_stall(const struct teller *t, const struct stall *stall,
		const struct analysis *analysis, struct buf *out)
{
	const struct cause *root = &analysis->cause[analysis->root], *convoy;
	unsigned int tasks;

	if (!analysis->nr_causes)
		return;
	if (!stall_is_wait(stall) &&
	    (root->kind == CAUSE_HANDLER || root->kind == CAUSE_IRQS_OFF)) {
		tell_interrupted(t, stall, root, out);
		return;
	}
	convoy = convoy_of(analysis, &tasks);
	if (convoy) {
		tell_convoy(t, stall, convoy, tasks, out);
		return;
	}
	if (root->nr_links < 2) {
		tell_own(t, stall, root, out);
		return;
	}
	tell_wait(t, stall, out);
	tell_place(root->chain[0].wait, out);
	for (unsigned int i = 1; i < root->nr_links; i++) {
		buf_printf(out, "%s for ", i > 1 ? ", which waited" : "");
		tell_task(t, root->chain[i].pid, out);
	}
	buf_printf(out, ", which ");
	tell_predicate(t, root, out);
	if (is_inversion(root, stall))
		buf_printf(out, ": a priority inversion");
	tell_repetition(t, stall, out);
}

void tell_cause(const struct teller *t, const struct cause *cause, struct buf *out)
{
	tell_task(t, cause->victim, out);
	buf_printf(out, " ");
	tell_predicate(t, cause, out);
}
