/* SPDX-License-Identifier: GPL-2.0-only */
/* An element of a page with compressed data, as text of base64. */
#ifndef RBMAP_REPORT_HTML_DATA_ELEMENT_H
#define RBMAP_REPORT_HTML_DATA_ELEMENT_H

#include "base/buf.h"

struct element;

struct element *element_new(void);	/* NULL: out of memory */
void element_free(struct element *e);

/* Take the bytes of @data, and leave an empty buffer there. */
void element_fill(struct element *e, unsigned int number, struct buf *data);

/* Make the text. Return 0 or -ENOMEM. */
int element_compress(struct element *e);
const struct buf *element_text(const struct element *e);

#endif /* RBMAP_REPORT_HTML_DATA_ELEMENT_H */
