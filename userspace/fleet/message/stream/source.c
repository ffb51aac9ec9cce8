// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "message/text.h"
#include "source.h"

#define HEAD	"head"

bool stream_buffer_is_valid(const char *name)
{
	return is_source_name(name) && strlen(name) < STREAM_BUFFER_SIZE && !strchr(name, ':');
}

void stream_source_print(const struct stream_source *s, char name[SOURCE_NAME_SIZE])
{
	char cpu[16] = HEAD;

	if (s->cpu != STREAM_CPU_HEAD)
		snprintf(cpu, sizeof(cpu), "%d", s->cpu);
	snprintf(name, SOURCE_NAME_SIZE, "%.32s.%s.%u.%" PRIu64, s->buffer, cpu, s->generation,
		 s->incarnation);
}

/* Cut the last part of a name off, and return it. A buffer's name can have dots. */
static const char *last_part(char *name)
{
	char *dot = strrchr(name, '.');

	if (!dot)
		return "";
	*dot = '\0';
	return dot + 1;
}

bool stream_source_parse(struct stream_source *s, const char *name)
{
	uint64_t generation, cpu = 0;
	char text[SOURCE_NAME_SIZE], again[SOURCE_NAME_SIZE];
	const char *part;

	if (!is_source_name(name))
		return false;
	snprintf(text, sizeof(text), "%s", name);
	if (!text_u64(last_part(text), &s->incarnation) ||
	    !text_u64(last_part(text), &generation) || generation > UINT32_MAX)
		return false;
	part = last_part(text);
	if (strcmp(part, HEAD) && (!text_u64(part, &cpu) || cpu >= STREAM_CPUS_MAX))
		return false;
	s->cpu = strcmp(part, HEAD) ? (int)cpu : STREAM_CPU_HEAD;
	s->generation = generation;
	if (!stream_buffer_is_valid(text))
		return false;
	memcpy(s->buffer, text, strlen(text) + 1);
	/* A source has one name: numbers have no zeros before them. */
	stream_source_print(s, again);
	return !strcmp(again, name);
}
