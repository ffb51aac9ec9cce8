/* SPDX-License-Identifier: GPL-2.0-only */
/* Each text once, so that equal texts have the same address. */
#ifndef RBMAP_INTERVALS_NAMES_H
#define RBMAP_INTERVALS_NAMES_H

struct names;

struct names *names_new(void);		/* NULL: out of memory */
void names_free(struct names *names);

/* Return the text's copy, which stays until names_free(), or NULL: out of memory. */
const char *names_add(struct names *names, const char *text);

#endif /* RBMAP_INTERVALS_NAMES_H */
