/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of files that run beside the loop of the collector. */
#ifndef RBMAP_FLEET_COLLECTOR_STORE_H
#define RBMAP_FLEET_COLLECTOR_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/index/hosts.h"
#include "collector/index/incidents.h"

#define CHECKS_MAX	4	/* at the same time, one for each host */

struct collector;

/**
 * struct check - a check that runs, or that has ended
 * @pid: the process; 0: it has ended
 * @status: that of waitpid()
 * @error: the errno, if it could not be made
 * @has_name: it checks the file that has the name of the incident, and not the parts
 * @begin: when it began
 */
struct check {
	pid_t pid;
	int status, error;
	bool has_name;
	double begin;
	struct index_incident incident;
	struct index_host host;
};

struct checks {
	unsigned int nr;
	struct check check[CHECKS_MAX];
};

/*
 * Check incidents of which all parts are here, in processes beside the collector. For a file
 * whose check has ended, give the file its name, and answer. Incidents that a killed
 * collector left behind are among them. If the disk does not take a file, it is tried again.
 */
void store_complete(struct collector *c);

/* Return whether checks run, or the file of one incident is checked. */
bool store_is_busy(const struct collector *c);
bool store_checks(const struct collector *c, int64_t incident);

/* End all checks. The next collector begins them again. */
void store_stop(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_STORE_H */
