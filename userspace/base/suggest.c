// SPDX-License-Identifier: LGPL-2.1-only
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "printable.h"
#include "suggest.h"

/* Return the number of edits between two names. Case does not count. */
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

/* Return 0 if @name contains @wanted. */
static unsigned int distance(const char *wanted, const char *name)
{
	return *wanted && strcasestr(name, wanted) ? 0 : edits(wanted, name);
}

void suggest_offer(struct suggest *suggest, const char *name, const char *shown)
{
	unsigned int d = distance(suggest->wanted, name), i;

	if (d > strlen(suggest->wanted) / 3 + 1)
		return;
	i = suggest->nr < NEAREST_MAX ? suggest->nr++ : NEAREST_MAX;
	/* If names are equally near, keep the first ones. */
	for (; i > 0 && suggest->found[i - 1].distance > d; i--)
		if (i < NEAREST_MAX)
			suggest->found[i] = suggest->found[i - 1];
	if (i == NEAREST_MAX)
		return;
	suggest->found[i].distance = d;
	snprintf(suggest->found[i].name, sizeof(suggest->found[i].name), "%s",
		 shown);
}

struct suggest suggest_events(const char *pattern)
{
	const char *colon = strchr(pattern, ':');

	return (struct suggest){ .wanted = colon ? colon + 1 : pattern };
}

void suggest_offer_event(struct suggest *suggest, const char *system, const char *name)
{
	char shown[sizeof(suggest->found[0].name)];

	snprintf(shown, sizeof(shown), "%s:%s", system, name);
	suggest_offer(suggest, name, shown);
}

void suggest_list(const struct suggest *suggest, char *list, size_t size)
{
	char shown[PRINTABLE_MAX * sizeof(suggest->found[0].name)];
	size_t used = 0, len;

	*list = '\0';
	for (unsigned int i = 0; i < suggest->nr; i++) {
		const char *name = suggest->found[i].name;

		*put_printable(shown, name, strlen(name)) = '\0';
		len = strlen(shown) + (i ? 2 : 0);
		if (len >= size - used)
			return;
		used += sprintf(list + used, "%s%s", i ? ", " : "", shown);
	}
}
