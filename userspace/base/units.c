// SPDX-License-Identifier: LGPL-2.1-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define KB_PARAMETER	"_kb="

bool parse_u64(const char *text, uint64_t *value)
{
	char *end;

	/* strtoull() would accept signs and blanks. */
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end;
}

/* Parse a number at the beginning of a text. Return what follows it, or NULL. */
static const char *parse_cpu(const char *text, unsigned int *cpu)
{
	char *end;

	*cpu = 0;
	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*cpu = strtoul(text, &end, 10);
	return errno || *cpu >= CPU_LIST_MAX || end - text > 5 ? NULL : end;
}

bool parse_cpus(const char *list, uint32_t words[CPU_LIST_WORDS])
{
	unsigned int first, last;

	for (;; list++) {
		list = parse_cpu(list, &first);
		last = first;
		if (list && *list == '-')
			list = parse_cpu(list + 1, &last);
		if (!list || last < first || (*list && *list != ','))
			return false;
		for (unsigned int cpu = first; cpu <= last; cpu++)
			words[cpu / 32] |= 1U << cpu % 32;
		if (!*list)
			return true;
	}
}

bool parse_seconds(const char *text, double *value)
{
	static const struct {
		const char *name;
		double seconds;
	} unit[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "m", 60 },
		     { "h", 3600 } };
	size_t i, nr = sizeof(unit) / sizeof(*unit);
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	errno = 0;
	*value = strtod(text, &end);
	for (i = 0; i < nr && strcmp(end, unit[i].name); i++)
		;
	if (errno || i == nr)
		return false;
	*value *= unit[i].seconds;
	return isfinite(*value) && *value > 0 && *value < 1e9;
}

bool parse_size_kb(const char *text, uint64_t *kb)
{
	static const char units[] = "KMG";
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, toupper(text[len - 1])) : NULL;
	char *digits = strndup(text, unit ? len - 1 : len);
	unsigned int shift = unit ? 10 * (unit - units) : 0;
	uint64_t size = 0;
	bool good = digits && parse_u64(digits, &size) && size &&
		    size <= UINT64_MAX >> shift;

	free(digits);
	*kb = size << shift;
	return good;
}

void buf_add_parameter(struct buf *b, const char *word)
{
	const char *value = strstr(word, KB_PARAMETER);
	uint64_t kb;

	if (value)
		value += strlen(KB_PARAMETER);
	if (value && parse_size_kb(value, &kb))
		buf_printf(b, "%.*s%" PRIu64, (int)(value - word), word, kb);
	else
		buf_printf(b, "%s", word);
}

const char *size_text(uint64_t bytes, char text[SIZE_TEXT])
{
	if (bytes < 1 << 20)
		snprintf(text, SIZE_TEXT, "%" PRIu64 " KiB", bytes >> 10);
	else
		snprintf(text, SIZE_TEXT, "%.1f MiB", bytes / 1048576.0);
	return text;
}
