// SPDX-License-Identifier: LGPL-2.1-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/printable.h"
#include "print/fields/bprint.h"
#include "print/fields/constants.h"
#include "print/fields/fields.h"
#include "tracer_events.h"

#define INDENT		2	/* columns for each level of depth */
#define MOST_DEPTH	1000	/* deeper calls are damage */
#define DIGITS		7	/* that a duration has, with its decimal point */
#define MOST_ERRNO	4095	/* the largest one */

enum tracer_kind { STACK, CALL, RETURN, PRINTK };

/* The place of a number in a record; size 0: the event does not have it. */
struct place {
	uint32_t offset;
	uint32_t size;
};

struct tracer_event {
	enum tracer_kind kind;
	uint32_t word;		/* STACK, PRINTK: bytes of an address */
	struct place caller;	/* STACK: the first function */
	struct place ip, fmt;	/* PRINTK */
	uint32_t args;		/* PRINTK: where the arguments begin */
	struct place func, depth, retaddr;
	struct place calltime, rettime, retval;
};

static const struct {
	const char *name;
	enum tracer_kind kind;
} kinds[] = {
	{ "kernel_stack", STACK },
	{ "funcgraph_entry", CALL },
	{ "fgraph_retaddr_entry", CALL },
	{ "funcgraph_exit", RETURN },
	{ "bprint", PRINTK },
};

static bool find_place(struct tep_event *event, const char *name, struct place *place)
{
	const struct tep_format_field *field = tep_find_field(event, name);

	if (!field || field->offset < 0 || field->offset > OFFSET_MAX ||
	    (field->size != 4 && field->size != 8))
		return false;
	*place = (struct place){ field->offset, field->size };
	return true;
}

static bool find_callers(struct tracer_event *e, struct tep_event *event, unsigned int word)
{
	struct tep_format_field *field = tep_find_field(event, "caller");

	if (!field || field->offset < 0 || field->offset > OFFSET_MAX || (word != 4 && word != 8))
		return false;
	e->caller.offset = field->offset;
	e->word = word;
	/* The format says 8, and the record has as many as there were. */
	field->size = 0;
	return true;
}

static bool find_printk(struct tracer_event *e, struct tep_event *event, unsigned int word)
{
	const struct tep_format_field *field = tep_find_field(event, "buf");

	if (!field || field->offset < 0 || field->offset > OFFSET_MAX || (word != 4 && word != 8) ||
	    !find_place(event, "ip", &e->ip) || !find_place(event, "fmt", &e->fmt))
		return false;
	e->args = field->offset;
	e->word = word;
	return true;
}

static bool find_places(struct tracer_event *e, struct tep_event *event, unsigned int word)
{
	switch (e->kind) {
	case STACK:
		return find_callers(e, event, word);
	case CALL:
		find_place(event, "retaddr", &e->retaddr);
		return find_place(event, "func", &e->func) &&
		       find_place(event, "depth", &e->depth);
	case PRINTK:
		return find_printk(e, event, word);
	case RETURN:
		if (tep_find_field(event, "retval") && !find_place(event, "retval", &e->retval))
			return false;
		return find_place(event, "func", &e->func) &&
		       find_place(event, "depth", &e->depth) &&
		       find_place(event, "calltime", &e->calltime) &&
		       find_place(event, "rettime", &e->rettime);
	}
	return false;
}

struct tracer_event *tracer_event_new(struct tep_event *event, unsigned int long_size)
{
	struct tracer_event *e;

	if (strcmp(event->system, "ftrace"))
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(event->name, kinds[i].name))
			continue;
		e = calloc(1, sizeof(*e));
		if (e)
			e->kind = kinds[i].kind;
		if (e && find_places(e, event, long_size))
			return e;
		free(e);
		return NULL;
	}
	return NULL;
}

bool tracer_event_is_plain(const struct tracer_event *e)
{
	return e->kind != PRINTK;
}

bool tracer_event_is_call(const struct tracer_event *e)
{
	return e && e->kind == CALL;
}

static uint64_t number(const char *record, const struct place *place)
{
	return field_number(record + place->offset, place->size);
}

static void find_return(const struct tracer_event *e, const char *record,
			struct tracer_return *ret)
{
	*ret = (struct tracer_return){
		.duration = number(record, &e->rettime) - number(record, &e->calltime),
		.value = number(record, &e->retval),
		.has_value = e->retval.size,
	};
	if (e->retval.size == 4)
		ret->value = sign_extend(ret->value, 32);
}

static int32_t pid_of(const char *record)
{
	int32_t pid;

	memcpy(&pid, record + 4, sizeof(pid));
	return pid;
}

bool tracer_event_is_leaf(const struct tracer_event *call, const char *call_record,
			  const struct tracer_event *end, const char *end_record,
			  struct tracer_return *leaf)
{
	if (!call || !end || call->kind != CALL || end->kind != RETURN ||
	    pid_of(call_record) != pid_of(end_record) ||
	    number(call_record, &call->func) != number(end_record, &end->func))
		return false;
	find_return(end, end_record, leaf);
	return true;
}

