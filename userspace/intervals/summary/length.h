/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a length of time. */
#ifndef RBMAP_INTERVALS_SUMMARY_LENGTH_H
#define RBMAP_INTERVALS_SUMMARY_LENGTH_H

#include <stdint.h>

#include "print/time_view.h"

#define LENGTH_ROOM	24

/* Convert a length of the ring's clock to ns, or leave cycles whose rate is not known. */
uint64_t length_ns(const struct time_view *time, uint64_t length);

/* Store "12.3us": three digits, or a number of cycles. Return @text. */
char *length_text(const struct time_view *time, uint64_t length, char text[LENGTH_ROOM]);

#endif /* RBMAP_INTERVALS_SUMMARY_LENGTH_H */
