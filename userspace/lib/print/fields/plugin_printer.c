// SPDX-License-Identifier: LGPL-2.1-only
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "printer_parts.h"

#define NR_STATES	31	/* bits of prev_state that can have a letter */
#define RECORD_SIZE	(4 * 65536)	/* no offset of 16 bits leads out */

struct compiler {
	struct tep_event *event;
	struct printer *printer;
	bool failed;		/* libtraceevent has to print the event */
};

static struct piece *add(struct compiler *c, enum piece_kind kind)
{
	struct piece *piece = printer_add_piece(c->printer, kind);

	c->failed |= !piece;
	return piece;
}

static void add_text(struct compiler *c, const char *text)
{
	struct piece *piece = add(c, LITERAL);

	if (!piece)
		return;
	piece->text = strdup(text);
	piece->size = strlen(text);
	c->failed |= !piece->text;
}

/* Return the piece, for its flags, or NULL. */
static struct piece *add_number(struct compiler *c, enum piece_kind kind,
				unsigned int bits, const char *name)
{
	struct tep_print_arg arg = { .type = TEP_PRINT_FIELD };
	struct piece *piece = add(c, kind);

	if (!piece)
		return NULL;
	arg.field.name = (char *)name;
	arg.field.field = tep_find_field(c->event, name);
	piece->bits = bits;
	if (arg.field.field)
		piece->number = expression_compile(c->event, &arg, &c->printer->need);
	c->failed |= !piece->number;
	return piece;
}

static bool has(const struct compiler *c, const char *name)
{
	return tep_find_field(c->event, name);
}

/* Add the name of a thread, and a colon. */
static void add_comm(struct compiler *c, const char *name)
{
	struct tep_format_field *field = tep_find_field(c->event, name);
	struct piece *piece;

	if (!field)
		return;
	piece = add(c, STRING);
	if (!piece)
		return;
	piece->string = calloc(1, sizeof(*piece->string));
	if (!piece->string || !field->size || field->flags & TEP_FIELD_IS_DYNAMIC ||
	    !(field->flags & TEP_FIELD_IS_ARRAY) || field->offset < 0) {
		c->failed = true;
		return;
	}
	piece->string->kind = FIXED;
	piece->string->offset = field->offset;
	piece->string->size = field->size;
	if (c->printer->need < piece->string->offset + piece->string->size)
		c->printer->need = piece->string->offset + piece->string->size;
	add_text(c, ":");
}

/* ---- the states of a thread */

