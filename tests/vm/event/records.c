// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of the built-in events have the same contents as ftrace's. Both are
 * enabled at once, and their records of one CPU between two system calls are
 * compared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define BEGIN		0x72626d01	/* numbers of system calls that do not exist */
#define END		0x72626d02
#define CPU		0
#define MAX_EVENTS	32
#define MAX_FIELDS	16
#define MAX_RECORDS	200000

/*
 * need-resched and preempt-resched: an interrupt can set them between the two
 * probes.
 */
#define FLAGS_MAY_DIFFER	0x26

static const char *const names[] = {
	"sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup",
	"sched/sched_wakeup_new", "sched/sched_migrate_task",
	"sched/sched_process_fork", "sched/sched_process_exec",
	"sched/sched_process_exit", "irq/irq_handler_entry",
	"irq/irq_handler_exit", "irq/softirq_raise", "irq/softirq_entry",
	"irq/softirq_exit", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
};

struct field {
	char		name[64];
	unsigned int	offset;
	unsigned int	size;
	bool		string;
};

struct event {
	int		id;
	struct field	field[MAX_FIELDS];
	int		nr_fields;
};

struct source {
	const char	*control;
	const char	*raw;
	struct event	event[MAX_EVENTS];
	char		**line;
	size_t		nr_lines;
	unsigned int	count[MAX_EVENTS];
};

static struct source ours = {
	.control	= "/sys/kernel/rbmap",
	.raw		= "/dev/rbmap/cpu%d",
};

static struct source theirs = {
	.control	= "/sys/kernel/tracing",
	.raw		= "/sys/kernel/tracing/per_cpu/cpu%d/trace_pipe_raw",
};

#define NR_NAMES	(sizeof(names) / sizeof(names[0]))

static void put(const struct source *source, const char *file,
		const char *value)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", source->control, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		bail_out("%s: %s", path, error_name(errno));
	close(fd);
}

static void parse(const struct source *source, const char *name,
		  struct event *event)
{
	char path[256], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s/format", source->control,
		 name);
	file = fopen(path, "re");
	if (!file)
		bail_out("%s: %s", path, error_name(errno));
	while (fgets(line, sizeof(line), file)) {
		struct field *field = &event->field[event->nr_fields];
		char *end = strchr(line, ';');
		char *word;

		sscanf(line, "ID: %d", &event->id);
		if (!end || sscanf(end, "; offset:%u; size:%u;", &field->offset,
				   &field->size) != 2)
			continue;
		*end = 0;
		field->string = strstr(line, "__data_loc");
		word = strrchr(line, ' ') + 1;
		snprintf(field->name, sizeof(field->name), "%.*s",
			 (int)strcspn(word, "["), word);
		if (strcmp(field->name, "common_type"))
			event->nr_fields++;
	}
	fclose(file);
}

static char *describe(const struct event *event, const char *name,
		      const struct record *record)
{
	char text[8192], *to = text;
	int i;

	to += sprintf(to, "%s:", name);
	for (i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->field[i];
		const char *at = record->payload + field->offset;
		unsigned char flags;
		unsigned int j;

		to += sprintf(to, " %s=", field->name);
		if (!strcmp(field->name, "common_flags")) {
			flags = *at & ~FLAGS_MAY_DIFFER;
			to += sprintf(to, "%02x", flags);
		} else if (field->string) {
			uint32_t loc;

			memcpy(&loc, at, sizeof(loc));
			to += sprintf(to, "\"%.*s\"(%u)", (int)(loc >> 16),
				      record->payload + (loc & 0xffff),
				      loc >> 16);
		} else if (strstr(field->name, "comm") &&
			   strncmp(field->name, "common", 6)) {
			to += sprintf(to, "\"%.*s\"", (int)field->size, at);
		} else {
			for (j = 0; j < field->size; j++)
				to += sprintf(to, "%02x", at[j] & 0xff);
		}
	}
	return strdup(text);
}

static bool is_call(const struct record *record, const struct source *source,
		    long number)
{
	const struct event *event = &source->event[NR_NAMES - 2];
	const struct field *field = event->field;
	uint16_t type;
	long id;

	while (strcmp(field->name, "id"))
		field++;
	memcpy(&type, record->payload, sizeof(type));
	memcpy(&id, record->payload + field->offset, sizeof(id));
	return type == event->id && id == number;
}

