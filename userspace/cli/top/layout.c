// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/printable.h"
#include "kernel/control.h"
#include "layout.h"

#define LINE_SIZE	1024
#define BAR		10
#define HEAD_LINES	6	/* the last one names the columns */
#define FOOT_LINES	1

struct drawing {
	const struct picture *picture;
	int width;
	int line;
	layout_put_fn *put;
	void *data;
};

/* Cut a text after @width characters. */
static void cut(char *text, int width)
{
	size_t at = 0, size = strlen(text), length;

	while (width-- > 0 && at < size) {
		length = utf8_length((const unsigned char *)text + at, size - at);
		at += length ? length : 1;
	}
	text[at] = '\0';
}

__attribute__((format(printf, 3, 4)))
static void draw(struct drawing *d, enum colour colour, const char *format, ...)
{
	char text[LINE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	cut(text, d->width);
	d->put(d->data, d->line++, colour, text);
}

struct rate_text {
	char text[32];
};

static struct rate_text rate(const struct sample *sample, uint64_t events)
{
	double value = sample->seconds > 0 ? events / sample->seconds : 0;
	struct rate_text rate;

	snprintf(rate.text, sizeof(rate.text), "%.*f", value > 0 && value < 9.95 ? 1 : 0, value);
	return rate;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void draw_first_line(struct drawing *d)
{
	const struct top_view *view = d->picture->view;
	const char *buffer = control_buffer();
	char when[32] = "";
	time_t seconds = time(NULL);
	struct tm parts;

	if (localtime_r(&seconds, &parts))
		strftime(when, sizeof(when), "%H:%M:%S", &parts);
	draw(d, COLOUR_NONE, "rbmap top  %s  every %g s  buffer %s  %zu CPUs%s", when,
	     view->interval, buffer ? buffer : "(default)", d->picture->sample->nr_cpus,
	     view->paused ? "  PAUSED" : "");
}

static void draw_events(struct drawing *d)
{
	const struct sample *s = d->picture->sample;
	uint64_t lost = s->sum[CPUSTAT_LOST];

	draw(d, colour_if(lost, COLOUR_BAD),
	     "Events  %s/s written, %s/s read, %s/s lost; %" PRIu64 " lost since the start",
	     rate(s, s->sum[CPUSTAT_EMITTED]).text, rate(s, s->read).text, rate(s, lost).text,
	     s->lost_before + lost);
}

/* The kernel counts events of a ring that is freed as overwritten in it, and as expired. */
static uint64_t lost_by(const struct sample *s, enum cpustat cause)
{
	uint64_t events = s->sum[cause], expired = s->sum[CPUSTAT_EXPIRED];

	if (cause != CPUSTAT_OVERRUN)
		return events;
	return events > expired ? events - expired : 0;
}

static void draw_causes(struct drawing *d)
{
	static const struct {
		enum cpustat stat;
		const char *name;
	} cause[] = {
		{ CPUSTAT_OVERRUN, "overwritten" }, { CPUSTAT_FULL, "ring full" },
		{ CPUSTAT_LAPPED, "lapped" }, { CPUSTAT_NESTED, "nested" },
		{ CPUSTAT_TOO_LARGE, "too large" }, { CPUSTAT_EXPIRED, "expired" },
		{ CPUSTAT_NO_RING, "no ring" }, { CPUSTAT_MISSED, "missed" },
	};
	const struct sample *s = d->picture->sample;
	char text[LINE_SIZE] = "";
	size_t at = 0;

	for (size_t i = 0; i < sizeof(cause) / sizeof(cause[0]); i++)
		if (lost_by(s, cause[i].stat))
			at += snprintf(text + at, sizeof(text) - at, "  %s %s/s", cause[i].name,
				       rate(s, lost_by(s, cause[i].stat)).text);
	if (!at && s->sum[CPUSTAT_LOST])
		at = snprintf(text, sizeof(text), "  unknown");
	draw(d, colour_if(at, COLOUR_BAD), "Causes%s", at ? text :
	     s->lost_before ? "  nothing was lost in this interval" : "  nothing was lost");
}

/* The fullest ring, and all of them */
static void draw_rings(struct drawing *d)
{
	const struct sample *s = d->picture->sample;
	double fill, sum = 0, most = -1;
	unsigned int cpu = 0;

	for (size_t i = 0; i < s->nr_cpus; i++) {
		fill = sample_fill(s, &s->cpu[i]);
		sum += fill;
		if (fill > most) {
			most = fill;
			cpu = s->cpu[i].cpu;
		}
	}
	draw(d, colour_if(most > 0.9, COLOUR_WARNING),
	     "Rings   %.0f %% full, that of CPU %u %.0f %%; each has %" PRIu64 " KiB",
	     s->nr_cpus ? 100 * sum / s->nr_cpus : 0, cpu, 100 * fmax(most, 0),
	     s->ring_bytes >> 10);
}

static void draw_cost(struct drawing *d)
{
	const struct sample *s = d->picture->sample;

	if (s->measured)
		draw(d, COLOUR_NONE,
		     "Cost    rbmap top %.1f %% of a CPU; a probe %" PRIu64 " ns, 1 %% of them over %" PRIu64 " ns",
		     100 * s->own_cpu, s->median, s->p99);
	else
		draw(d, COLOUR_NONE,
		     "Cost    rbmap top %.1f %% of a CPU; --self-cost measures the probes",
		     100 * s->own_cpu);
}

static void draw_columns(struct drawing *d)
{
	static const char *const title[NR_ROW_KEYS] = {
		[ROW_EVENT] = "EVENT", [ROW_TASK] = "TASK", [ROW_CGROUP] = "CGROUP",
	};

	if (d->picture->view->key == ROW_CPU)
		draw(d, COLOUR_HEADING, "%5s %11s %9s %6s %-*s  MOSTLY", "CPU", "EVENTS/s",
		     "LOST/s", "FULL", BAR + 2, "");
	else
		draw(d, COLOUR_HEADING, "%11s %6s  %-30s MOSTLY", "EVENTS/s", "SHARE",
		     title[d->picture->view->key]);
}

static const struct cpustats *cpu_of(const struct sample *s, int cpu)
{
	for (size_t i = 0; i < s->nr_cpus; i++)
		if ((int)s->cpu[i].cpu == cpu)
			return &s->cpu[i];
	return NULL;
}

static void draw_cpu(struct drawing *d, const struct row *row)
{
	const struct sample *s = d->picture->sample;
	const struct cpustats *cpu = cpu_of(s, row->key);
	uint64_t lost = cpu ? cpu->value[CPUSTAT_LOST] : 0;
	double fill = cpu ? sample_fill(s, cpu) : 0;

	draw(d, colour_if(lost, COLOUR_BAD), "%5s %11s %9s %4.0f %% [%-*.*s]  %s %.0f %%",
	     row->name, rate(s, row->events).text, rate(s, lost).text, 100 * fill, BAR,
	     (int)(fill * BAR + 0.5), "##########", row->most,
	     percent(row->most_events, row->events));
}

/* @name fills 30 columns, whatever its characters have in bytes. */
static void draw_row(struct drawing *d, const struct row *row)
{
	const struct sample *s = d->picture->sample;
	const char *begin = row->name, *next;
	char name[ROW_NAME_SIZE];
	int spaces = 30;

	/* Only the end of a path says which cgroup it is. */
	while (row->path && strlen(begin) > 30 && (next = strchr(begin + 1, '/')))
		begin = next;
	snprintf(name, sizeof(name), "%s", begin);
	cut(name, spaces);
	for (const char *at = name; *at; at++)
		spaces -= (*at & 0xc0) != 0x80;
	draw(d, COLOUR_NONE, "%11s %4.0f %%  %s%*s %s %.0f %%", rate(s, row->events).text,
	     percent(row->events, s->read), name, spaces, "", row->most,
	     percent(row->most_events, row->events));
}

static void draw_rows(struct drawing *d, int height)
{
	const struct picture *p = d->picture;
	size_t end = p->nr_rows;

	if (height && end > p->view->first + layout_rows(height))
		end = p->view->first + layout_rows(height);
	for (size_t i = p->view->first; i < end; i++) {
		if (p->view->key == ROW_CPU)
			draw_cpu(d, &p->row[i]);
		else
			draw_row(d, &p->row[i]);
	}
}

static void draw_help(struct drawing *d, int height)
{
	static const char *const help[] = {
		"  e, t, c, g   a row for each event, task, CPU or cgroup",
		"  s            order the rows by rate or by name",
		"  /            show only rows with a text in their name; Enter ends it",
		"  space        pause: the picture stays, and events are still read",
		"  +, -         a longer or a shorter interval",
		"  arrows, Page Up, Page Down, Home    move through the rows",
		"  h, ?         this help",
		"  q            quit",
	};

	for (int i = 0; i < (int)(sizeof(help) / sizeof(help[0])) && i < layout_rows(height); i++)
		draw(d, COLOUR_NONE, "%s", help[i]);
}

static void draw_foot(struct drawing *d, int height)
{
	const struct top_view *view = d->picture->view;

	d->line = height - 1;
	if (view->asks)
		draw(d, COLOUR_HEADING, "/%s_", view->search);
	else if (*view->search)
		draw(d, COLOUR_HEADING, "Only names with \"%s\": / changes that", view->search);
	else
		draw(d, COLOUR_HEADING, "e event  t task  c CPU  s sort  / search  space pause  h help  q quit");
}

int layout_rows(int height)
{
	int rows = height - HEAD_LINES - FOOT_LINES;

	return rows > 0 ? rows : 0;
}

void layout_draw(const struct picture *picture, int width, int height, layout_put_fn *put,
		 void *data)
{
	struct drawing d = { .picture = picture, .width = width, .put = put, .data = data };

	draw_first_line(&d);
	draw_events(&d);
	draw_causes(&d);
	draw_rings(&d);
	draw_cost(&d);
	draw_columns(&d);
	if (height && picture->view->help)
		draw_help(&d, height);
	else if (picture->row)
		draw_rows(&d, height);
	if (height)
		draw_foot(&d, height);
}
