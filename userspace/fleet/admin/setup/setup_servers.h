/* SPDX-License-Identifier: GPL-2.0-only */
/* The servers of a cluster: NAME=HOST[:PORT[/ROUTE-PORT]][,...] */
#ifndef RBMAP_FLEET_ADMIN_SETUP_SETUP_SERVERS_H
#define RBMAP_FLEET_ADMIN_SETUP_SETUP_SERVERS_H

#include "message/message.h"

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

/* Parse the list. Return NULL, or what is wrong with it. */
const char *servers_parse(struct servers *servers, const char *list);

#endif /* RBMAP_FLEET_ADMIN_SETUP_SETUP_SERVERS_H */
