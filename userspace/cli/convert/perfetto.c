// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perfetto's own format. Each event goes into a bundle of its CPU. A bundle is written when
 * it is full, so memory does not grow with the recording; viewers sort the events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conversion.h"
#include "input/input.h"
#include "perfetto_event.h"
#include "perfetto_head.h"
#include "perfetto_packet.h"
#include "print/line.h"
#include "print/session_recording.h"
#include "recording/dat_read.h"

#define BUNDLE_BYTES	(32 * 1024)

/**
 * struct bundle - events of a CPU that were not written yet
 * @events: BUNDLE_BYTES bytes; NULL: the CPU had no event
 * @lossy: events were lost before the first one
 */
struct bundle {
	char *events;
	size_t size;
	bool lossy;
};

struct perfetto {
	struct perfetto_packer *packer;
	unsigned int nr_cpus;
	struct bundle *bundle;
	struct perfetto_cpu_sums *sums;
	Perfetto__FtraceEventBundle head;
};

/*
 * Perfetto assumes the boot clock. The times of one moment by both clocks tell Perfetto how
 * another clock differs. Perfetto has no name for the clock mono. The name only separates
 * clocks from each other.
 */
static void set_clock(Perfetto__FtraceEventBundle *head, const struct conversion *c)
{
	const char *clock = rbmap_recording_clock(c->in->reader);

	if (!c->in->time.boot || c->in->time.is_counter || (clock && !strcmp(clock, "boot")))
		return;
	head->has_ftrace_clock = true;
	head->ftrace_clock = clock && !strcmp(clock, "local") ? PERFETTO__FTRACE_CLOCK__LOCAL :
								PERFETTO__FTRACE_CLOCK__GLOBAL;
	head->has_ftrace_timestamp = true;
	head->ftrace_timestamp = c->in->time.ring;
	head->has_boot_timestamp = true;
	head->boot_timestamp = c->in->time.boot;
}

static int add_head(struct perfetto *p, struct conversion *c)
{
	const struct rbmap_recording *reader = c->in->reader;
	const char *clock = rbmap_recording_clock(reader);
	struct buf *out = &c->out.data;
	int ret;

	perfetto_add_clocks(out, dat_times(reader), clock && !strcmp(clock, "mono"));
	perfetto_add_system(out, rbmap_recording_uname(reader));
	ret = perfetto_add_threads(out, c->session);
	if (!ret && dat_hosts(reader))
		ret = perfetto_add_cpus(out, dat_hosts(reader), p->nr_cpus);
	return ret ? ret : perfetto_add_stats(out, p->sums, p->nr_cpus, false);
}

static int begin(struct conversion *c)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	int ret;

	c->state = p;
	if (!p)
		return -ENOMEM;
	print_session_set_layout(c->session, 0, false, 0);
	ret = print_session_load_recording(c->session, c->in->reader);
	if (ret)
		return ret;
	p->nr_cpus = rbmap_recording_cpus(c->in->reader);
	c->line = print_line_new(c->session);
	if (!c->line)
		return -ENOMEM;
	p->packer = perfetto_packer_new(c->line);
	p->bundle = calloc(p->nr_cpus + 1, sizeof(*p->bundle));
	p->sums = calloc(p->nr_cpus + 1, sizeof(*p->sums));
	if (!p->packer || !p->bundle || !p->sums)
		return -ENOMEM;
	perfetto__ftrace_event_bundle__init(&p->head);
	p->head.has_cpu = true;
	set_clock(&p->head, c);
	return add_head(p, c);
}

static void write_bundle(struct perfetto *p, struct conversion *c, unsigned int cpu,
			 const char *events, size_t size)
{
	p->head.cpu = cpu;
	p->head.has_lost_events = p->bundle[cpu].lossy;
	p->head.lost_events = true;
	perfetto_add_bundle(&c->out.data, &p->head, events, size);
	p->bundle[cpu].lossy = false;
}

static int write_events(struct perfetto *p, struct conversion *c, unsigned int cpu)
{
	struct bundle *bundle = &p->bundle[cpu];

	if (bundle->size || bundle->lossy)
		write_bundle(p, c, cpu, bundle->events, bundle->size);
	bundle->size = 0;
	return output_go_on(&c->out);
}

/* An event that is larger than a bundle has one of its own. */
static int add_large(struct perfetto *p, struct conversion *c, unsigned int cpu, size_t size)
{
	char *event = malloc(PERFETTO_EVENT_FRAME + size), *end;

	if (!event)
		return -ENOMEM;
	end = perfetto_packer_put(p->packer, perfetto_put_event_frame(event, size));
	write_bundle(p, c, cpu, event, end - event);
	free(event);
	return output_go_on(&c->out);
}

static int event(struct conversion *c, const struct rbmap_event *ev,
		 const struct event_parts *parts)
{
	struct perfetto *p = c->state;
	struct bundle *bundle = &p->bundle[ev->cpu];
	size_t size;
	char *at;
	int ret = perfetto_packer_prepare(p->packer, ev, parts, &size);

	p->sums[ev->cpu].events++;
	if (!ret && bundle->size + PERFETTO_EVENT_FRAME + size > BUNDLE_BYTES)
		ret = write_events(p, c, ev->cpu);
	if (ret)
		return ret;
	if (PERFETTO_EVENT_FRAME + size > BUNDLE_BYTES)
		return add_large(p, c, ev->cpu, size);
	if (!bundle->events)
		bundle->events = malloc(BUNDLE_BYTES);
	if (!bundle->events)
		return -ENOMEM;
	at = perfetto_put_event_frame(bundle->events + bundle->size, size);
	bundle->size = perfetto_packer_put(p->packer, at) - bundle->events;
	return 0;
}

/* The next bundle of the CPU says that events were lost before it. */
static int lost(struct conversion *c, unsigned int cpu, uint64_t lost)
{
	struct perfetto *p = c->state;
	int ret = write_events(p, c, cpu);
	bool more;

	p->bundle[cpu].lossy = true;
	dat_sum_lost(&p->sums[cpu].lost, &more, lost);
	return ret;
}

static int end(struct conversion *c)
{
	struct perfetto *p = c->state;
	int ret = 0;

	for (unsigned int cpu = 0; cpu < p->nr_cpus && !ret; cpu++)
		ret = write_events(p, c, cpu);
	return ret ? ret : perfetto_add_stats(&c->out.data, p->sums, p->nr_cpus, true);
}

static void free_all(struct conversion *c)
{
	struct perfetto *p = c->state;

	if (!p)
		return;
	for (unsigned int cpu = 0; p->bundle && cpu < p->nr_cpus; cpu++)
		free(p->bundle[cpu].events);
	perfetto_packer_free(p->packer);
	free(p->bundle);
	free(p->sums);
	free(p);
}

const struct converter convert_to_perfetto = {
	.suffix		= ".perfetto-trace",
	.is_binary	= true,
	.load		= libprotobuf_c_load,
	.begin		= begin,
	.event		= event,
	.lost		= lost,
	.end		= end,
	.free		= free_all,
};
