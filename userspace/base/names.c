// SPDX-License-Identifier: LGPL-2.1-only
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define NAME_IS(name, key)	(!strcmp((name)->text, (key)))
#define TEXT_OF_NAME(name)	((name)->text)

HASH_FUNCTIONS(names, struct name, const char *, 1024, hash_text, NAME_IS, TEXT_OF_NAME);

const char *names_add(struct names *names, const char *text)
{
	struct name *name = names_place(names, text);
	char *copy;

	if (!name || name->used)
		return name ? name->text : NULL;
	copy = strdup(text);
	if (!copy)
		return NULL;
	*name = (struct name){ true, copy };
	names->nr++;
	return copy;
}

void names_free(struct names *names)
{
	struct name *name;

	hash_for_each(names, name)
		free(name->text);
	free(names->slot);
}
