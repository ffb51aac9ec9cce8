// SPDX-License-Identifier: GPL-2.0-only
/*
 *	ca.key, ca.crt			sign certificates of servers and clients
 *	routes-ca.key, routes-ca.crt	sign certificates between servers
 *	servers/NAME/			copied to the server
 *	hosts/HOST/			copied to the host
 *	collector/, administrator/	copied to those
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "setup_certificates.h"
#include "setup_configuration.h"
#include "setup_files.h"
#include "setup_hosts.h"
#include "setup_steps.h"

#define CA		"ca"
#define ROUTES_CA	"routes-ca"
#define CLIENT		"client"

/* The state of a setup: descriptors of folders, and the two authorities */
struct setup {
	const struct nats_plan *plan;
	int dir;
	int servers;
	int hosts;
	struct authority ca;
	struct authority routes;
};

static bool make_client(struct setup *s, int dir, const char *folder, const struct holder *holder)
{
	int to = files_folder(dir, folder);
	bool ok = to >= 0 && certificate_make(&s->ca, to, CLIENT, holder, s->plan->days) &&
		  setup_file_copy(s->dir, CA ".crt", to);

	if (to >= 0)
		close(to);
	return ok;
}

static bool make_host(void *data, const char *host)
{
	struct setup *s = data;

	return make_client(s, s->hosts, host, &(struct holder){ .name = host, .unit = UNIT_HOST });
}

static bool make_clients(struct setup *s)
{
	return make_client(s, s->dir, COLLECTOR,
			   &(struct holder){ .name = COLLECTOR, .unit = COLLECTOR }) &&
	       make_client(s, s->dir, ADMINISTRATOR,
			   &(struct holder){ .name = ADMINISTRATOR, .unit = ADMINISTRATOR }) &&
	       (!s->plan->hosts || hosts_each_named(s->plan->hosts, make_host, s));
}

static bool write_configuration(int dir, const char *name, struct buf *text, bool replace)
{
	bool ok;

	if (text->failed) {
		complain("out of memory");
		return false;
	}
	ok = files_write(dir, name, text->data, text->size, 0644, replace);
	text->size = 0;
	return ok;
}

static bool fill_server(struct setup *s, int to, const struct server *server)
{
	struct holder holder = { .name = server->name, .unit = "server", .address = server->address };
	struct buf text = { 0 };
	bool ok = certificate_make(&s->ca, to, "server", &holder, s->plan->days) &&
		  certificate_make(&s->routes, to, "route", &holder, s->plan->days) &&
		  setup_file_copy(s->dir, CA ".crt", to) && setup_file_copy(s->dir, ROUTES_CA ".crt", to);

	configuration_cluster(&text, &s->plan->servers, server);
	ok = ok && write_configuration(to, "cluster.conf", &text, true);
	text.size = 0;
	configuration_server(&text, server);
	if (ok && !files_have(to, "nats-server.conf"))
		ok = write_configuration(to, "nats-server.conf", &text, false);
	buf_free(&text);
	return ok;
}

static bool make_servers(struct setup *s)
{
	bool ok = true;

	for (unsigned int i = 0; ok && i < s->plan->servers.nr; i++) {
		const struct server *server = &s->plan->servers.server[i];
		int to = files_folder(s->servers, server->name);

		ok = to >= 0 && fill_server(s, to, server);
		if (to >= 0)
			close(to);
	}
	return ok;
}

static bool add_host(void *data, const char *host)
{
	configuration_users_host(data, host);
	return true;
}

/* All folders of servers get the same users, also those that --servers does not name. */
static bool write_users(void *data, const char *name)
{
	struct setup *s = data;
	struct buf text = { 0 };
	int to = files_folder(s->servers, name);
	bool ok;

	configuration_users_begin(&text);
	ok = to >= 0 && hosts_each_folder(s->hosts, add_host, &text);
	configuration_users_end(&text);
	ok = ok && write_configuration(to, "users.conf", &text, true);
	buf_free(&text);
	if (to >= 0)
		close(to);
	return ok;
}

static bool make_all(struct setup *s)
{
	return authority_open(&s->ca, s->dir, CA) && authority_open(&s->routes, s->dir, ROUTES_CA) &&
	       make_servers(s) && make_clients(s) && hosts_each_folder(s->servers, write_users, s);
}

static bool open_folders(struct setup *s)
{
	if (mkdir(s->plan->directory, 0700) && errno != EEXIST) {
		complain("cannot make %s: %s", s->plan->directory, strerror(errno));
		return false;
	}
	s->dir = open(s->plan->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0) {
		complain("cannot open %s: %s", s->plan->directory, strerror(errno));
		return false;
	}
	s->servers = files_folder(s->dir, "servers");
	s->hosts = files_folder(s->dir, "hosts");
	return s->servers >= 0 && s->hosts >= 0;
}

static bool check_plan(const struct setup *s)
{
	if (s->plan->servers.nr || files_have(s->dir, CA ".key"))
		return true;
	complain("%s has no setup yet: name the servers by --servers", s->plan->directory);
	return false;
}

static void tell(const struct nats_plan *plan)
{
	printf("Wrote certificates and configurations to %s. New certificates are valid for %u days.\n"
	       "Copy servers/NAME to " NATS_DIRECTORY " of each server, hosts/HOST to each host. Then reload\n"
	       "the servers, and run 'rbmap fleet setup streams'. Keep the *-ca.key and ca.key elsewhere.\n",
	       plan->directory, plan->days);
}

int setup_nats(const struct nats_plan *plan)
{
	struct setup s = { .plan = plan, .dir = -1, .servers = -1, .hosts = -1 };
	bool ok = open_folders(&s) && check_plan(&s) && make_all(&s);

	authority_close(&s.ca);
	authority_close(&s.routes);
	if (s.hosts >= 0)
		close(s.hosts);
	if (s.servers >= 0)
		close(s.servers);
	if (s.dir >= 0)
		close(s.dir);
	if (ok)
		tell(plan);
	return ok ? STATUS_OK : STATUS_ERROR;
}
