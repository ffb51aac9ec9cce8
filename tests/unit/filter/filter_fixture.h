/* SPDX-License-Identifier: GPL-2.0-only */
/* A record with a field of each kind, for tests of module/filter. */
#ifndef FILTER_FIXTURE_H
#define FILTER_FIXTURE_H

#include "filter.h"

struct fixture_record {
	u8	u8;
	int8_t	s8;
	u16	u16;
	int16_t	s16;
	u32	u32;
	int32_t	s32;
	u64	u64;
	s64	s64;
	char	name[16];
	u32	where;		/* location of a string (__data_loc) */
	u32	numbers[3];
	char	rest[];
};

#define FIXTURE_SIZE	offsetof(struct fixture_record, rest)

bool fixture_find(const void *data, const char *name, size_t len,
		  struct rbmap_filter_field *field);

#endif /* FILTER_FIXTURE_H */
