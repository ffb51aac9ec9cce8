// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/json.h"
#include "field_value.h"
#include "json_layout.h"
#include "json_lines.h"
#include "print/fields/fields.h"
#include "print/fields/numbers.h"
#include "print/fields/printer.h"
#include "print/fields/syscalls.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"

#define HEAD_ROOM	128	/* for the numbers before a thread's name, and their keys */

/* Inline, so that the compiler knows the length of a constant. */
static inline __attribute__((always_inline)) void add_text(struct buf *out, const char *text)
{
	buf_add(out, text, strlen(text));
}

/* Write at @at, which has room. Return the end. */
static inline __attribute__((always_inline)) char *put_text(char *at, const char *text)
{
	return mempcpy(at, text, strlen(text));
}

static void add_unsigned(struct buf *out, uint64_t value)
{
	char *at = buf_room(out, NUMBER_MAX);

	if (at)
		buf_end(out, put_decimal(at, value));
}

static void add_signed(struct buf *out, int64_t value)
{
	char *at = buf_room(out, NUMBER_MAX + 1);

	if (at)
		buf_end(out, put_signed(at, value));
}

/* @buffer: NULL: it has no name */
static void add_buffer(struct buf *out, const char *buffer)
{
	if (!buffer)
		return;
	add_text(out, ", \"buffer\": ");
	json_add_string(out, buffer, strlen(buffer));
}

static void add_host(struct buf *out, const struct dat_host *host)
{
	if (!host)
		return;
	add_text(out, ", \"host\": ");
	json_add_string(out, host->name, strlen(host->name));
}

void json_lines_lost(const struct print_session *s, int cpu, uint64_t lost, const char *buffer,
		     struct buf *out)
{
	add_text(out, "{\"cpu\": ");
	add_signed(out, cpu);
	add_host(out, print_session_host(s, cpu));
	add_buffer(out, buffer);
	add_text(out, ", \"lost\": ");
	if (lost == RBMAP_LOST_UNKNOWN)
		add_text(out, "null");
	else
		add_unsigned(out, lost);
	add_text(out, "}\n");
}

static void add_number(struct buf *out, const char *at, int size, bool is_signed)
{
	uint64_t value = field_number(at, size);

	if (is_signed)
		add_signed(out, sign_extend(value, 8 * size));
	else
		add_unsigned(out, value);
}

static void add_array(struct buf *out, const struct tep_format_field *f,
		      const char *at, unsigned int size)
{
	unsigned int element = f->elementsize;

	add_text(out, "[");
	for (unsigned int i = 0; i + element <= size; i += element) {
		if (i)
			add_text(out, ", ");
		add_number(out, at + i, element, f->flags & TEP_FIELD_IS_SIGNED);
	}
	add_text(out, "]");
}

/* The first key of an object has no comma. */
static void add_key(struct buf *out, const struct json_key *key)
{
	unsigned int skip = out->size && out->data[out->size - 1] == '{' ? 2 : 0;

	buf_add(out, key->text + skip, key->size - skip);
}

static int add_field(struct buf *out, struct print_line *line, const struct rbmap_event *ev,
		     const struct json_field *jf)
{
	const struct tep_format_field *f = jf->field;
	struct field_value value;

	if (field_value_find(line, ev, f, &value))
		return -ENOMEM;
	if (value.kind == FIELD_NONE)
		return 0;
	add_key(out, &jf->key);
	if (value.kind == FIELD_STRING)
		json_add_string(out, value.at, value.size);
	else if (value.kind == FIELD_ARRAY)
		add_array(out, f, value.at, value.size);
	else
		add_number(out, value.at, value.size, f->flags & TEP_FIELD_IS_SIGNED);
	return 0;
}

static int add_fields(struct buf *out, struct print_line *line, const struct rbmap_event *ev,
		      const struct json_layout *layout)
{
	int ret = 0;

	add_text(out, ", \"fields\": {");
	for (unsigned int i = 0; i < layout->nr_fields && !ret; i++)
		ret = add_field(out, line, ev, &layout->field[i]);
	add_text(out, "}");
	return ret;
}

/* Append the text of @body as a string, and empty @body. */
static void add_body(struct buf *out, struct buf *body)
{
	json_add_string(out, body->data, body->size);
	body->size = 0;
}

/* The names of flags, states and system calls, beside their numbers in the fields */
static void add_names(struct buf *out, const struct rbmap_event *ev,
		      const struct event_parts *parts, struct buf *body)
{
	const struct json_layout *layout = parts->json;
	const char *call;

	if (!layout->names.nr && !layout->syscall)
		return;
	add_text(out, ", \"names\": {");
	for (unsigned int i = 0; i < layout->names.nr; i++) {
		body->size = 0;
		if (!printer_print(layout->names.v[i].printer, ev->data, ev->size, NULL,
				   NULL, body))
			continue;
		add_key(out, &layout->name_key[i]);
		add_body(out, body);
	}
	call = layout->syscall ? syscalls_event_name(layout->syscall, parts->machine,
						     parts->compat, ev->data) : NULL;
	if (call) {
		add_text(out, "\"id\": ");
		json_add_string(out, call, strlen(call));
	}
	/* The numbers are those of 32-bit programs. */
	if (parts->compat) {
		const char *mark = syscalls_compat_mark(parts->machine);

		add_text(out, call ? ", \"abi\": " : "\"abi\": ");
		json_add_string(out, mark, strlen(mark));
	}
	add_text(out, "}");
}

