// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/uplink/files.h"
#include "stream_gaps.h"

#define NAME	"gaps"

int stream_gaps_read(struct stream_gaps *g, int dir)
{
	struct buf file = { 0 };
	int ret = files_read(dir, NAME, &file, STREAM_GAPS_MAX * sizeof(*g->v));

	*g = (struct stream_gaps){ 0 };
	if (ret == -ENOENT || (!ret && !file.size))
		ret = 0;
	else if (!ret && file.size % sizeof(*g->v))
		ret = -EBADMSG;
	else if (!ret) {
		g->v = malloc(file.size);
		if (g->v) {
			memcpy(g->v, file.data, file.size);
			g->nr = g->room = file.size / sizeof(*g->v);
		} else {
			ret = -ENOMEM;
		}
	}
	for (size_t i = 0; i < g->nr; i++) {
		g->v[i].source[sizeof(g->v->source) - 1] = '\0';
		g->v[i].boot[sizeof(g->v->boot) - 1] = '\0';
		g->v[i].sent = 0;
	}
	buf_free(&file);
	return ret;
}

int stream_gaps_write(const struct stream_gaps *g, int dir)
{
	return files_replace(dir, NAME, g->nr ? (const char *)g->v : "",
			     g->nr * sizeof(*g->v), true);
}

void stream_gaps_free(struct stream_gaps *g)
{
	free(g->v);
	*g = (struct stream_gaps){ 0 };
}

struct stream_gap *stream_gaps_find(const struct stream_gaps *g, const char *source)
{
	for (size_t i = 0; i < g->nr; i++)
		if (!strcmp(g->v[i].source, source))
			return &g->v[i];
	return NULL;
}

static struct stream_gap *new_gap(struct stream_gaps *g)
{
	if (g->nr == STREAM_GAPS_MAX)
		return NULL;
	if (g->nr == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		struct stream_gap *more = realloc(g->v, room * sizeof(*more));

		if (!more)
			return NULL;
		g->v = more;
		g->room = room;
	}
	g->v[g->nr] = (struct stream_gap){ 0 };
	return &g->v[g->nr++];
}

int stream_gaps_add(struct stream_gaps *g, const struct stream_record *r, const char *boot)
{
	struct stream_gap *gap = stream_gaps_find(g, r->source);

	if (gap && r->seq <= gap->last)
		return 0;
	if (!gap) {
		gap = new_gap(g);
		if (!gap)
			return -ENOMEM;
		memcpy(gap->source, r->source, sizeof(gap->source));
		snprintf(gap->boot, sizeof(gap->boot), "%s", boot);
		gap->first = r->seq;
	}
	gap->last = r->seq;
	gap->events += r->events;
	gap->lost += r->lost == MESSAGE_LOST_UNKNOWN ? 0 : r->lost;
	gap->after = r->after;
	gap->number = r->number;
	gap->sent = 0;
	return 0;
}

bool stream_gaps_stored(struct stream_gaps *g, const char *source, uint64_t next)
{
	struct stream_gap *gap = stream_gaps_find(g, source);

	if (!gap || gap->last >= next)
		return false;
	*gap = g->v[--g->nr];
	return true;
}
