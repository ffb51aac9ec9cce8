// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "clock.h"
#include "message/text.h"

#define TAI_OFFSET_MAX	3600	/* seconds; it is 37 since 2017 */

void stream_clock_print(const struct stream_clock *c, struct buf *out)
{
	text_add_u64(out, "ring", c->moment.ring);
	text_add_u64(out, "real", c->moment.real);
	text_add_u64(out, "boot", c->moment.boot);
	text_add_u64(out, "tai-offset", c->moment.tai_offset > 0 ? c->moment.tai_offset : 0);
	text_add_u64(out, "error", c->moment.error);
	if (c->error != STREAM_CLOCK_UNKNOWN)
		text_add_u64(out, "clock-error", c->error);
}

bool stream_clock_parse(struct stream_clock *c, const void *text, size_t size)
{
	uint64_t tai = 0, number;
	const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {
		{ "ring", &c->moment.ring },
		{ "real", &c->moment.real },
		{ "boot", &c->moment.boot },
		{ "tai-offset", &tai },
		{ "error", &c->moment.error },
		{ "clock-error", &c->error },
	};
	struct text t = { text, (const char *)text + size };
	char name[32], value[32];

	*c = (struct stream_clock){ .error = STREAM_CLOCK_UNKNOWN };
	while (text_next(&t, name, sizeof(name), value, sizeof(value)))
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			if (!strcmp(numbers[i].name, name) && text_u64(value, &number))
				*numbers[i].to = number;
	c->moment.tai_offset = tai < TAI_OFFSET_MAX ? tai : 0;
	return c->moment.real && c->moment.real <= INT64_MAX && c->moment.ring <= INT64_MAX;
}
