/* SPDX-License-Identifier: GPL-2.0-only */
/* Pointers in a record: not for everyone to see. */
#ifndef RBMAP_PROBES_POINTERS_H
#define RBMAP_PROBES_POINTERS_H

#include <linux/string.h>

#include "../access.h"

#define rbmap_is_pointer(_type)						\
	(__builtin_classify_type((_type)0) ==				\
	 __builtin_classify_type((void *)0))

/* One field of a record; nothing if its type is no pointer. */
#define rbmap_field_hide(_type, _field)					\
	do {								\
		void *address;						\
									\
		if (rbmap_is_pointer(_type)) {				\
			memcpy(&address, &(_field), sizeof(_field));	\
			address = rbmap_address_hide(address);		\
			memcpy(&(_field), &address, sizeof(_field));	\
		}							\
	} while (0)

#endif /* RBMAP_PROBES_POINTERS_H */
