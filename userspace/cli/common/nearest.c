// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nearest.h"

/* Edits that turn one name into the other, case aside. */
static unsigned int edits(const char *a, const char *b)
{
	unsigned int row[128], diagonal, above, best;
	size_t n = strlen(b);

	if (n >= 128)
		return 128;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			above = row[j + 1];
			best = diagonal + !!strncasecmp(&a[i], &b[j], 1);
			if (above + 1 < best)
				best = above + 1;
			if (row[j] + 1 < best)
				best = row[j] + 1;
			diagonal = above;
			row[j + 1] = best;
		}
	}
	return row[n];
}

/* 0 if it is a part of it. */
static unsigned int distance(const char *wanted, const char *name)
{
	return *wanted && strcasestr(name, wanted) ? 0 : edits(wanted, name);
}

void nearest_offer(struct nearest *nearest, const char *name, const char *shown)
{
	unsigned int d = distance(nearest->wanted, name), i;

	if (d > strlen(nearest->wanted) / 3 + 1)
		return;
	i = nearest->nr < NEAREST_MAX ? nearest->nr++ : NEAREST_MAX;
	/* Of those that are as near, the first ones stay. */
	for (; i > 0 && nearest->found[i - 1].distance > d; i--)
		if (i < NEAREST_MAX)
			nearest->found[i] = nearest->found[i - 1];
	if (i == NEAREST_MAX)
		return;
	nearest->found[i].distance = d;
	snprintf(nearest->found[i].name, sizeof(nearest->found[i].name), "%s",
		 shown);
}

void nearest_list(const struct nearest *nearest, char *list, size_t size)
{
	size_t used = 0;

	*list = '\0';
	for (unsigned int i = 0; i < nearest->nr && used < size; i++)
		used += snprintf(list + used, size - used, "%s%s",
				 i ? ", " : "", nearest->found[i].name);
}
