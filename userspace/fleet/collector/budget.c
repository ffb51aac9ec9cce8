// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "budget.h"

#define PROBES	8	/* places that a host can have */

bool budget_init(struct budget *b)
{
	b->host = calloc(BUDGET_HOSTS, sizeof(*b->host));
	return b->host;
}

void budget_free(struct budget *b)
{
	free(b->host);
	b->host = NULL;
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* Return the place of the host, which may have been another host's until now. */
static struct budget_host *find(struct budget *b, const char *name)
{
	struct budget_host *oldest = NULL;
	double t = now();

	for (uint32_t i = 0, h = hash(name); i < PROBES; i++) {
		struct budget_host *host = &b->host[(h + i) % BUDGET_HOSTS];

		if (!strcmp(host->name, name)) {
			double passed = t > host->at ? t - host->at : 0;

			host->messages = fmin(BUDGET_MESSAGES, host->messages + passed * BUDGET_RATE);
			host->checked *= exp2(-passed / BUDGET_HALF_LIFE);
			host->at = t;
			return host;
		}
		if (!oldest || !*host->name || (*oldest->name && host->at < oldest->at))
			oldest = host;
	}
	*oldest = (struct budget_host){ .messages = BUDGET_MESSAGES, .at = t };
	snprintf(oldest->name, sizeof(oldest->name), "%s", name);
	return oldest;
}

bool budget_message(struct budget *b, const char *host)
{
	struct budget_host *h = find(b, host);

	if (h->messages < 1)
		return false;
	h->messages--;
	return true;
}

void budget_checked(struct budget *b, const char *host, double seconds)
{
	find(b, host)->checked += seconds;
}

double budget_check_time(struct budget *b, const char *host)
{
	return find(b, host)->checked;
}
