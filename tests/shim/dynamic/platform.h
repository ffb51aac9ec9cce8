/* SPDX-License-Identifier: GPL-2.0-only */
/* Primitives of dynamic events in a process. */
#ifndef RBMAP_DYNAMIC_PLATFORM_H
#define RBMAP_DYNAMIC_PLATFORM_H

#include <stdarg.h>
#include <stdio.h>

#include <rbmap/ring/platform.h>

typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;

#define BITS_PER_LONG		64
#define BITS_PER_BYTE		8
#define INT_MAX			__INT_MAX__
#define MAX_ERRNO		4095
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define CONFIG_X86_64

/* Defined by the tests. */
bool rbmap_read_nofault(void *to, unsigned long from, size_t size);
void *rbmap_address_hide(const void *address);

#endif /* RBMAP_DYNAMIC_PLATFORM_H */
