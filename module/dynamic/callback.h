/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe of all dynamic events. */
#ifndef RBMAP_DYNAMIC_CALLBACK_H
#define RBMAP_DYNAMIC_CALLBACK_H

/*
 * For any tracepoint: each has another type of function.  A pointer without a type
 * cannot be called by mistake.
 */
extern void *const rbmap_dynamic_probe;

#endif /* RBMAP_DYNAMIC_CALLBACK_H */
