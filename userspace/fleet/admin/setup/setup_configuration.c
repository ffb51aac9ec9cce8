// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/units.h"
#include "message/message.h"
#include "setup_configuration.h"
#include "transport/jetstream/jetstream_names.h"

#define PORT		4222
#define ROUTE_PORT	6222
#define WORD_MAX	512
#define MAX_PAYLOAD	2097152	/* a message has at most 1 MiB and a header */

/* Addresses go into configurations and certificates. */
static bool is_address_text(const char *text)
{
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(".-:", *c))
			return false;
	return isalnum((unsigned char)*text) || *text == ':';
}

static bool parse_port(const char *text, unsigned int *port)
{
	uint64_t value;

	if (!parse_u64(text, &value) || !value || value > 65535)
		return false;
	*port = (unsigned int)value;
	return true;
}

/* Split "HOST:PORT/ROUTE-PORT" or "[IPv6]:PORT/ROUTE-PORT". */
static const char *parse_place(struct server *server, char *text)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char *route = strchr(text, '/'), *end = strchr(text, ']'), *port;

	if (route)
		*route++ = '\0';
	if (*text == '[' && !end)
		return "an address has no ']'";
	port = *text == '[' ? (end[1] == ':' ? end + 1 : NULL) : strchr(text, ':');
	if (port)
		*port++ = '\0';
	if (*text == '[') {
		text++;
		*end = '\0';
	}
	if (!is_address_text(text) || strlen(text) >= ADDRESS_SIZE)
		return "an address is invalid";
	strcpy(server->address, text);
	server->is_address = inet_pton(AF_INET, text, bytes) == 1 ||
			     inet_pton(AF_INET6, text, bytes) == 1;
	if (strchr(text, ':') && !server->is_address)
		return "an IPv6 address is invalid";
	if ((port && !parse_port(port, &server->port)) ||
	    (route && !parse_port(route, &server->route_port)))
		return "a port is invalid";
	return NULL;
}

static const char *parse_one(struct servers *servers, char *word)
{
	struct server *server = &servers->server[servers->nr];
	char *place = strchr(word, '=');

	if (servers->nr == SERVERS_MAX)
		return "there are more than 32";
	if (!place)
		return "use NAME=HOST:PORT";
	*place++ = '\0';
	if (!is_host_name(word))
		return "a name is invalid: letters, digits, '-' and '_' are valid";
	for (unsigned int i = 0; i < servers->nr; i++)
		if (!strcmp(servers->server[i].name, word))
			return "two servers have the same name";
	*server = (struct server){ .port = PORT, .route_port = ROUTE_PORT };
	strcpy(server->name, word);
	servers->nr++;
	return parse_place(server, place);
}

const char *servers_parse(struct servers *servers, const char *list)
{
	const char *error = NULL;
	char word[WORD_MAX];

	servers->nr = 0;
	for (;;) {
		size_t len = strcspn(list, ",");

		if (len >= sizeof(word))
			return "a server's text is too long";
		memcpy(word, list, len);
		word[len] = '\0';
		error = parse_one(servers, word);
		if (error || !list[len])
			break;
		list += len + 1;
	}
	if (!error && servers->nr == 2)
		return "two servers stop when one of them stops: use one, three or five";
	return error;
}

static bool use_name(const char *name, use_host_fn *use, void *data)
{
	if (is_host_name(name))
		return use(data, name);
	complain("invalid name of a host '%s': letters, digits, '-' and '_' are valid, and dots become '_'",
		 name);
	return false;
}

static bool each_line(FILE *file, use_host_fn *use, void *data)
{
	char line[256];
	bool ok = true;

	while (ok && fgets(line, sizeof(line), file)) {
		char *name = line + strspn(line, " \t");

		name[strcspn(name, " \t\r\n#")] = '\0';
		if (*name)
			ok = use_name(name, use, data);
	}
	return ok;
}

bool hosts_each_named(const char *list, use_host_fn *use, void *data)
{
	FILE *file = strchr(list, '/') || !access(list, F_OK) ? fopen(list, "re") : NULL;
	char *copy, *rest, *name;
	bool ok = true;

	if (file) {
		ok = each_line(file, use, data);
		fclose(file);
		return ok;
	}
	if (strchr(list, '/')) {
		complain("cannot read %s: %s", list, strerror(errno));
		return false;
	}
	copy = strdup(list);
	rest = copy;
	while (ok && (name = strsep(&rest, ",")))
		ok = use_name(name, use, data);
	free(copy);
	return ok;
}

static int is_folder_of_host(const struct dirent *entry)
{
	return is_host_name(entry->d_name);
}

bool hosts_each_folder(int dir, use_host_fn *use, void *data)
{
	struct dirent **entry;
	int nr = scandirat(dir, ".", &entry, is_folder_of_host, alphasort);
	bool ok = nr >= 0;

	if (!ok)
		complain("cannot read a folder: %s", strerror(errno));
	for (int i = 0; i < nr; i++) {
		struct stat st;

		if (ok && !fstatat(dir, entry[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(st.st_mode))
			ok = use(data, entry[i]->d_name);
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
	return ok;
}

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
