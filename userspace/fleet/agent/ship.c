// SPDX-License-Identifier: GPL-2.0-only
/* rbmap ship: send the incidents of this host's flight recorder to the collector. */
#include <stdio.h>
#include <string.h>

#include "agent.h"
#include "agent/commands/commands.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/complete.h"
#include "command/options.h"
#include "command/settings.h"
#include "ship.h"

#define KIB	1024

struct ship {
	struct agent_options agent;
	char host[HOST_NAME_SIZE];
	uint64_t spool_kb;
	uint64_t stream_kb;
	bool json;
};

enum { ACTION_STATUS = 1 };

static int set_host(const struct command *cmd, void *to, char *value)
{
	if (!is_host_name(value))
		return usage_error(cmd, "invalid name of a host '%s': use letters, digits, '-' and '_', at most %d",
				   value, HOST_NAME_SIZE - 1);
	*(const char **)to = value;
	return STATUS_OK;
}

static int set_snapshot(const struct command *cmd, void *to, char *value)
{
	if (strlen(value) >= SNAPSHOT_SIZE)
		return usage_error(cmd, "the command of --snapshot is longer than %d bytes",
				   SNAPSHOT_SIZE - 1);
	*(const char **)to = value;
	return STATUS_OK;
}

static int add_stream(const struct command *cmd, struct stream_names *names, const char *name)
{
	if (!is_buffer_name(name))
		return usage_error(cmd, "invalid name of a buffer '%s'", name);
	for (unsigned int i = 0; i < names->nr; i++)
		if (!strcmp(names->name[i], name))
			return STATUS_OK;
	if (names->nr == STREAM_BUFFERS_MAX)
		return usage_error(cmd, "at most %d buffers can be sent by --stream",
				   STREAM_BUFFERS_MAX);
	names->name[names->nr++] = name;
	return STATUS_OK;
}

static int add_streams(const struct command *cmd, void *to, char *value)
{
	char *name, *rest = value;
	int status = STATUS_OK;

	while (!status && (name = strsep(&rest, ",")))
		status = add_stream(cmd, to, name);
	return status;
}

static const struct cli_option options[] = {
	{ .name = "transport", .letter = 't', .arg = "URL", .kind = "text",
	  .target = STRING(struct ship, agent.transport.url),
	  .help = "where the collector is: dir:/DIRECTORY, or\nnats://HOST[:PORT][,...]" },
	{ .name = "certificate", .arg = "FILE", .kind = "file",
	  .target = STRING(struct ship, agent.transport.certificate),
	  .help = "certificate of this host for TLS" },
	{ .name = "key", .arg = "FILE", .kind = "file",
	  .target = STRING(struct ship, agent.transport.key),
	  .help = "its private key" },
	{ .name = "ca", .arg = "FILE", .kind = "file",
	  .target = STRING(struct ship, agent.transport.ca),
	  .help = "certificates that the servers are checked against" },
	{ .name = "credentials", .arg = "FILE", .kind = "file",
	  .target = STRING(struct ship, agent.transport.credentials),
	  .help = "file with an NKEY or a JWT for the servers" },
	{ .name = "host", .arg = "NAME", .kind = "text",
	  .target = OPTION_TO(set_host, const char *, struct ship, agent.transport.host),
	  .help = "name of this host for the collector;\ndefault: the host name" },
	{ .name = "incidents", .arg = "DIR", .kind = "dir",
	  .target = STRING(struct ship, agent.incidents),
	  .help = "directory of the flight recorder;\ndefault: /var/lib/rbmap" },
	{ .name = "spool", .arg = "DIR", .kind = "dir",
	  .target = STRING(struct ship, agent.spool),
	  .help = "directory of incidents that are not stored yet;\n"
		  "default: /var/lib/rbmap/spool" },
	{ .name = "spool-size", .arg = "SIZE", .kind = "number",
	  .target = OPTION_TO(set_size_kb, uint64_t, struct ship, spool_kb),
	  .help = "keep at most SIZE there, such as 500M; default: 1G" },
	{ .name = "snapshot", .arg = "COMMAND", .kind = "text",
	  .target = OPTION_TO(set_snapshot, const char *, struct ship, agent.snapshot),
	  .help = "run COMMAND for 'rbmap fleet snapshot'; spaces\nseparate its words" },
	{ .name = "stream", .arg = "LIST", .kind = "text",
	  .target = OPTION_TO(add_streams, struct stream_names, struct ship, agent.streams),
	  .help = "also send all events of these buffers, separated\n"
		  "by commas; 'default': the buffer without a name" },
	{ .name = "stream-size", .arg = "SIZE", .kind = "number",
	  .target = OPTION_TO(set_size_kb, uint64_t, struct ship, stream_kb),
	  .help = "keep at most SIZE of them in the spool; default:\n256M" },
	{ .name = "once", .target = FLAG(struct ship, agent.once),
	  .help = "send what waits, and end" },
	{ .name = "timeout", .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct ship, agent.timeout),
	  .help = "with --once, wait at most so long; default: 60" },
	{ .name = "json", .letter = 'j', .help = "print JSON", .actions = ACTION_STATUS,
	  .target = FLAG(struct ship, json) },
	SETTINGS_OPTION,
	{ 0 }
};

