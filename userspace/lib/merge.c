// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rings of all CPUs as one stream, in time order.
 *
 * A heap holds the rings whose next event is known.  The other rings were empty
 * when they were checked; GET_READER stores the ring's time of that check.  An
 * empty ring releases the event at the top if it was empty a hold time after the
 * event.  The ring's clock decides that, or our clock, counted from the read of the
 * event.  An older event would have been uncommitted for the whole hold time.  A
 * check costs a system call for each empty ring, so a ring is checked only when the
 * result can release the top.
 *
 * A ring without a time in its meta-page (ftrace's) must be empty after the event
 * at the top was read.  Then only events that were being written at that moment
 * can be late.  The same rule applies for a while when a ring is filled to its
 * watermark, because events would be lost during the wait.
 */
#include <poll.h>
#include <string.h>

#include "merge.h"

#define RUSH_EVENTS	1024		/* events returned before the next poll() */

static bool before(const struct source *a, const struct source *b)
{
	if (a->head.ts != b->head.ts)
		return a->head.ts < b->head.ts;
	return a->cpu < b->cpu;
}

static void sift_down(struct rbmap_merge *m, unsigned int at)
{
	struct source *s = m->heap[at];

	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child >= m->nr_heap)
			break;
		if (child + 1 < m->nr_heap &&
		    before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m->heap[child], s))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = s;
}

