// SPDX-License-Identifier: LGPL-2.1-only
/* The table of formats, by the ids of events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rbmap.h>

#include "api.h"
#include "event_common.h"
#include "format_text.h"

#define NR_IDS	65536	/* common_type has 16 bits */

struct rbmap_formats {
	unsigned int end;		/* greater than each id in the table */
	struct format *format[NR_IDS];
};

/* The public structure is the first member. */
static const struct format *whole(const struct rbmap_format *format)
{
	return (const struct format *)format;
}

static const struct rbmap_format *public_of(const struct format *format)
{
	return format ? &format->public : NULL;
}

RBMAP_API int rbmap_formats_new(struct rbmap_formats **formats)
{
	/* The pages of ids that no event has are never written. */
	*formats = calloc(1, sizeof(**formats));
	return *formats ? 0 : -ENOMEM;
}

RBMAP_API void rbmap_formats_free(struct rbmap_formats *formats)
{
	for (unsigned int id = 0; formats && id < formats->end; id++)
		format_free(formats->format[id]);
	free(formats);
}

RBMAP_API int rbmap_formats_add(struct rbmap_formats *formats, const char *system,
				const char *text, size_t size)
{
	struct format *format;
	int ret = format_parse(&format, system, text, size);

	if (ret)
		return ret;
	if (formats->format[format->public.id]) {
		format_free(format);
		return -EEXIST;
	}
	formats->format[format->public.id] = format;
	if (formats->end <= format->public.id)
		formats->end = format->public.id + 1;
	return 0;
}

RBMAP_API const struct rbmap_format *rbmap_formats_by_id(const struct rbmap_formats *formats,
							 unsigned int id)
{
	return id < NR_IDS ? public_of(formats->format[id]) : NULL;
}

RBMAP_API const struct rbmap_format *rbmap_formats_of(const struct rbmap_formats *formats,
						      const struct rbmap_event *ev)
{
	uint16_t id;

	if (!event_id(ev, &id))
		return NULL;
	return public_of(formats->format[id]);
}

RBMAP_API const struct rbmap_format *rbmap_formats_next(const struct rbmap_formats *formats,
							const struct rbmap_format *format)
{
	for (unsigned int id = format ? format->id + 1 : 0; id < formats->end; id++)
		if (formats->format[id])
			return public_of(formats->format[id]);
	return NULL;
}

RBMAP_API const struct rbmap_format *
rbmap_formats_by_name(const struct rbmap_formats *formats, const char *system,
		      const char *name)
{
	const struct rbmap_format *f = NULL;

	while ((f = rbmap_formats_next(formats, f)))
		if (!strcmp(f->name, name) && (!system || !strcmp(f->system, system)))
			break;
	return f;
}

RBMAP_API const struct rbmap_format_field *rbmap_format_field(const struct rbmap_format *format,
						       unsigned int index)
{
	return index < format->nr_fields ? &whole(format)->field[index] : NULL;
}

RBMAP_API const struct rbmap_format_field *
rbmap_format_field_by_name(const struct rbmap_format *format, const char *name)
{
	for (unsigned int i = 0; i < format->nr_fields; i++)
		if (!strcmp(whole(format)->field[i].name, name))
			return &whole(format)->field[i];
	return NULL;
}
