// SPDX-License-Identifier: GPL-2.0-only
/* Causes of a wait: a task sleeps until a request, a timer, an interrupt or a task ends that. */
#include <string.h>

#include "print/fields/fields.h"
#include "walk.h"

#define SHORTLY		5000000	/* ns between a reclaim and the wait that follows it */

#define FUTEX_COMMAND	127	/* without its flags */
#define FUTEX_WAIT	0
#define FUTEX_LOCK_PI	6
#define FUTEX_WAIT_BITSET	9
#define FUTEX_LOCK_PI2	13
#define LOCK_CONTENDED	2	/* as in mutexes of glibc, musl and Rust */

static const struct piece *handler_at(const struct history *h, enum interval_kind kind, int cpu,
				      uint64_t time)
{
	return history_at(h, history_of_cpu(h, kind, cpu), time);
}

/*
 * Return the time from which on what happened on the CPU can have caused a wake-up at @time:
 * a handler may do other things before that.
 */
static uint64_t handler_begin(const struct history *h, int cpu, uint64_t time)
{
	uint64_t begin = time > AT_ONCE ? time - AT_ONCE : 0;

	for (unsigned int k = 0; k < NR_HANDLER_KINDS; k++) {
		const struct piece *handler = handler_at(h, handler_kinds[k], cpu, time);

		if (handler && handler->kind != INTERVAL_IRQS_OFF)
			begin = earlier(begin, handler->begin);
	}
	return begin;
}

/* Return the request that ended just before @time on the waker's CPU, or NULL. */
static const struct piece *request_before(const struct history *h, const struct piece *off,
					  uint64_t time)
{
	uint64_t since = handler_begin(h, off->waker_cpu, time);

	const struct piece_list *list = history_of_all(h, INTERVAL_BLOCK_DEVICE);
	unsigned int looked = 0;

	for (size_t i = history_after(h, list, time); i; i--) {
		const struct piece *request = history_piece(h, list, i - 1);

		if (request->end < since || ++looked > MOST_AT_ONCE)
			break;
		if (request->end > off->begin &&
		    (request->cpu == off->waker_cpu || request->pid == off->pid))
			return request;
	}
	return NULL;
}

/* Return the number of other requests that the device had when this one came to it. */
static unsigned int requests_before(struct walk *w, const struct piece *request)
{
	const struct history *h = w->h;
	const struct piece_list *list = history_of_all(h, INTERVAL_BLOCK_DEVICE);
	unsigned int nr = 0;

	for (size_t i = history_after(h, list, request->begin); i < list->nr; i++) {
		const struct piece *other = history_piece(h, list, i);

		w->analysis->steps++;
		if (other != request && other->dev == request->dev &&
		    other->begin <= request->begin && other->end <= request->end)
			nr++;
		if (other->end > request->end)
			break;
	}
	return nr;
}

static bool starts_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static bool waits_for_disk(const struct piece *off)
{
	return starts_with(off->name, "uninterruptible");
}

/*
 * Return true if the task itself has freed memory before the request. Direct reads do not need
 * that, so the data that the request reads again was in the page cache.
 */
static bool is_thrashing(const struct history *h, const struct piece *request, int pid)
{
	const struct piece_list *list = history_of_task(h, INTERVAL_RECLAIM, pid);

	return request->again && list->nr && history_piece(h, list, 0)->begin < request->begin;
}

/* Return true if a request has ended the sleep, and follow it. */
static bool follow_request(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end)
{
	const struct piece *request = waits_for_disk(off) ? request_before(w->h, off, end) : NULL;
	struct cause cause = cause_of(CAUSE_DISK);

	if (!request)
		return false;
	if (is_thrashing(w->h, request, off->pid))
		cause.kind = CAUSE_THRASH;
	cause.name = request->name;
	cause.longest = request;
	cause.requests = requests_before(w, request);
	walk_add_cause(w, cause, begin, end);
	return true;
}

/* The group of a task that has too much memory makes the task wait, after it freed some. */
static bool follows_reclaim(const struct history *h, const struct piece *off)
{
	const struct piece_list *list = history_of_task(h, INTERVAL_RECLAIM, off->pid);
	size_t i = history_after(h, list, off->begin);
	const struct piece *reclaim = i ? history_piece(h, list, i - 1) : NULL;

	return reclaim && reclaim->end + SHORTLY > off->begin &&
	       starts_with(reclaim->name, "reclaim of");
}

