// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/complain.h"
#include "base/process.h"
#include "kernel/cpustats.h"
#include "kernel/hidden_cpus.h"
#include "live_events.h"
#include "loss.h"

#define LOOK_SECONDS	0.5	/* between looks at other readers */
#define LOOK_EVENTS	1024	/* between two looks at the clock */
#define CPU_FILES	4	/* a ring, and one with the names of tasks: two each */
#define OTHER_FILES	64
#define MAX_CORRUPT	100
#define LAST_SECONDS	1.0	/* for reading the last events of a buffer that others use, too */

static volatile sig_atomic_t interrupted;

static bool catches_hangup;

static void catch_signals(int flags);

/* A write that nobody reads ends at the second signal. */
static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
	catch_signals(0);
}

static void catch_signals(int flags)
{
	struct sigaction act = { .sa_handler = interrupt, .sa_flags = flags };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGQUIT, &act, NULL);
	if (catches_hangup)
		sigaction(SIGHUP, &act, NULL);
}

/* With SA_RESTART a signal ends a wait, as poll() returns, and not a write. */
void live_events_catch_signals(void)
{
	struct sigaction act = { .sa_handler = SIG_IGN };

	catches_hangup = !hangup_is_ignored();
	catch_signals(SA_RESTART);
	sigaction(SIGPIPE, &act, NULL);
}

bool live_events_interrupted(void)
{
	return interrupted;
}

void live_events_continue(void)
{
	interrupted = 0;
}

/*
 * A line comes at once: a buffer of the command's own wakes it at any event. The event is held
 * for some microseconds, to which the kernel would add fifty, the slack of ordinary timers.
 */
static bool pace(struct live_events *live)
{
	char path[512];
	int ret;

	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	snprintf(path, sizeof(path), "%s/buffer_percent", control_dir());
	ret = rbmap_merge_pace(live->merge, path);
	if (ret)
		control_complain(CONTROL_WRITE, "buffer_percent", ret);
	return !ret;
}

/* The buffer has control files, so the module is loaded. */
static void complain_open(int error)
{
	if (error == RBMAP_ERR_NOT_LOADED || error == -ENOENT)
		complain_no_device(control_devices(), rbmap_version());
	else
		complain("%s", rbmap_strerror(error));
}

bool live_events_open(struct live_events *live)
{
	int ret;

	if (!control_present() || !private_buffer_begin(live->own, false))
		return false;
	if (!live->observe && live->own->use_default && !live->patterns.nr &&
	    shared_ring_has_reader()) {
		complain("note: another process reads this buffer: this command observes, and leaves the events to that reader");
		live->observe = true;
	}
	allow_open_files(CPU_FILES * control_possible_cpus() + OTHER_FILES);
	ret = live->observe ?
		rbmap_merge_observe_path(&live->merge, control_devices(), 0) :
		rbmap_merge_open_path(&live->merge, control_devices(), 0);
	if (ret) {
		complain_open(ret);
		return false;
	}
	if (private_buffer_is_private(live->own) && !live->observe && !pace(live))
		return false;
	if (live->survives)
		driver_buffer_begin(&live->driver);
	rbmap_merge_loss(live->merge, &live->before);
	live->stats_before = cpustats_read(&live->nr_stats_before);
	return !control_events_read(&live->events) &&
	       !control_events_demand(&live->events, live->patterns.pattern,
				      live->patterns.nr) &&
	       auto_probes_begin(&live->made, &live->events, &live->patterns);
}

void live_events_tell_selection(const struct live_events *live)
{
	if (!private_buffer_is_private(live->own))
		selection_tell(&live->events);
}

bool live_events_read_again(struct live_events *live)
{
	struct control_events events = { 0 };

	if (control_events_read(&events))
		return false;
	control_events_free(&live->events);
	live->events = events;
	return true;
}

/* A driver has the events of its own enabled in its buffer. The others are enabled again. */
static void use_next_buffer(struct live_events *live)
{
	if (!driver_buffer_is_back(&live->driver))
		return;
	live->reloads++;
	if (!live_events_read_again(live))
		return;
	if (live->patterns.nr &&
	    !control_select(&live->events, live->patterns.pattern, live->patterns.nr))
		control_enable_selected(&live->events, true);
}

bool live_events_buffer_is_gone(struct live_events *live)
{
	if (live->driver.module)
		driver_buffer_ended(&live->driver);
	return live->driver.gone;
}

bool live_events_enable(struct live_events *live)
{
	if (live->patterns.nr &&
	    control_select(&live->events, live->patterns.pattern, live->patterns.nr))
		return false;
	live->switched = true;
	/* A new buffer records the marker. */
	if (private_buffer_is_private(live->own) && control_disable_others(&live->events))
		return false;
	if (live->patterns.nr && !private_buffer_leave_out_self(live->own))
		return false;
	return event_select_begin(&live->event_select, &live->events) &&
	       (!live->patterns.nr || !control_enable_selected(&live->events, true));
}

