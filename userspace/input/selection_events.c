// SPDX-License-Identifier: GPL-2.0-only
/* The options --event and --filter: choose formats, and compile the filter in each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "kernel/control.h"
#include "selector.h"

/* ---- --event */

struct rule *selector_rule_of_format(struct selector *selector, const struct rbmap_format *format)
{
	struct rule **rule = &selector->rule[format->id];

	if (!*rule)
		*rule = calloc(1, sizeof(**rule));
	if (*rule)
		(*rule)->format = format;
	return *rule;
}

/* Return the formats that a pattern fits, or -1: no memory. */
static int choose(struct selector *selector, const char *pattern, struct suggest *suggest)
{
	const struct rbmap_format *format = NULL;
	struct rule *rule;
	int nr = 0;

	while ((format = rbmap_formats_next(selector->formats, format))) {
		if (!pattern || control_match(pattern, format->system, format->name)) {
			rule = selector_rule_of_format(selector, format);
			if (!rule)
				return -1;
			rule->chosen = true;
			nr++;
		}
		if (pattern)
			suggest_offer_event(suggest, format->system, format->name);
	}
	return nr;
}

bool selection_choose_events(const struct selection *s, struct input *const *in, unsigned int nr)
{
	/* Without --event, --filter is for all events. */
	size_t nr_patterns = s->events.nr || !s->filter ? s->events.nr : 1;

	for (size_t i = 0; i < nr_patterns; i++) {
		const char *pattern = s->events.nr ? s->events.pattern[i] : NULL;
		struct suggest suggest = suggest_events(pattern ? pattern : "");
		char list[512];
		int found = 0, ret;

		for (unsigned int k = 0; k < nr; k++) {
			ret = choose(in[k]->selector, pattern, &suggest);
			if (ret < 0)
				return out_of_memory();
			found += ret;
		}
		if (found || !pattern)
			continue;
		suggest_list(&suggest, list, sizeof(list));
		complain("%s has no event '%s'%s%s", in[0]->path, pattern,
			 *list ? ": similar names: " : "", list);
		return false;
	}
	return true;
}

/* ---- --filter */

/**
 * struct compilation - the expression in the formats of all recordings
 * @nr: number of formats that have all its fields
 * @invalid: the first error that is not a missing field
 * @missing: a field that no chosen format has; NULL: no such field
 */
struct compilation {
	const char *expression;
	struct input *const *in;
	unsigned int nr_in;
	unsigned int nr;
	struct event_filter_error invalid;
	const char *missing;
	size_t missing_len;
};

typedef bool each_rule_fn(struct compilation *c, struct rule *rule, void *data);

/* Call @each for each chosen format, until it returns false. */
static bool each_rule(struct compilation *c, each_rule_fn *each, void *data)
{
	for (unsigned int i = 0; i < c->nr_in; i++)
		for (int id = 0; id < NR_IDS; id++) {
			struct rule *rule = c->in[i]->selector->rule[id];

			if (rule && rule->chosen && !each(c, rule, data))
				return false;
		}
	return true;
}

struct name {
	const char *text;
	size_t len;
};

static bool lacks_field(struct compilation *c, struct rule *rule, void *data)
{
	const struct rbmap_format_field *field;
	const struct name *name = data;

	(void)c;
	for (uint32_t i = 0; (field = rbmap_format_field(rule->format, i)); i++)
		if (strlen(field->name) == name->len && !memcmp(field->name, name->text, name->len))
			return false;
	return true;
}

static void note_missing(struct compilation *c, const struct event_filter_error *error)
{
	struct name name = { error->field, error->field_len };

	if (c->missing || !each_rule(c, lacks_field, &name))
		return;
	c->missing = error->field;
	c->missing_len = error->field_len;
}

static bool compile_rule(struct compilation *c, struct rule *rule, void *data)
{
	struct event_filter_error error;
	int ret = event_filter_new(&rule->filter, c->expression, rule->format, &error);

	(void)data;
	if (!ret)
		c->nr++;
	else if (ret == -ENOENT)
		note_missing(c, &error);
	else if (ret == -EINVAL && !c->invalid.message)
		c->invalid = error;
	return ret != -ENOMEM;
}

/* An event that lacks a field of the expression is not selected. */
static bool drop_rule(struct compilation *c, struct rule *rule, void *data)
{
	(void)c;
	(void)data;
	rule->chosen = rule->filter;
	return true;
}

/* Fields of several formats have one name. */
static bool is_offered(const struct suggest *suggest, const char *name)
{
	for (unsigned int i = 0; i < suggest->nr; i++)
		if (!strcmp(suggest->found[i].name, name))
			return true;
	return false;
}

static bool offer_fields(struct compilation *c, struct rule *rule, void *data)
{
	const struct rbmap_format_field *field;
	struct suggest *suggest = data;

	(void)c;
	for (uint32_t i = 0; (field = rbmap_format_field(rule->format, i)); i++)
		if (!is_offered(suggest, field->name))
			suggest_offer(suggest, field->name, field->name);
	return true;
}

static void complain_missing(struct compilation *c)
{
	char *name = strndup(c->missing, c->missing_len), list[512] = "";
	struct suggest suggest = { .wanted = name };

	if (!name) {
		out_of_memory();
		return;
	}
	each_rule(c, offer_fields, &suggest);
	suggest_list(&suggest, list, sizeof(list));
	complain("--filter: no selected event of %s has the field '%s'%s%s", c->in[0]->path, name,
		 *list ? ": similar names: " : "", list);
	free(name);
}

bool selection_compile(const struct selection *s, struct input *const *in, unsigned int nr)
{
	struct compilation c = { .expression = s->filter, .in = in, .nr_in = nr };

	if (!s->filter)
		return true;
	if (!each_rule(&c, compile_rule, NULL))
		return out_of_memory();
	if (c.missing) {
		complain_missing(&c);
		return false;
	}
	each_rule(&c, drop_rule, NULL);
	if (c.nr)
		return true;
	if (c.invalid.message)
		complain("--filter '%s': %s, at character %zu", s->filter, c.invalid.message,
			 c.invalid.at + 1);
	else
		complain("--filter '%s': no event of %s has all these fields", s->filter,
			 in[0]->path);
	return false;
}
