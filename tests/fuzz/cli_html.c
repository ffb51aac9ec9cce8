// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes pages of arbitrary events, as rbmap report --html does. A page must have each event,
 * and no element beside its own: names and strings must not become tags.
 *
 * The first byte of the input chooses the clock and the tasks with a lane. An event begins
 * with the six bytes that fuzz_events.h explains.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_events.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "recording/dat_times.h"
#include "report/html/meta.h"
#include "report/html/page.h"

#define WORST		3
#define ODD_CPU		0x20
#define ODD_TIME	1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct made {
	struct page *page;
	struct print_session *session;
	struct print_line *line;
	uint64_t events;
};

static void add_format(void *data, unsigned int event, const char *format)
{
	struct made *made = data;
	const char *system = interval_events[event].system;

	print_session_add_format(made->session, system, format, strlen(format));
	if (page_add_format(made->page, system, format, strlen(format)) ||
	    intervals_add_format(made->page->intervals, system, format, strlen(format)))
		abort();
}

static void add_event(void *data, const struct rbmap_event *ev)
{
	struct made *made = data;
	struct rbmap_event odd = *ev;

	/* Some events are out of order. */
	if (ev->cpu & ODD_CPU && ev->ts > ODD_TIME)
		odd.ts -= ODD_TIME;
	if (page_event(made->page, &odd, true))
		abort();
	made->events++;
}

/* Is "<" only where the writer has put it? */
static void check_tags(const char *text)
{
	static const char *const tags[] = { "<script type=\"application/", "</script>\n" };
	unsigned int begun = 0;

	for (text = strchr(text, '<'); text; text = strchr(text + 1, '<'), begun = !begun)
		if (strncmp(text, tags[begun], strlen(tags[begun])))
			abort();
	if (begun)
		abort();
}

static void finish(struct made *made, uint8_t choice, FILE *out)
{
	struct dat_times times = { .reason = "</script>" };
	struct time_view time = { .is_counter = choice & 1, .real = choice & 2 ? 1 : 0,
				  .real_step = 3, .ring_step = 2 };
	struct origin origin = { .path = "<b>.dat", .times = &times, .time = &time,
				 .why = "{\"<b>\": 0}", .why_size = strlen("{\"<b>\": 0}") };

	times.trigger = (struct rbmap_moment){ .ring = 5, .real = choice & 4 };
	if (page_lost_last(made->page, choice % 5, choice) || page_end(made->page) ||
	    meta_write(made->page, &origin, out) || made->page->events != made->events)
		abort();
}

static void make(struct made *made, const uint8_t *data, size_t size, FILE *out)
{
	struct fuzz_events events = { .format = add_format, .event = add_event, .data = made };

	if (!made->page || !made->session || !made->line || !out)
		abort();
	made->page->session = made->session;
	made->page->line = made->line;
	made->page->store = store_new(out, 1);
	for (int pid = -1; pid < data[0] % 8; pid++)
		if (page_add_task_lane(made->page, pid, INTEREST_WORST))
			abort();
	fuzz_events_pass(&events, data + 1, size - 1);
	finish(made, data[0], out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct made made = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	if (!size)
		return 0;
	out = open_memstream(&text, &len);
	made.page = page_new(WORST);
	made.session = print_session_new();
	made.line = print_line_new(made.session);
	make(&made, data, size, out);
	fclose(out);
	check_tags(text);
	store_free(made.page->store);
	page_free(made.page);
	print_line_free(made.line);
	print_session_free(made.session);
	free(text);
	return 0;
}
