/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The servers and the hosts of a setup, and the configuration of a nats-server: nats-server.conf,
 * which includes users.conf and cluster.conf. Files are expected in NATS_DIRECTORY on the server.
 */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_CONFIGURATION_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_CONFIGURATION_H

#include <stdbool.h>

#include "base/buf.h"
#include "message/message.h"

#define NATS_DIRECTORY	"/etc/nats-server"
#define NATS_STORE	"/var/lib/nats-server"
#define UNIT_HOST	"host"
#define COLLECTOR	"collector"
#define ADMINISTRATOR	"administrator"
#define SERVERS_MAX	32
#define ADDRESS_SIZE	254	/* a name in the DNS, with the final 0 */

/**
 * struct server - a server
 * @address: a name or an address; an IPv6 address has no brackets
 * @is_address: @address is a number, not a name
 * @port: for clients
 * @route_port: for the other servers
 */
struct server {
	char name[HOST_NAME_SIZE];
	char address[ADDRESS_SIZE];
	bool is_address;
	unsigned int port;
	unsigned int route_port;
};

struct servers {
	struct server server[SERVERS_MAX];
	unsigned int nr;
};

/* Parse the list NAME=HOST[:PORT[/ROUTE-PORT]][,...]. Return NULL, or what is wrong with it. */
const char *servers_parse(struct servers *servers, const char *list);

/* Return false to stop, after an error that was reported. */
typedef bool use_host_fn(void *data, const char *host);

/*
 * Use each host of a list "NAME,..." or of a file, whose name has a slash or which is
 * there: a name in each line, # begins a comment. Errors are reported.
 */
bool hosts_each_named(const char *list, use_host_fn *use, void *data);

/* Use each folder in @dir with a valid name, in the order of their names. */
bool hosts_each_folder(int dir, use_host_fn *use, void *data);

void configuration_server(struct buf *out, const struct server *server);
/* The routes between servers; nothing for one server. */
void configuration_cluster(struct buf *out, const struct servers *servers,
			   const struct server *server);

/* Users and what each may do: begin, one call for each host, end. */
void configuration_users_begin(struct buf *out);
void configuration_users_host(struct buf *out, const char *host);
void configuration_users_end(struct buf *out);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_CONFIGURATION_H */
