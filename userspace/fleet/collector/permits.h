/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permits limit the number of hosts that send at the same time, one incident each. A permit
 * ends with STORED, or after two minutes without a new part.
 */
#ifndef RBMAP_FLEET_COLLECTOR_PERMITS_H
#define RBMAP_FLEET_COLLECTOR_PERMITS_H

#include <stdbool.h>
#include <stdint.h>

#define PERMIT_SECONDS	120

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

#endif /* RBMAP_FLEET_COLLECTOR_PERMITS_H */
