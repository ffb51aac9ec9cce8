// SPDX-License-Identifier: LGPL-2.1-only
/* Print the events of a recording for other programs, as rbmap.h describes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/buf.h"
#include "json_lines.h"
#include "recording/dat_read.h"
#include "session_recording.h"

#define FLAGS	(RBMAP_REPORT_JSON | RBMAP_REPORT_WALL | RBMAP_REPORT_UTC | RBMAP_REPORT_PLUGINS)

struct rbmap_report {
	struct rbmap_recording *recording;
	struct print_session *session;
	struct print_line *line;
	struct time_view time;
	bool as_json;
	struct buf body;	/* for json_lines_event() */
	struct buf out;
};

RBMAP_API void rbmap_report_close(struct rbmap_report *p)
{
	if (!p)
		return;
	print_line_free(p->line);
	print_session_free(p->session);
	buf_free(&p->body);
	buf_free(&p->out);
	free(p);
}

static enum time_style style_of(unsigned int flags)
{
	if (flags & RBMAP_REPORT_UTC)
		return TIME_WALL_UTC;
	return flags & RBMAP_REPORT_WALL ? TIME_WALL : TIME_RING;
}

static int set_times(struct rbmap_report *p, unsigned int flags)
{
	bool known = time_view_init_recording(&p->time, p->recording);

	p->time.style = style_of(flags);
	if (!known && p->time.style != TIME_RING)
		return -ENODATA;
	print_session_set_time(p->session, &p->time);
	return 0;
}

static int set_up(struct rbmap_report *p, unsigned int flags)
{
	int ret;

	p->session = print_session_new();
	if (!p->session)
		return -ENOMEM;
	ret = set_times(p, flags);
	if (ret)
		return ret;
	print_session_set_report_layout(p->session, p->as_json);
	if (flags & RBMAP_REPORT_PLUGINS)
		print_session_load_plugins(p->session);
	ret = print_session_load_recording(p->session, p->recording);
	if (ret)
		return ret;
	if (p->as_json)
		print_session_show_cgroups(p->session, dat_cgroups(p->recording));
	p->line = print_line_new(p->session);
	return p->line ? 0 : -ENOMEM;
}

RBMAP_API int rbmap_report_open(struct rbmap_report **report, struct rbmap_recording *recording,
				unsigned int flags)
{
	struct rbmap_report *p;
	int ret;

	if (flags & ~FLAGS)
		return -EINVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->recording = recording;
	p->as_json = flags & RBMAP_REPORT_JSON;
	ret = set_up(p, flags);
	if (ret)
		rbmap_report_close(p);
	else
		*report = p;
	return ret;
}

static int give(const struct rbmap_report *p, const char **text, size_t *size)
{
	*text = p->out.data;
	*size = p->out.size;
	return p->out.failed ? -ENOMEM : 0;
}

RBMAP_API int rbmap_report_head(struct rbmap_report *p, const char **text, size_t *size)
{
	const struct rbmap_recording *r = p->recording;

	p->out.size = 0;
	if (p->as_json)
		json_head_add(rbmap_recording_clock(r), rbmap_recording_uname(r), &p->time, NULL,
			      &p->out);
	else
		buf_printf(&p->out, "cpus=%u\n", rbmap_recording_cpus(r));
	return give(p, text, size);
}

static const char *buffer_name(const struct rbmap_report *p)
{
	unsigned int buffer = rbmap_recording_event_buffer(p->recording);
	const char *name = rbmap_recording_buffer_name(p->recording, buffer);

	return *name ? name : NULL;
}

static void add_lost(struct rbmap_report *p, int cpu, uint64_t lost, const char *buffer)
{
	if (p->as_json) {
		json_lines_lost(p->session, cpu, lost, buffer, &p->out);
		return;
	}
	print_line_add_dropped(p->line, cpu, lost, &p->out);
	buf_add(&p->out, "\n", 1);
}

RBMAP_API int rbmap_report_lost(struct rbmap_report *p, unsigned int cpu, uint64_t lost,
				const char **text, size_t *size)
{
	p->out.size = 0;
	if (lost)
		add_lost(p, cpu, lost, NULL);
	return give(p, text, size);
}

static int add_short(struct rbmap_report *p, const struct rbmap_event *ev, const char *buffer)
{
	if (p->as_json)
		json_lines_raw(p->session, ev, buffer, &p->out);
	else
		print_line_add_short(p->line, ev, &p->out);
	return 0;
}

static int add_event(struct rbmap_report *p, const struct rbmap_event *ev, const char *buffer)
{
	struct event_parts parts;
	int ret = print_session_find_parts(p->session, ev, &parts);

	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return add_short(p, ev, buffer);
	parts.buffer = buffer;
	return p->as_json ? json_lines_event(p->line, ev, &parts, &p->body, &p->out) :
			    print_line_add_event(p->line, ev, &parts, &p->out);
}

RBMAP_API int rbmap_report_event(struct rbmap_report *p, const struct rbmap_event *ev,
				 const char **text, size_t *size)
{
	const char *buffer = buffer_name(p);
	int ret;

	p->out.size = 0;
	if (ev->lost)
		add_lost(p, ev->cpu, ev->lost, buffer);
	ret = add_event(p, ev, buffer);
	return ret ? ret : give(p, text, size);
}
