// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/complain.h"
#include "base/process.h"
#include "base/units.h"
#include "command/command.h"
#include "rotation.h"

#define EXTENSION	".dat"
#define DIGITS		4	/* names sort by them for so long */

/* A large letter is a unit of sizes, and a small one of times: 10M, 10m. */
int rotation_set(const struct command *cmd, void *to, char *value)
{
	struct rotation *r = to;
	size_t len = strlen(value);

	r->kb = 0;
	r->seconds = 0;
	if (len && strchr("KMG", value[len - 1]) && parse_size_kb(value, &r->kb))
		return STATUS_OK;
	if (len && strchr("smh", value[len - 1]) && parse_seconds(value, &r->seconds))
		return STATUS_OK;
	return usage_error(cmd, "invalid limit '%s' of a file: want a size such as 100M, or a time such as 10m or 1h",
			   value);
}

/* Return the bytes of a name before its number. */
static size_t stem_of(const char *name)
{
	size_t len = strlen(name), end = strlen(EXTENSION);

	return len > end && !strcmp(name + len - end, EXTENSION) ? len - end : len;
}

/* Return the number in the name of such a file, or 0. Files of its CPUs have it, too. */
static unsigned int number_of(const char *entry, const char *name)
{
	size_t stem = stem_of(name), digits, end = strlen(name + stem);
	unsigned int number = 0;

	if (strncmp(entry, name, stem) || entry[stem] != '.')
		return 0;
	entry += stem + 1;
	digits = strspn(entry, "0123456789");
	if (digits < DIGITS || digits > 9 || strncmp(entry + digits, name + stem, end))
		return 0;
	if (entry[digits + end] && strncmp(entry + digits + end, ".cpu", 4))
		return 0;
	for (size_t i = 0; i < digits; i++)
		number = number * 10 + (entry[i] - '0');
	return number;
}

/* Files of earlier recordings stay. */
static unsigned int highest_number(const char *output)
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
	char *dir = slash ? strndup(output, slash + 1 - output) : strdup(".");
	DIR *list = dir ? opendir(dir) : NULL;
	unsigned int highest = 0, number;
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		number = number_of(entry->d_name, name);
		if (highest < number)
			highest = number;
	}
	if (list)
		closedir(list);
	free(dir);
	return highest;
}

const char *rotation_next_name(struct rotation *r)
{
	size_t stem = stem_of(r->output);
	char *path;

	if (!r->number)
		r->number = highest_number(r->output);
	if (!array_grow(r->path, r->nr_paths) ||
	    asprintf(&path, "%.*s.%0*u%s", (int)stem, r->output, DIGITS, ++r->number,
		     r->output + stem) < 0) {
		complain("out of memory");
		return NULL;
	}
	r->path[r->nr_paths++] = path;
	r->began = now();
	return path;
}

bool rotation_is_due(const struct rotation *r, uint64_t bytes)
{
	return (r->kb && bytes >> 10 >= r->kb) ||
	       (r->seconds > 0 && now() - r->began >= r->seconds);
}

const char *rotation_next_removed(struct rotation *r)
{
	if (!r->keep || r->nr_paths - r->first <= r->keep)
		return NULL;
	r->removed++;
	return r->path[r->first++];
}

void rotation_free(struct rotation *r)
{
	for (size_t i = 0; i < r->nr_paths; i++)
		free(r->path[i]);
	free(r->path);
}
