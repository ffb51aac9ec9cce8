// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

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

static void set_worst(struct worst *w, const struct intervals *iv,
		      const struct interval *interval)
{
	*w = (struct worst){ .interval = *interval };
	strncpy(w->comm, interval->comm, INTERVAL_COMM_SIZE);
	w->waker.pid = -1;
	if (interval->waker)
		w->waker = *interval->waker;
	if (interval->kind == INTERVAL_RUNQUEUE)
		w->nr_shares = intervals_ran(iv, interval->cpu, interval->begin,
					     interval->end, w->share, MOST_SHARES);
}

/* Entries move, and the texts with them. */
static void set_texts(struct worst *w)
{
	w->interval.comm = w->comm;
	w->interval.waker = w->waker.pid < 0 ? NULL : &w->waker;
}

static void add_worst(struct summary *s, const struct intervals *iv,
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
	set_worst(&s->worst[i], iv, interval);
	set_texts(&s->worst[i]);
}

bool summary_add(struct summary *s, const struct intervals *iv,
		 const struct interval *interval)
{
	add_worst(s, iv, interval);
	if (interval->unfinished) {
		s->unfinished++;
		return true;
	}
	return histogram_add(&s->all, length_of(interval)) && rows_add(&s->rows, interval);
}
