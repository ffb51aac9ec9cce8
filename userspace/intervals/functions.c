// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "functions.h"
#include "symbols/symbols.h"

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
