/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of fields in a record. The caller checks that the bytes are there. */
#ifndef RBMAP_PRINT_FIELDS_FIELDS_H
#define RBMAP_PRINT_FIELDS_FIELDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OFFSET_MAX	65535	/* offsets and sizes of fields have 16 bits in the kernel */

/* Return the number at @at. Its size is 1, 2, 4 or 8 bytes; with any other it is 0. */
static inline uint64_t field_number(const char *at, uint32_t size)
{
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	switch (size) {
	case 1:
		return (uint8_t)*at;
	case 2:
		memcpy(&v2, at, sizeof(v2));
		return v2;
	case 4:
		memcpy(&v4, at, sizeof(v4));
		return v4;
	case 8:
		memcpy(&v8, at, sizeof(v8));
		return v8;
	}
	return 0;
}

/* Return the value of a signed number of @bits bits, 8 to 64. */
static inline int64_t sign_extend(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/*
 * Store the place of a dynamic field's data. The place may be outside of the record. A
 * relative place counts from the end of the field, which has @size bytes at @field.
 */
static inline void field_place(const char *record, uint32_t field, uint32_t size,
			       bool relative, uint32_t *offset, uint32_t *len)
{
	uint32_t place = field_number(record + field, sizeof(place));

	*offset = (place & 0xffff) + (relative ? field + size : 0);
	*len = place >> 16;
}

/* Return the character that a format writes as a backslash and @c. */
static inline char escaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

/* The bits of common_flags, which each record has. */
enum {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_NEED_RESCHED_LAZY	= 0x02,
	FLAG_NEED_RESCHED	= 0x04,
	FLAG_HARDIRQ		= 0x08,
	FLAG_SOFTIRQ		= 0x10,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_NMI		= 0x40,
	FLAG_BH_OFF		= 0x80,
};

#endif /* RBMAP_PRINT_FIELDS_FIELDS_H */
