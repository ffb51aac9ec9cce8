// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap status: print whether the module is loaded, its settings, the enabled
 * events and the losses.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/complain.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "kernel/cpustats.h"
#include "kernel/holders.h"
#include "live/probe/auto_probes.h"
#include "recorders.h"

extern const struct command command_status;

/* files of the settings */
static const char *const settings[] = {
	"tracing_on", "overwrite", "buffer_size_kb", "buffer_subbuf_size_kb",
	"buffer_percent", "kptr",
};

/* the last setting, which is printed in words */
#define KPTR		5
#define NR_SETTINGS	(sizeof(settings) / sizeof(settings[0]))

struct status {
	bool as_json;
	char *version;
	char *clock;
	char *lockdown;
	char *kernel_events;
	char *lacking;
	uint64_t setting[NR_SETTINGS];
	char **buffer;		/* names of all named buffers */
	size_t nr_buffers;
	struct control_events events;
	struct cpustats *cpu;
	size_t nr_cpus;
	size_t nr_enabled, nr_unavailable;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_buffer(struct status *s, const char *name)
{
	if (!array_grow(s->buffer, s->nr_buffers))
		return false;
	s->buffer[s->nr_buffers] = strdup(name);
	return s->buffer[s->nr_buffers++];
}

static bool read_buffers(struct status *s)
{
	struct dirent *entry;
	char path[4096];
	bool ok = true;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", control_root());
	dir = opendir(path);
	if (!dir) {
		control_complain(CONTROL_READ, "/instances", -errno);
		return false;
	}
	while (ok && (entry = readdir(dir)))
		ok = !is_buffer_name(entry->d_name) ||
		     add_buffer(s, entry->d_name);
	closedir(dir);
	if (!ok)
		complain("out of memory");
	else if (s->nr_buffers)
		qsort(s->buffer, s->nr_buffers, sizeof(*s->buffer), by_name);
	return ok;
}

static bool read_status(struct status *s)
{
	s->version = control_read("/version");
	if (!s->version) {
		control_complain(CONTROL_READ, "/version", -errno);
		return false;
	}
	s->clock = control_clock();
	if (!s->clock) {
		control_complain(CONTROL_READ, "trace_clock", -errno);
		return false;
	}
	s->lacking = control_read("cpus_lacking");
	if (!s->lacking) {
		control_complain(CONTROL_READ, "cpus_lacking", -errno);
		return false;
	}
	s->lockdown = control_read("/lockdown");
	if (!s->lockdown) {
		control_complain(CONTROL_READ, "/lockdown", -errno);
		return false;
	}
	/* An older module does not have the file. */
	s->kernel_events = control_read("/kernel_events");
	for (size_t i = 0; i < NR_SETTINGS; i++) {
		int ret = control_read_u64(settings[i], &s->setting[i]);

		if (ret) {
			control_complain(CONTROL_READ, settings[i], ret);
			return false;
		}
	}
	if (!read_buffers(s) || control_events_read(&s->events) ||
	    control_events_replace(&s->events))
		return false;
	for (size_t i = 0; i < s->events.nr; i++) {
		s->nr_enabled += s->events.v[i].enabled;
		s->nr_unavailable += !!s->events.v[i].unavailable;
	}
	s->cpu = cpustats_read(&s->nr_cpus);
	return s->cpu;
}

static void free_status(struct status *s)
{
	free(s->version);
	free(s->clock);
	free(s->lockdown);
	free(s->kernel_events);
	free(s->lacking);
	for (size_t i = 0; i < s->nr_buffers; i++)
		free(s->buffer[i]);
	free(s->buffer);
	free(s->cpu);
	control_events_free(&s->events);
}

static uint64_t sum(const struct status *s, enum cpustat stat)
{
	uint64_t total = 0;

	for (size_t i = 0; i < s->nr_cpus; i++)
		total += s->cpu[i].value[stat];
	return total;
}

/* Print a line. */
static void __attribute__((format(printf, 2, 3)))
print_coloured(enum colour colour, const char *format, ...)
{
	va_list args;

	printf("%s", colour_begin(colour));
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("%s\n", colour_end(colour));
}

static bool is_left(const struct control_event *ev)
{
	return auto_probes_left(ev->system, ev->name);
}

static void print_left(const struct status *s)
{
	for (size_t i = 0; i < s->events.nr; i++) {
		const struct control_event *ev = &s->events.v[i];

		if (is_left(ev))
			print_coloured(COLOUR_WARNING, "  left over     %s:%s, which a killed recorder made: 'rbmap probe remove %s:%s' removes it",
				       ev->system, ev->name, ev->system, ev->name);
	}
}

/* A mounted directory keeps the module loaded. */
static void print_mount(const char *path, void *data)
{
	struct buf name = { 0 };

	(void)data;
	buf_add_printable(&name, path, strlen(path));
	buf_add(&name, "", 1);
	printf("tracefs-dir     %s\n", name.failed ? "?" : name.data);
	buf_free(&name);
}

static void print_mount_json(const char *path, void *data)
{
	json_string(data, NULL, path);
}

static void print_kernel_events(const struct status *s)
{
	static const enum colour colours[] = {
		[CONTROL_WAY_BEST] = COLOUR_NONE,
		[CONTROL_WAY_WORSE] = COLOUR_WARNING,
		[CONTROL_WAY_NONE] = COLOUR_BAD,
	};
	struct buf sentence = { 0 };
	enum control_way way;

	if (!s->kernel_events)
		return;
	way = control_way_describe(s->kernel_events, &sentence);
	print_coloured(colours[way], "kernel events   %s",
		       sentence.failed ? "?" : sentence.data);
	buf_free(&sentence);
}

static void print_text(const struct status *s)
{
	struct buf selection = { 0 };

	printf("module          loaded, version %s\n", s->version);
	if (control_buffer())
		printf("named           %s\n", control_buffer());
	for (size_t i = 0; i < s->nr_buffers && !control_buffer(); i++)
		printf("named buffer    %s\n", s->buffer[i]);
	if (!control_buffer()) {
		recorders_print(s->buffer, s->nr_buffers);
		mounts_each(MOUNTS_TYPE, print_mount, NULL);
	}
	printf("tracing         ");
	if (s->setting[0])
		printf("on\n");
	else
		print_coloured(COLOUR_WARNING, "off (tracing_on is 0)");
	printf("clock           %s\n", s->clock);
	printf("mode            %s\n", s->setting[1] ?
	       "overwrite: a full ring overwrites its oldest events" :
	       "discard: a full ring discards new events");
	printf("buffer          %" PRIu64 " KiB a CPU, sub-buffers of %" PRIu64
	       " KiB\n", s->setting[2], s->setting[3]);
	printf("buffer_percent  %" PRIu64 "\n", s->setting[4]);
	printf("addresses       %s\n", s->setting[KPTR] ?
	       "unchanged (kptr=1)" : "hashed");
	printf("lockdown        %s\n", s->lockdown);
	print_kernel_events(s);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		const uint64_t *v = s->cpu[i].value;

		enum colour colour = colour_if(v[CPUSTAT_LOST], COLOUR_BAD);

		printf("cpu %-11u %" PRIu64 " events unread, %" PRIu64
		       " read, %s%" PRIu64 " lost%s\n", s->cpu[i].cpu,
		       v[CPUSTAT_UNREAD], v[CPUSTAT_READ], colour_begin(colour),
		       v[CPUSTAT_LOST], colour_end(colour));
	}
	if (*s->lacking)
		print_coloured(COLOUR_BAD, "no memory       for the ring or files of CPU %s: use a smaller buffer_size_kb",
			       s->lacking);
	if (sum(s, CPUSTAT_LOST))
		printf("                'rbmap stat' lists the causes of losses\n");
	if (selection_describe(&selection, &s->events))
		print_coloured(COLOUR_WARNING, "selection       %s", selection.data);
	buf_free(&selection);
	printf("events          %zu, %zu enabled, %zu unavailable\n",
	       s->events.nr, s->nr_enabled, s->nr_unavailable);
	for (size_t i = 0; i < s->events.nr; i++)
		if (s->events.v[i].enabled)
			printf("  enabled       %s:%s\n", s->events.v[i].system,
			       s->events.v[i].name);
	for (size_t i = 0; i < s->events.nr; i++)
		if (s->events.v[i].unavailable)
			print_coloured(COLOUR_WARNING, "  unavailable   %s:%s: %s",
				       s->events.v[i].system, s->events.v[i].name,
				       s->events.v[i].unavailable);
	print_left(s);
}

