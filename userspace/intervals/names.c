// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "names.h"
#include "symbols/symbols.h"

struct name {
	bool used;
	char *text;
};

#define NAME_IS(name, key)	(!strcmp((name)->text, (key)))
#define TEXT_OF_NAME(name)	((name)->text)

HASH_TABLE(names, struct name);
HASH_FUNCTIONS(names, struct name, const char *, 1024, hash_text, NAME_IS, TEXT_OF_NAME);

struct names *names_new(void)
{
	return calloc(1, sizeof(struct names));
}

void names_free(struct names *names)
{
	struct name *name;

	if (!names)
		return;
	hash_for_each(names, name)
		free(name->text);
	free(names->slot);
	free(names);
}

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

/* ---- functions of the kernel */

#define FOUND_BITS	10
#define NR_FOUND	(1u << FOUND_BITS)	/* names that are kept: an address has one slot */

struct functions {
	const char *text;
	size_t size;
	struct symbols *symbols;	/* NULL: no name was wanted yet */
	struct {
		uint64_t address;
		const char *name;
	} found[NR_FOUND];
};

struct functions *functions_new(const char *text, size_t size)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return NULL;
	functions->text = text;
	functions->size = size;
	return functions;
}

void functions_free(struct functions *functions)
{
	if (functions && functions->symbols)
		symbols_free(functions->symbols);
	free(functions);
}

/* Parse the names when the first one is needed: few views need them. */
static void parse(struct functions *functions)
{
	functions->symbols = symbols_new();
	if (functions->symbols && functions->size)
		symbols_add(functions->symbols, functions->text, functions->size);
}

const char *functions_name(void *data, uint64_t address)
{
	struct functions *functions = data;
	size_t i = hash_u64_bits(address, FOUND_BITS);
	const struct symbol *symbol;

	if (!address)
		return NULL;
	if (functions->found[i].address != address) {
		if (!functions->symbols)
			parse(functions);
		symbol = functions->symbols ? symbols_find(functions->symbols, address) : NULL;
		functions->found[i].address = address;
		functions->found[i].name = symbol ? symbol->name : NULL;
	}
	return functions->found[i].name;
}
