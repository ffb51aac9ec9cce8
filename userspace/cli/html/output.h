/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that replaces another one when it is complete. It is written beside that, and a
 * signal that ends the process removes it.
 */
#ifndef RBMAP_CLI_HTML_OUTPUT_H
#define RBMAP_CLI_HTML_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct output - the file
 * @name: its name at the end; "-": standard output
 * @temporary: its name until then; NULL: it is written in place
 */
struct output {
	const char *name;
	char *temporary;
	FILE *file;
};

/* Functions report their errors, and return false then. */
bool output_open(struct output *out, const char *name);
/* Give the complete file its name. */
bool output_publish(struct output *out);
/* Remove an incomplete file. */
void output_discard(struct output *out);

#endif /* RBMAP_CLI_HTML_OUTPUT_H */
