// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cause.h"
#include "print/fields/fields.h"

#define MOST_LAYERS	16	/* handlers in each other */
#define AT_ONCE		1000000	/* ns between a request's end and the wake-up that it caused */
#define SHORTLY		5000000	/* ns between a reclaim and the wait that follows it */
#define MOST_AT_ONCE	256	/* requests, or CPUs without interrupts, at about one time */
#define IDLE_MOST	10000000	/* ns that an idle CPU may need to begin */

#define FUTEX_COMMAND	127	/* without its flags */
#define FUTEX_WAIT	0
#define FUTEX_LOCK_PI	6
#define FUTEX_WAIT_BITSET	9
#define FUTEX_LOCK_PI2	13
#define LOCK_CONTENDED	2	/* as in mutexes of glibc, musl and Rust */

/* One analysis: the chain of tasks from the one that waits to the one that is looked at. */
struct walk {
	const struct history *h;
	struct analysis *analysis;
	struct link chain[MOST_LINKS];
	unsigned int nr_links;
};

static void follow_task(struct walk *w, int pid, uint64_t begin, uint64_t end);

/* ---- causes */
bool cause_is_same(const struct cause *a, const struct cause *b)
{
	if (a->kind != b->kind || a->victim != b->victim || a->name != b->name)
		return false;
	if (a->kind == CAUSE_HANDLER)
		return a->handler == b->handler && a->cpu == b->cpu;
	return a->actor == b->actor;
}

static void add_cause(struct walk *w, struct cause cause, uint64_t begin, uint64_t end)
{
	struct analysis *analysis = w->analysis;
	struct cause *same = NULL;

	if (end <= begin)
		return;
	cause.victim = w->chain[w->nr_links - 1].pid;
	for (unsigned int i = 0; !same && i < analysis->nr_causes; i++)
		if (cause_is_same(&analysis->cause[i], &cause))
			same = &analysis->cause[i];
	if (!same) {
		if (analysis->nr_causes == MOST_CAUSES) {
			analysis->others += end - begin;
			return;
		}
		same = &analysis->cause[analysis->nr_causes++];
		*same = cause;
	}
	same->time += end - begin;
	same->parts++;
	if (same->cpu != cause.cpu)
		same->cpu = -1;
	if (end - begin <= same->longest_part)
		return;
	same->longest_part = end - begin;
	same->longest = cause.longest;
	same->requests = cause.requests;
	same->actor_prio = cause.actor_prio;
	same->victim_prio = cause.victim_prio;
	memcpy(same->chain, w->chain, sizeof(same->chain));
	same->nr_links = w->nr_links;
}

static struct cause cause_of(enum cause_kind kind)
{
	return (struct cause){
		.kind = kind, .actor = -1, .cpu = -1,
		.actor_prio = INTERVAL_PRIO_NONE, .victim_prio = INTERVAL_PRIO_NONE,
	};
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- what runs on a CPU: handlers take their time from the task */
static const enum interval_kind handler_kinds[] = {
	INTERVAL_IRQ, INTERVAL_SOFTIRQ, INTERVAL_HRTIMER, INTERVAL_TIMER, INTERVAL_IRQS_OFF,
};

#define NR_HANDLER_KINDS	(sizeof(handler_kinds) / sizeof(handler_kinds[0]))

typedef void task_part_fn(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end);

static int by_begin(const void *a, const void *b)
{
	const struct piece *x = *(const struct piece *const *)a;
	const struct piece *y = *(const struct piece *const *)b;

	return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) :
				      (x->end < y->end) - (x->end > y->end);
}

bool piece_is_of_host(const struct history *h, const struct piece *irqs_off)
{
	const struct piece_list *list = history_of_all(h, INTERVAL_IRQS_OFF);
	size_t first = history_after(h, list, irqs_off->begin);

	for (size_t i = first; i < list->nr && i - first < MOST_AT_ONCE; i++) {
		const struct piece *other = history_piece(h, list, i);
		uint64_t from = later(other->begin, irqs_off->begin);
		uint64_t to = earlier(other->end, irqs_off->end);

		if (other->cpu != irqs_off->cpu && from < to &&
		    to - from >= (irqs_off->end - irqs_off->begin) / 2)
			return true;
	}
	return false;
}

/*
 * Gather the handlers of a CPU in a time, in the order of their begins. Interrupts that were
 * off for less than @least_off are the task's matter: in a virtual machine it is also the time
 * that the host did not give.
 */
