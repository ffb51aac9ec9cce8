// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses a format from the input and reads an event by it. The values must lie within the
 * event. The first byte is the number of bytes of the event, which follow.
 */
#include <stdlib.h>
#include <string.h>

#include "../../userspace/lib/rbmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_field(const struct rbmap_format_field *f, const struct rbmap_event *ev)
{
	const unsigned char *begin = ev->data, *at;
	const void *data;
	const char *text;
	uint64_t number;
	size_t size;

	if (!f->name[0] || !f->type[0] || f->offset > 65535 || f->size > 65535)
		abort();
	if (!rbmap_field_data(f, ev, &data, &size)) {
		at = data;
		if (at < begin || at > begin + ev->size || size > (size_t)(begin + ev->size - at))
			abort();
	}
	if (!rbmap_field_string(f, ev, &text, &size) &&
	    (memchr(text, 0, size) || (const unsigned char *)text + size > begin + ev->size))
		abort();
	for (size_t i = 0; !rbmap_field_number(f, ev, i, &number); i++)
		if (i > ev->size)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rbmap_format *format;
	struct rbmap_formats *formats;
	struct rbmap_event ev;

	if (!size || size - 1 < *data)
		return 0;
	/* The event is in memory of its own, so that the sanitizer finds each other read. */
	ev = (struct rbmap_event){ .size = *data, .data = malloc(*data + 1) };
	memcpy((void *)ev.data, data + 1, ev.size);
	if (rbmap_formats_new(&formats))
		abort();
	(void)rbmap_formats_add(formats, "system", (const char *)data + 1 + ev.size,
				size - 1 - ev.size);
	(void)rbmap_formats_of(formats, &ev);
	format = rbmap_formats_next(formats, NULL);
	for (unsigned int i = 0; format && i < format->nr_fields; i++) {
		const struct rbmap_format_field *f = rbmap_format_field(format, i);

		if (!rbmap_format_field_by_name(format, f->name))
			abort();
		read_field(f, &ev);
	}
	rbmap_formats_free(formats);
	free((void *)ev.data);
	return 0;
}