/* Return the letter that the plugin prints for a state, or 0. */
static char ask_letter(struct compiler *c, struct trace_seq *s, char *data, uint64_t state)
{
	const struct tep_format_field *field = tep_find_field(c->event, "prev_state");
	struct tep_record record = { .size = RECORD_SIZE, .data = data, .ref_count = 1 };
	const char *at;

	if (field->size == sizeof(state)) {
		memcpy(data + field->offset, &state, sizeof(state));
	} else {
		uint32_t half = state;

		memcpy(data + field->offset, &half, sizeof(half));
	}
	trace_seq_reset(s);
	tep_print_event(c->event->tep, s, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(s);
	at = s->state == TRACE_SEQ__GOOD ? strstr(s->buffer, " ==> ") : NULL;
	/* "... [120] S ==> ..." */
	return at && at - s->buffer > 2 && at[-2] == ' ' ? at[-1] : 0;
}

/*
 * The letters differ between the versions of the plugin, so ask it for the letter of each
 * bit. It prints 'R' for bits that it ignores.
 */
static void set_states(struct compiler *c, struct piece *piece)
{
	const struct tep_format_field *field = tep_find_field(c->event, "prev_state");
	char *data = calloc(1, RECORD_SIZE);
	uint16_t type = c->event->id;
	struct trace_seq s;

	piece->text = calloc(1, NR_STATES + 1);
	if (!data || !piece->text || !field || (field->size != 4 && field->size != 8)) {
		c->failed = true;
		free(data);
		return;
	}
	memcpy(data, &type, sizeof(type));
	trace_seq_init(&s);
	piece->size = NR_STATES;
	for (size_t i = 0; i < piece->size; i++) {
		piece->text[i] = ask_letter(c, &s, data, 1ULL << i);
		c->failed |= !piece->text[i];
	}
	while (piece->size && piece->text[piece->size - 1] == 'R')
		piece->size--;
	/* A bit that is ignored between others has no letter. */
	c->failed |= memchr(piece->text, 'R', piece->size) != NULL;
	trace_seq_destroy(&s);
	free(data);
}

/* ---- events */

static void compile_sched_switch(struct compiler *c)
{
	struct piece *piece;

	add_comm(c, "prev_comm");
	add_number(c, DECIMAL, 64, "prev_pid");
	add_text(c, " [");
	add_number(c, DECIMAL, 32, "prev_prio");
	add_text(c, "] ");
	piece = add_number(c, STATES, 64, "prev_state");
	if (piece)
		set_states(c, piece);
	add_text(c, " ==> ");
	add_comm(c, "next_comm");
	add_number(c, DECIMAL, 64, "next_pid");
	add_text(c, " [");
	add_number(c, DECIMAL, 32, "next_prio");
	add_text(c, "]");
}

static void compile_sched_wakeup(struct compiler *c)
{
	struct piece *piece;

	add_comm(c, "comm");
	add_number(c, DECIMAL, 64, "pid");
	add_text(c, " [");
	add_number(c, DECIMAL, 64, "prio");
	add_text(c, "]");
	if (has(c, "success")) {
		add_text(c, " success=");
		add_number(c, DECIMAL, 64, "success");
	}
	if (has(c, "target_cpu")) {
		add_text(c, " CPU:");
		piece = add_number(c, UNSIGNED, 64, "target_cpu");
		if (piece) {
			piece->width = 3;
			piece->zeros = true;
		}
	}
}

static void begin_hrtimer(struct compiler *c)
{
	add_text(c, "hrtimer=0x");
	add_number(c, HEX, 64, has(c, "timer") ? "timer" : "hrtimer");
}

static void add_function(struct compiler *c)
{
	if (!has(c, "function"))
		return;
	add_text(c, " function=");
	add_number(c, FUNCTION_FIELD, 64, "function");
}

static void compile_hrtimer_expire_entry(struct compiler *c)
{
	begin_hrtimer(c);
	add_text(c, " now=");
	add_number(c, UNSIGNED, 64, "now");
	add_function(c);
}

static void compile_hrtimer_start(struct compiler *c)
{
	begin_hrtimer(c);
	add_function(c);
	add_text(c, " expires=");
	add_number(c, UNSIGNED, 64, "expires");
	add_text(c, " softexpires=");
	add_number(c, UNSIGNED, 64, "softexpires");
}

/* The text of the print format follows. */
static void compile_kmem(struct compiler *c)
{
	if (has(c, "call_site"))
		add_number(c, CALL_SITE, 64, "call_site");
}

static const struct plugin_event {
	const char *system;
	const char *name;
	void (*compile)(struct compiler *c);
	bool then_format;
} plugin_events[] = {
	{ "kmem", "kfree", compile_kmem, true },
	{ "kmem", "kmalloc", compile_kmem, true },
	{ "kmem", "kmalloc_node", compile_kmem, true },
	{ "kmem", "kmem_cache_alloc", compile_kmem, true },
	{ "kmem", "kmem_cache_alloc_node", compile_kmem, true },
	{ "kmem", "kmem_cache_free", compile_kmem, true },
	{ "sched", "sched_switch", compile_sched_switch, false },
	{ "sched", "sched_wakeup", compile_sched_wakeup, false },
	{ "sched", "sched_wakeup_new", compile_sched_wakeup, false },
	{ "timer", "hrtimer_expire_entry", compile_hrtimer_expire_entry, false },
	{ "timer", "hrtimer_start", compile_hrtimer_start, false },
};

static const struct plugin_event *find_plugin_event(const struct tep_event *event)
{
	for (size_t i = 0; i < sizeof(plugin_events) / sizeof(*plugin_events); i++)
		if (!strcmp(event->system, plugin_events[i].system) &&
		    !strcmp(event->name, plugin_events[i].name))
			return &plugin_events[i];
	return NULL;
}

bool plugin_printer_compile(struct tep_event *event, struct printer *printer,
			    bool *then_format)
{
	struct compiler c = { .event = event, .printer = printer };
	const struct plugin_event *found = find_plugin_event(event);

	if (!found)
		return false;
	found->compile(&c);
	*then_format = found->then_format;
	return !c.failed;
}
