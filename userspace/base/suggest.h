/* SPDX-License-Identifier: LGPL-2.1-only */
/* Suggest existing names that are similar to an unknown one. */
#ifndef RBMAP_BASE_SUGGEST_H
#define RBMAP_BASE_SUGGEST_H

#include <stddef.h>

#define NEAREST_MAX	3

/*
 * The most similar names, the nearest first. Names that contain the wanted one
 * come before others. Names are copied.
 */
struct suggest {
	const char *wanted;
	unsigned int nr;
	struct {
		unsigned int distance;
		char name[128];
	} found[NEAREST_MAX];
};

/* Begin to suggest events for a pattern, NAME or SYSTEM:NAME, which must stay. */
struct suggest suggest_events(const char *pattern);
/* Add a candidate: compare its name, and show it as SYSTEM:NAME. */
void suggest_offer_event(struct suggest *suggest, const char *system, const char *name);

/* Add a candidate: compare @name, and show it as @shown. */
void suggest_offer(struct suggest *suggest, const char *name, const char *shown);
/*
 * Store the suggestions as "a, b, c", or "" if no name is similar. Names come from files of
 * others, so they are made printable. Suggestions for which @list has no room are left out.
 */
void suggest_list(const struct suggest *suggest, char *list, size_t size);

#endif /* RBMAP_BASE_SUGGEST_H */
