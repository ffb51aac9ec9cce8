// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamic_memory.h"

unsigned char memory[MEMORY_SIZE];
unsigned long memory_reads;
void (*memory_hook)(unsigned long nr);

void memory_reset(void)
{
	memset(memory, 0, sizeof(memory));
	memory_reads = 0;
	memory_hook = NULL;
}

void memory_put(unsigned long address, const void *data, size_t size)
{
	if (address < MEMORY || address + size > MEMORY_END)
		abort();
	memcpy(memory + (address - MEMORY), data, size);
}

bool rbmap_read_nofault(void *to, unsigned long from, size_t size)
{
	/* A failed read may have written some bytes: they must not be used. */
	memset(to, 0xfa, size);
	if (memory_hook)
		memory_hook(memory_reads);
	memory_reads++;
	if (from < MEMORY || from > MEMORY_END || size > MEMORY_END - from)
		return false;
	memcpy(to, memory + (from - MEMORY), size);
	return true;
}

void *rbmap_address_hide(const void *address)
{
	return (void *)(unsigned long)((unsigned int)(unsigned long)address ^
				       0x5a5a5a5aU);
}

void line_parse(const char *text, struct rbmap_dynamic_line *line)
{
	struct rbmap_line_error error;

	if (rbmap_dynamic_parse(text, strlen(text), RECORD_HEADER, RECORD_MAX,
				line, &error))
		return;
	fprintf(stderr, "\"%s\" refused at %zu: %s\n", text, error.at,
		error.what);
	abort();
}

void *record_make(const struct rbmap_fetch_program *program,
		  const struct rbmap_fetch_args *args, size_t *bytes)
{
	struct rbmap_fetch_strings strings;
	unsigned char *record;

	*bytes = program->size + rbmap_fetch_measure(program, args, &strings);
	record = malloc(*bytes);
	if (!record || *bytes > RECORD_MAX)
		abort();
	memset(record, 0xee, *bytes);
	rbmap_fetch_fill(program, args, &strings, record);
	return record;
}
