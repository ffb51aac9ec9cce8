// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of tracefs' file trace, which Perfetto and other viewers read. A line that begins
 * with # is a comment for them. Lost events are such lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "conversion.h"
#include "input/input.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "print/session_recording.h"
#include "recording/dat_read.h"

#define PID_WIDTH	7

static int begin(struct conversion *c)
{
	struct time_view view = c->in->time;
	int ret;

	print_session_set_layout(c->session, PID_WIDTH, true, 0);
	/* Viewers look for slices and counters in the text of this event. */
	print_session_show_as(c->session, "rbmap", "marker", "tracing_mark_write");
	/* Viewers expect one word. */
	print_session_show_unknown_as(c->session, "event_");
	ret = print_session_load_recording(c->session, c->in->reader);
	if (ret)
		return ret;
	/* Cycles were converted, or must pass for ns. */
	view.is_counter = false;
	view.style = TIME_RING;
	print_session_set_time(c->session, &view);
	buf_printf(&c->out.data, "# tracer: nop\n#\n"
		   "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		   "#              | |         |   |||||     |         |\n");
	c->line = print_line_new(c->session);
	return c->line && !c->out.data.failed ? 0 : -ENOMEM;
}

/* A task can have a name that begins with #. White space before it is not a part of it. */
static int keep_from_comment(struct buf *out, size_t begin)
{
	size_t size = out->size - begin;

	if (!size || out->data[begin] != '#')
		return 0;
	buf_add(out, " ", 1);
	if (out->failed)
		return -ENOMEM;
	memmove(out->data + begin + 1, out->data + begin, size);
	out->data[begin] = ' ';
	return 0;
}

static int event(struct conversion *c, const struct rbmap_event *ev,
		 const struct event_parts *parts)
{
	static const struct event_parts no_parts = { .comm = "<...>" };
	struct event_parts shown = parts ? *parts : no_parts;
	size_t begin = c->out.data.size;
	int ret;

	/* Viewers know a CPU by its number alone. */
	shown.host = NULL;
	ret = print_line_add_event(c->line, ev, &shown, &c->out.data);
	return ret ? ret : keep_from_comment(&c->out.data, begin);
}

static int lost(struct conversion *c, unsigned int cpu, uint64_t lost)
{
	if (lost == RBMAP_LOST_UNKNOWN)
		buf_printf(&c->out.data, "# CPU:%u [LOST EVENTS]\n", cpu);
	else
		buf_printf(&c->out.data, "# CPU:%u [LOST %" PRIu64 " EVENTS]\n", cpu, lost);
	return c->out.data.failed ? -ENOMEM : 0;
}

static int end(struct conversion *c)
{
	buf_printf(&c->out.data, "# %" PRIu64 " events, %s%" PRIu64 " lost", c->events,
		   c->lost_unknown ? "more than " : "", c->lost);
	if (c->in->selector)
		buf_printf(&c->out.data, ", %" PRIu64 " not selected", c->left_out);
	buf_printf(&c->out.data, "\n");
	return c->out.data.failed ? -ENOMEM : 0;
}

static void free_nothing(struct conversion *c)
{
	(void)c;
}

const struct converter convert_to_systrace = {
	.suffix	= ".systrace",
	.begin	= begin,
	.event	= event,
	.lost	= lost,
	.end	= end,
	.free	= free_nothing,
};
