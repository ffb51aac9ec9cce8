// SPDX-License-Identifier: GPL-2.0-only
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
#include "command/command.h"
#include "command/complete.h"
#include "command/options.h"
#include "setup.h"
#include "setup_configuration.h"
#include "setup_files.h"
#include "transport/jetstream/jetstream_names.h"
#include "transport/jetstream/jetstream_streams.h"

#define DIRECTORY_SCHEME	"dir:"
#define STRINGIFY(x)		#x
#define TEXT(x)			STRINGIFY(x)
#define CA			"ca"
#define ROUTES_CA		"routes-ca"
#define CLIENT			"client"

/*
 * The group of the directory is the one of hosts, collector and administrator. Files keep
 * that group (2000), and only their owners can remove them from "all" (1000).
 */
static const struct {
	const char *name;
	mode_t mode;
} folders[] = {
	{ "collector",	02770 },
	{ "host",	02770 },
	{ "all",	03770 },
};

static int make_folder(int base, const char *directory, const char *name, mode_t mode)
{
	if (mkdirat(base, name, 0700)) {
		struct stat st;

		if (errno == EEXIST && !fstatat(base, name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(st.st_mode))
			return STATUS_OK;
		complain("cannot make the folder %s/%s: %s", directory, name, strerror(errno));
		return STATUS_ERROR;
	}
	if (!fchmodat(base, name, mode, 0))
		return STATUS_OK;
	complain("cannot set the mode of %s/%s: %s", directory, name, strerror(errno));
	return STATUS_ERROR;
}

/*
 * Make the folders of a transport "dir:/DIRECTORY", and keep those that are there. Return
 * an exit status.
 */
static int setup_folders(const char *directory)
{
	int base, status = STATUS_OK;

	if (*directory != '/') {
		complain("the directory must begin with a slash: 'dir:%s'", directory);
		return STATUS_USAGE;
	}
	base = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base < 0) {
		complain("cannot open %s: %s; make it, or mount it, first", directory,
			 strerror(errno));
		return STATUS_ERROR;
	}
	for (size_t i = 0; !status && i < sizeof(folders) / sizeof(*folders); i++)
		status = make_folder(base, directory, folders[i].name, folders[i].mode);
	if (!status && fsync(base)) {
		complain("cannot write %s: %s", directory, strerror(errno));
		status = STATUS_ERROR;
	}
	close(base);
	if (!status)
		printf("made collector, host and all in %s; the URL is dir:%s\n", directory,
		       directory);
	return status;
}

/*
 * `setup nats` writes these files:
 *
 *	ca.key, ca.crt			sign certificates of servers and clients
 *	routes-ca.key, routes-ca.crt	sign certificates between servers
 *	servers/NAME/			copied to the server
 *	hosts/HOST/			copied to the host
 *	collector/, administrator/	copied to those
 */

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

/* Write certificates and configurations. Return an exit status. */
static int setup_nats(const struct nats_plan *plan)
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

/* Make or change the streams on servers. Return an exit status. */
static int setup_streams(const struct transport_options *options, struct streams_plan plan)
{
	struct transport t;
	int ret;

	if (strncmp(options->url, JETSTREAM_SCHEME, strlen(JETSTREAM_SCHEME))) {
		complain("invalid servers '%s': use nats://HOST:PORT", options->url);
		return STATUS_USAGE;
	}
	ret = transport_open(&t, options);
	if (!ret)
		ret = jetstream_streams(&t, &plan);
	if (ret)
		complain("%s", t.error);
	else
		printf("the streams are on %u server%s\n", plan.replicas, plan.replicas == 1 ? "" : "s");
	transport_close(&t);
	return ret ? STATUS_ERROR : STATUS_OK;
}

enum { NATS = 1 << 0, STREAMS = 1 << 1 };

struct setup_options {
	struct nats_plan nats;
	struct transport_options transport;
	struct streams_plan streams;
	uint64_t size_kb;
};

static int set_servers(const struct command *cmd, void *to, char *value)
{
	const char *error = servers_parse(to, value);

	return error ? usage_error(cmd, "invalid servers '%s': %s", value, error) : STATUS_OK;
}

/* Parse a number from 1 to @max. */
static int set_number(const struct command *cmd, unsigned int *to, const char *value,
		      const char *option, unsigned int max)
{
	uint64_t number;

	if (!parse_u64(value, &number) || !number || number > max)
		return usage_error(cmd, "invalid %s '%s': a number from 1 to %u is valid", option,
				   value, max);
	*to = (unsigned int)number;
	return STATUS_OK;
}

static int set_days(const struct command *cmd, void *to, char *value)
{
	return set_number(cmd, to, value, "--days", AUTHORITY_DAYS);
}

static int set_replicas(const struct command *cmd, void *to, char *value)
{
	return set_number(cmd, to, value, "--replicas", 5);
}

