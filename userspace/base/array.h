/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Arrays that grow at their end. array_grow() needs no member for the room of an array: it is
 * the next power of two above the number of elements, and at least the first room. So nothing
 * but array_grow() may allocate the array.
 *
 * array_reserve() is for arrays that have such a member, because they are emptied and filled
 * again, or grow by several elements at once. array_extend() is for arrays that are indexed
 * by small numbers.
 */
#ifndef RBMAP_BASE_ARRAY_H
#define RBMAP_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* Return the room of an array with the room @room that gets @nr elements. */
static inline size_t array_room(size_t room, size_t nr)
{
	return nr < 2 * room ? 2 * room : nr;
}

/* Let @array be @memory, and @nr be @to; return whether there is memory. */
#define array_replace(array, nr, to, memory) ({				\
	void *memory_ = (memory);					\
									\
	if (memory_) {							\
		(array) = memory_;					\
		(nr) = (to);						\
	}								\
	memory_ != NULL;						\
})

/**
 * array_reserve - make room for a number of elements
 * @array: the array, a pointer to its elements; NULL before the first call
 * @room: the elements that there is room for, a variable; 0 before the first call
 * @nr: the elements that there must be room for
 *
 * Return: false if memory is lacking. The array is then as before.
 */
#define array_reserve(array, room, nr) ({				\
	size_t nr_ = (nr), more_ = array_room((room), nr_);		\
									\
	nr_ <= (room) ||						\
		array_replace((array), (room), more_,			\
			      reallocarray((array), more_, sizeof(*(array)))); \
})

/* Return the array with @least elements instead of @nr, or NULL: out of memory. */
static inline void *array_extended(void *array, size_t nr, size_t least, size_t size)
{
	char *extended = reallocarray(array, least, size);

	if (extended)
		memset(extended + nr * size, 0, (least - nr) * size);
	return extended;
}

/**
 * array_extend - make an array at least as long as a number, with zeros
 * @array: the array, a pointer to its elements; NULL before the first call
 * @nr: number of its elements, a variable; 0 before the first call
 * @least: the number of elements that it must have
 *
 * Return: false if memory is lacking. The array is then as before.
 */
#define array_extend(array, nr, least) ({				\
	size_t least_ = (least);					\
									\
	least_ <= (nr) ||						\
		array_replace((array), (nr), least_,			\
			      array_extended((array), (nr), least_, sizeof(*(array)))); \
})

#endif /* RBMAP_BASE_ARRAY_H */
