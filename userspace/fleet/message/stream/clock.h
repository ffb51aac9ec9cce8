/* SPDX-License-Identifier: GPL-2.0-only */
/* The payload of MESSAGE_CLOCK: lines with the clocks of a host, read together. */
#ifndef RBMAP_FLEET_MESSAGE_STREAM_CLOCK_H
#define RBMAP_FLEET_MESSAGE_STREAM_CLOCK_H

#include <rbmap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define STREAM_CLOCK_UNKNOWN	UINT64_MAX

/**
 * struct stream_clock - a moment
 * @moment: the ring's clock and the others; real is 0 if it is not known
 * @error: maximum error of CLOCK_REALTIME in ns, as adjtimex() says; STREAM_CLOCK_UNKNOWN
 */
struct stream_clock {
	struct rbmap_moment moment;
	uint64_t error;
};

void stream_clock_print(const struct stream_clock *clock, struct buf *out);
/* Return false if the text has no moment. */
bool stream_clock_parse(struct stream_clock *clock, const void *text, size_t size);

#endif /* RBMAP_FLEET_MESSAGE_STREAM_CLOCK_H */