/* A timer ended the sleep: its interrupt may have come late. */
static void follow_timer(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end)
{
	const struct piece *late = handler_at(w->h, INTERVAL_IRQS_OFF, off->waker_cpu, end - 1);
	const struct piece_list *list = history_of_cpu(w->h, INTERVAL_IRQS_OFF, off->waker_cpu);
	struct cause cause = cause_of(CAUSE_TIMER);
	uint64_t on_time = end;
	size_t i;

	if (!late) {
		i = history_after(w->h, list, end);
		late = i ? history_piece(w->h, list, i - 1) : NULL;
	}
	/* A CPU that was idle may have slept too deeply, or its host has not woken it. */
	if (late && late->pid && !piece_is_of_host(w->h, late) && late->end <= end &&
	    late->end + AT_ONCE > end && late->begin < end)
		on_time = later(late->begin, begin);
	if (waits_for_disk(off) && follows_reclaim(w->h, off))
		cause.kind = CAUSE_MEMORY_HIGH;
	cause.name = off->call;
	walk_add_cause(w, cause, begin, on_time);
	if (on_time < end)
		walk_runnable(w, &(struct piece){ .pid = off->pid, .cpu = off->waker_cpu,
						    .left_cpu = -1 }, on_time, end);
}

static bool is_in_interrupt(const struct piece *off)
{
	return off->waker_flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ) || !off->waker_pid;
}

/* The part of the sleep in which the handler that ended it ran */
static uint64_t add_handler_part(struct walk *w, const struct piece *off,
				 const struct piece *handler, uint64_t begin, uint64_t end)
{
	uint64_t from = later(handler->begin, begin);

	if (from < end)
		walk_add_handler(w, handler, &(struct piece){ .pid = off->waker_pid }, from, end);
	return from;
}

static void follow_interrupt(struct walk *w, const struct piece *off, uint64_t begin,
			     uint64_t end)
{
	const struct piece *soft = handler_at(w->h, INTERVAL_SOFTIRQ, off->waker_cpu, end);
	const struct piece *hard = handler_at(w->h, INTERVAL_IRQ, off->waker_cpu, end);
	struct cause cause = cause_of(CAUSE_DEVICE);

	if (handler_at(w->h, INTERVAL_HRTIMER, off->waker_cpu, end) ||
	    handler_at(w->h, INTERVAL_TIMER, off->waker_cpu, end)) {
		follow_timer(w, off, begin, end);
		return;
	}
	cause.cpu = off->waker_cpu;
	if (!soft && !hard && off->call && strstr(off->call, "nanosleep")) {
		/* Nothing else ends it, even if timers were not recorded. */
		cause.kind = CAUSE_TIMER;
		cause.name = off->call;
	} else if (off->waker_flags & FLAG_HARDIRQ && hard && !starts_with(hard->name, "vector")) {
		cause.name = hard->name;
		end = add_handler_part(w, off, hard, begin, end);
	} else if (soft) {
		cause.kind = !strcmp(soft->name, "NET_RX") ? CAUSE_NETWORK :
			     !strcmp(soft->name, "RCU") ? CAUSE_RCU : CAUSE_DEVICE;
		cause.name = soft->name;
		end = add_handler_part(w, off, soft, begin, end);
	}
	walk_add_cause(w, cause, begin, end);
}

bool piece_is_user_lock(const struct piece *wait)
{
	unsigned int command;

	if (!wait || !wait->call || !starts_with(wait->call, "futex") || !wait->has_args)
		return false;
	command = wait->arg[1] & FUTEX_COMMAND;
	return command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2 ||
	       ((command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) &&
		wait->arg[2] == LOCK_CONTENDED);
}

static uint64_t lock_of(const struct history *h, const struct piece *off)
{
	const struct piece *lock = stage_at(h, INTERVAL_LOCK, off->pid, off->begin);

	return lock ? lock->lock : piece_is_user_lock(off) ? off->arg[0] : 0;
}

static bool is_in_chain(const struct walk *w, int pid)
{
	for (unsigned int i = 0; i < w->nr_links; i++)
		if (w->chain[i].pid == pid)
			return true;
	return false;
}

static bool is_stopped(const struct piece *off)
{
	return starts_with(off->name, "stopped") || starts_with(off->name, "traced");
}

void walk_sleep(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end)
{
	struct cause cause = cause_of(CAUSE_STOPPED);

	if (end <= begin)
		return;
	w->chain[w->nr_links - 1].wait = off;
	w->chain[w->nr_links - 1].lock = lock_of(w->h, off);
	cause.name = off->call;
	if (is_stopped(off)) {
		cause.actor = off->waker_pid;
		walk_add_cause(w, cause, begin, end);
	} else if (off->waker_pid < 0) {
		cause.kind = off->unfinished ? CAUSE_NOT_WOKEN : CAUSE_UNKNOWN;
		walk_add_cause(w, cause, begin, end);
	} else if (follow_request(w, off, begin, end)) {
		return;
	} else if (is_in_interrupt(off)) {
		follow_interrupt(w, off, begin, end);
	} else if (w->nr_links == MOST_LINKS || is_in_chain(w, off->waker_pid)) {
		cause.kind = CAUSE_UNKNOWN;
		walk_add_cause(w, cause, begin, end);
	} else {
		w->chain[w->nr_links++] = (struct link){ .pid = off->waker_pid };
		walk_task(w, off->waker_pid, begin, end);
		w->nr_links--;
	}
}
