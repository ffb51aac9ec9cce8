/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of tracefs's text, as the running kernel prints them. */
#ifndef RBMAP_COMPAT_TEXT_H
#define RBMAP_COMPAT_TEXT_H

#include <linux/slab.h>
#include <linux/trace_events.h>

#include "compat.h"

struct rbmap_record;
struct trace_seq;

/* Free what the kernel's print functions have allocated for an iterator. */
static inline void rbmap_iterator_free(struct trace_iterator *iter)
{
#ifdef RBMAP_HAVE_TRACE_ITERATOR_FMT
	kfree(iter->fmt);
#endif
}

/* Lines above the events, with a newline each, and an empty one. */
extern const char *const rbmap_text_columns[];

void rbmap_text_flags(struct trace_seq *s, const struct rbmap_record *record);

#endif /* RBMAP_COMPAT_TEXT_H */
