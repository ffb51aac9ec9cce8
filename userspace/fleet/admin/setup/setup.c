// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "command/complete.h"
#include "command/options.h"
#include "setup.h"
#include "setup_certificates.h"
#include "setup_steps.h"

#define DIRECTORY_SCHEME	"dir:"
#define STRINGIFY(x)		#x
#define TEXT(x)			STRINGIFY(x)

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
