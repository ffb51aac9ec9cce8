// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "summary.h"

bool summary_init(struct summary *s, enum interval_kind kind, enum row_key key,
		  unsigned int most_worst)
{
	*s = (struct summary){ .kind = kind, .rows.key = key, .most_worst = most_worst };
	s->worst = calloc(most_worst + 1, sizeof(*s->worst));
	return s->worst;
}

void summary_free(struct summary *s)
{
	rows_free(&s->rows);
	histogram_free(&s->all);
	free(s->worst);
}

static uint64_t length_of(const struct interval *interval)
{
	return interval->end - interval->begin;
}

static void set_worst(struct worst *w, const struct intervals *intervals,
		      const struct interval *interval)
{
	*w = (struct worst){ .interval = *interval };
	snprintf(w->comm, sizeof(w->comm), "%s", interval->comm);
	w->waker.pid = -1;
	if (interval->waker)
		w->waker = *interval->waker;
	if (interval->kind == INTERVAL_RUNQUEUE)
		w->nr_shares = intervals_ran(intervals, interval->cpu, interval->begin,
					     interval->end, w->share, MOST_SHARES,
					     &w->interrupts);
}

/* An entry that moves takes its texts along: set the pointers to them again. */
static void set_texts(struct worst *w)
{
	w->interval.comm = w->comm;
	w->interval.waker = w->waker.pid < 0 ? NULL : &w->waker;
}

void summary_add_worst(struct summary *s, const struct intervals *intervals,
		       const struct interval *interval)
{
	unsigned int i;

	if (s->nr_worst == s->most_worst &&
	    (!s->nr_worst ||
	     length_of(&s->worst[s->nr_worst - 1].interval) >= length_of(interval)))
		return;
	if (s->nr_worst < s->most_worst)
		s->nr_worst++;
	for (i = s->nr_worst - 1; i && length_of(&s->worst[i - 1].interval) <
				       length_of(interval); i--) {
		s->worst[i] = s->worst[i - 1];
		set_texts(&s->worst[i]);
	}
	set_worst(&s->worst[i], intervals, interval);
	set_texts(&s->worst[i]);
}

bool summary_add(struct summary *s, const struct intervals *intervals,
		 const struct interval *interval)
{
	summary_add_worst(s, intervals, interval);
	if (interval->unfinished) {
		s->unfinished++;
		return true;
	}
	return histogram_add(&s->all, length_of(interval)) && rows_add(&s->rows, interval);
}

static void set_comm(const struct intervals *intervals, int pid, char comm[INTERVAL_COMM_SIZE + 1])
{
	if (!*comm)
		snprintf(comm, INTERVAL_COMM_SIZE + 1, "%s", intervals_comm(intervals, pid));
}

void summary_set_comms(struct summary *s, const struct intervals *intervals)
{
	for (unsigned int i = 0; i < s->nr_worst; i++) {
		struct worst *w = &s->worst[i];

		set_comm(intervals, w->interval.pid, w->comm);
		set_comm(intervals, w->waker.pid, w->waker.comm);
		for (unsigned int j = 0; j < w->nr_shares; j++)
			set_comm(intervals, w->share[j].pid, w->share[j].comm);
	}
}
