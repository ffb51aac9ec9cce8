// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dat_times.h"

#define TITLE	"Times of the recording\n"
#define REASON	"reason: "

static const struct {
	const char *name;
	size_t offset;
} moments[] = {
	{ "begin", offsetof(struct dat_times, begin) },
	{ "trigger", offsetof(struct dat_times, trigger) },
	{ "end", offsetof(struct dat_times, end) },
};

#define NR_MOMENTS	(sizeof(moments) / sizeof(*moments))

static struct dat_moment *moment(struct dat_times *times, size_t i)
{
	return (struct dat_moment *)((char *)times + moments[i].offset);
}

void dat_times_print(const struct dat_times *times, struct buf *out)
{
	struct dat_times copy = *times;
	bool titled = false;

	for (size_t i = 0; i < NR_MOMENTS; i++) {
		const struct dat_moment *m = moment(&copy, i);

		if (!m->real)
			continue;
		if (!titled)
			buf_printf(out, TITLE);
		titled = true;
		buf_printf(out, "%s: ring %" PRIu64 " real %" PRIu64 " boot %" PRIu64
			   " tai %" PRId64 " error %" PRIu64 "\n", moments[i].name, m->ring,
			   m->real, m->boot, m->tai_offset, m->error);
	}
	if (titled && times->reason[0])
		buf_printf(out, REASON "%s\n", times->reason);
}

static void parse_line(struct dat_times *times, const char *line)
{
	struct dat_moment m;
	char name[16];

	if (!strncmp(line, REASON, strlen(REASON))) {
		line += strlen(REASON);
		snprintf(times->reason, sizeof(times->reason), "%.*s", (int)strcspn(line, "\n"),
			 line);
		return;
	}
	if (sscanf(line, "%15[a-z]: ring %" SCNu64 " real %" SCNu64 " boot %" SCNu64
		   " tai %" SCNd64 " error %" SCNu64, name, &m.ring, &m.real, &m.boot,
		   &m.tai_offset, &m.error) != 6)
		return;
	for (size_t i = 0; i < NR_MOMENTS; i++)
		if (!strcmp(name, moments[i].name))
			*moment(times, i) = m;
}

bool dat_times_parse(struct dat_times *times, const char *text)
{
	if (strncmp(text, TITLE, strlen(TITLE)))
		return false;
	*times = (struct dat_times){ 0 };
	while ((text = strchr(text, '\n'))) {
		text++;
		parse_line(times, text);
	}
	return true;
}
