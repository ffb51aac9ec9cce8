// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The lost events of which no page says anything, from the counters of the CPUs.
 *
 * rbmap's pages have all losses of its rings.  Those that the kernel missed ("missed") have
 * reached no ring.  Pages of ftrace's ring have the events that were overwritten, not those
 * that it dropped: "dropped events" of a full ring, "commit overrun" of nested writers.
 *
 * The counters of the top buffer come first.  A text "Buffer: NAME" stands before those of
 * another buffer, as trace-cmd(1) writes it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dat_reader.h"

#define BUFFER		"\nBuffer: "
#define OF_RBMAP	"\nlost events: "	/* ftrace's counters lack this line */

const char *dat_missed_find(const char *text, const char *from)
{
	static const char *const keys[] = { "\nmissed: ", "\ndropped events: ",
					    "\ncommit overrun: " };
	size_t nr = strstr(text, OF_RBMAP) ? 1 : sizeof(keys) / sizeof(*keys);
	const char *first = NULL;

	for (size_t i = 0; i < nr; i++) {
		const char *line = strstr(from, keys[i]);

		if (line && (!first || line < first))
			first = line;
	}
	return first ? first + 1 : NULL;
}

const char *dat_missed_buffer(const char *text)
{
	return strncmp(text, BUFFER, strlen(BUFFER)) ? NULL : text + strlen(BUFFER);
}

unsigned int dat_missed_buffer_find(const struct rbmap_recording *r, const char *name)
{
	size_t size = strcspn(name, "\n");

	for (unsigned int i = 1; i < r->nr_buffers; i++)
		if (strlen(r->buffer[i].name) == size && !memcmp(r->buffer[i].name, name, size))
			return i;
	return 0;
}

/* Add to the counters of a CPU. */
static int add(struct dat_missed *m, unsigned int cpu, uint64_t events)
{
	if (!array_extend(m->cpu, m->nr, (size_t)cpu + 1))
		return -ENOMEM;
	m->cpu[cpu] = dat_lost_sum(m->cpu[cpu], events);
	return 0;
}

/* Begin the counters of a buffer. */
static int begin(struct rbmap_recording *r, const char *name)
{
	struct dat_missed m = { 0 };

	if (r->nr_missed > DAT_BUFFERS_MAX)
		return RBMAP_ERR_BROKEN;
	if (!array_grow(r->missed, r->nr_missed))
		return -ENOMEM;
	if (name) {
		m.buffer = strndup(name, strcspn(name, "\n"));
		if (!m.buffer)
			return -ENOMEM;
	}
	r->missed[r->nr_missed++] = m;
	return 0;
}

int dat_missed_parse(struct rbmap_recording *r, const char *text)
{
	const char *line = text, *name = dat_missed_buffer(text);
	uint64_t events, sum = 0;
	unsigned int cpu;
	int ret;

	if (name)
		return begin(r, name);
	if (sscanf(text, "CPU: %u\n", &cpu) != 1 || cpu >= DAT_CPUS_MAX)
		return 0;
	while ((line = dat_missed_find(text, line)))
		if (sscanf(strchr(line, ':'), ": %" SCNu64, &events) == 1)
			sum = dat_lost_sum(sum, events);
	ret = sum && !r->nr_missed ? begin(r, NULL) : 0;
	return sum && !ret ? add(&r->missed[r->nr_missed - 1], cpu, sum) : ret;
}

int dat_missed_assign(struct rbmap_recording *r)
{
	int ret = 0;

	for (unsigned int i = 0; i < r->nr_missed; i++) {
		struct dat_missed *m = &r->missed[i];
		unsigned int to = m->buffer ? dat_missed_buffer_find(r, m->buffer) : 0;

		for (uint32_t cpu = 0; cpu < m->nr && to < r->nr_buffers && !ret; cpu++)
			if (m->cpu[cpu])
				ret = add(&r->buffer[to].missed, cpu, m->cpu[cpu]);
		dat_missed_free(m);
	}
	r->nr_missed = 0;
	free(r->missed);
	r->missed = NULL;
	return ret;
}

void dat_missed_free(struct dat_missed *m)
{
	free(m->buffer);
	free(m->cpu);
}

uint64_t dat_missed(const struct rbmap_recording *r, unsigned int buffer, unsigned int cpu)
{
	const struct dat_missed *m = &r->buffer[buffer].missed;

	return cpu < m->nr ? m->cpu[cpu] : 0;
}
