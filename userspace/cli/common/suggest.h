/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which names did somebody mean who wrote one that is not there?
 */
#ifndef RBMAP_CLI_SUGGEST_H
#define RBMAP_CLI_SUGGEST_H

#include <stddef.h>

#define NEAREST_MAX	3

/*
 * The nearest of all names that were offered, nearest first, and those that
 * contain the wanted one before others.  Names are copied.
 */
struct suggest {
	const char *wanted;
	unsigned int nr;
	struct {
		unsigned int distance;
		char name[128];
	} found[NEAREST_MAX];
};

/* @name is @wanted's rival, known to the user as @shown. */
void suggest_offer(struct suggest *suggest, const char *name, const char *shown);
/* "a, b, c"; "": nothing is near. */
void suggest_list(const struct suggest *suggest, char *list, size_t size);

#endif /* RBMAP_CLI_SUGGEST_H */
