// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records have the same contents as ftrace's. Both are enabled at once, and their
 * records of one CPU between two system calls are compared.
 *
 *	records		built-in events
 *	records all	all events of the kernel
 *	records addresses	the same, and no record has an address of the kernel
 *	records [addresses] NAME...	these events, as SYSTEM/EVENT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define BEGIN		0x72626d01	/* numbers of system calls that do not exist */
#define END		0x72626d02
#define CPU		0
#define MAX_EVENTS	2048
#define MAX_FIELDS	64
#define MAX_RECORDS	1000000
#define CALL		"raw_syscalls/sys_enter"

/*
 * need-resched and preempt-resched: an interrupt can set them between the two
 * probes.
 */
#define FLAGS_MAY_DIFFER	0x26

static const char *const built_in[] = {
	"sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup",
	"sched/sched_wakeup_new", "sched/sched_migrate_task",
	"sched/sched_process_fork", "sched/sched_process_exec",
	"sched/sched_process_exit", "irq/irq_handler_entry",
	"irq/irq_handler_exit", "irq/softirq_raise", "irq/softirq_entry",
	"irq/softirq_exit", "raw_syscalls/sys_enter", "raw_syscalls/sys_exit",
};

static const char *names[MAX_EVENTS];
static size_t nr_names;

/*
 * Fields that the kernel's code reads from elsewhere when it fills the record, or leaves
 * unset in part. Two records of the same moment may differ there.
 */
static const char *const unsteady[] = {
	"neigh_create/primary_key6", "writeback_dirty_inode_start/state",
};

struct field {
	char		name[64];
	unsigned int	offset;
	unsigned int	size;
	bool		string;
	bool		text;
	bool		unsteady;
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
	short		index[65536];
};

/* Without initializers: those would put all of it into the program's file. */
static struct source ours, theirs;

#define NR_BUILT_IN	(sizeof(built_in) / sizeof(built_in[0]))

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

static bool is_unsteady(const char *name, const char *field)
{
	char path[160];
	size_t i;

	snprintf(path, sizeof(path), "%s/%s", strchr(name, '/') + 1, field);
	for (i = 0; i < sizeof(unsteady) / sizeof(unsteady[0]); i++)
		if (!strcmp(path, unsteady[i]))
			return true;
	return false;
}

static void parse(struct source *source, const char *name, struct event *event)
{
	static char line[65536];
	char path[256];
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
		field->text = strstr(line, "field:char ");
		word = strrchr(line, ' ') + 1;
		snprintf(field->name, sizeof(field->name), "%.*s",
			 (int)strcspn(word, "["), word);
		field->unsteady = is_unsteady(name, field->name);
		if (strcmp(field->name, "common_type"))
			event->nr_fields++;
		if (event->nr_fields == MAX_FIELDS)
			bail_out("%s has more than %d fields", name, MAX_FIELDS);
	}
	fclose(file);
	source->index[event->id] = event - source->event + 1;
}

