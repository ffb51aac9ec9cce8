// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "setup_servers.h"

#define PORT		4222
#define ROUTE_PORT	6222
#define WORD_MAX	512

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
