// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "setup_configuration.h"
#include "transport/jetstream/jetstream_names.h"

#define MAX_PAYLOAD	2097152	/* a message has at most 1 MiB and a header */

/*
 * Write HOST:PORT to listen on. The name of a server can mean a loopback address on the
 * server itself, so with a name it listens on all addresses.
 */
static void add_listen(struct buf *out, const struct server *server, unsigned int port)
{
	const char *brackets = strchr(server->address, ':') ? "[]" : "";

	if (server->is_address)
		buf_printf(out, "listen: \"%.1s%s%s:%u\"\n", brackets, server->address,
			   *brackets ? brackets + 1 : "", port);
	else
		buf_printf(out, "listen: \"0.0.0.0:%u\"\n", port);
}

void configuration_server(struct buf *out, const struct server *server)
{
	buf_printf(out, "# Written once by 'rbmap fleet setup nats', and kept if you change it.\n"
			"server_name: \"%s\"\n", server->name);
	add_listen(out, server, server->port);
	buf_printf(out, "max_payload: %d\n"
			"tls {\n"
			"\tcert_file: \"" NATS_DIRECTORY "/server.crt\"\n"
			"\tkey_file: \"" NATS_DIRECTORY "/server.key\"\n"
			"\tca_file: \"" NATS_DIRECTORY "/ca.crt\"\n"
			"\t# The certificate of a client names its user.\n"
			"\tverify_and_map: true\n"
			"\ttimeout: 5\n"
			"}\n"
			"jetstream {\n"
			"\tstore_dir: \"" NATS_STORE "\"\n"
			"\t# An acknowledged message is on the disks, also after a loss of power.\n"
			"\tsync_interval: always\n"
			"}\n"
			"include \"users.conf\"\n"
			"include \"cluster.conf\"\n", MAX_PAYLOAD);
}

void configuration_cluster(struct buf *out, const struct servers *servers,
			   const struct server *server)
{
	buf_printf(out, "# Written by 'rbmap fleet setup nats' from its --servers.\n");
	if (servers->nr == 1)
		return;
	/* Another authority signs certificates of clients, so that no host can join as a server. */
	buf_printf(out, "cluster {\nname: rbmap\n");
	add_listen(out, server, server->route_port);
	buf_printf(out, "no_advertise: true\n"
			"tls {\n"
			"\tcert_file: \"" NATS_DIRECTORY "/route.crt\"\n"
			"\tkey_file: \"" NATS_DIRECTORY "/route.key\"\n"
			"\tca_file: \"" NATS_DIRECTORY "/routes-ca.crt\"\n"
			"\tverify: true\n"
			"\ttimeout: 5\n"
			"}\n"
			"routes: [\n");
	for (unsigned int i = 0; i < servers->nr; i++) {
		const struct server *other = &servers->server[i];
		bool ipv6 = strchr(other->address, ':');

		if (other != server)
			buf_printf(out, "\t\"nats://%s%s%s:%u\"\n", ipv6 ? "[" : "",
				   other->address, ipv6 ? "]" : "", other->route_port);
	}
	buf_printf(out, "]\n}\n");
}

static void add_user(struct buf *out, const char *name, const char *unit, const char *publish,
		     const char *subscribe)
{
	buf_printf(out, "\t{ user: \"CN=%s,OU=%s\", permissions: {\n"
			"\t\tpublish: { allow: [%s] }\n"
			"\t\tsubscribe: { allow: [%s] } } }\n", name, unit, publish, subscribe);
}

void configuration_users_begin(struct buf *out)
{
	buf_printf(out, "# Written by 'rbmap fleet setup nats' for the folders in hosts.\n"
			"authorization {\nusers: [\n");
	add_user(out, COLLECTOR, COLLECTOR,
		 "\"" SUBJECT_HOST "*\", \"" API_NEXT "\", \"" API_ACK ".>\"",
		 "\"" INBOX_COLLECTOR ".>\"");
	add_user(out, ADMINISTRATOR, ADMINISTRATOR,
		 "\"" SUBJECT_ALL "\", \"$JS.API.>\"", "\"" INBOX_ADMIN ".>\"");
}

void configuration_users_host(struct buf *out, const char *host)
{
	char publish[512], subscribe[512];

	snprintf(publish, sizeof(publish), "\"" SUBJECT_DATA "%s\", \"" API_DIRECT_GET "\", \""
		 API_DIRECT_GET "." SUBJECT_ALL "\"", host);
	snprintf(subscribe, sizeof(subscribe), "\"" SUBJECT_HOST "%s\", \"" SUBJECT_ALL "\", \""
		 INBOX_HOST "%s.>\"", host, host);
	add_user(out, host, UNIT_HOST, publish, subscribe);
}

void configuration_users_end(struct buf *out)
{
	buf_printf(out, "]\n}\n");
}
