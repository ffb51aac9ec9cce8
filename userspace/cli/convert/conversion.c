// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "conversion.h"
#include "input/input_events.h"
#include "print/line.h"
#include "recording/dat_read.h"

static int add_lost(void *data, unsigned int cpu, uint64_t lost)
{
	struct conversion *c = data;

	if (!lost || (c->in->selector && !selector_has_cpu(c->in->selector, cpu)))
		return 0;
	dat_sum_lost(&c->lost, &c->lost_unknown, lost);
	return c->to->lost(c, cpu, lost);
}

/* Viewers expect ns. Without the moments of the recording, cycles stay as they are. */
static uint64_t time_of(const struct conversion *c, uint64_t ring)
{
	const struct time_view *view = &c->in->time;
	int64_t ns;

	if (!c->from_cycles)
		return ring;
	ns = time_view_real(view, ring) - view->real + view->boot;
	return ns > 0 ? ns : 0;
}

static int add_event(void *data, const struct rbmap_event *recorded)
{
	struct rbmap_event ev = *recorded;
	struct conversion *c = data;
	struct event_parts parts;
	int ret = add_lost(c, ev.cpu, ev.lost);

	if (ret)
		return ret;
	ret = print_session_find_parts(c->session, &ev, &parts);
	if (ret == -ENOMEM)
		return ret;
	if (c->in->selector && !selector_wants(c->in->selector, &ev, ret ? NULL : parts.comm)) {
		c->left_out++;
		return 0;
	}
	c->events++;
	ev.ts = time_of(c, ev.ts);
	ret = c->to->event(c, &ev, ret ? NULL : &parts);
	return ret ? ret : output_go_on(&c->out);
}

/* After an error, the events before it are still written. */
static int convert_all(struct conversion *c)
{
	int ret = c->to->begin(c), end;

	if (ret)
		return ret;
	ret = input_each_event(c->in, NULL, add_event, add_lost, c);
	if (ret == -ENOMEM || c->out.error)
		return ret;
	end = c->to->end(c);
	if (!end)
		end = output_flush(&c->out);
	return ret ? ret : end;
}

int conversion_run(struct conversion *c)
{
	int ret;

	c->session = print_session_new();
	if (!c->session)
		return -ENOMEM;
	c->from_cycles = c->in->time.is_counter && c->in->time.real;
	ret = convert_all(c);
	c->to->free(c);
	print_line_free(c->line);
	print_session_free(c->session);
	buf_free(&c->out.data);
	return ret;
}
