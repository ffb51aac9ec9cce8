// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "base/process.h"
#include "cmdlines.h"

#define MAX_PAIRS	2		/* sched_switch names two threads */
#define NR_IDS		65536

struct field {
	unsigned int offset;
	unsigned int size;
	bool data_loc;		/* the field holds the place of the text */
};

struct comm_pair {
	struct field comm;
	struct field pid;
};

struct event_cmdlines {
	unsigned int nr;
	struct comm_pair pair[MAX_PAIRS];
};

struct comm_fields {
	struct event_cmdlines *event[NR_IDS];
};

struct comm_fields *comm_fields_new(void)
{
	return calloc(1, sizeof(struct comm_fields));
}

void comm_fields_free(struct comm_fields *fields)
{
	if (!fields)
		return;
	for (size_t i = 0; i < NR_IDS; i++)
		free(fields->event[i]);
	free(fields);
}

/* A line of a format: "field:char comm[16]; offset:8; size:16; signed:0;". */
struct format_line {
	char name[64];
	struct field field;
};

/* Store the last word of a declaration, which is the name, without "[16]". */
static bool name_of(const char *decl, size_t len, char *name, size_t size)
{
	size_t start;

	if (len && decl[len - 1] == ']')
		while (len && decl[--len] != '[')
			;
	start = len;
	while (start && (isalnum((unsigned char)decl[start - 1]) ||
			 decl[start - 1] == '_'))
		start--;
	if (start == len || len - start >= size)
		return false;
	memcpy(name, decl + start, len - start);
	name[len - start] = '\0';
	return true;
}

static bool parse_line(const char *line, struct format_line *l)
{
	const char *decl = strstr(line, "field:");
	const char *end, *eol = strchr(line, '\n');

	if (!decl || (eol && decl > eol))
		return false;
	decl += strlen("field:");
	end = strchr(decl, ';');
	if (!end || (eol && end > eol) ||
	    !name_of(decl, end - decl, l->name, sizeof(l->name)))
		return false;
	l->field.data_loc = !strncmp(decl, "__data_loc", 10);
	return sscanf(end, "; offset:%u; size:%u;", &l->field.offset,
		      &l->field.size) == 2;
}

static bool find_field(const char *format, const char *name,
		       struct field *field)
{
	struct format_line l;

	while (format) {
		if (parse_line(format, &l) && !strcmp(l.name, name)) {
			*field = l.field;
			return true;
		}
		format = strchr(format, '\n');
		if (format)
			format++;
	}
	return false;
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

int comm_fields_add(struct comm_fields *fields, const char *format)
{
	const char *at = strstr(format, "ID:");
	struct event_cmdlines found = { 0 };
	struct comm_pair pair;
	struct format_line l;
	unsigned int id;
	char pid[64];

	if (!at || sscanf(at, "ID: %u", &id) != 1 || id >= NR_IDS)
		return -EINVAL;
	for (at = format; at && found.nr < MAX_PAIRS;
	     at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		if (!parse_line(at, &l) || !pid_name(l.name, pid, sizeof(pid)))
			continue;
		/* oldcomm is the name that a renamed thread no longer has. */
		if (!strcmp(l.name, "oldcomm"))
			continue;
		pair.comm = l.field;
		if (find_field(format, pid, &pair.pid) && pair.pid.size == 4)
			found.pair[found.nr++] = pair;
	}
	if (!found.nr || fields->event[id])
		return 0;
	fields->event[id] = malloc(sizeof(found));
	if (!fields->event[id])
		return -ENOMEM;
	*fields->event[id] = found;
	return 0;
}

/* The table uses open addressing with pids as keys. */
struct entry {
	int pid;
	bool used;
	bool looked_up;		/* in /proc, when the first of its events came */
	bool named;
	char comm[COMM_SIZE];
	uint64_t ts;
};

struct cmdlines {
	struct entry *slot;
	size_t nr_slots;	/* a power of two */
	size_t nr_used;
	bool asks_proc;		/* /proc has the numbers of events */
};

struct cmdlines *cmdlines_new(void)
{
	struct cmdlines *cmdlines = calloc(1, sizeof(*cmdlines));

	if (!cmdlines)
		return NULL;
	cmdlines->asks_proc = proc_pids() == PROC_PIDS_KERNEL;
	cmdlines->nr_slots = 1024;
	cmdlines->slot = calloc(cmdlines->nr_slots, sizeof(*cmdlines->slot));
	if (!cmdlines->slot) {
		free(cmdlines);
		return NULL;
	}
	return cmdlines;
}

void cmdlines_free(struct cmdlines *cmdlines)
{
	if (cmdlines)
		free(cmdlines->slot);
	free(cmdlines);
}

static struct entry *find_slot(struct entry *slot, size_t nr_slots, int pid)
{
	size_t i = (uint32_t)pid * 2654435761u & (nr_slots - 1);

