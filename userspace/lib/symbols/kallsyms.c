// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"

bool kallsyms_wanted(const char *format)
{
	const char *at = strstr(format, "print fmt:");

	for (; at && (at = strstr(at, "%p")); at += 2)
		if (at[2] && strchr("sSfFB", at[2]))
			return true;
	return false;
}

void kallsyms_read(struct buf *out, const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long addr;
	char *line = NULL, type;
	bool hidden = true;
	size_t room = 0;
	ssize_t len;

	while (f && (len = getline(&line, &room, f)) > 0) {
		if (sscanf(line, "%llx %c", &addr, &type) != 2 ||
		    !strchr("tTwW", type))
			continue;
		hidden &= !addr;
		buf_add(out, line, len);
	}
	free(line);
	if (f)
		fclose(f);
	/* All addresses are 0 (kptr_restrict), so they tell nothing. */
	if (hidden || out->failed || out->size > UINT32_MAX)
		buf_free(out);
}
