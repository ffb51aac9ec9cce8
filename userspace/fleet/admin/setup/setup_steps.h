/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of `rbmap fleet setup` */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_STEPS_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_STEPS_H

#include "setup_servers.h"
#include "transport/jetstream/jetstream_streams.h"

/*
 * Make the folders of a transport "dir:/DIRECTORY", and keep those that are there. Return
 * an exit status.
 */
int setup_folders(const char *directory);

/**
 * struct nats_plan - arguments of `setup nats`
 * @directory: directory to write to
 * @servers: all servers; none: leave them as they are
 * @hosts: names with commas between them, or a file with a name in each line; NULL: none
 * @days: days for which new certificates are valid
 */
struct nats_plan {
	const char *directory;
	struct servers servers;
	const char *hosts;
	unsigned int days;
};

/* Write certificates and configurations. Return an exit status. */
int setup_nats(const struct nats_plan *plan);

/* Make or change the streams on servers. Return an exit status. */
int setup_streams(const struct transport_options *options, struct streams_plan plan);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_STEPS_H */
