/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which names did somebody mean who wrote one that is not there?
 */
#ifndef RBMAP_CLI_NEAREST_H
#define RBMAP_CLI_NEAREST_H

#include <stddef.h>

#define NEAREST_MAX	3

/*
 * The nearest of all names that were offered, nearest first, and those that
 * contain the wanted one before others.  Names are copied.
 */
struct nearest {
	const char *wanted;
	unsigned int nr;
	struct {
		unsigned int distance;
		char name[128];
	} found[NEAREST_MAX];
};

/* @name is @wanted's rival, known to the user as @shown. */
void nearest_offer(struct nearest *nearest, const char *name, const char *shown);
/* "a, b, c"; "": nothing is near. */
void nearest_list(const struct nearest *nearest, char *list, size_t size);

#endif /* RBMAP_CLI_NEAREST_H */
