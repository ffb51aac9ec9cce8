// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/printable.h"
#include "base/terminal.h"
#include "crash_notes.h"
#include "line.h"
#include "print/fields/format_check.h"
#include "print/fields/printer.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "session_parts.h"

/* Bytes of an event's text, whatever its format says: a stack can be a name for each 8 bytes. */
#define TEXT_MAX(event_size)	(65536 + 80 * (size_t)(event_size))
#define CGROUP_WIDTH	24
#define NR_TASKS	64		/* columns of threads that are kept: a power of two */

/*
 * A record is copied and zeros are added before libtraceevent prints it. So no offset
 * or length of 16 bits, and no unterminated string, leads out of the copy.
 */
#define COPY_TAIL	(4 * 65536)

struct print_line {
	struct print_session *session;
	struct columns columns;
	struct task_column task[NR_TASKS];
	unsigned int task_version[NR_TASKS];	/* the version that a column is from */
	struct trace_seq seq;
	char *copy;
	size_t copy_size;		/* size without the zeros at the end */
	size_t copy_used;
};

struct print_line *print_line_new(struct print_session *s)
{
	struct print_line *line = calloc(1, sizeof(*line));

	if (!line)
		return NULL;
	line->session = s;
	line->columns = s->layout;
	columns_init(&line->columns);
	trace_seq_init(&line->seq);
	return line;
}

void print_line_free(struct print_line *line)
{
	if (!line)
		return;
	trace_seq_destroy(&line->seq);
	free(line->copy);
	free(line);
}

struct print_session *print_line_session(const struct print_line *line)
{
	return line->session;
}

/* A name has another address when it is another one, if those that are replaced are kept. */
static unsigned int names_version(const struct print_session *s)
{
	return s->keeps_names ? 0 : s->names_version;
}

/* Return the column of a thread, from the last time or new. */
static const struct task_column *task_of(struct print_line *line, const char *comm, int pid,
					 int cpu, const char *host)
{
	unsigned int i = (pid + 7U * cpu) & (NR_TASKS - 1);
	unsigned int version = names_version(line->session);
	struct task_column *task = &line->task[i];

	if (line->task_version[i] != version || task->comm != comm ||
	    task->pid != pid || task->cpu != cpu || task->host != host) {
		columns_set_task(&line->columns, task, comm, pid, cpu, host);
		line->task_version[i] = version;
	}
	return task;
}

const char *print_line_copy(struct print_line *line, const struct rbmap_event *ev)
{
	if (ev->size > line->copy_size || !line->copy) {
		size_t size = ev->size < 4096 ? 4096 : 2 * (size_t)ev->size;
		char *copy = calloc(1, size + COPY_TAIL);

		if (!copy)
			return NULL;
		free(line->copy);
		line->copy = copy;
		line->copy_size = size;
		line->copy_used = 0;
	}
	if (line->copy_used > ev->size)
		memset(line->copy + ev->size, 0, line->copy_used - ev->size);
	memcpy(line->copy, ev->data, ev->size);
	line->copy_used = ev->size;
	return line->copy;
}

/* Let libtraceevent print the event. It finds the format by the id. */
static int add_by_library(struct print_line *line, const struct rbmap_event *ev,
			  const struct event_info *info, struct buf *out)
{
	struct print_session *s = line->session;
	struct tep_record record = {
		.ts = ev->ts,
		.size = ev->size,
		.data = (void *)print_line_copy(line, ev),
		.cpu = ev->cpu,
		.ref_count = 1,
	};

	if (!record.data)
		return -ENOMEM;
	if (!array_lengths_are_sane(info->lengths, record.data, ev->size)) {
		buf_printf(out, "[%" PRIu32 " bytes, its format reads more]", ev->size);
		return 0;
	}
	trace_seq_reset(&line->seq);
	pthread_mutex_lock(&s->library);
	if (tep_find_event(s->tep, info->event->id) != info->event) {
		pthread_mutex_unlock(&s->library);
		buf_printf(out, "[%" PRIu32 " bytes, its format is there twice]", ev->size);
		return 0;
	}
	if (!crash_enter(info->mark, s->file, info->event->system, info->event->name)) {
		pthread_mutex_unlock(&s->library);
		buf_printf(out, "[%" PRIu32 " bytes, of no known format]", ev->size);
		return 0;
	}
	tep_print_event(s->tep, &line->seq, &record, "%s", TEP_PRINT_INFO);
	crash_leave();
	pthread_mutex_unlock(&s->library);
	trace_seq_terminate(&line->seq);
	if (line->seq.state == TRACE_SEQ__GOOD)
		buf_add(out, line->seq.buffer, strlen(line->seq.buffer));
	else
		buf_printf(out, "[too much text]");
	return 0;
}

