/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of a kernel that there is not, and what else a program of fetches asks. */
#ifndef DYNAMIC_MEMORY_H
#define DYNAMIC_MEMORY_H

#include "callback.h"
#include "fetch.h"
#include "parse.h"
#include "print.h"
#include "program.h"
#include "record.h"

/* Two pages with nothing around them; MEMORY_END is the first byte behind. */
#define MEMORY		0xffff888012340000UL
#define MEMORY_SIZE	8192UL
#define MEMORY_END	(MEMORY + MEMORY_SIZE)

#define RECORD_HEADER	8UL
#define RECORD_MAX	4072UL

extern unsigned char memory[MEMORY_SIZE];
extern unsigned long memory_reads;

/* Called before each read, with its number from the last memory_reset() on. */
extern void (*memory_hook)(unsigned long nr);

/* Addresses are shown as they are. */
extern bool addresses_shown;

void memory_reset(void);
void memory_put(unsigned long address, const void *data, size_t size);

/* Parses a line that must be good. */
void line_parse(const char *text, struct rbmap_dynamic_line *line);

/* A record, of exactly its size; bytes get how many.  To be freed. */
void *record_make(const struct rbmap_fetch_program *program,
		  const struct rbmap_fetch_args *args, size_t *bytes);

#endif /* DYNAMIC_MEMORY_H */