static void gather_handlers(struct walk *w, int cpu, uint64_t begin, uint64_t end,
			    uint64_t least_off, struct buf *handlers)
{
	const struct history *h = w->h;

	for (unsigned int k = 0; k < NR_HANDLER_KINDS; k++) {
		const struct piece_list *list = history_of_cpu(h, handler_kinds[k], cpu);

		for (size_t i = history_after(h, list, begin); i < list->nr; i++) {
			const struct piece *piece = history_piece(h, list, i);

			w->analysis->steps++;
			if (piece->kind == INTERVAL_IRQS_OFF &&
			    (!piece->pid || piece_is_of_host(h, piece)))
				continue;
			if (piece->kind == INTERVAL_IRQS_OFF &&
			    earlier(piece->end, end) - later(piece->begin, begin) < least_off &&
			    piece->begin < end)
				continue;
			if (piece->begin < end)
				buf_add(handlers, &piece, sizeof(piece));
			else if (piece->end > end)
				break;
		}
	}
	if (handlers->size)
		qsort(handlers->data, handlers->size / sizeof(void *), sizeof(void *), by_begin);
}

/* The innermost handler; the time with interrupts off belongs to a handler, if one runs. */
static const struct piece *innermost(const struct piece *const *layer, unsigned int nr)
{
	const struct piece *off = NULL;

	for (unsigned int i = nr; i; i--) {
		if (layer[i - 1]->kind != INTERVAL_IRQS_OFF)
			return layer[i - 1];
		off = layer[i - 1];
	}
	return off;
}

static void add_handler(struct walk *w, const struct piece *handler, const struct piece *run,
			uint64_t begin, uint64_t end)
{
	struct cause cause = cause_of(handler->kind == INTERVAL_IRQS_OFF ? CAUSE_IRQS_OFF :
									 CAUSE_HANDLER);

	cause.handler = handler->kind;
	cause.name = handler->name;
	cause.cpu = handler->cpu;
	cause.actor = run->pid;
	cause.longest = handler;
	add_cause(w, cause, begin, end);
}

/* Give the time of a run to handlers, and what is left to the task. */
static void split_run(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end,
		      uint64_t least_off, task_part_fn *task_part)
{
	const struct piece *layer[MOST_LAYERS];
	struct buf handlers = { 0 };
	const struct piece **handler;
	unsigned int nr_layers = 0;
	size_t nr, next = 0;
	uint64_t now = begin;

	gather_handlers(w, run->cpu, begin, end, least_off, &handlers);
	handler = (const struct piece **)handlers.data;
	nr = handlers.size / sizeof(*handler);
	while (now < end) {
		const struct piece *top;
		uint64_t until = end;
		unsigned int kept = 0;

		for (; next < nr && handler[next]->begin <= now; next++)
			if (nr_layers < MOST_LAYERS)
				layer[nr_layers++] = handler[next];
		for (unsigned int i = 0; i < nr_layers; i++)
			if (layer[i]->end > now)
				layer[kept++] = layer[i];
		nr_layers = kept;
		if (next < nr)
			until = earlier(until, handler[next]->begin);
		for (unsigned int i = 0; i < nr_layers; i++)
			until = earlier(until, layer[i]->end);
		top = innermost(layer, nr_layers);
		if (top)
			add_handler(w, top, run, now, until);
		else
			task_part(w, run, now, until);
		now = until;
	}
	buf_free(&handlers);
}

/* Pass the runs of a CPU or of a task in a time. Return the time that they have. */
static uint64_t each_run(struct walk *w, const struct piece_list *list, uint64_t begin,
			 uint64_t end, task_part_fn *task_part)
{
	uint64_t known = 0;

	for (size_t i = history_after(w->h, list, begin); i < list->nr; i++) {
		const struct piece *run = history_piece(w->h, list, i);
		uint64_t from = later(run->begin, begin), to = earlier(run->end, end);

		if (run->begin >= end)
			break;
		w->analysis->steps++;
		known += to - from;
		split_run(w, run, from, to, (end - begin) / 2, task_part);
	}
	return known;
}

static const struct piece *stage_at(const struct history *h, enum interval_kind kind, int pid,
				    uint64_t time)
{
	return history_at(h, history_of_task(h, kind, pid), time);
}

/* A task ran while others waited for it: a worker's time goes to its work items. */
static void ran(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end)
{
	const struct piece_list *works = history_of_task(w->h, INTERVAL_WORK, run->pid);
	struct cause cause = cause_of(CAUSE_RAN);

	cause.actor = run->pid;
	cause.actor_prio = run->prio;
	cause.cpu = run->cpu;
	for (size_t i = history_after(w->h, works, begin); i < works->nr && begin < end; i++) {
		const struct piece *work = history_piece(w->h, works, i);

		if (work->begin >= end)
			break;
		cause.name = NULL;
		add_cause(w, cause, begin, later(work->begin, begin));
		begin = later(work->begin, begin);
		cause.name = work->name;
		add_cause(w, cause, begin, earlier(work->end, end));
		begin = earlier(work->end, end);
	}
	cause.name = NULL;
	if (stage_at(w->h, INTERVAL_RECLAIM, run->pid, begin))
		cause.kind = CAUSE_RECLAIM;
	else if (stage_at(w->h, INTERVAL_LOCK, run->pid, begin))
		cause.kind = CAUSE_LOCK;
	add_cause(w, cause, begin, end);
}

