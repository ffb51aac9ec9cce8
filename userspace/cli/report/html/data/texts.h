/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers for the names in a page: of system calls, handlers and reasons. */
#ifndef RBMAP_REPORT_HTML_DATA_TEXTS_H
#define RBMAP_REPORT_HTML_DATA_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct text_slot {
	const char *text;
	uint32_t number;
	bool used;
};

HASH_TABLE(text_table, struct text_slot);

/**
 * struct texts - the names
 * @text: by number. The strings belong to others
 * @table: the numbers; table.nr is also the length of @text
 */
struct texts {
	const char **text;
	struct text_table table;
};

void texts_free(struct texts *texts);

/*
 * Return the number of a text. Equal texts have the same address, and stay. Texts behind
 * the first 65536 share number 0. Return -1: out of memory.
 */
int64_t texts_number(struct texts *texts, const char *text);

#endif /* RBMAP_REPORT_HTML_DATA_TEXTS_H */
