/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings of a record: they lie behind its members, which say where. */
#ifndef RBMAP_PROBES_STRINGS_H
#define RBMAP_PROBES_STRINGS_H

#include <linux/string.h>

#include "../event.h"

/* A string to copy: measured before there is room for it, so only once. */
struct rbmap_string {
	const char	*src;
	u32		len;	/* with the 0 at its end */
};

/* A longer one is cut, so that the record is not lost because of it. */
static __always_inline u32 rbmap_string_measure(struct rbmap_string *string,
						const char *src, u32 size)
{
	string->src = src ? src : "(null)";
	string->len = strnlen(string->src, RBMAP_EVENT_MAX - 1 - size) + 1;
	return string->len;
}

/* The 0 is written, not copied: the source may have changed meanwhile. */
static __always_inline u32 rbmap_string_place(void *record, u32 offset,
					      const struct rbmap_string *string)
{
	char *dest = record + offset;

	memcpy(dest, string->src, string->len - 1);
	dest[string->len - 1] = 0;
	return RBMAP_DATA_LOC(offset, string->len);
}

#endif /* RBMAP_PROBES_STRINGS_H */
