// SPDX-License-Identifier: GPL-2.0-only
/* A record with a field of each kind, for tests of module/filter. */
#include "filter_fixture.h"

int rbmap_filter_cpu_now;
char rbmap_filter_comm_now[16];

#define FIELD(_name, _type, _len, _is_signed)				\
	{ #_name, _type, _len, offsetof(struct fixture_record, _name),	\
	  sizeof(((struct fixture_record *)0)->_name), _is_signed }

static const struct {
	const char	*name, *type;
	int		len;
	u16		offset, size;
	bool		is_signed;
} fields[] = {
	FIELD(u8, "unsigned char", 0, false),
	FIELD(s8, "char", 0, true),
	FIELD(u16, "u16", 0, false),
	FIELD(s16, "short", 0, true),
	FIELD(u32, "unsigned int", 0, false),
	FIELD(s32, "int", 0, true),
	FIELD(u64, "u64", 0, false),
	FIELD(s64, "long", 0, true),
	FIELD(name, "char", 16, true),
	FIELD(where, "__data_loc char[]", 0, true),
	FIELD(numbers, "u32", 3, false),
	{ "rest", "char", -1, offsetof(struct fixture_record, rest), 0, true },
};

bool fixture_find(const void *data, const char *name, size_t len,
		  struct rbmap_filter_field *field)
{
	(void)data;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strlen(fields[i].name) != len ||
		    memcmp(fields[i].name, name, len))
			continue;
		field->offset = fields[i].offset;
		field->size = fields[i].size;
		field->is_signed = fields[i].is_signed;
		field->kind = rbmap_filter_kind_of(fields[i].type,
						   fields[i].len);
		return true;
	}
	return rbmap_filter_find_generic(name, len, field);
}
