/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of the ring's code, read from objdump. */
#ifndef SWEEP_LISTING_H
#define SWEEP_LISTING_H

#include <stdbool.h>

/* Return: false if objdump failed. */
bool listing_load(void);

/* Print function, offset and source lines of an address to stdout. */
void listing_print_where(unsigned long address);

/*
 * Print for each function how many instructions were boundaries. Print each row of
 * instructions of the writer's functions that were not.
 *
 * Return: the number of instructions of the writer that were not boundaries.
 */
unsigned int listing_print_coverage(const unsigned char *hits);

#endif /* SWEEP_LISTING_H */
