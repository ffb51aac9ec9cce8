/* SPDX-License-Identifier: GPL-2.0-only */
/* A collector in a folder of its own, for tests. The transport is that of the test. */
#ifndef COLLECTOR_FIXTURE_H
#define COLLECTOR_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/incoming.h"
#include "collector/streams.h"

static struct collect_options options = {
	.permits = 4, .max_incident_kb = 2048, .max_host_kb = 8192, .max_stream_kb = 8192,
};
static struct collector collector;
static char folder[64];

/* Open all parts of the collector in a new folder, whose name begins with @prefix. */
static bool begin_collector(const char *prefix)
{
	memset(&collector, 0, sizeof(collector));
	snprintf(folder, sizeof(folder), "/tmp/%s-XXXXXX", prefix);
	collector.options = &options;
	collector.answers = calloc(STREAM_ANSWERS_MAX, sizeof(*collector.answers));
	if (!collector.answers || !mkdtemp(folder) || !files_open(&collector.files, folder) ||
	    !index_open(&collector.index, folder, INDEX_CREATE) ||
	    stream_files_open(&collector.streams, folder) ||
	    !permits_init(&collector.permits, options.permits) || !budget_init(&collector.budget))
		return false;
	options.directory = folder;
	replies_init(&collector.replies);
	return true;
}

/* Close them, and remove the folder. Return 0 if that succeeds. */
static int end_collector(void)
{
	char command[128];

	replies_free(&collector.replies);
	permits_free(&collector.permits);
	budget_free(&collector.budget);
	index_close(&collector.index);
	files_close(&collector.files);
	stream_files_close(&collector.streams);
	free(collector.answers);
	buf_free(&collector.space);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

#endif /* COLLECTOR_FIXTURE_H */
