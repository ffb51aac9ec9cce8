// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare what O_TRUNC, an empty write and a write without O_TRUNC change in the writable
 * files of two directories: tracefs and the file system rbmap.
 *
 *	truncate TRACEFS RBMAP
 *	truncate --as-nobody COMMAND [ARGUMENT]...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

#define TEXT	65536

/* A file, what it has before each act, and what adds to that, or NULL. */
static const struct {
	const char *name;
	const char *before;
	const char *more;
} files[] = {
	{ "set_event", "sched:sched_switch\n", "sched:sched_waking\n" },
	{ "set_event_pid", "1 7\n", "5\n" },
	{ "set_event_notrace_pid", "3\n", "4\n" },
	{ "events/sched/sched_switch/enable", "1", NULL },
	{ "events/sched/sched_switch/filter", "prev_pid == 1", NULL },
	{ "events/sched/enable", "1", NULL },
	{ "events/enable", "0", NULL },
	{ "tracing_on", "1", NULL },
	{ "tracing_cpumask", "1", NULL },
	{ "trace_clock", "mono", NULL },
	{ "buffer_size_kb", "128", NULL },
	{ "buffer_percent", "30", NULL },
	{ "per_cpu/cpu0/buffer_size_kb", "128", NULL },
	{ "options/event-fork", "1", NULL },
	{ "options/overwrite", "0", NULL },
	{ "trace_options", "event-fork", NULL },
	{ "current_tracer", "nop", NULL },
	{ "set_ftrace_filter", NULL, NULL },
	{ "set_ftrace_notrace", NULL, NULL },
	{ "set_graph_function", NULL, NULL },
	{ "set_graph_notrace", NULL, NULL },
	{ "error_log", NULL, NULL },
	{ "trace", NULL, NULL },
};

/* An act: the flags of open(), and a text to write, or NULL. */
static const struct {
	const char *what;
	int flags;
	const char *text;
} acts[] = {
	{ "O_TRUNC", O_WRONLY | O_TRUNC, NULL },
	{ "O_TRUNC and O_RDWR", O_RDWR | O_TRUNC, NULL },
	{ "O_WRONLY alone", O_WRONLY, NULL },
	{ "a write of no bytes", O_WRONLY, "" },
	{ "a write of a newline", O_WRONLY, "\n" },
	{ "O_TRUNC and a newline", O_WRONLY | O_TRUNC, "\n" },
	{ "O_TRUNC and O_APPEND", O_WRONLY | O_TRUNC | O_APPEND, NULL },
};

static void path_of(char *path, size_t size, const char *dir, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
}

/* Return what the file has; a file that cannot be read has nothing. */
static void contents(const char *dir, const char *name, char *text)
{
	char path[512];
	ssize_t part, size = 0;
	int fd;

	path_of(path, sizeof(path), dir, name);
	fd = open(path, O_RDONLY);
	while (fd >= 0 && size < TEXT - 1 &&
	       (part = read(fd, text + size, TEXT - 1 - size)) > 0)
		size += part;
	if (fd >= 0)
		close(fd);
	text[size] = '\0';
}

/* Return 0 or an errno. */
static int act(const char *dir, const char *name, int flags, const char *text)
{
	char path[512];
	int fd, error = 0;

	path_of(path, sizeof(path), dir, name);
	fd = open(path, flags);
	if (fd < 0)
		return errno;
	if (text && write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	return error;
}

/* A refused filter, so that error_log has something; no events, so that both traces are equal. */
static void set_before(const char *dir, size_t file)
{
	if (!strcmp(files[file].name, "error_log"))
		act(dir, "events/sched/sched_waking/filter", O_WRONLY, "nothing == 1");
	else if (!strcmp(files[file].name, "trace"))
		act(dir, "trace", O_WRONLY | O_TRUNC, NULL);
	else if (files[file].before)
		act(dir, files[file].name, O_WRONLY | O_TRUNC, files[file].before);
}

struct outcome {
	int error;
	bool changed;
	bool empty;
	bool is_list;		/* a list of pids or events has the same text in both */
	char text[TEXT];
};

static void try(const char *dir, size_t file, int flags, const char *text,
		struct outcome *outcome)
{
	static char before[TEXT];

	set_before(dir, file);
	contents(dir, files[file].name, before);
	outcome->error = act(dir, files[file].name, flags, text);
	contents(dir, files[file].name, outcome->text);
	outcome->changed = strcmp(before, outcome->text);
	outcome->empty = !*outcome->text;
	outcome->is_list = files[file].more;
}

static void compare(const char *const dir[2], size_t file, int flags, const char *text,
		    const char *what)
{
	static struct outcome outcome[2];
	struct outcome *theirs = &outcome[0], *ours = &outcome[1];

	for (int i = 0; i < 2; i++)
		try(dir[i], file, flags, text, &outcome[i]);
	/* sysfs does not pass on a write of no bytes. */
	if (text && !*text)
		ours->error = theirs->error;
	is_error(ours->error, theirs->error, "%s: %s: the error is that of tracefs",
		 files[file].name, what);
	if (!ok(ours->changed == theirs->changed &&
		(!ours->changed || ours->empty == theirs->empty) &&
		(!ours->is_list || !strcmp(ours->text, theirs->text)),
		"%s: %s: it changes what it changes in tracefs", files[file].name, what))
		diag("got '%s'%s, wanted '%s'%s", ours->text,
		     ours->changed ? ", changed" : "", theirs->text,
		     theirs->changed ? ", changed" : "");
}

/* In tracefs a write of no bytes is an error that replaces the filter. */
static bool is_known(size_t file, const char *text)
{
	return text && !*text && strstr(files[file].name, "/filter");
}

static bool exists(const char *dir, const char *name)
{
	char path[512];

	path_of(path, sizeof(path), dir, name);
	return !access(path, W_OK);
}

static int as_nobody(char **argv)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		bail_out("cannot become another user: %m");
	execvp(argv[0], argv);
	bail_out("cannot run %s: %m", argv[0]);
}

int main(int argc, char **argv)
{
	const char *const dir[2] = { argv[1], argv[2] };
	int nr = 0;

	if (argc > 2 && !strcmp(argv[1], "--as-nobody"))
		return as_nobody(argv + 2);
	if (argc != 3)
		bail_out("usage: truncate TRACEFS RBMAP");
	for (size_t file = 0; file < sizeof(files) / sizeof(*files); file++) {
		if (!exists(dir[0], files[file].name))
			continue;
		if (!ok(exists(dir[1], files[file].name), "%s is there", files[file].name))
			continue;
		nr++;
		for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
			if (!is_known(file, acts[i].text))
				compare(dir, file, acts[i].flags, acts[i].text, acts[i].what);
		if (files[file].more)
			compare(dir, file, O_WRONLY, files[file].more, "a write without O_TRUNC");
		for (int d = 0; d < 2; d++)
			act(dir[d], files[file].name, O_WRONLY | O_TRUNC, "");
	}
	ok(nr > 12, "%d files were compared", nr);
	return done_testing();
}
