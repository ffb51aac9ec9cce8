// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "manifest.h"
#include "message/digest.h"
#include "message/message.h"

#define NAME_SIZE	32
#define VALUE_SIZE	256

uint64_t parse_number(const char *value)
{
	uint64_t number;

	return text_u64(value, &number) && number <= INT64_MAX ? number : INDEX_UNKNOWN;
}

/* A place for the value of a name: a text or a number */
struct value {
	const char *name;
	char *text;
	size_t size;
	uint64_t *number;
};

#define TEXT_VALUE(n, to)	{ .name = (n), .text = (to), .size = sizeof(to) }
#define NUMBER_VALUE(n, to)	{ .name = (n), .number = &(to) }

static void store(const struct value *v, const char *value)
{
	if (v->text)
		snprintf(v->text, v->size, "%s", value);
	else
		*v->number = parse_number(value);
}

static void parse(const struct message *m, const struct value *values, size_t nr)
{
	struct text t = { m->data, (const char *)m->data + m->size };
	char name[NAME_SIZE], value[VALUE_SIZE];

	for (size_t i = 0; i < nr; i++)
		store(&values[i], "");
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		for (size_t i = 0; i < nr; i++)
			if (!strcmp(values[i].name, name))
				store(&values[i], value);
}

#define PARSE(m, values)	parse(m, values, sizeof(values) / sizeof(*(values)))

bool manifest_parse(struct index_manifest *manifest, const struct message *m)
{
	struct index_manifest *to = manifest;
	uint64_t end;
	const struct value values[] = {
		NUMBER_VALUE("size", to->size),
		NUMBER_VALUE("parts", to->parts),
		NUMBER_VALUE("events", to->events),
		NUMBER_VALUE("lost", to->lost),
		NUMBER_VALUE("trigger-real", to->time),
		NUMBER_VALUE("end-real", end),
		TEXT_VALUE("sha256", to->sha256),
		TEXT_VALUE("reason", to->reason),
		TEXT_VALUE("command", to->command),
	};

	if (m->size >= sizeof(manifest->text))
		return false;
	PARSE(m, values);
	if (manifest->time == INDEX_UNKNOWN)
		manifest->time = end;
	if (!is_source_name(manifest->command))
		*manifest->command = '\0';
	memcpy(manifest->text, m->data, m->size);
	manifest->text[m->size] = '\0';
	return manifest->size != INDEX_UNKNOWN && is_sha256(manifest->sha256);
}

void loss_parse(struct index_loss *loss, const struct message *m)
{
	const struct value values[] = {
		NUMBER_VALUE("size", loss->size),
		NUMBER_VALUE("events", loss->events),
		NUMBER_VALUE("lost", loss->lost),
		TEXT_VALUE("cause", loss->cause),
	};

	PARSE(m, values);
	snprintf(loss->text, sizeof(loss->text), "%.*s", (int)m->size, (const char *)m->data);
}

bool answer_parse(struct index_answer *answer, const struct message *m)
{
	const struct value values[] = {
		TEXT_VALUE("state", answer->state),
		TEXT_VALUE("error", answer->error),
		TEXT_VALUE("incident", answer->incident),
		NUMBER_VALUE("oldest-real", answer->oldest),
		NUMBER_VALUE("late", answer->late),
		NUMBER_VALUE("received-real", answer->received),
		NUMBER_VALUE("clock-error", answer->clock_error),
	};

	PARSE(m, values);
	if (!is_source_name(answer->incident))
		*answer->incident = '\0';
	return !strcmp(answer->state, "taken") || !strcmp(answer->state, "failed");
}