static void print_event(struct json *j, const struct control_event *ev)
{
	char name[512];

	snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
	if (ev->unavailable) {
		json_open(j, NULL, '{');
		json_string(j, "event", name);
		json_string(j, "reason", ev->unavailable);
		json_close(j, '}');
	} else {
		json_string(j, NULL, name);
	}
}

static void print_json(const struct status *s)
{
	struct json j = { .out = stdout };
	struct buf selection = { 0 };

	json_open(&j, NULL, '{');
	json_bool(&j, "loaded", true);
	json_string(&j, "version", s->version);
	if (control_buffer()) {
		json_string(&j, "buffer", control_buffer());
	} else {
		json_open(&j, "buffers", '[');
		for (size_t i = 0; i < s->nr_buffers; i++)
			json_string(&j, NULL, s->buffer[i]);
		json_close(&j, ']');
		recorders_print_json(&j, s->buffer, s->nr_buffers);
		json_open(&j, "tracefs_dirs", '[');
		mounts_each(MOUNTS_TYPE, print_mount_json, &j);
		json_close(&j, ']');
	}
	json_bool(&j, "tracing_on", s->setting[0]);
	json_string(&j, "clock", s->clock);
	json_string(&j, "mode", s->setting[1] ? "overwrite" : "discard");
	for (size_t i = 2; i < KPTR; i++)
		json_unsigned(&j, settings[i], s->setting[i]);
	json_bool(&j, "kptr", s->setting[KPTR]);
	json_string(&j, "lockdown", s->lockdown);
	if (s->kernel_events)
		json_string(&j, "kernel_events", s->kernel_events);
	json_string(&j, "cpus_lacking", s->lacking);
	json_open(&j, "cpus", '[');
	for (size_t i = 0; i < s->nr_cpus; i++) {
		json_open(&j, NULL, '{');
		json_unsigned(&j, "cpu", s->cpu[i].cpu);
		for (int k = 0; k < NR_CPUSTATS; k++)
			json_unsigned(&j, cpustat_name(k),
				      s->cpu[i].value[k]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_string(&j, "selection", selection_describe(&selection, &s->events) ?
				     selection.data : "");
	buf_free(&selection);
	json_unsigned(&j, "events", s->events.nr);
	json_open(&j, "enabled", '[');
	for (size_t i = 0; i < s->events.nr; i++)
		if (s->events.v[i].enabled && !s->events.v[i].unavailable)
			print_event(&j, &s->events.v[i]);
	json_close(&j, ']');
	json_open(&j, "unavailable", '[');
	for (size_t i = 0; i < s->events.nr; i++)
		if (s->events.v[i].unavailable)
			print_event(&j, &s->events.v[i]);
	json_close(&j, ']');
	json_open(&j, "left_over", '[');
	for (size_t i = 0; i < s->events.nr; i++)
		if (is_left(&s->events.v[i]))
			print_event(&j, &s->events.v[i]);
	json_close(&j, ']');
	json_close(&j, '}');
}

/* "Not loaded" is a status, too: print it to stdout for scripts. */
static int print_not_loaded(bool as_json)
{
	struct json j = { .out = stdout };

	if (as_json) {
		json_open(&j, NULL, '{');
		json_bool(&j, "loaded", false);
		json_close(&j, '}');
	} else {
		print_coloured(COLOUR_BAD, "module          not loaded: run 'rbmap load' as root (if it fails: 'rbmap doctor')");
	}
	return STATUS_ERROR;
}

static const struct cli_option options[] = {
	BUFFER_OPTION,
	JSON_OPTION(struct status, as_json),
	{ 0 }
};

static int status(int argc, char **argv)
{
	struct status s = { 0 };
	int ret;

	if (!parse_options(&command_status, argc, argv, &s, &ret))
		return ret;
	if (optind < argc)
		return usage_error(&command_status, "unexpected argument '%s'",
				   argv[optind]);
	if (access(control_root(), F_OK) && errno == ENOENT &&
	    access("/sys/module/rbmap", F_OK))
		return print_not_loaded(s.as_json);
	if (!control_present())
		return STATUS_ERROR;
	ret = STATUS_ERROR;
	if (read_status(&s)) {
		if (s.as_json)
			print_json(&s);
		else
			print_text(&s);
		ret = STATUS_OK;
	}
	free_status(&s);
	return ret;
}

const struct command command_status = {
	.name		= "status",
	.synopsis	= "[-B NAME] [--json]",
	.summary	= "Show whether the module is loaded, and its settings",
	.options	= options,
	.help		= "Exit status 1: the module is not loaded.\n",
	.run		= status,
};