/* A sign says from which length on a call is long. */
static char overhead(uint64_t duration)
{
	static const struct {
		uint64_t ns;
		char sign;
	} signs[] = { { 1000000000, '$' }, { 1000000, '#' }, { 100000, '!' }, { 10000, '+' } };

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (duration > signs[i].ns)
			return signs[i].sign;
	return ' ';
}

static void add_duration(const struct tracer_return *ret, struct buf *out)
{
	char text[32];
	int size;

	if (!ret) {
		buf_printf(out, "             |  ");
		return;
	}
	size = snprintf(text, sizeof(text), "%" PRIu64, ret->duration / 1000);
	if (size < DIGITS)
		size += snprintf(text + size, sizeof(text) - size, ".%03u",
				 (unsigned int)(ret->duration % 1000));
	buf_printf(out, "%c %s us %*s|  ", overhead(ret->duration), text,
		   size < DIGITS ? DIGITS - size : 0, "");
}

static void add_indent(const struct tracer_event *e, const char *record, struct buf *out)
{
	uint64_t depth = (uint32_t)number(record, &e->depth);

	buf_printf(out, "%*s", depth <= MOST_DEPTH ? (int)depth * INDENT : 0, "");
}

static void add_value(const struct tracer_return *ret, struct buf *out)
{
	if (!ret || !ret->has_value)
		return;
	if (ret->value >= (uint64_t)-MOST_ERRNO)
		buf_printf(out, " (ret=%" PRId64 ")", (int64_t)ret->value);
	else
		buf_printf(out, " (ret=0x%" PRIx64 ")", ret->value);
}

static void add_return(const struct tracer_event *e, const char *record, struct buf *out)
{
	struct tracer_return ret;

	find_return(e, record, &ret);
	add_duration(&ret, out);
	add_indent(e, record, out);
	buf_printf(out, "}");
	add_value(&ret, out);
}

static const char *caller_name(const struct tracer_event *e, const char *record, uint32_t size,
			       find_symbol_fn *find, void *data)
{
	const struct symbol *symbol;

	if (!e->retaddr.size || size < e->retaddr.offset + e->retaddr.size)
		return NULL;
	symbol = find(data, number(record, &e->retaddr));
	return symbol ? symbol->name : NULL;
}

static void add_call(const struct tracer_event *e, const char *record, uint32_t size,
		     const struct tracer_return *leaf, find_symbol_fn *find, void *data,
		     struct buf *out)
{
	uint64_t func = number(record, &e->func);
	const struct symbol *symbol = find(data, func);
	const char *caller = caller_name(e, record, size, find, data);

	add_duration(leaf, out);
	add_indent(e, record, out);
	if (symbol)
		buf_printf(out, "%s()", symbol->name);
	else
		buf_printf(out, "%" PRIx64 "()", func);
	if (leaf)
		buf_printf(out, ";");
	if (caller)
		buf_printf(out, " /* <-%s */", caller);
	if (!leaf)
		buf_printf(out, " {");
	add_value(leaf, out);
}

static void add_stack(const struct tracer_event *e, const char *record, uint32_t size,
		      bool lines, find_symbol_fn *find, void *data, struct buf *out)
{
	size_t before;

	buf_printf(out, "<stack trace >");
	for (uint32_t at = e->caller.offset; at + e->word <= size; at += e->word) {
		uint64_t addr = field_number(record + at, e->word);
		const struct symbol *symbol;

		/* This ends a stack of old kernels. */
		if ((int32_t)addr == -1)
			break;
		symbol = find(data, addr);
		buf_add(out, lines ? "\n=> " : " => ", 4);
		before = out->size;
		if (symbol)
			buf_printf(out, "%s (%" PRIx64 ")", symbol->name, addr);
		else
			buf_printf(out, "%" PRIx64, addr);
		buf_make_printable(out, before);
	}
}

static void add_printk(const struct tracer_event *e, const char *record, uint32_t size,
		       const struct constants *constants, find_symbol_fn *find, void *data,
		       struct buf *out)
{
	uint64_t ip = number(record, &e->ip), addr = number(record, &e->fmt);
	const char *format = constants_find(constants, addr);
	const struct bprint_args args = { record + e->args, size - e->args, e->word };
	const struct symbol *symbol = find(data, ip);

	if (symbol)
		buf_printf(out, "%s: ", symbol->name);
	else
		buf_printf(out, "0x%" PRIx64 ": ", ip);
	if (format)
		bprint_add(format, &args, find, data, out);
	else
		buf_printf(out, "[the recording has no text for the format 0x%" PRIx64 "]", addr);
}

void tracer_event_print(const struct tracer_event *e, const char *record, uint32_t size,
			const struct tracer_print *how, find_symbol_fn *find, void *data,
			struct buf *out)
{
	size_t before = out->size;

	switch (e->kind) {
	case STACK:
		add_stack(e, record, size, how->lines, find, data, out);
		break;
	case CALL:
		add_call(e, record, size, how->leaf, find, data, out);
		buf_make_printable(out, before);
		break;
	case RETURN:
		add_return(e, record, out);
		break;
	case PRINTK:
		add_printk(e, record, size, how->constants, find, data, out);
		break;
	}
}