static int add_body(struct print_line *line, const struct rbmap_event *ev,
		    const struct event_parts *parts, bool lines, struct buf *out)
{
	const struct event_info *info = parts->info;
	struct print_session *s = line->session;
	const struct tracer_print how = {
		.leaf = parts->is_leaf ? &parts->leaf : NULL,
		.lines = lines,
		.constants = s->constants,
	};

	if (!info)
		buf_printf(out, "[%" PRIu32 " bytes, of no known format]", ev->size);
	else if ((int)ev->size < info->size)
		buf_printf(out, "[%" PRIu32 " bytes, its format says %d]", ev->size,
			   info->size);
	else if (info->syscall)
		syscalls_event_print(info->syscall, &s->machine, parts->compat, ev->data, out);
	else if (info->tracer)
		tracer_event_print(info->tracer, ev->data, ev->size, &how, print_session_find_symbol,
				   s, out);
	else if (!info->printer ||
		 !printer_print(info->printer, ev->data, ev->size, print_session_find_symbol,
				s, out))
		return add_by_library(line, ev, info, out);
	return 0;
}

/*
 * Drop the newlines at the end of the text behind @before, replace the others, and escape
 * control characters.
 */
static void make_plain(struct buf *out, size_t before)
{
	char *at, *end;

	while (out->size > before && out->data[out->size - 1] == '\n')
		out->size--;
	if (is_printable(out->data + before, out->size - before))
		return;
	at = out->data + before;
	end = out->data + out->size;
	while (at < end && (at = memchr(at, '\n', end - at)))
		*at = ' ';
	buf_make_printable(out, before);
}

static int add_plain_body(struct print_line *line, const struct rbmap_event *ev,
			  const struct event_parts *parts, bool lines, struct buf *out)
{
	const struct event_info *info = parts->info;
	size_t before = out->size;
	int ret;

	ret = add_body(line, ev, parts, lines, out);
	if (ret)
		return ret;
	if (out->size - before > TEXT_MAX(ev->size)) {
		out->size = before;
		buf_printf(out, "[too much text]");
	}
	if (!info || !info->is_plain)
		make_plain(out, before);
	return out->failed ? -ENOMEM : 0;
}

int print_line_add_body(struct print_line *line, const struct rbmap_event *ev,
			const struct event_parts *parts, struct buf *out)
{
	return add_plain_body(line, ev, parts, false, out);
}

static void add_label(const struct event_label *label, struct buf *out)
{
	char *at;

	if (label->size > LABEL_COPY) {
		buf_add(out, label->text, label->size);
		return;
	}
	at = buf_room(out, LABEL_COPY);
	if (!at)
		return;
	/* A constant number of bytes needs no call. */
	memcpy(at, label->text, LABEL_COPY);
	buf_end(out, at + label->size);
}