static void heap_add(struct rbmap_merge *m, struct source *s)
{
	unsigned int at = m->nr_heap++;

	while (at && before(s, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = s;
}

static void heap_drop_top(struct rbmap_merge *m)
{
	m->heap[0] = m->heap[--m->nr_heap];
	if (m->nr_heap)
		sift_down(m, 0);
}

static void drop(struct source *s)
{
	rbmap_loss(s->map, &s->loss);
	rbmap_close(s->map);
	s->map = NULL;
}

/*
 * Read the next event of a ring into s->head.  Return: 1: success.  0: the ring is
 * empty, and s->empty_* have the time.  A negative error: the ring is empty or
 * closed.
 */
static int look(struct rbmap_merge *m, struct source *s)
{
	unsigned int pieces = s->map->pieces;
	int ret;

	/* Read our clock first: the check may miss an event of a later time. */
	if (!rbmap_map_pending(s->map))
		s->empty_ns = m->clock();
	ret = rbmap_next_event(s->map, &s->head);
	if (ret == 1) {
		/* Read our clock afterwards, once for all events of a piece. */
		if (s->map->pieces != pieces) {
			s->seen_turn = ++m->turn;
			s->seen_ns = m->clock();
			m->scan_due |= s->seen_ns - m->scanned_ns > SCAN_NS;
		}
		return 1;
	}
	s->empty_turn = ++m->turn;
	s->empty_now = rbmap_map_now(s->map);
	if (ret == RBMAP_ERR_GONE)
		drop(s);
	return ret;
}

static void measure_ticks(struct rbmap_merge *m, const struct source *s)
{
	if (rbmap_map_counts_ns(s->map)) {
		m->ticks_per_ns = 1;
	} else if (!m->tick_ns || s->empty_now < m->tick_now) {
		m->tick_now = s->empty_now;
		m->tick_ns = s->empty_ns;
	} else if (s->empty_ns - m->tick_ns > NSEC_PER_MSEC) {
		double rate = (double)(s->empty_now - m->tick_now) /
			      (double)(s->empty_ns - m->tick_ns);

		if (rate > 1e-6 && rate < 1e6)
			m->ticks_per_ns = rate;
	}
}

void rbmap_merge_add_empty(struct rbmap_merge *m, struct source *s)
{
	m->empty[m->nr_empty++] = s;
	m->bound_known = false;
}

/* Return @error, and the CPU that it belongs to in *ev. */
static int source_error(struct source *s, struct rbmap_event *ev, int error)
{
	memset(ev, 0, sizeof(*ev));
	ev->cpu = s->cpu;
	return error;
}

/* Check m->empty[i] again.  Return: 1: it moved to the heap; m->empty[i] changed. */
static int look_at_empty(struct rbmap_merge *m, unsigned int i,
			 struct rbmap_event *ev)
{
	struct source *s = m->empty[i];
	int ret = look(m, s);

	m->bound_known = false;
	if (ret == 1 || !s->map)
		m->empty[i] = m->empty[--m->nr_empty];
	if (ret == 1)
		heap_add(m, s);
	else if (ret < 0)
		return source_error(s, ev, ret);
	else if (s->empty_now)
		measure_ticks(m, s);
	return ret;
}

static bool is_idle(const struct rbmap_merge *m)
{
	return m->pace.fd >= 0 && !m->pace.busy;
}

static uint64_t hold_ns(const struct rbmap_merge *m)
{
	return is_idle(m) && m->hold_ns > PACE_HOLD_NS ? PACE_HOLD_NS : m->hold_ns;
}

static uint64_t hold_ticks(const struct rbmap_merge *m)
{
	return hold_ns(m) * m->ticks_per_ns;
}

static bool timed(const struct rbmap_merge *m, const struct source *s)
{
	return m->hold_ns && !m->rush && s->empty_now;
}

static void find_bound(struct rbmap_merge *m)
{
	uint64_t hold = hold_ticks(m);

	m->bound_ts = UINT64_MAX;
	m->bound_turn = UINT64_MAX;
	for (unsigned int i = 0; i < m->nr_empty; i++) {
		const struct source *s = m->empty[i];
		uint64_t ts;

		if (!timed(m, s)) {
			if (s->empty_turn < m->bound_turn)
				m->bound_turn = s->empty_turn;
			continue;
		}
		ts = s->empty_now > hold ? s->empty_now - hold : 0;
		if (ts < m->bound_ts)
			m->bound_ts = ts;
	}
	m->bound_known = true;
}

/* Return true if no empty ring can still get an event that is older than the top of the heap. */
static bool top_may_go(struct rbmap_merge *m)
{
	const struct source *top = m->heap[0];

	if (!m->bound_known)
		find_bound(m);
	return top->head.ts <= m->bound_ts && top->seen_turn < m->bound_turn;
}

static bool allows_top(const struct rbmap_merge *m, const struct source *s)
{
	const struct source *top = m->heap[0];

	if (!timed(m, s))
		return s->empty_turn > top->seen_turn;
	return s->empty_now >= top->head.ts + hold_ticks(m) ||
	       s->empty_ns >= top->seen_ns + hold_ns(m);
}

/*
 * Time in ns until another check of an empty ring, which holds back the top of the
 * heap, can release the top.
 */
static uint64_t wait_ns(const struct rbmap_merge *m, const struct source *s,
			uint64_t now)
{
	const struct source *top = m->heap[0];
	uint64_t until, ticks, ns;

	if (!timed(m, s))
		return 0;
	until = top->seen_ns + hold_ns(m);
	ticks = top->head.ts + hold_ticks(m) - s->empty_now;
	ns = ticks / m->ticks_per_ns;
	/* If the event's time is far from the ring's time, use our clock alone. */
	if (ns < hold_ns(m) && s->empty_ns + ns < until)
		until = s->empty_ns + ns;
	return until > now ? until - now : 0;
}

/*
 * Check the empty rings that hold back the top of the heap.  Return: 1: the heap
 * changed.  0: no check can help now; *held: the top is still held back.
 */
static int look_for_older(struct rbmap_merge *m, struct rbmap_event *ev,
			  bool *held)
{
	uint64_t now = m->clock();

	*held = false;
	for (unsigned int i = 0; i < m->nr_empty; i++) {
		struct source *s = m->empty[i];
		int ret;

		if (allows_top(m, s))
			continue;
		if (!wait_ns(m, s, now)) {
			ret = look_at_empty(m, i, ev);
			if (ret)
				return ret;
			if (allows_top(m, s))
				continue;
		}
		*held = true;
	}
	return 0;
}

/*
 * Return true if a ring whose head is held back is filled to its watermark.  For an
 * observer: return true if the writer is far ahead of it.
 */
static bool filled(struct rbmap_merge *m)
{
	/* Any event is at the watermark, and no event is held for long. */
	if (is_idle(m))
		return false;
	if (m->observes) {
		for (unsigned int i = 0; i < m->nr_heap; i++)
			if (rbmap_observe_hurries(m->heap[i]->map))
				return true;
		return false;
	}
	for (unsigned int i = 0; i < m->nr_heap; i++) {
		m->fds[i].fd = rbmap_fd(m->heap[i]->map);
		m->fds[i].events = POLLIN;
	}
	return poll(m->fds, m->nr_heap, 0) > 0;
}

/* The caller is done with the last event: put its ring back. */
static int take_back(struct rbmap_merge *m, struct rbmap_event *ev)
{
	struct source *s = m->out;
	int ret;

	if (!s)
		return 0;
	m->out = NULL;
	/* The ring is still at the top of the heap. */
	ret = rbmap_map_small_event(s->map, &s->head) ? 1 : look(m, s);
	if (ret == 1) {
		if (m->nr_heap > 1)
			sift_down(m, 0);
		return 0;
	}
	heap_drop_top(m);
	if (s->map)
		rbmap_merge_add_empty(m, s);
	return ret < 0 ? source_error(s, ev, ret) : 0;
}

void rbmap_merge_rush(struct rbmap_merge *m, unsigned int events)
{
	m->rush = events;
	m->bound_known = false;
}

static int give_out(struct rbmap_merge *m, struct rbmap_event *ev)
{
	/* The bound changes with the last event of the rush, not earlier. */
	if (m->rush == 1)
		rbmap_merge_rush(m, 0);
	else if (m->rush)
		m->rush--;
	m->out = m->heap[0];
	*ev = m->out->head;
	m->pace.events++;
	return 1;
}

RBMAP_API int rbmap_merge_next(struct rbmap_merge *m, struct rbmap_event *ev)
{
	bool held;
	int ret;

	if (m->scan_due)
		rbmap_merge_scan_again(m);
	ret = take_back(m, ev);
	if (ret)
		return ret;

	/* Each turn moves a ring from empty to the heap, or ends the loop. */
	for (;;) {
		if (!m->nr_heap) {
			for (unsigned int i = 0; i < m->nr_empty; ) {
				ret = look_at_empty(m, i, ev);
				if (ret < 0)
					return ret;
				i += !ret;
			}
			if (!m->nr_heap && rbmap_merge_scan_is_due(m) && rbmap_merge_scan_again(m))
				continue;
			if (!m->nr_heap)
				return 0;
		}
		if (top_may_go(m))
			return give_out(m, ev);
		ret = look_for_older(m, ev, &held);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (!held)
			return give_out(m, ev);
		if (!filled(m))
			return 0;
		rbmap_merge_rush(m, RUSH_EVENTS);
	}
}

uint64_t rbmap_merge_held_ns(struct rbmap_merge *m)
{
	uint64_t now = m->clock(), longest = 0;

	for (unsigned int i = 0; i < m->nr_empty; i++) {
		const struct source *s = m->empty[i];
		uint64_t ns = allows_top(m, s) ? 0 : wait_ns(m, s, now);

		if (ns > longest)
			longest = ns;
	}
	return longest;
}

static struct rbmap_loss source_loss(const struct source *s)
{
	struct rbmap_loss loss = s->loss;

	if (s->map)
		rbmap_loss(s->map, &loss);
	return loss;
}

RBMAP_API int rbmap_merge_lost_last(const struct rbmap_merge *m, unsigned int i, int *cpu,
				    uint64_t *lost)
{
	const struct source *s;

	if (i >= m->nr)
		return 0;
	s = m->source[i];
	*cpu = s->cpu;
	*lost = source_loss(s).unreported;
	/* The ring has reported what was lost before its next event, and the caller has not. */
	for (unsigned int k = 0; k < m->nr_heap; k++)
		if (m->heap[k] == s && s != m->out)
			*lost = rbmap_lost_sum(*lost, s->head.lost);
	return 1;
}

RBMAP_API int rbmap_merge_loss(struct rbmap_merge *m, struct rbmap_loss *loss)
{
	memset(loss, 0, sizeof(*loss));
	for (unsigned int i = 0; i < m->nr; i++) {
		struct rbmap_loss one = source_loss(m->source[i]);

		loss->overrun += one.overrun;
		loss->full += one.full;
		loss->lapped += one.lapped;
		loss->nested += one.nested;
		loss->too_large += one.too_large;
		loss->expired += one.expired;
		loss->no_ring += one.no_ring;
		loss->total += one.total;
		loss->reported = rbmap_lost_sum(loss->reported, one.reported);
		loss->disabled += one.disabled;
		loss->unreported += one.unreported;
	}
	return 0;
}
