// SPDX-License-Identifier: LGPL-2.1-only
/* The buffers of a recording, and the streams of their CPUs. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dat_reader.h"

#define STREAM_BYTES	16	/* at least, of a CPU in a table */

static int reserve_streams(struct rbmap_recording *r, uint32_t nr)
{
	size_t streams = r->nr_streams + (size_t)nr + 1;
	size_t heap_room = r->room;	/* Both arrays have the same room: the second call sets it. */

	if (!array_reserve(r->heap, heap_room, streams) || !array_reserve(r->cpu, r->room, streams))
		return -ENOMEM;
	return 0;
}

int dat_add_buffer(struct rbmap_recording *r, const char *name, uint32_t nr_cpus,
		   uint32_t page_size, struct dat_cpu_reader **first)
{
	uint64_t most = DAT_CPUS_MAX + r->file_size / STREAM_BYTES;
	struct dat_buffer b = {
		.page_size = page_size, .first = r->nr_streams, .nr_cpus = nr_cpus,
		.chosen = true,
	};

	/* Tables of a damaged file can have any number of CPUs that have no data. */
	if (nr_cpus > DAT_CPUS_MAX || r->nr_streams + (uint64_t)nr_cpus > most ||
	    r->nr_buffers == DAT_BUFFERS_MAX || strlen(name) > NAME_MAX)
		return RBMAP_ERR_BROKEN;
	if (!array_grow(r->buffer, r->nr_buffers))
		return -ENOMEM;
	b.name = strdup(name);
	if (!b.name || reserve_streams(r, nr_cpus)) {
		free(b.name);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr_cpus; i++)
		r->cpu[r->nr_streams + i] = (struct dat_cpu_reader){
			.buffer = r->nr_buffers, .cpu = i, .page_size = page_size, .spool = -1,
		};
	*first = r->cpu + r->nr_streams;
	r->nr_streams += nr_cpus;
	r->buffer[r->nr_buffers++] = b;
	if (r->nr_cpus < nr_cpus)
		r->nr_cpus = nr_cpus;
	return 0;
}

RBMAP_API unsigned int rbmap_recording_buffers(const struct rbmap_recording *r)
{
	return r->nr_buffers;
}

RBMAP_API const char *rbmap_recording_buffer_name(const struct rbmap_recording *r,
						  unsigned int buffer)
{
	return buffer < r->nr_buffers ? r->buffer[buffer].name : NULL;
}

bool dat_buffer_has_data(const struct rbmap_recording *r, unsigned int buffer)
{
	const struct dat_buffer *b = &r->buffer[buffer];

	for (uint32_t i = 0; i < b->nr_cpus; i++)
		if (r->cpu[b->first + i].limit)
			return true;
	return false;
}

RBMAP_API unsigned int rbmap_recording_buffer_cpus(const struct rbmap_recording *r,
						   unsigned int buffer)
{
	if (buffer >= r->nr_buffers || !dat_buffer_has_data(r, buffer))
		return 0;
	return r->buffer[buffer].nr_cpus;
}

RBMAP_API int rbmap_recording_choose_buffer(struct rbmap_recording *r, unsigned int buffer)
{
	if (buffer >= r->nr_buffers)
		return -EINVAL;
	for (unsigned int i = 0; i < r->nr_buffers; i++)
		r->buffer[i].chosen = i == buffer;
	return 0;
}

bool dat_buffer_is_chosen(const struct rbmap_recording *r, unsigned int buffer)
{
	return r->buffer[buffer].chosen;
}

RBMAP_API unsigned int rbmap_recording_event_buffer(const struct rbmap_recording *r)
{
	return r->nr_heap ? r->heap->c->buffer : 0;
}

uint64_t dat_event_ring_time(const struct rbmap_recording *r)
{
	return r->nr_heap ? r->heap->c->cursor.ts : 0;
}

uint64_t dat_buffer_lost_last(const struct rbmap_recording *r, unsigned int buffer,
			      unsigned int cpu)
{
	const struct dat_buffer *b = &r->buffer[buffer];

	if (!b->chosen)
		return 0;
	return dat_lost_sum(cpu < b->nr_cpus ? r->cpu[b->first + cpu].lost : 0,
			    dat_missed(r, buffer, cpu));
}

RBMAP_API uint64_t rbmap_recording_lost_last(const struct rbmap_recording *r, unsigned int cpu)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < r->nr_buffers; i++)
		lost = dat_lost_sum(lost, dat_buffer_lost_last(r, i, cpu));
	return lost;
}

bool dat_stops_early(const struct rbmap_recording *r)
{
	return r->nr_heap;
}

/* The losses that no event of the stream has said, and no kernel has missed. */
struct dat_loss dat_stream_loss_behind(const struct rbmap_recording *r, unsigned int stream)
{
	const struct dat_cpu_reader *c = &r->cpu[stream];

	/* The next event of the CPU says what was lost before it. */
	if (dat_stops_early(r))
		return (struct dat_loss){ .more = c->lost || c->ev.lost };
	if (!c->lost)
		return (struct dat_loss){ 0 };
	return (struct dat_loss){ c->lost_known, c->lost == RBMAP_LOST_UNKNOWN };
}

/* The events of a page are decoded until the stream ends; sub-buffers are not decoded here. */
bool dat_stream_lacks_events(const struct rbmap_recording *r, unsigned int stream)
{
	const struct dat_cpu_reader *c = &r->cpu[stream];

	return c->is_broken || (c->lacks && c->at == c->limit && !c->events_size);
}

bool dat_cpu_lacks_events(const struct rbmap_recording *r, unsigned int cpu)
{
	for (unsigned int i = 0; i < r->nr_buffers; i++) {
		const struct dat_buffer *b = &r->buffer[i];

		if (b->chosen && cpu < b->nr_cpus && dat_stream_lacks_events(r, b->first + cpu))
			return true;
	}
	return false;
}

bool dat_is_in_gap(const struct rbmap_recording *r)
{
	return r->nr_gaps > (r->nr_heap && r->heap->c->in_gap);
}

bool dat_cpu_is_in_gap(const struct rbmap_recording *r, unsigned int cpu, bool at_end)
{
	for (unsigned int i = 0; i < r->nr_buffers; i++) {
		unsigned int stream = r->buffer[i].first + cpu;
		/* The gap before the event that was returned is over, if the caller uses the event. */
		bool is_over = !at_end && r->nr_heap && r->heap->c == &r->cpu[stream];

		if (cpu < r->buffer[i].nr_cpus && r->cpu[stream].in_gap && !is_over)
			return true;
	}
	return false;
}

struct dat_loss dat_buffer_loss_behind(const struct rbmap_recording *r, unsigned int buffer,
				       unsigned int cpu)
{
	const struct dat_buffer *b = &r->buffer[buffer];
	struct dat_loss loss = { 0 };

	if (!b->chosen)
		return loss;
	if (cpu < b->nr_cpus)
		loss = dat_stream_loss_behind(r, b->first + cpu);
	if (dat_missed(r, buffer, cpu))
		dat_sum_lost(&loss.known, &loss.more, dat_stops_early(r) ? RBMAP_LOST_UNKNOWN :
			     dat_missed(r, buffer, cpu));
	return loss;
}

struct dat_loss dat_loss_behind(const struct rbmap_recording *r, unsigned int cpu)
{
	struct dat_loss sum = { 0 };

	for (unsigned int i = 0; i < r->nr_buffers; i++)
		dat_add_loss(&sum, dat_buffer_loss_behind(r, i, cpu));
	return sum;
}
