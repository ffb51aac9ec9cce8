/* SPDX-License-Identifier: GPL-2.0-only */
/* Primitives of module/filter in a process. */
#ifndef RBMAP_FILTER_PLATFORM_H
#define RBMAP_FILTER_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define S64_MIN				INT64_MIN
#define U16_MAX				UINT16_MAX
#define U64_MAX				UINT64_MAX
#define ARRAY_SIZE(array)		(sizeof(array) / sizeof((array)[0]))
#undef __always_inline
#define __always_inline			inline __attribute__((always_inline))
#define noinline			__attribute__((noinline))

#define rbmap_filter_alloc(size)	calloc(1, size)
#define rbmap_filter_release(memory)	free(memory)

/* The CPU and the task of the event that is matched */
extern int rbmap_filter_cpu_now;
extern char rbmap_filter_comm_now[16];

#define rbmap_filter_cpu()		rbmap_filter_cpu_now
#define rbmap_filter_comm()		rbmap_filter_comm_now
#define RBMAP_FILTER_COMM_LEN		sizeof(rbmap_filter_comm_now)

#endif /* RBMAP_FILTER_PLATFORM_H */
