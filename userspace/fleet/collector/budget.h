/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A budget for each host. It limits messages: BUDGET_MESSAGES at once, and BUDGET_RATE a
 * second after that. The rest is refused undecoded, and comes again. It also orders checks of
 * files: the host whose checks took the least time comes first, with one file at a time.
 */
#ifndef RBMAP_FLEET_COLLECTOR_BUDGET_H
#define RBMAP_FLEET_COLLECTOR_BUDGET_H

#include <stdbool.h>

#include "message/message.h"

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

/* Add the time that a check of the host's file took. */
void budget_checked(struct budget *b, const char *host, double seconds);
/* Return the time of the host's checks, in which earlier ones count less. */
double budget_check_time(struct budget *b, const char *host);

#endif /* RBMAP_FLEET_COLLECTOR_BUDGET_H */
