// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define NR_CHAINS	1024	/* a power of two */

struct name {
	struct name *next;
	char text[];
};

struct names {
	struct name *chain[NR_CHAINS];
};

struct names *names_new(void)
{
	return calloc(1, sizeof(struct names));
}

void names_free(struct names *names)
{
	struct name *name, *next;

	for (unsigned int i = 0; names && i < NR_CHAINS; i++)
		for (name = names->chain[i]; name; name = next) {
			next = name->next;
			free(name);
		}
	free(names);
}

static uint32_t hash(const char *text)
{
	uint32_t value = 2166136261u;	/* FNV-1a */

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 16777619u;
	return value;
}

const char *names_add(struct names *names, const char *text)
{
	struct name **chain = &names->chain[hash(text) % NR_CHAINS], *name;
	size_t size = strlen(text) + 1;

	for (name = *chain; name; name = name->next)
		if (!strcmp(name->text, text))
			return name->text;
	name = malloc(sizeof(*name) + size);
	if (!name)
		return NULL;
	memcpy(name->text, text, size);
	name->next = *chain;
	*chain = name;
	return name->text;
}
