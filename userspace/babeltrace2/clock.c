// SPDX-License-Identifier: GPL-2.0-only
/* The clock of a trace: that of the ring, with its offset to the wall clock. */
#include "trace.h"

/* Set the wall clock at the ring's time 0, and the last time that can be added to it. */
static void set_offset(struct trace *t, const struct rbmap_moment *m, uint64_t hz)
{
	uint64_t ring_s = m->ring / hz, ring_rest = m->ring % hz;
	int64_t s = (int64_t)(m->real / NS_PER_S) - (int64_t)ring_s;
	double rest = (double)(m->real % NS_PER_S) * hz / NS_PER_S - ring_rest;

	if (hz == NS_PER_S)	/* exactly */
		rest = (double)((int64_t)(m->real % NS_PER_S) - (int64_t)ring_rest);
	if (rest < 0) {
		rest += hz;
		s--;
	}
	if (s < 0 || s > INT64_MAX / (int64_t)NS_PER_S / 2 || rest >= hz)
		return;
	bt_clock_class_set_offset(t->clock_class, s, (uint64_t)rest);
	t->latest -= (uint64_t)(s + 1) * NS_PER_S;
}

uint64_t clock_frequency(const struct rbmap_moment *begin, const struct rbmap_moment *end)
{
	double hz;

	if (!begin || !end || end->ring <= begin->ring || end->real <= begin->real)
		return NS_PER_S;
	hz = (double)(end->ring - begin->ring) * NS_PER_S / (end->real - begin->real);
	return hz >= 1 && hz < 1e12 ? hz : NS_PER_S;
}

bool clock_make(struct trace *t, const struct trace_facts *facts)
{
	uint64_t hz = facts->frequency;

	t->clock_class = bt_clock_class_create(t->self);
	if (!t->clock_class)
		return false;
	bt_clock_class_set_frequency(t->clock_class, hz);
	t->latest = INT64_MAX;
	bt_clock_class_set_origin_is_unix_epoch(t->clock_class,
						facts->moment || facts->is_dated ?
						BT_TRUE : BT_FALSE);
	if (facts->moment && !facts->is_dated)
		set_offset(t, facts->moment, hz);
	/* Cycles that become ns by a factor of more than 1 must not overflow either. */
	if (hz < NS_PER_S)
		t->latest = (uint64_t)((double)t->latest * hz / NS_PER_S / 2);
	return !bt_clock_class_set_name(t->clock_class, facts->clock ? facts->clock : "ring");
}
