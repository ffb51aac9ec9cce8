/* SPDX-License-Identifier: GPL-2.0-only */
/* The checks of files that run beside the loop of the collector. */
#ifndef RBMAP_FLEET_COLLECTOR_CHECKS_H
#define RBMAP_FLEET_COLLECTOR_CHECKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/index/hosts.h"
#include "collector/index/incidents.h"

#define CHECKS_MAX	4	/* at the same time, one for each host */

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

#endif /* RBMAP_FLEET_COLLECTOR_CHECKS_H */
