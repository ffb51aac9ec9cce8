/* SPDX-License-Identifier: GPL-2.0-only */
/* Fake kernel memory, and the other functions that fetch programs call. */
#ifndef DYNAMIC_MEMORY_H
#define DYNAMIC_MEMORY_H

#include "program.h"
#include "record.h"

/* Two pages, with no memory around them; MEMORY_END is the first byte after them. */
#define MEMORY		0xffff888012340000UL
#define MEMORY_SIZE	8192UL
#define MEMORY_END	(MEMORY + MEMORY_SIZE)

#define RECORD_HEADER	8UL
#define RECORD_MAX	4072UL

extern unsigned char memory[MEMORY_SIZE];
extern unsigned long memory_reads;

/* Called before each read, with its number since the last memory_reset(). */
extern void (*memory_hook)(unsigned long nr);

void memory_reset(void);
void memory_put(unsigned long address, const void *data, size_t size);

/* Parse a line that must be valid. */
void line_parse(const char *text, struct rbmap_dynamic_line *line);

/* Make a record in exactly its size, *bytes.  The caller frees it. */
void *record_make(const struct rbmap_fetch_program *program,
		  const struct rbmap_fetch_args *args, size_t *bytes);

#endif /* DYNAMIC_MEMORY_H */