/* ---- a task that can run */
static int prio_of(const struct history *h, int pid, uint64_t time)
{
	const struct piece *run = history_at(h, history_of_task(h, INTERVAL_ONCPU, pid), time);
	const struct piece_list *waits = history_of_task(h, INTERVAL_RUNQUEUE, pid);

	if (!run)
		run = history_at(h, waits, time);
	return run ? run->prio : INTERVAL_PRIO_NONE;
}

/* Can it be a quota that keeps the task from an idle CPU? The recording may know better. */
static bool may_have_quota(const struct walk *w, int pid)
{
	struct dat_quota quota;

	return history_quota(w->h, pid, &quota) != 0;
}

/*
 * A CPU may stay idle although a task can run because a group has no time left, or because the
 * host of a virtual machine lets the CPU wait. Both look alike. So the group must have a quota,
 * or the task must have left a CPU as only those without time do.
 */
static bool is_throttled(const struct walk *w, int pid)
{
	const struct piece_list *throttled = history_of_task(w->h, INTERVAL_THROTTLED, pid);
	struct dat_quota quota;
	int known = history_quota(w->h, pid, &quota);

	return known > 0 || (known < 0 && throttled->nr);
}

static void occupied(struct walk *w, const struct piece *run, uint64_t begin, uint64_t end)
{
	int victim = w->chain[w->nr_links - 1].pid;
	const struct piece *work = stage_at(w->h, INTERVAL_WORK, run->pid, begin);
	struct cause cause = cause_of(CAUSE_OCCUPIED);

	cause.cpu = run->cpu;
	cause.victim_prio = prio_of(w->h, victim, begin);
	if (!run->pid) {
		cause.kind = end - begin > IDLE_MOST && is_throttled(w, victim) ?
			     CAUSE_QUOTA : CAUSE_IDLE_CPU;
	} else {
		cause.actor = run->pid;
		cause.actor_prio = run->prio;
		cause.name = work ? work->name : NULL;
		if (cause.victim_prio >= 0 && cause.victim_prio < INTERVAL_RT_PRIOS &&
		    run->prio >= INTERVAL_RT_PRIOS)
			cause.kind = CAUSE_RT_THROTTLED;
	}
	add_cause(w, cause, begin, end);
}

static uint64_t idle_time(const struct history *h, int cpu, uint64_t begin, uint64_t end)
{
	const struct piece_list *list = history_of_cpu(h, INTERVAL_ONCPU, cpu);
	uint64_t idle = 0;

	for (size_t i = history_after(h, list, begin); i < list->nr; i++) {
		const struct piece *run = history_piece(h, list, i);

		if (run->begin >= end)
			break;
		if (!run->pid)
			idle += earlier(run->end, end) - later(run->begin, begin);
	}
	return idle;
}

/*
 * The task may have waited on the CPU that it left, and gone to another one at the end:
 * nobody waits on a CPU that is idle.
 */
static int waited_on(const struct history *h, const struct piece *off, uint64_t begin,
		     uint64_t end)
{
	if (off->left_cpu == off->cpu || off->left_cpu < 0 ||
	    idle_time(h, off->left_cpu, begin, end) >= idle_time(h, off->cpu, begin, end))
		return off->cpu;
	return off->left_cpu;
}

static void follow_runnable(struct walk *w, const struct piece *off, uint64_t begin,
			    uint64_t end)
{
	const struct piece *throttled = stage_at(w->h, INTERVAL_THROTTLED, off->pid, begin);
	int cpu = waited_on(w->h, off, begin, end);
	struct cause cause;
	uint64_t known;

	if (end <= begin)
		return;
	if (throttled) {
		cause = cause_of(throttled->prio >= 0 && throttled->prio < INTERVAL_RT_PRIOS ?
				 CAUSE_RT_THROTTLED :
				 may_have_quota(w, off->pid) ? CAUSE_QUOTA : CAUSE_IDLE_CPU);
		cause.actor = -1;
		cause.cpu = cpu;
		cause.victim_prio = throttled->prio;
		add_cause(w, cause, begin, end);
		return;
	}
	known = each_run(w, history_of_cpu(w->h, INTERVAL_ONCPU, cpu), begin, end, occupied);
	if (known < end - begin)
		add_cause(w, cause_of(CAUSE_UNKNOWN), begin, end - known);
}

