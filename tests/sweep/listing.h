/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of the ring's code, by objdump. */
#ifndef SWEEP_LISTING_H
#define SWEEP_LISTING_H

#include <stdbool.h>

/* False: objdump did not say. */
bool listing_load(void);

/* Function, offset and source lines of an address, to stdout. */
void listing_print_where(unsigned long address);

/*
 * By function: how many instructions were boundaries, to stdout; those of the
 * writer's functions that were not, each.  Returns how many these are.
 */
unsigned int listing_print_coverage(const unsigned char *hits);

#endif /* SWEEP_LISTING_H */
