// SPDX-License-Identifier: LGPL-2.1-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/process.h"
#include "cmdlines.h"
#include "event_common.h"
#include "formats/format_text.h"

#define MAX_PAIRS	2		/* sched_switch names two threads */

struct comm_pair {
	struct rbmap_format_field comm;	/* without its texts */
	uint32_t pid;		/* offset of the thread's number */
};

struct event_cmdlines {
	unsigned int nr;
	struct comm_pair pair[MAX_PAIRS];
};

struct comm_fields {
	struct event_cmdlines **event;	/* by the numbers of events; NULL: it has no names */
	size_t nr;
};

struct comm_fields *comm_fields_new(void)
{
	return calloc(1, sizeof(struct comm_fields));
}

void comm_fields_free(struct comm_fields *fields)
{
	if (!fields)
		return;
	for (size_t i = 0; i < fields->nr; i++)
		free(fields->event[i]);
	free(fields->event);
	free(fields);
}

/* prev_comm belongs to prev_pid; comm and newcomm belong to pid. */
static bool pid_name(const char *comm, char *pid, size_t size)
{
	size_t len = strlen(comm);

	if (!strcmp(comm, "newcomm"))
		comm = "comm", len = 4;
	if (len < 4 || strcmp(comm + len - 4, "comm"))
		return false;
	return snprintf(pid, size, "%.*spid", (int)(len - 4), comm) < (int)size;
}

static const struct rbmap_format_field *find_field(const struct format *format, const char *name)
{
	for (uint32_t i = 0; i < format->public.nr_fields; i++)
		if (!strcmp(format->field[i].name, name))
			return &format->field[i];
	return NULL;
}

static void add_pair(struct event_cmdlines *found, struct rbmap_format_field comm, uint32_t pid)
{
	comm.name = NULL;
	comm.type = NULL;
	found->pair[found->nr++] = (struct comm_pair){ comm, pid };
}

static void find_pairs(struct event_cmdlines *found, const struct format *format)
{
	for (uint32_t i = 0; i < format->public.nr_fields && found->nr < MAX_PAIRS; i++) {
		const struct rbmap_format_field *comm = &format->field[i], *pid;
		char name[64];

		/* oldcomm is the name that a renamed thread no longer has. */
		if (!strcmp(comm->name, "oldcomm") || !pid_name(comm->name, name, sizeof(name)))
			continue;
		pid = find_field(format, name);
		if (pid && pid->size == sizeof(int32_t))
			add_pair(found, *comm, pid->offset);
	}
}

static const struct event_cmdlines *names_of(const struct comm_fields *fields, uint32_t id)
{
	return id < fields->nr ? fields->event[id] : NULL;
}

int comm_fields_add(struct comm_fields *fields, const char *text)
{
	struct event_cmdlines found = { 0 };
	struct format *format;
	uint32_t id;
	const char *rest;
	int ret;

	if (!format_find_id(text, &id, &rest))
		return -EINVAL;
	/* Few events have names of threads. Parsing all formats would take longer. */
	if (names_of(fields, id) || (!strstr(text, "comm[") && !strstr(text, "comm;")))
		return 0;
	ret = format_parse(&format, "", text, strlen(text));
	if (ret)
		return ret;
	find_pairs(&found, format);
	format_free(format);
	if (!found.nr)
		return 0;
	if (id >= fields->nr &&
	    !array_extend(fields->event, fields->nr, array_room(fields->nr, id + 1)))
		return -ENOMEM;
	fields->event[id] = malloc(sizeof(found));
	if (!fields->event[id])
		return -ENOMEM;
	*fields->event[id] = found;
	return 0;
}

struct entry {
	int pid;
	bool used;
	bool looked_up;		/* in /proc, when the first of its events came */
	bool named;
	char comm[COMM_SIZE];
	uint64_t ts;
};

#define HASH_OF_PID(pid)	hash_u32(pid)
#define ENTRY_IS_OF(e, key)	((e)->pid == (key))
#define PID_OF_ENTRY(e)		((e)->pid)

HASH_TABLE(entries, struct entry);
HASH_FUNCTIONS(entries, struct entry, int, 1024, HASH_OF_PID, ENTRY_IS_OF, PID_OF_ENTRY);

struct cmdlines {
	struct entries entries;
	bool asks_proc;		/* /proc has the numbers of events */
};

struct cmdlines *cmdlines_new(void)
{
	struct cmdlines *cmdlines = calloc(1, sizeof(*cmdlines));

	if (!cmdlines)
		return NULL;
	cmdlines->asks_proc = proc_pids() == PROC_PIDS_KERNEL;
	return cmdlines;
}

void cmdlines_free(struct cmdlines *cmdlines)
{
	if (cmdlines)
		free(cmdlines->entries.slot);
	free(cmdlines);
}

/* NULL: no memory. The recording goes on without the name. */
static struct entry *find_entry(struct cmdlines *cmdlines, int pid)
{
	struct entry *e = entries_place(&cmdlines->entries, pid);

	if (!e || e->used)
		return e;
	cmdlines->entries.nr++;
	*e = (struct entry){ .pid = pid, .used = true };
	return e;
}