void live_events_disable(struct live_events *live)
{
	if (!live->switched || live->driver.gone)
		return;
	control_disable_ours(&live->events);
	event_select_end(&live->event_select, &live->events);
	private_buffer_restore_self(live->own);
	if (!private_buffer_is_private(live->own))
		control_restore(&live->events);
	live->switched = false;
}

void live_events_close(struct live_events *live)
{
	control_events_free(&live->events);
	rbmap_merge_close(live->merge);
	driver_buffer_end(&live->driver);
	auto_probes_end(&live->made);
	private_buffer_end(live->own);
	free(live->stats_before);
}

char *live_events_format(const struct control_event *event)
{
	char file[1024];

	snprintf(file, sizeof(file), "events/%s/%s/format", event->system, event->name);
	return control_read(file);
}

int live_events_next(struct live_events *live, struct rbmap_event *ev)
{
	for (;;) {
		int ret = rbmap_merge_next(live->merge, ev);

		switch (ret) {
		case 0:
		case -EINTR:
			return 0;
		case 1:
			live->taken++;
			use_next_buffer(live);
			return 1;
		case RBMAP_ERR_GONE:
			if (live->driver.module) {
				driver_buffer_ended(&live->driver);
				break;
			}
			complain("CPU %d: %s", ev->cpu, rbmap_strerror(ret));
			break;
		case RBMAP_ERR_CORRUPT:
			complain("CPU %d: %s; continuing after them", ev->cpu,
				 rbmap_strerror(ret));
			if (++live->corrupt >= MAX_CORRUPT)
				return -1;
			break;
		default:
			complain("%s", rbmap_strerror(ret));
			return -1;
		}
	}
}

bool live_events_drain(struct live_events *live, double deadline,
		       bool (*each)(void *data, const struct rbmap_event *ev), void *data)
{
	struct rbmap_event ev;
	unsigned int nr = 0;
	int ret;

	while ((ret = live_events_next(live, &ev)) > 0) {
		if (!each(data, &ev))
			return false;
		if (!(++nr % LOOK_EVENTS) && (interrupted || now() >= deadline))
			return true;
	}
	return !ret;
}

double live_events_last_deadline(const struct live_events *live)
{
	return private_buffer_is_private(live->own) ? 1e18 : now() + LAST_SECONDS;
}

bool live_events_wait(struct live_events *live, int ms)
{
	int ret = rbmap_merge_wait(live->merge, ms);

	use_next_buffer(live);
	if (ret >= 0 || ret == -EINTR)
		return true;
	/* The next rbmap_merge_next() looks for new rings. A signal ends the pause. */
	if (ret == RBMAP_ERR_GONE && live->driver.module) {
		poll(NULL, 0, ms);
		return true;
	}
	complain("%s", rbmap_strerror(ret));
	return false;
}

void live_events_look(struct live_events *live)
{
	if (live->observe || private_buffer_is_private(live->own) || now() < live->next_look)
		return;
	shared_ring_look(&live->shared);
	live->next_look = now() + LOOK_SECONDS;
}

static void print_unseen(uint64_t events, uint64_t missed, bool more)
{
	fprintf(stderr, "%" PRIu64 " events seen, %s%" PRIu64 " missed\n", events,
		more ? "more than " : "", missed);
	if (missed || more)
		fprintf(stderr, "  overwritten before they were looked at, or dropped ('rbmap stat'): avoid it with fewer events or a larger buffer_size_kb\n");
}

/* Return the counters since the beginning. They end with the buffer of a driver. */
static struct cpustats *stats_since(const struct live_events *live, size_t *nr)
{
	struct cpustats *v;

	*nr = 0;
	v = live->driver.gone ? NULL : cpustats_read(nr);
	if (v)
		cpustats_subtract(v, *nr, live->stats_before, live->nr_stats_before);
	return v;
}

static void count_stats(const struct live_events *live, struct live_loss *loss)
{
	struct cpustats *v;
	size_t nr;

	v = stats_since(live, &nr);
	for (size_t i = 0; i < nr; i++) {
		loss->missed += v[i].value[CPUSTAT_MISSED];
		loss->excluded += v[i].value[CPUSTAT_EXCLUDED];
	}
	free(v);
}

/*
 * A signal has ended this command before the end of the rings. The kernel counts a piece of a
 * ring as read when the library gets it, and the command may not have taken all of it.
 */
static void print_cut_off(const struct live_events *live, const struct live_loss *loss)
{
	uint64_t committed, known = live->taken + loss->unread;

	if (!interrupted || !private_buffer_is_private(live->own))
		return;
	committed = cpustats_sum(CPUSTAT_READ) + cpustats_sum(CPUSTAT_UNREAD);
	if (committed > known)
		fprintf(stderr, "  %" PRIu64 " more events were not read: a signal ended the command before the end of the rings\n",
			committed - known);
}

