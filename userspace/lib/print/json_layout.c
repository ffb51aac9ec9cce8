// SPDX-License-Identifier: LGPL-2.1-only
#include <stdlib.h>
#include <traceevent/event-parse.h>

#include "base/json.h"
#include "json_layout.h"

static void add_string(struct buf *b, const char *before, const char *value)
{
	buf_add(b, before, strlen(before));
	json_add_string(b, value, strlen(value));
}

/* The key takes over the text. */
static bool set_key(struct json_key *key, struct buf *text)
{
	if (text->failed) {
		buf_free(text);
		return false;
	}
	*key = (struct json_key){ text->data, text->size };
	return true;
}

static bool make_key(struct json_key *key, const char *name)
{
	struct buf b = { 0 };

	add_string(&b, ", ", name);
	buf_add(&b, ": ", 2);
	return set_key(key, &b);
}

static bool make_label(struct json_layout *l, const struct tep_event *event)
{
	struct buf b = { 0 };

	add_string(&b, ", \"system\": ", event->system);
	add_string(&b, ", \"event\": ", event->name);
	buf_add(&b, ", \"text\": ", strlen(", \"text\": "));
	return set_key(&l->label, &b);
}

static bool make_fields(struct json_layout *l, const struct tep_event *event)
{
	const struct tep_format_field *f;
	unsigned int nr = 0;

	for (f = event->format.fields; f; f = f->next)
		nr++;
	l->field = calloc(nr + 1, sizeof(*l->field));
	if (!l->field)
		return false;
	for (f = event->format.fields; f; f = f->next) {
		l->field[l->nr_fields].field = f;
		if (!make_key(&l->field[l->nr_fields++].key, f->name))
			return false;
	}
	return true;
}

static bool make_names(struct json_layout *l, const struct tep_event *event,
		       const struct printer *printer)
{
	value_names_find(&l->names, event, printer);
	l->name_key = calloc(l->names.nr + 1, sizeof(*l->name_key));
	if (!l->name_key)
		return false;
	for (unsigned int i = 0; i < l->names.nr; i++)
		if (!make_key(&l->name_key[i], l->names.v[i].field))
			return false;
	return true;
}

struct json_layout *json_layout_new(const struct tep_event *event,
				    const struct printer *printer,
				    const struct syscalls_event *syscall)
{
	struct json_layout *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->syscall = syscall;
	if (make_label(l, event) && make_fields(l, event) && make_names(l, event, printer))
		return l;
	json_layout_free(l);
	return NULL;
}

void json_layout_free(struct json_layout *l)
{
	if (!l)
		return;
	for (unsigned int i = 0; i < l->nr_fields; i++)
		free(l->field[i].key.text);
	for (unsigned int i = 0; l->name_key && i < l->names.nr; i++)
		free(l->name_key[i].text);
	value_names_free(&l->names);
	free(l->name_key);
	free(l->field);
	free(l->label.text);
	free(l);
}
