// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print arbitrary bytes as events, as text and as JSON, with the formats in
 * RBMAP_FUZZ_EVENTS (a directory like /sys/kernel/rbmap/events), with and without the
 * plugins of libtraceevent. Use the same bytes as a time of the user, and as a thread's name.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/event_formatter.h"
#include "print/fields/bprint.h"
#include "print/json_lines.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The lowest addresses are those that inputs have most often. */
static const char constants[] =
	"0x0 : \"number %d of %s\\n\"\n0x1 : \"%lu %c %#x %-8s|%pS%pI4\"\n0x2 : \"Start\"\n"
	"0x3 : no quotes\n4 : \"\"\n";

static const char kallsyms[] =
	"ffffffff81000000 T first\n"
	"ffffffffc0001000 t last\t[module]\n";

/* With the plugins and without them */
static struct event_formatter *texts[2];
static uint16_t id[65536];
static unsigned int nr_ids;

/* Add all formats SYSTEM/EVENT/format below a directory. */
static void add_formats(struct event_formatter *text, const char *dir)
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
			formatter_add_format(text, system, format.data, format.size);
		buf_free(&format);
		free(system);
	}
	globfree(&found);
}

static void add_ids(void)
{
	for (int i = 0; i < NR_EVENT_IDS; i++)
		if (formatter_event(texts[0], i))
			id[nr_ids++] = i;
}

static void free_texts(void)
{
	formatter_free(texts[0]);
	formatter_free(texts[1]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *events = getenv("RBMAP_FUZZ_EVENTS");

	(void)argc;
	(void)argv;
	for (int i = 0; i < 2; i++) {
		texts[i] = formatter_new();
		if (i == 0) {
			formatter_load_plugins(texts[i]);
		} else {
			formatter_set_layout(texts[i], 1, false, 20);
			formatter_comm_from_proc(texts[i], true);
		}
		formatter_with_json(texts[i], true);
		formatter_set_kallsyms(texts[i], kallsyms, sizeof(kallsyms) - 1);
		formatter_set_constants(texts[i], constants, sizeof(constants) - 1);
		formatter_stack_lines(texts[i], i);
		add_formats(texts[i], events ? events : "/sys/kernel/rbmap/events");
	}
	atexit(free_texts);
	add_ids();
	if (!nr_ids) {
		fputs("no formats: set RBMAP_FUZZ_EVENTS\n", stderr);
		exit(1);
	}
	return 0;
}

/* The bits of @how choose the layout. */
static void print(const struct rbmap_event *ev, unsigned int how)
{
	const struct time_view view = {
		.style = how / 8 % 4, .is_counter = how & 4, .ring = 1000000,
		.real = how & 64 ? 1700000000000000000 : 0, .real_step = 1, .ring_step = 1,
		.end = 1ULL << 40,
	};
	struct event_formatter *text = texts[how & 1];
	struct buf line = { 0 }, body = { 0 };

	formatter_set_time(text, &view);
	formatter_raw(text, how % 64 == 33);
	if (how & 2)
		json_lines_add(text, ev, how & 32, &body, &line);
	else
		formatter_add_line(text, ev, &line);
	buf_free(&body);
	buf_free(&line);
}

static const struct symbol *no_symbol(void *data, uint64_t addr)
{
	(void)data;
	(void)addr;
	return NULL;
}

/* The bytes are the format, and the arguments, too. */
static void print_as_printk(const char *format, const uint8_t *data, size_t size)
{
	const struct bprint_args args = {
		.data = (const char *)data, .size = size, .word = size % 2 ? 4 : 8,
	};
	struct buf out = { 0 };

	bprint_add(format, &args, no_symbol, NULL, &out);
	buf_free(&out);
}

static void use_as_text(const uint8_t *data, size_t size)
{
	const struct time_view view = {
		.style = TIME_WALL_UTC, .ring = 1000000, .real = 1700000000000000000,
		.real_step = 1, .ring_step = 1, .end = 1ULL << 40,
	};
	char *copy = strndup((const char *)data, size);
	uint64_t ring;

	if (!copy)
		return;
	if (!time_view_parse(&view, copy, &ring))
		(void)time_view_real(&view, ring);
	print_as_printk(copy, data, size);
	/* The name of one of so many threads */
	formatter_add_comm(texts[size % 2], size ? data[0] * 7 : 1, copy);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1);
	struct rbmap_event ev = { .data = copy, .size = size };
	unsigned int how = size ? data[size - 1] : 0;

	memcpy(copy, data, size);
	/* Use one of the types that have a format. */
	if (size >= sizeof(id[0])) {
		uint16_t type;

		memcpy(&type, copy, sizeof(type));
		memcpy(copy, &id[type % nr_ids], sizeof(type));
		memcpy(&ev.ts, data, size < sizeof(ev.ts) ? size : sizeof(ev.ts));
		ev.lost = how == 255 ? RBMAP_LOST_UNKNOWN : how / 128;
	}
	print(&ev, how);
	use_as_text(data, size);
	free(copy);
	return 0;
}
