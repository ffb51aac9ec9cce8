// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "fetch.h"
#include "probe_line.h"

bool probe_line(struct buf *line, const struct btf_types *types, const char *group,
		const char *event, char *const *words, size_t nr, char *error, size_t size)
{
	struct tracepoint_args args;
	char reason[2048];

	if (!btf_types_tracepoint(types, words[0], &args, error, size))
		return false;
	buf_printf(line, "t:%s/%s %s", group, event, words[0]);
	if (!fetch_fields(line, &args, words + 1, nr - 1, reason, sizeof(reason))) {
		snprintf(error, size, "%s: %s", words[0], reason);
		return false;
	}
	buf_add(line, "", 1);
	if (line->failed)
		snprintf(error, size, "out of memory");
	return !line->failed;
}
