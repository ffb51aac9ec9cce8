/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire format of protobuf, as far as the frames around packed messages need it. The
 * frames are written by hand, so that an event is packed once, into its place.
 */
#ifndef RBMAP_CLI_CONVERT_WIRE_H
#define RBMAP_CLI_CONVERT_WIRE_H

#include <stdint.h>

#define WIRE_MAX	10	/* bytes of a number, at most */

enum wire_type { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

static inline unsigned int wire_size(uint64_t value)
{
	return (70 - __builtin_clzll(value | 1)) / 7;
}

/* Write @value at @at, which has room. Return the end. */
static inline char *put_wire(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = value | 0x80;
	*at++ = value;
	return at;
}

/* Return what comes before a field. */
static inline uint32_t wire_tag(uint32_t field, enum wire_type type)
{
	return field << 3 | type;
}

#endif /* RBMAP_CLI_CONVERT_WIRE_H */
