/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Arrays that grow at their end. They need no member for their room: it is the next power of
 * two above the number of elements, and at least the first room. So nothing but array_grow()
 * may allocate them.
 */
#ifndef RBMAP_BASE_ARRAY_H
#define RBMAP_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Elements of the first allocation, a power of two */
#define ARRAY_FIRST	4

/* Return the array with room for an element behind @nr ones, or NULL: out of memory. */
static inline void *array_grown(void *array, size_t nr, size_t first, size_t size)
{
	if (array && nr < first)
		return array;
	return reallocarray(array, nr ? 2 * nr : first, size);
}

/**
 * array_grow_from - make room for one more element
 * @array: the array, a pointer to its elements; NULL before the first call
 * @nr: number of its elements
 * @first: elements of the first allocation, a power of two; the same in each call
 *
 * Return: false if memory is lacking. The array is then as before.
 */
#define array_grow_from(array, nr, first) ({				\
	size_t nr_ = (nr);						\
	bool has_room_ = nr_ & (nr_ - 1);				\
									\
	if (!has_room_) {						\
		void *grown_ = array_grown((array), nr_, (first), sizeof(*(array))); \
									\
		if (grown_)						\
			(array) = grown_;				\
		has_room_ = grown_;					\
	}								\
	has_room_;							\
})

#define array_grow(array, nr)	array_grow_from((array), (nr), ARRAY_FIRST)

#endif /* RBMAP_BASE_ARRAY_H */