	while (slot[i].used && slot[i].pid != pid)
		i = (i + 1) & (nr_slots - 1);
	return &slot[i];
}

static bool grow(struct cmdlines *cmdlines)
{
	size_t nr = cmdlines->nr_slots * 2;
	struct entry *slot = calloc(nr, sizeof(*slot));

	if (!slot)
		return false;
	for (size_t i = 0; i < cmdlines->nr_slots; i++)
		if (cmdlines->slot[i].used)
			*find_slot(slot, nr, cmdlines->slot[i].pid) =
				cmdlines->slot[i];
	free(cmdlines->slot);
	cmdlines->slot = slot;
	cmdlines->nr_slots = nr;
	return true;
}

/* NULL: no memory. The recording goes on without the name. */
static struct entry *find_entry(struct cmdlines *cmdlines, int pid)
{
	struct entry *e = find_slot(cmdlines->slot, cmdlines->nr_slots, pid);

	if (e->used)
		return e;
	if (4 * (cmdlines->nr_used + 1) > 3 * cmdlines->nr_slots) {
		if (!grow(cmdlines))
			return NULL;
		e = find_slot(cmdlines->slot, cmdlines->nr_slots, pid);
	}
	cmdlines->nr_used++;
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

/* The module lists all threads by the kernel's numbers: "PID NAME". */
static void scan_module(struct cmdlines *cmdlines, uint64_t ts)
{
	FILE *list = fopen("/dev/rbmap/saved_cmdlines", "re");
	char line[256];
	int pid, at;

	while (list && fgets(line, sizeof(line), list))
		if (sscanf(line, "%d %n", &pid, &at) == 1)
			cmdlines_learn(cmdlines, pid, line + at, strlen(line + at), ts);
	if (list)
		fclose(list);
}

void cmdlines_scan(struct cmdlines *cmdlines, uint64_t ts)
{
	if (cmdlines->asks_proc)
		scan_proc(cmdlines, ts);
	else
		scan_module(cmdlines, ts);
}

static bool read_s32(const struct rbmap_event *ev, const struct field *f,
		     int32_t *value)
{
	if (f->offset > ev->size || ev->size - f->offset < sizeof(*value))
		return false;
	memcpy(value, (const char *)ev->data + f->offset, sizeof(*value));
	return true;
}

static void learn_pair(struct cmdlines *cmdlines, const struct comm_pair *pair,
		       const struct rbmap_event *ev)
{
	unsigned int offset = pair->comm.offset, size = pair->comm.size;
	struct entry *e;
	int32_t pid, loc;

	if (!read_s32(ev, &pair->pid, &pid))
		return;
	if (pair->comm.data_loc) {
		if (!read_s32(ev, &pair->comm, &loc))
			return;
		offset = loc & 0xffff;
		size = (uint32_t)loc >> 16;
	}
	if (offset > ev->size || ev->size - offset < size)
		return;
	e = find_entry(cmdlines, pid);
	if (!e)
		return;
	set_comm(e, (const char *)ev->data + offset, size, ev->ts);
}

void cmdlines_learn_event(struct cmdlines *cmdlines, const struct comm_fields *fields,
			  const struct rbmap_event *ev)
{
	struct rbmap_event_common common;
	const struct event_cmdlines *ec;
	struct entry *e;

	if (ev->size < sizeof(common))
		return;
	memcpy(&common, ev->data, sizeof(common));
	e = find_entry(cmdlines, common.pid);
	if (e && !e->looked_up) {
		e->looked_up = true;
		/* The thread may end soon, so read its name now. */
		if (!e->named && common.pid > 0)
			ask_proc(cmdlines, common.pid, COMM_TS_SEEN);
	}
	ec = fields->event[common.type];
	for (unsigned int i = 0; ec && i < ec->nr; i++)
		learn_pair(cmdlines, &ec->pair[i], ev);
}

void cmdlines_merge(struct cmdlines *to, const struct cmdlines *from)
{
	for (size_t i = 0; i < from->nr_slots; i++) {
		const struct entry *e = &from->slot[i];
		struct entry *mine;

		if (!e->used)
			continue;
		mine = find_entry(to, e->pid);
		if (!mine)
			continue;
		if (e->named)
			set_comm(mine, e->comm, COMM_SIZE, e->ts);
	}
}

const char *cmdlines_find(const struct cmdlines *cmdlines, int pid)
{
	const struct entry *e = find_slot(cmdlines->slot, cmdlines->nr_slots, pid);

	return e->named ? e->comm : NULL;
}

void cmdlines_print(const struct cmdlines *cmdlines, struct buf *out, size_t limit)
{
	for (size_t i = 0; i < cmdlines->nr_slots; i++) {
		const struct entry *e = &cmdlines->slot[i];

		/*
		 * Pid 0 is the idle task of each CPU, which readers of the file
		 * know.
		 */
		if (!e->used || !e->named || !e->pid)
			continue;
		if (out->size + COMM_SIZE + 14 > limit)
			break;
		buf_printf(out, "%d %s\n", e->pid, e->comm);
	}
}