static const struct cli_option options[] = {
	{ .name = "servers", .arg = "LIST", .kind = "text", .actions = NATS,
	  .target = OPTION_TO(set_servers, struct servers, struct setup_options, nats.servers),
	  .help = "all servers: one, three or more; HOST:PORT/ROUTE-PORT\n"
		  "sets the port between servers (defaults: 4222/6222)" },
	{ .name = "directory", .arg = "DIR", .kind = "dir", .actions = NATS,
	  .target = STRING(struct setup_options, nats.directory),
	  .help = "where files are written, and kept" },
	{ .name = "hosts", .arg = "LIST", .kind = "text", .actions = NATS,
	  .target = STRING(struct setup_options, nats.hosts),
	  .help = "hosts to add: NAME,...; or a file with names" },
	{ .name = "days", .arg = "N", .kind = "number", .actions = NATS,
	  .target = OPTION_TO(set_days, unsigned int, struct setup_options, nats.days),
	  .help = "how long new certificates are valid; default: " TEXT(CERTIFICATE_DAYS) },
	{ .name = "certificate", .arg = "FILE", .kind = "file", .actions = STREAMS,
	  .target = STRING(struct setup_options, transport.certificate),
	  .help = "the administrator's client.crt" },
	{ .name = "key", .arg = "FILE", .kind = "file", .actions = STREAMS,
	  .target = STRING(struct setup_options, transport.key),
	  .help = "its client.key" },
	{ .name = "ca", .arg = "FILE", .kind = "file", .actions = STREAMS,
	  .target = STRING(struct setup_options, transport.ca),
	  .help = "its ca.crt" },
	{ .name = "credentials", .arg = "FILE", .kind = "file", .actions = STREAMS,
	  .target = STRING(struct setup_options, transport.credentials),
	  .help = "a file with a JWT or an NKEY" },
	{ .name = "replicas", .arg = "N", .kind = "number", .actions = STREAMS,
	  .target = OPTION_TO(set_replicas, unsigned int, struct setup_options, streams.replicas),
	  .help = "servers with a copy; default: 3 in a cluster, else 1" },
	{ .name = "size", .arg = "SIZE", .kind = "text", .actions = STREAMS,
	  .target = OPTION_TO(set_size_kb, uint64_t, struct setup_options, size_kb),
	  .help = "limit of what waits for the collector; default: 16G" },
	{ 0 }
};

static const struct command command_setup = {
	.name		= "fleet setup",
	.synopsis	= "dir:/DIRECTORY\n"
			  "       rbmap fleet setup nats --directory DIR --servers NAME=HOST:PORT,...\n"
			  "                              [--hosts NAME,...] [--days N]\n"
			  "       rbmap fleet setup streams [nats://HOST:PORT[,...]] [--replicas N]\n"
			  "                                 [--size SIZE] [--certificate FILE --key FILE\n"
			  "                                 --ca FILE] [--credentials FILE]",
	.summary	= "Set up a directory, or servers of NATS, between hosts and the collector",
	.options	= options,
	.help		=
	"'nats' writes the configuration of each server, an authority, and certificates\n"
	"for servers, hosts, the collector and the administrator. Run it again to add\n"
	"hosts: what is there stays, and keys are never replaced. Authorities are valid\n"
	"for " TEXT(AUTHORITY_DAYS) " days.\n"
	"'streams' makes the streams on running servers, or changes them. What is not\n"
	"named here comes from the settings of 'rbmap fleet'.\n",
};

static int run_nats(int argc, char **argv)
{
	struct setup_options o = { .nats.days = CERTIFICATE_DAYS };
	int status;

	if (!parse_action_options(&command_setup, NATS, argc, argv, &o, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_setup, "unexpected argument '%s'", argv[optind]);
	if (!o.nats.directory)
		return usage_error(&command_setup, "nats needs --directory");
	return setup_nats(&o.nats);
}

/* A stream that has no room for a few messages takes none of the largest ones. */
#define STREAM_MIN_KB	(4 << 10)

static int run_streams(int argc, char **argv, const struct transport_options *defaults)
{
	struct setup_options o = { .transport = *defaults };
	int status;

	if (!parse_action_options(&command_setup, STREAMS, argc, argv, &o, &status))
		return status;
	if (optind < argc)
		o.transport.url = argv[optind++];
	if (optind < argc)
		return usage_error(&command_setup, "unexpected argument '%s'", argv[optind]);
	if (!o.transport.url)
		return usage_error(&command_setup, "streams needs the URL of the servers");
	if (o.size_kb && o.size_kb < STREAM_MIN_KB)
		return usage_error(&command_setup, "invalid --size: a stream has at least %dM, for messages of 1 MiB",
				   STREAM_MIN_KB >> 10);
	o.streams.bytes = o.size_kb << 10;
	return setup_streams(&o.transport, o.streams);
}

int fleet_setup(int argc, char **argv, const struct transport_options *defaults)
{
	struct setup_options o = { 0 };
	int status;

	if (argc > 1 && !strcmp(argv[1], "nats"))
		return run_nats(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "streams"))
		return run_streams(argc - 1, argv + 1, defaults);
	if (complete_wanted(argc, argv))
		printf("nats\nstreams\n");
	if (!parse_options(&command_setup, argc, argv, &o, &status))
		return status;
	if (optind + 1 == argc && !strncmp(argv[optind], DIRECTORY_SCHEME, strlen(DIRECTORY_SCHEME)))
		return setup_folders(argv[optind] + strlen(DIRECTORY_SCHEME));
	return usage_error(&command_setup, "name a transport: dir:/DIRECTORY, nats or streams");
}
