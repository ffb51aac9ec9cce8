// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run text_add_line() on arbitrary bytes, with the formats in RBMAP_FUZZ_EVENTS (a
 * directory like /sys/kernel/rbmap/events), and with the plugins of libtraceevent.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/cli/show/text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct text *text;
static uint16_t id[65536];
static unsigned int nr_ids;

/* Add all formats SYSTEM/EVENT/format below a directory. */
static void add_formats(const char *dir)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*/*/format", dir);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		const char *below = path + strlen(dir) + 1;
		char *system = strndup(below, strcspn(below, "/"));
		struct buf format = { 0 };

		if (!buf_read_file(&format, path))
			text_add_format(text, system, format.data, format.size);
		buf_free(&format);
		free(system);
	}
	globfree(&found);
}

static void add_id(void *data, int format_id, const char *system, const char *name)
{
	(void)data;
	(void)system;
	(void)name;
	id[nr_ids++] = format_id;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *events = getenv("RBMAP_FUZZ_EVENTS");

	(void)argc;
	(void)argv;
	text = text_new();
	text_load_plugins(text);
	add_formats(events ? events : "/sys/kernel/rbmap/events");
	text_each_format(text, add_id, NULL);
	if (!nr_ids) {
		fputs("no formats: set RBMAP_FUZZ_EVENTS\n", stderr);
		exit(1);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct rbmap_event ev = { .data = copy, .size = size };
	struct buf line = { 0 };

	memcpy(copy, data, size);
	/* Use one of the types that have a format. */
	if (size >= sizeof(id[0])) {
		uint16_t type;

		memcpy(&type, copy, sizeof(type));
		memcpy(copy, &id[type % nr_ids], sizeof(type));
	}
	text_add_line(text, &ev, &line);
	buf_free(&line);
	free(copy);
	return 0;
}
