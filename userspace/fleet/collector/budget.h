/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A budget for each host. Messages: so many at once, and so many a second after that; the
 * rest is refused before it is looked at, and comes again. Checks of files: the host
 * whose checks took the least time comes first, and one file of a host is checked at a time.
 */
#ifndef RBMAP_FLEET_COLLECTOR_BUDGET_H
#define RBMAP_FLEET_COLLECTOR_BUDGET_H

#include <stdbool.h>

#include "message/names.h"

#define BUDGET_MESSAGES		8192	/* at once */
#define BUDGET_RATE		1024	/* a second */
#define BUDGET_HOSTS		4096	/* the others were silent for longer */
#define BUDGET_HALF_LIFE	60	/* seconds, of the time that checks took */

struct budget_host {
	char name[HOST_NAME_SIZE];
	double messages, checked, at;
};

struct budget {
	struct budget_host *host;
};

bool budget_init(struct budget *b);
void budget_free(struct budget *b);

/* Take a message of the host's budget. Return false if it is used up. */
bool budget_message(struct budget *b, const char *host);

/* A check of a file of the host took so long. */
void budget_checked(struct budget *b, const char *host, double seconds);
/* Return how long such checks took lately. */
double budget_check_time(struct budget *b, const char *host);

#endif /* RBMAP_FLEET_COLLECTOR_BUDGET_H */
