/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limits of hosts. Permits limit the number of hosts that send at the same time, one
 * incident each. A permit ends with STORED, or after two minutes without a new part.
 *
 * A budget of each host limits its messages: BUDGET_MESSAGES at once, and BUDGET_RATE a
 * second after that. The rest is refused undecoded, and comes again. It also orders checks of
 * files: the host whose checks took the least time comes first, with one file at a time.
 */
#ifndef RBMAP_FLEET_COLLECTOR_LIMITS_H
#define RBMAP_FLEET_COLLECTOR_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "message/message.h"

#define PERMIT_SECONDS		120
#define BUDGET_MESSAGES		8192	/* at once */
#define BUDGET_RATE		1024	/* a second */
#define BUDGET_HOSTS		4096	/* the others were silent for longer */
#define BUDGET_HALF_LIFE	60	/* seconds, of the time that checks took */

struct collector;
struct index_host;
struct index_incident;

/**
 * struct permit - a permit that was given
 * @number: that of its message
 */
struct permit {
	int64_t host, incident;
	double expires;
	uint64_t number;
};

struct permits {
	struct permit *all;
	unsigned int nr, max;
};

bool permits_init(struct permits *p, unsigned int max);
void permits_free(struct permits *p);

bool permits_has(const struct permits *p, int64_t host);
/* Send a permit again, because the host still waits for it: the message was lost. */
void permits_repeat(struct collector *c, const struct index_host *host,
		    const struct index_incident *incident);
/* A new part of the incident is here. */
void permits_renew(struct permits *p, int64_t incident);

/* The incident is stored: the host can get its next permit. In a transaction */
void permits_end(struct collector *c, int64_t host, int64_t incident);
/* Take back permits that were not used. In a transaction */
void permits_expire(struct collector *c);
/* Give permits to the hosts that wait. In a transaction */
void permits_grant(struct collector *c);
/* Return whether permits_expire() or permits_grant() has work. */
bool permits_are_due(struct collector *c);

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

#endif /* RBMAP_FLEET_COLLECTOR_LIMITS_H */