static void add(struct source *source, const struct record *record)
{
	uint16_t type;
	size_t i;

	memcpy(&type, record->payload, sizeof(type));
	for (i = 0; i < NR_NAMES; i++) {
		if (source->event[i].id != type)
			continue;
		source->count[i]++;
		if (source->nr_lines == MAX_RECORDS)
			bail_out("too many records");
		source->line[source->nr_lines++] =
			describe(&source->event[i], names[i], record);
	}
}

static void collect(struct source *source)
{
	static char subbuf[MAX_SUBBUF];
	char path[256];
	bool within = false, ended = false;
	struct cursor cursor;
	struct record record;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), source->raw, CPU);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		bail_out("%s: %s", path, error_name(errno));
	source->line = calloc(MAX_RECORDS, sizeof(char *));
	while ((len = read(fd, subbuf, sizeof(subbuf))) > 0) {
		cursor_begin(&cursor, subbuf);
		while (cursor_next(&cursor, &record)) {
			if (is_call(&record, source, BEGIN))
				within = true;
			if (within && !ended)
				add(source, &record);
			if (is_call(&record, source, END))
				ended = true;
		}
		if (cursor.bad)
			bail_out("%s: %s", path, cursor.bad);
	}
	close(fd);
	ok(within && ended,
	   "%s: both ends of the window are recorded", source->control);
}

/* Work that causes events of all kinds. */
static void work(void)
{
	cpu_set_t other, here;
	int i, status, fd[2];
	char byte = 0;

	CPU_ZERO(&here);
	CPU_SET(CPU, &here);
	CPU_ZERO(&other);
	CPU_SET(1, &other);
	for (i = 0; i < 20; i++) {
		pid_t child;

		if (pipe(fd))
			bail_out("pipe");
		child = fork();
		if (!child) {
			if (read(fd[0], &byte, 1) != 1)
				_exit(2);
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		sched_yield();
		if (write(fd[1], &byte, 1) != 1)
			bail_out("write");
		waitpid(child, &status, 0);
		close(fd[0]);
		close(fd[1]);
		sched_setaffinity(0, sizeof(other), &other);
		usleep(1000);
		sched_setaffinity(0, sizeof(here), &here);
		diag("to have interrupts of the serial port");
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Count the lines of @from that @in lacks; both are sorted. */
static unsigned int missing(const struct source *from,
			    const struct source *in, const char *who)
{
	unsigned int count = 0;
	size_t i, j = 0;

	for (i = 0; i < from->nr_lines; i++) {
		int cmp = 1;

		while (j < in->nr_lines &&
		       (cmp = strcmp(in->line[j], from->line[i])) < 0)
			j++;
		if (j < in->nr_lines && !cmp) {
			j++;
			continue;
		}
		if (count++ < 10)
			diag("%s only: %s", who, from->line[i]);
	}
	return count;
}

int main(void)
{
	size_t i;

	for (i = 0; i < NR_NAMES; i++) {
		parse(&ours, names[i], &ours.event[i]);
		parse(&theirs, names[i], &theirs.event[i]);
	}
	pin(CPU);
	put(&theirs, "buffer_size_kb", "16384");
	put(&theirs, "trace", "");
	put(&ours, "reset", "1");
	for (i = 0; i < NR_NAMES; i++) {
		char file[128];

		snprintf(file, sizeof(file), "events/%s/enable", names[i]);
		put(&theirs, file, "1");
		put(&ours, file, "1");
	}
	syscall(BEGIN);
	work();
	syscall(END);
	put(&ours, "events/enable", "0");
	put(&theirs, "events/enable", "0");

	collect(&ours);
	collect(&theirs);
	/* Other tests need the memory. */
	put(&theirs, "buffer_size_kb", "1408");
	for (i = 0; i < NR_NAMES; i++) {
		is(ours.count[i], theirs.count[i],
		   "%s: both have the same number of records", names[i]);
		ok(ours.count[i] > 0,
		   "%s: some records were compared", names[i]);
	}
	qsort(ours.line, ours.nr_lines, sizeof(char *), compare);
	qsort(theirs.line, theirs.nr_lines, sizeof(char *), compare);
	is(missing(&ours, &theirs, "rbmap"), 0, "records that ftrace lacks");
	is(missing(&theirs, &ours, "ftrace"), 0, "records that rbmap lacks");
	return done_testing();
}