static int run_agent(struct ship *s)
{
	struct transport_options *t = &s->agent.transport;

	if (!t->url || !*t->url)
		return usage_error(&command_ship,
				   "--transport is missing: use dir:/DIRECTORY or nats://HOST");
	if (!t->host && !this_host(s->host))
		return usage_error(&command_ship, "the name of this host has invalid characters: name it with --host");
	if (!t->host)
		t->host = s->host;
	if (!t->certificate != !t->key)
		return usage_error(&command_ship, "--certificate and --key need each other");
	if (s->spool_kb > UINT64_MAX / KIB)
		return usage_error(&command_ship, "--spool-size is too large");
	if (s->stream_kb > UINT64_MAX / KIB || s->stream_kb * KIB < STREAM_SPOOL_MIN)
		return usage_error(&command_ship, "--stream-size must be at least %dM",
				   STREAM_SPOOL_MIN >> 20);
	s->agent.spool_bytes = s->spool_kb * KIB;
	s->agent.stream_bytes = s->stream_kb * KIB;
	return agent_run(&s->agent);
}

static int ship(int argc, char **argv)
{
	struct ship s = {
		.agent = {
			.transport.role = ROLE_HOST,
			.incidents = "/var/lib/rbmap",
			.spool = "/var/lib/rbmap/spool",
			.snapshot = "systemctl kill --signal=USR1 rbmap-flight-recorder.service",
			.timeout = 60,
		},
		.spool_kb = 1 << 20,
		.stream_kb = 256 << 10,
	};
	int status;

	if (complete_wanted(argc, argv))
		puts("status");
	if (!parse_options(&command_ship, argc, argv, &s, &status))
		return status;
	if (optind == argc)
		return run_agent(&s);
	if (strcmp(argv[optind], "status"))
		return usage_error(&command_ship, "unknown action '%s': use status, or none",
				   argv[optind]);
	argc -= optind;
	argv += optind;
	if (!parse_action_options(&command_ship, ACTION_STATUS, argc, argv, &s, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_ship, "unexpected argument '%s'", argv[optind]);
	return status_print(s.agent.spool, s.json);
}

const struct command command_ship = {
	.name		= "ship",
	.synopsis	= "--transport URL [OPTION]...\n"
			  "       rbmap ship status [--spool DIR] [--json]",
	.summary	= "Send the incidents of this host to the collector of a fleet",
	.in_order	= true,
	.options	= options,
	.help		=
	"An incident is kept in the spool until the collector has stored it.\n"
	"status prints what waits there, also while the agent runs.\n",
	.run		= ship,
};