/* ---- a task that sleeps */
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

/* How many other requests had the device when this one came to it? */
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
 * Has the task itself freed memory before that? Direct reads do not need that, so what the
 * request reads again was in the page cache.
 */
static bool is_thrashing(const struct history *h, const struct piece *request, int pid)
{
	const struct piece_list *list = history_of_task(h, INTERVAL_RECLAIM, pid);

	return request->again && list->nr && history_piece(h, list, 0)->begin < request->begin;
}

/* Was it a request that ended the sleep? */
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
	add_cause(w, cause, begin, end);
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
	add_cause(w, cause, begin, on_time);
	if (on_time < end)
		follow_runnable(w, &(struct piece){ .pid = off->pid, .cpu = off->waker_cpu,
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
		add_handler(w, handler, &(struct piece){ .pid = off->waker_pid }, from, end);
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
	add_cause(w, cause, begin, end);
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

static void follow_sleep(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end)
{
	struct cause cause = cause_of(CAUSE_STOPPED);

	if (end <= begin)
		return;
	w->chain[w->nr_links - 1].wait = off;
	w->chain[w->nr_links - 1].lock = lock_of(w->h, off);
	cause.name = off->call;
	if (is_stopped(off)) {
		cause.actor = off->waker_pid;
		add_cause(w, cause, begin, end);
	} else if (off->waker_pid < 0) {
		cause.kind = off->unfinished ? CAUSE_NOT_WOKEN : CAUSE_UNKNOWN;
		add_cause(w, cause, begin, end);
	} else if (follow_request(w, off, begin, end)) {
		return;
	} else if (is_in_interrupt(off)) {
		follow_interrupt(w, off, begin, end);
	} else if (w->nr_links == MOST_LINKS || is_in_chain(w, off->waker_pid)) {
		cause.kind = CAUSE_UNKNOWN;
		add_cause(w, cause, begin, end);
	} else {
		w->chain[w->nr_links++] = (struct link){ .pid = off->waker_pid };
		follow_task(w, off->waker_pid, begin, end);
		w->nr_links--;
	}
}

static void follow_off(struct walk *w, const struct piece *off, uint64_t begin, uint64_t end)
{
	const struct piece *wait = w->chain[w->nr_links - 1].wait;
	uint64_t woken = off->woken ? off->woken : off->end;

	follow_sleep(w, off, begin, earlier(woken, end));
	w->chain[w->nr_links - 1].wait = off;
	follow_runnable(w, off, later(woken, begin), end);
	w->chain[w->nr_links - 1].wait = wait;
}

static void follow_task(struct walk *w, int pid, uint64_t begin, uint64_t end)
{
	const struct piece_list *runs = history_of_task(w->h, INTERVAL_ONCPU, pid);
	const struct piece_list *offs = history_of_task(w->h, INTERVAL_OFFCPU, pid);
	uint64_t known = each_run(w, runs, begin, end, ran);

	for (size_t i = history_after(w->h, offs, begin); i < offs->nr; i++) {
		const struct piece *off = history_piece(w->h, offs, i);

		if (off->begin >= end)
			break;
		w->analysis->steps++;
		known += earlier(off->end, end) - later(off->begin, begin);
		follow_off(w, off, later(off->begin, begin), earlier(off->end, end));
	}
	if (known < end - begin)
		add_cause(w, cause_of(CAUSE_UNKNOWN), begin, end - known);
}

static int largest_first(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return (x->time < y->time) - (x->time > y->time);
}

static void finish(struct analysis *analysis)
{
	qsort(analysis->cause, analysis->nr_causes, sizeof(*analysis->cause), largest_first);
}

void analyse_task(const struct history *h, int pid, uint64_t begin, uint64_t end,
		  struct analysis *analysis)
{
	struct walk w = { .h = h, .analysis = analysis, .nr_links = 1, .chain[0].pid = pid };

	*analysis = (struct analysis){ .time = end - begin };
	follow_task(&w, pid, begin, end);
	finish(analysis);
}

void analyse_cpu(const struct history *h, int cpu, int pid, uint64_t begin, uint64_t end,
		 struct analysis *analysis)
{
	struct walk w = { .h = h, .analysis = analysis, .nr_links = 1, .chain[0].pid = pid };
	struct piece run = { .kind = INTERVAL_ONCPU, .pid = pid, .cpu = cpu,
			     .prio = INTERVAL_PRIO_NONE };

	*analysis = (struct analysis){ .time = end - begin };
	split_run(&w, &run, begin, end, 0, ran);
	finish(analysis);
}

unsigned int cause_same_lock(const struct cause *cause)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; cause->chain[0].lock && i < cause->nr_links; i++)
		nr += cause->chain[i].lock == cause->chain[0].lock;
	return nr;
}
