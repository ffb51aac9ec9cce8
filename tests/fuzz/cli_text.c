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

#include "print/fields/bprint.h"
#include "print/json_lines.h"
#include "print/line.h"
#include "print/session_formats.h"
#include "print/session_names.h"

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
static struct print_session *sessions[2];
static uint16_t id[65536];
static unsigned int nr_ids;

/* Add all formats SYSTEM/EVENT/format below a directory. */
static void add_formats(struct print_session *session, const char *dir)
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
			print_session_add_format(session, system, format.data, format.size);
		buf_free(&format);
		free(system);
	}
	globfree(&found);
}

static void free_sessions(void)
{
	print_session_free(sessions[0]);
	print_session_free(sessions[1]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *events = getenv("RBMAP_FUZZ_EVENTS");

	(void)argc;
	(void)argv;
	for (int i = 0; i < 2; i++) {
		sessions[i] = print_session_new();
		if (i == 0) {
			print_session_load_plugins(sessions[i]);
		} else {
			print_session_set_layout(sessions[i], 1, false, 20);
			print_session_comm_from_proc(sessions[i], true);
		}
		print_session_with_json(sessions[i], true);
		print_session_set_kallsyms(sessions[i], kallsyms, sizeof(kallsyms) - 1);
		print_session_set_constants(sessions[i], constants, sizeof(constants) - 1);
		print_session_stack_lines(sessions[i], i);
		add_formats(sessions[i], events ? events : "/sys/kernel/rbmap/events");
	}
	atexit(free_sessions);
	for (int i = 0; i < NR_EVENT_IDS; i++)
		if (print_session_event(sessions[0], i))
			id[nr_ids++] = i;
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
	struct print_session *session = sessions[how & 1];
	struct buf out = { 0 }, body = { 0 };
	struct print_line *line;

	print_session_set_time(session, &view);
	print_session_raw(session, how % 64 == 33);
	line = print_line_new(session);
	if (how & 2)
		json_lines_add(line, ev, how & 32, &body, &out);
	else
		print_line_add(line, ev, &out);
	buf_free(&body);
	buf_free(&out);
	print_line_free(line);
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
	print_session_add_comm(sessions[size % 2], size ? data[0] * 7 : 1, copy);
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