/* CPUs that have come online, and have events that nobody could read or even write. */
static void count_unopened(const struct live_events *live, struct live_loss *loss)
{
	uint64_t unread;
	int cpu;

	for (unsigned int i = 0; rbmap_merge_unopened(live->merge, i, &cpu); i++) {
		if (cpu < 0) {
			loss->more = true;
			continue;
		}
		loss->unopened += loss_add_unopened(&loss->sum, cpu, &unread);
		loss->unread += unread;
	}
}

static bool has_hidden_cpus(const struct live_events *live)
{
	int *cpus = NULL;
	bool any = !live->driver.gone &&
		   hidden_cpus_find(&cpus, control_dir(), control_devices(), false);

	free(cpus);
	return any;
}

/* Return whether the rings of all CPUs of the buffer were read. */
static bool complain_unopened(const struct live_events *live)
{
	bool hidden = !live->driver.gone && complain_hidden_cpus(control_dir(), control_devices());
	int error, cpu;
	unsigned int i;

	for (i = 0; (error = rbmap_merge_unopened(live->merge, i, &cpu)); i++) {
		if (cpu < 0)
			complain("CPUs that have come online may be missing: cannot read %s: %s",
				 control_devices(), rbmap_strerror(error));
		else
			complain("CPU %d came online, and none of its events were read: %s", cpu,
				 rbmap_strerror(error));
	}
	return !i && !hidden;
}

static uint64_t beyond(uint64_t sum, uint64_t total)
{
	return sum > total ? sum - total : 0;
}

/*
 * Return how much of the loss is older than this command. A ring reports that with its next
 * events, or it still has to, if none have come. @sum has the causes since the start, and what
 * was reported since. Events may be lost while they are counted: no more than what the ring had
 * to report at the start is older, unless the events say so.
 */
static uint64_t earlier_loss(const struct live_events *live, const struct rbmap_loss *sum,
			     const struct rbmap_loss *after)
{
	uint64_t owed = live->before.unreported, reported, older;

	if (sum->reported == RBMAP_LOST_UNKNOWN)
		return owed;
	reported = beyond(sum->reported, sum->total);
	older = beyond(sum->reported + after->unreported, sum->total);
	if (older > owed)
		older = owed;
	return older > reported ? older : reported;
}

/* The causes are counted from the start of this command. */
struct live_loss live_events_loss(const struct live_events *live)
{
	struct live_loss loss = { .more = has_hidden_cpus(live) };
	struct rbmap_loss after, *sum = &loss.sum;

	count_stats(live, &loss);
	rbmap_merge_loss(live->merge, &after);
	if (live->observe) {
		sum->total = after.total + loss.missed;
		/* The kernel does not count what an observer misses. */
		loss.more |= after.reported == RBMAP_LOST_UNKNOWN;
		count_unopened(live, &loss);
		return loss;
	}
	loss_add(sum, &after, &live->before);
	loss.earlier = earlier_loss(live, sum, &after);
	sum->total += loss.earlier + loss.missed;
	count_unopened(live, &loss);
	return loss;
}

void live_events_lost_last(const struct live_events *live,
			   void (*each)(void *data, int cpu, uint64_t lost), void *data)
{
	int cpu, *hidden = NULL;
	uint64_t lost, unread;
	struct cpustats *v;
	size_t nr;

	for (unsigned int i = 0; rbmap_merge_lost_last(live->merge, i, &cpu, &lost); i++)
		if (lost)
			each(data, cpu, lost);
	v = stats_since(live, &nr);
	for (size_t i = 0; i < nr; i++)
		if (v[i].value[CPUSTAT_MISSED])
			each(data, v[i].cpu, v[i].value[CPUSTAT_MISSED]);
	free(v);
	for (unsigned int i = 0; rbmap_merge_unopened(live->merge, i, &cpu); i++) {
		struct rbmap_loss loss = { 0 };

		if (cpu >= 0)
			loss_add_unopened(&loss, cpu, &unread);
		if (loss.total)
			each(data, cpu, loss.total);
	}
	nr = live->driver.gone ? 0 :
	     hidden_cpus_find(&hidden, control_dir(), control_devices(), false);
	for (size_t i = 0; i < nr; i++)
		each(data, hidden[i], RBMAP_LOST_UNKNOWN);
	free(hidden);
}

bool live_events_print_loss(struct live_events *live, uint64_t events,
			    const struct live_loss *loss)
{
	if (live->observe) {
		print_unseen(events, loss->sum.total, loss->more);
		loss_print_missed(stderr, loss->missed);
		loss_print_unopened(stderr, loss->unopened);
		loss_print_excluded(stderr, loss->excluded);
		return complain_unopened(live);
	}
	loss_print(stderr, events, &loss->sum, loss->more);
	loss_print_missed(stderr, loss->missed);
	if (loss->earlier)
		fprintf(stderr, "  %" PRIu64 " before this began, when nobody read: avoid it by reading sooner, or with a larger buffer_size_kb\n",
			loss->earlier);
	loss_print_unopened(stderr, loss->unopened);
	print_cut_off(live, loss);
	loss_print_excluded(stderr, loss->excluded);
	return complain_unopened(live);
}
