/* SPDX-License-Identifier: LGPL-2.1-only */
/* Marks the functions that programs can call. All others are local to the library. */
#ifndef RBMAP_API_H
#define RBMAP_API_H

#include <rbmap.h>

#define RBMAP_API __attribute__((visibility("default")))

#endif /* RBMAP_API_H */