/* Append the flags as a number, and by name. */
static void add_flags(struct buf *out, unsigned int flags)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} names[] = {
		{ FLAG_IRQS_OFF, "irqs_off" },
		{ FLAG_NEED_RESCHED_LAZY, "need_resched_lazy" },
		{ FLAG_NEED_RESCHED, "need_resched" }, { FLAG_HARDIRQ, "hardirq" },
		{ FLAG_SOFTIRQ, "softirq" }, { FLAG_PREEMPT_RESCHED, "preempt_resched" },
		{ FLAG_NMI, "nmi" }, { FLAG_BH_OFF, "bh_off" },
	};
	bool any = false;

	/* Most events have none. */
	if (!flags) {
		add_text(out, ", \"flags\": 0, \"flag_names\": []");
		return;
	}
	add_text(out, ", \"flags\": ");
	add_unsigned(out, flags);
	add_text(out, ", \"flag_names\": [");
	for (size_t i = 0; flags && i < sizeof(names) / sizeof(*names); i++) {
		if (!(flags & names[i].flag))
			continue;
		flags &= ~names[i].flag;
		add_text(out, any ? ", \"" : "\"");
		add_text(out, names[i].name);
		add_text(out, "\"");
		any = true;
	}
	add_text(out, "]");
}

static void add_task(struct buf *out, const struct dat_task *task)
{
	if (!task)
		return;
	if (task->ns_pid) {
		add_text(out, ", \"ns_pid\": ");
		add_signed(out, task->ns_pid);
	}
	add_text(out, ", \"cgroup\": ");
	json_add_string(out, task->cgroup, strlen(task->cgroup));
}

static void add_head(struct buf *out, const struct rbmap_event *ev,
		     const struct event_parts *parts)
{
	const struct rbmap_event_common *common = &parts->common;
	char *at = buf_room(out, HEAD_ROOM);

	if (!at)
		return;
	at = put_decimal(put_text(at, "{\"ts\": "), ev->ts);
	at = put_signed(put_text(at, ", \"cpu\": "), ev->cpu);
	at = put_signed(put_text(at, ", \"pid\": "), common->pid);
	buf_end(out, put_text(at, ", \"comm\": "));
	json_add_string(out, parts->comm, strlen(parts->comm));
	add_task(out, parts->task);
	add_host(out, parts->host);
	add_buffer(out, parts->buffer);
	add_flags(out, common->flags);
	add_text(out, ", \"preempt_count\": ");
	add_unsigned(out, common->preempt_count);
	if (parts->json) {
		buf_add(out, parts->json->label.text, parts->json->label.size);
		return;
	}
	add_text(out, ", \"type\": ");
	add_unsigned(out, common->type);
	add_text(out, ", \"text\": ");
}

int json_lines_event(struct print_line *line, const struct rbmap_event *ev,
		     const struct event_parts *parts, struct buf *body, struct buf *out)
{
	int ret;

	add_head(out, ev, parts);
	body->size = 0;
	ret = print_line_add_body(line, ev, parts, body);
	add_body(out, body);
	if (!ret && parts->json && parts->whole) {
		ret = add_fields(out, line, ev, parts->json);
		add_names(out, ev, parts, body);
	}
	add_text(out, "}\n");
	return ret ? ret : out->failed || body->failed ? -ENOMEM : 0;
}

void json_lines_raw(const struct print_session *s, const struct rbmap_event *ev,
		    const char *buffer, struct buf *out)
{
	const unsigned char *data = ev->data;

	add_text(out, "{\"ts\": ");
	add_unsigned(out, ev->ts);
	add_text(out, ", \"cpu\": ");
	add_signed(out, ev->cpu);
	add_host(out, print_session_host(s, ev->cpu));
	add_buffer(out, buffer);
	add_text(out, ", \"data\": \"");
	for (uint32_t i = 0; i < ev->size; i++)
		buf_printf(out, "%02x", data[i]);
	add_text(out, "\"}\n");
}

int json_lines_add(struct print_line *line, const struct rbmap_event *ev, bool raw,
		   struct buf *body, struct buf *out)
{
	struct print_session *s = print_line_session(line);
	struct event_parts parts;
	int ret = raw ? -EINVAL : print_session_find_parts(s, ev, &parts);

	if (ev->lost)
		json_lines_lost(s, ev->cpu, ev->lost, NULL, out);
	if (!ret)
		return json_lines_event(line, ev, &parts, body, out);
	if (ret != -EINVAL)
		return ret;
	json_lines_raw(s, ev, NULL, out);
	return out->failed ? -ENOMEM : 0;
}