/* "/shop/web (7)   " */
static void add_cgroup(const struct dat_cgroups *cgroups, int pid, struct buf *out)
{
	const struct dat_task *task = pid > 0 ? dat_cgroups_find(cgroups, pid) : NULL;
	size_t begin = out->size;

	if (task)
		buf_add_printable(out, task->cgroup, strlen(task->cgroup));
	else
		buf_add(out, "-", 1);
	if (task && task->ns_pid)
		buf_printf(out, " (%d)", task->ns_pid);
	begin = out->size - begin;
	buf_printf(out, "%*s ", begin < CGROUP_WIDTH ? (int)(CGROUP_WIDTH - begin) : 0, "");
}

int print_line_add_event(struct print_line *line, const struct rbmap_event *ev,
			 const struct event_parts *parts, struct buf *out)
{
	const struct task_column *task = task_of(line, parts->comm, parts->common.pid, ev->cpu,
						 parts->host ? parts->host->name : NULL);
	const struct print_session *s = line->session;
	int ret;

	if (s->cgroups)
		add_cgroup(s->cgroups, parts->common.pid, out);
	columns_add(&line->columns, task, &parts->common, ev->ts, out);
	if (parts->info)
		add_label(&parts->info->label, out);
	else
		buf_printf(out, "%s%u: ", s->unknown, parts->common.type);
	ret = add_plain_body(line, ev, parts, s->stack_lines, out);
	buf_add(out, "\n", 1);
	return ret ? ret : out->failed ? -ENOMEM : 0;
}

static void add_lost(const struct print_line *line, const struct rbmap_event *ev,
		     struct buf *out)
{
	if (!ev->lost)
		return;
	buf_printf(out, "%s", colour_begin(COLOUR_BAD));
	print_session_add_cpu(line->session, ev->cpu, out);
	if (ev->lost == RBMAP_LOST_UNKNOWN)
		buf_printf(out, " [LOST EVENTS]");
	else
		buf_printf(out, " [LOST %" PRIu64 " EVENTS]", ev->lost);
	buf_printf(out, "%s\n", colour_end(COLOUR_BAD));
}

static void add_raw(struct print_line *line, const struct rbmap_event *ev, struct buf *out)
{
	const unsigned char *data = ev->data;

	print_session_add_cpu(line->session, ev->cpu, out);
	columns_add_time(&line->columns, ev->ts, out);
	buf_printf(out, "%" PRIu32 " bytes:", ev->size);
	for (uint32_t i = 0; i < ev->size; i++)
		buf_printf(out, " %02x", data[i]);
	buf_add(out, "  |", 3);
	for (uint32_t i = 0; i < ev->size; i++)
		buf_add(out, data[i] >= ' ' && data[i] < 0x7f ? &data[i] :
			(const void *)".", 1);
	buf_add(out, "|\n", 2);
}

int print_line_add(struct print_line *line, const struct rbmap_event *ev, struct buf *out)
{
	struct event_parts parts;
	int ret;

	add_lost(line, ev, out);
	if (line->session->raw) {
		add_raw(line, ev, out);
		return out->failed ? -ENOMEM : 0;
	}
	ret = print_session_find_parts(line->session, ev, &parts);
	if (ret == -EINVAL) {
		print_session_add_cpu(line->session, ev->cpu, out);
		buf_printf(out, " [EVENT OF %" PRIu32 " BYTES]\n", ev->size);
		return out->failed ? -ENOMEM : 0;
	}
	return ret ? ret : print_line_add_event(line, ev, &parts, out);
}

void print_line_add_dropped(const struct print_line *line, int cpu, uint64_t lost,
			    struct buf *out)
{
	print_session_add_cpu(line->session, cpu, out);
	if (lost == RBMAP_LOST_UNKNOWN)
		buf_printf(out, " [EVENTS DROPPED]");
	else
		buf_printf(out, " [%" PRIu64 " EVENTS DROPPED]", lost);
}

void print_line_add_short(const struct print_line *line, const struct rbmap_event *ev,
			  struct buf *out)
{
	print_session_add_cpu(line->session, ev->cpu, out);
	buf_printf(out, " [event of %" PRIu32 " bytes]\n", ev->size);
}
