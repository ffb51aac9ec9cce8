/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `rbmap fleet` */
#ifndef RBMAP_FLEET_ADMIN_OPTIONS_H
#define RBMAP_FLEET_ADMIN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/index/database.h"
#include "transport/transport.h"

#define DEFAULT_DIRECTORY	"/var/lib/rbmap-collect"

/**
 * struct fleet_options - options of all subcommands
 * @hosts: pattern of names
 * @since, @until: ns since 1970
 * @wait: seconds
 * @id: the argument: an incident or a command
 */
struct fleet_options {
	struct transport_options transport;
	const char *directory;
	const char *hosts;
	const char *reason;
	const char *output;
	const char *id;
	int64_t since, until;
	double wait;
	bool json;
};

/* Open the collector's index, or report an error. */
bool fleet_open_index(struct fleet_index *ix, const struct fleet_options *o,
		      enum index_mode mode);
/* Close it. Return the status, or that of an error of the index, which is reported. */
int fleet_close_index(struct fleet_index *ix, const struct fleet_options *o, int status);
/* Return whether a host is one of --hosts. */
bool fleet_has_host(const char *pattern, const char *host);

#endif /* RBMAP_FLEET_ADMIN_OPTIONS_H */
