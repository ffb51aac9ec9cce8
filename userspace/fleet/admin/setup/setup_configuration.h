/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration of a nats-server: nats-server.conf, which includes users.conf and
 * cluster.conf. Files are expected in NATS_DIRECTORY on the server.
 */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_CONFIGURATION_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_CONFIGURATION_H

#include "base/buf.h"
#include "setup_servers.h"

#define NATS_DIRECTORY	"/etc/nats-server"
#define NATS_STORE	"/var/lib/nats-server"
#define UNIT_HOST	"host"
#define COLLECTOR	"collector"
#define ADMINISTRATOR	"administrator"

void configuration_server(struct buf *out, const struct server *server);
/* The routes between servers; nothing for one server. */
void configuration_cluster(struct buf *out, const struct servers *servers,
			   const struct server *server);

/* Users and what each may do: begin, one call for each host, end. */
void configuration_users_begin(struct buf *out);
void configuration_users_host(struct buf *out, const char *host);
void configuration_users_end(struct buf *out);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_CONFIGURATION_H */