static void set_comm(struct entry *e, const char *comm, size_t size,
		     uint64_t ts)
{
	size_t n = 0;

	if (e->named && ts < e->ts)
		return;
	e->ts = ts;
	if (e->named && size >= COMM_SIZE && !memcmp(e->comm, comm, COMM_SIZE))
		return;
	while (n < size && n < COMM_SIZE - 1 && comm[n] && comm[n] != '\n')
		n++;
	if (!n)
		return;
	memset(e->comm, 0, COMM_SIZE);
	memcpy(e->comm, comm, n);
	e->named = true;
}

void cmdlines_learn(struct cmdlines *cmdlines, int pid, const char *comm, size_t size,
		    uint64_t ts)
{
	struct entry *e = find_entry(cmdlines, pid);

	if (e)
		set_comm(e, comm, size, ts);
}

static bool ask_proc(struct cmdlines *cmdlines, int pid, uint64_t ts)
{
	char path[64], comm[64];
	size_t got = 0;
	FILE *f;

	if (!cmdlines->asks_proc)
		return false;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f) {
		got = fread(comm, 1, sizeof(comm), f);
		fclose(f);
	}
	if (got)
		cmdlines_learn(cmdlines, pid, comm, got, ts);
	return got;
}

static void scan_proc(struct cmdlines *cmdlines, uint64_t ts)
{
	DIR *proc = opendir("/proc"), *task;
	struct dirent *p, *t;
	char path[300];

	while (proc && (p = readdir(proc))) {
		if (!isdigit((unsigned char)p->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", p->d_name);
		task = opendir(path);
		while (task && (t = readdir(task)))
			if (isdigit((unsigned char)t->d_name[0]))
				ask_proc(cmdlines, atoi(t->d_name), ts);
		if (task)
			closedir(task);
	}
	if (proc)
		closedir(proc);
}

/*
 * The module lists all threads by the kernel's numbers: "PID NAME". /proc takes seven system
 * calls for each process. Return false without the list.
 */
static bool scan_module(struct cmdlines *cmdlines, uint64_t ts)
{
	FILE *list = fopen("/dev/rbmap/saved_cmdlines", "re");
	char line[256], *comm;

	while (list && fgets(line, sizeof(line), list)) {
		int pid = strtol(line, &comm, 10);

		if (comm != line && *comm == ' ')
			cmdlines_learn(cmdlines, pid, comm + 1, strlen(comm + 1), ts);
	}
	return list && !fclose(list);
}

void cmdlines_scan(struct cmdlines *cmdlines, uint64_t ts)
{
	if (!scan_module(cmdlines, ts) && cmdlines->asks_proc)
		scan_proc(cmdlines, ts);
}

static void learn_pair(struct cmdlines *cmdlines, const struct comm_pair *pair,
		       const struct rbmap_event *ev)
{
	const void *text;
	struct entry *e;
	size_t size;
	int32_t pid;

	if (pair->pid > ev->size || ev->size - pair->pid < sizeof(pid) ||
	    rbmap_field_data(&pair->comm, ev, &text, &size))
		return;
	memcpy(&pid, (const char *)ev->data + pair->pid, sizeof(pid));
	e = find_entry(cmdlines, pid);
	if (e)
		set_comm(e, text, size, ev->ts);
}

void cmdlines_learn_event(struct cmdlines *cmdlines, const struct comm_fields *fields,
			  const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	const struct event_cmdlines *ec;
	struct entry *e;

	if (!event_common(ev, &common))
		return;
	e = find_entry(cmdlines, common.pid);
	if (e && !e->looked_up) {
		e->looked_up = true;
		/* The thread may end soon, so read its name now. */
		if (!e->named && common.pid > 0)
			ask_proc(cmdlines, common.pid, COMM_TS_SEEN);
	}
	ec = names_of(fields, common.type);
	for (unsigned int i = 0; ec && i < ec->nr; i++)
		learn_pair(cmdlines, &ec->pair[i], ev);
}

void cmdlines_merge(struct cmdlines *to, const struct cmdlines *from)
{
	const struct entry *e;

	hash_for_each(&from->entries, e) {
		struct entry *mine = find_entry(to, e->pid);

		if (mine && e->named)
			set_comm(mine, e->comm, COMM_SIZE, e->ts);
	}
}

const char *cmdlines_find(const struct cmdlines *cmdlines, int pid)
{
	const struct entry *e = entries_find(&cmdlines->entries, pid);

	return e && e->named ? e->comm : NULL;
}

static int by_pid(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a;
	const struct entry *y = *(const struct entry *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void cmdlines_print(const struct cmdlines *cmdlines, struct buf *out, size_t limit)
{
	struct entry **sorted = hash_sorted(&cmdlines->entries, by_pid);

	if (!sorted) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < cmdlines->entries.nr && out->size + COMM_SIZE + 14 <= limit; i++)
		/* Pid 0 is the idle task of each CPU, which readers of the file know. */
		if (sorted[i]->named && sorted[i]->pid)
			buf_printf(out, "%d %s\n", sorted[i]->pid, sorted[i]->comm);
	free(sorted);
}
