/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names: each text once, so that equal texts have the same address. The table grows with the
 * names, which can be those of a file of others.
 */
#ifndef RBMAP_BASE_NAMES_H
#define RBMAP_BASE_NAMES_H

#include "hash.h"

struct name {
	bool used;
	char *text;
};

/* A table of zeros has no names. */
HASH_TABLE(names, struct name);

/* Return the text's copy, which stays until names_free(), or NULL: out of memory. */
const char *names_add(struct names *names, const char *text);

void names_free(struct names *names);

#endif /* RBMAP_BASE_NAMES_H */