static char *describe(const struct event *event, const char *name,
		      const struct record *record)
{
	static char text[65536];
	char *to = text;
	int i;

	to += sprintf(to, "%s:", name);
	for (i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->field[i];
		const char *at = record->payload + field->offset;
		unsigned char flags;
		unsigned int j;

		to += sprintf(to, " %s=", field->name);
		if (field->unsteady)
			continue;
		if (!strcmp(field->name, "common_flags")) {
			flags = *at & ~FLAGS_MAY_DIFFER;
			to += sprintf(to, "%02x", flags);
		} else if (field->string) {
			uint32_t loc;

			memcpy(&loc, at, sizeof(loc));
			to += sprintf(to, "\"%.*s\"(%u)", (int)(loc >> 16),
				      record->payload + (loc & 0xffff),
				      loc >> 16);
		} else if (field->text && field->size > 1) {
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
	static size_t call;
	const struct event *event;
	const struct field *field;
	uint16_t type;
	long id;

	while (strcmp(names[call], CALL))
		call++;
	event = &source->event[call];
	field = event->field;
	while (strcmp(field->name, "id"))
		field++;
	memcpy(&type, record->payload, sizeof(type));
	memcpy(&id, record->payload + field->offset, sizeof(id));
	return type == event->id && id == number;
}

static unsigned int nr_addresses;

/*
 * A word that holds several things can look like an address.  Examples are a node of -1 behind
 * flags, and the end of a string with bytes of an earlier event behind it.
 */
static bool is_several(const struct event *event, const struct record *record, uint32_t at)
{
	for (int i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->field[i];
		uint32_t loc, end;

		if (!field->string) {
			if (field->offset == at + 4 && field->size == 4)
				return true;
			continue;
		}
		memcpy(&loc, record->payload + field->offset, sizeof(loc));
		end = (loc & 0xffff) + (loc >> 16);
		if (end > at && end < at + 8)
			return true;
	}
	return false;
}

/* Look for addresses at each aligned place, also between the fields. */
static void look_for_addresses(const struct event *event, const char *name,
			       const struct record *record)
{
	uint32_t at;
	uint64_t word;

	for (at = 8; at + sizeof(word) <= record->size; at += sizeof(word)) {
		memcpy(&word, record->payload + at, sizeof(word));
		if (word < 0xffff800000000000 || word >= 0xfffffffffffff000 ||
		    is_several(event, record, at))
			continue;
		if (nr_addresses++ < 10)
			diag("%s: byte %" PRIu32 ": %#" PRIx64, name, at, word);
	}
}

static void add(struct source *source, const struct record *record)
{
	uint16_t type;
	size_t i;

	memcpy(&type, record->payload, sizeof(type));
	i = source->index[type];
	if (!i--)
		return;
	source->count[i]++;
	if (source == &ours)
		look_for_addresses(&source->event[i], names[i], record);
	if (source->nr_lines == MAX_RECORDS)
		bail_out("too many records");
	source->line[source->nr_lines++] = describe(&source->event[i], names[i], record);
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

#define MOUNTED	"/tmp/records.mounted"

/* A timer of a socket; memory for each CPU, which file systems need on all kernels */
static void set_up_and_free(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		bail_out("socket");
	close(fd);
	if (mkdir(MOUNTED, 0700) || mount("none", MOUNTED, "tmpfs", 0, NULL) ||
	    umount(MOUNTED) || rmdir(MOUNTED))
		bail_out("mount");
}

/* Work that causes events of all kinds. */
static void work(int rounds)
{
	cpu_set_t other, here;
	int i, status, fd[2];
	char byte = 0;

	CPU_ZERO(&here);
	CPU_SET(CPU, &here);
	CPU_ZERO(&other);
	CPU_SET(1, &other);
	for (i = 0; i < rounds; i++) {
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
		set_up_and_free();
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

/* The names of all events of the kernel, except system calls, which it makes itself. */
static void list_all(void)
{
	char line[256];
	FILE *file = fopen("/sys/kernel/tracing/available_events", "re");

	if (!file)
		bail_out("available_events: %s", error_name(errno));
	while (fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		line[strcspn(line, "\n")] = 0;
		if (!colon || !strncmp(line, "syscalls:", 9))
			continue;
		*colon = '/';
		if (nr_names == MAX_EVENTS)
			bail_out("more than %d events", MAX_EVENTS);
		names[nr_names++] = strdup(line);
	}
	fclose(file);
}

static void list_built_in(void)
{
	for (nr_names = 0; nr_names < NR_BUILT_IN; nr_names++)
		names[nr_names] = built_in[nr_names];
}

/* Let rbmap have the named events. */
static void list_named(char *const *name, int nr)
{
	char text[160];

	for (names[nr_names++] = CALL; nr--; name++) {
		names[nr_names++] = *name;
		snprintf(text, sizeof(text), "%s", *name);
		*strchr(text, '/') = ':';
		put(&ours, "available_events", text);
	}
}

/* One by one, because "*:*" would be ftrace's system calls, too. */
static void enable(const struct source *source)
{
	char file[160];
	size_t i;

	for (i = 0; i < nr_names; i++) {
		snprintf(file, sizeof(file), "events/%s/enable", names[i]);
		put(source, file, "1");
	}
}

/* Events that the kernel did not hand over to rbmap since it was loaded. */
static unsigned int missed(const char *name)
{
	unsigned long long calls, received, count = 0;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/%s/counts", ours.control, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "calls: %llu received: %llu missed: %llu", &calls, &received,
		   &count) != 3 || calls != received + count)
		ok(false, "%s: each call is received or missed", name);
	fclose(file);
	return count;
}

/* Results for each event that happened; return how many. */
static size_t compare_counts(bool all, unsigned int *sum)
{
	size_t i, fired = 0;
	int lacking;

	for (i = 0; i < nr_names; i++) {
		if (all && !ours.count[i] && !theirs.count[i])
			continue;
		fired++;
		/* Events before and after the window may be missed, too. */
		lacking = theirs.count[i] - ours.count[i];
		ok(lacking >= 0 && lacking <= (int)missed(names[i]),
		   "%s: rbmap has the %u records of ftrace, without %d that were missed",
		   names[i], theirs.count[i], lacking);
		*sum += lacking;
		if (!all)
			ok(ours.count[i] > 0,
			   "%s: some records were compared", names[i]);
	}
	return fired;
}

int main(int argc, char **argv)
{
	bool addresses = argc > 1 && !strcmp(argv[1], "addresses");
	bool named = argc > 1 + addresses && strcmp(argv[1], "all");
	bool all = argc > 1 && !named;
	unsigned int lacking = 0;
	size_t i, fired;

	ours.control = "/sys/kernel/rbmap";
	ours.raw = "/dev/rbmap/cpu%d";
	theirs.control = "/sys/kernel/tracing";
	theirs.raw = "/sys/kernel/tracing/per_cpu/cpu%d/trace_pipe_raw";

	if (all)
		list_all();
	else if (named)
		list_named(argv + 1 + addresses, argc - 1 - addresses);
	else
		list_built_in();
	if (all)
		put(&ours, "set_event", "*:*");
	for (i = 0; i < nr_names; i++) {
		parse(&ours, names[i], &ours.event[i]);
		parse(&theirs, names[i], &theirs.event[i]);
	}
	pin(CPU);
	put(&theirs, "buffer_size_kb", "16384");
	put(&theirs, "trace", "");
	enable(&theirs);
	enable(&ours);
	put(&theirs, "trace", "");
	put(&ours, "reset", "1");
	syscall(BEGIN);
	work(all || named ? 4 : 20);
	syscall(END);
	put(&ours, "events/enable", "0");
	put(&theirs, "events/enable", "0");

	collect(&ours);
	collect(&theirs);
	/* Other tests need the memory. */
	put(&theirs, "buffer_size_kb", "1408");
	if (addresses) {
		is(nr_addresses, 0, "no record has an address of the kernel");
		return done_testing();
	}
	fired = compare_counts(all, &lacking);
	diag("%zu of %zu events happened, %zu records", fired, nr_names, ours.nr_lines);
	qsort(ours.line, ours.nr_lines, sizeof(char *), compare);
	qsort(theirs.line, theirs.nr_lines, sizeof(char *), compare);
	is(missing(&ours, &theirs, "rbmap"), 0, "records that ftrace lacks");
	is(missing(&theirs, &ours, "ftrace"), lacking, "records that rbmap lacks");
	return done_testing();
}
