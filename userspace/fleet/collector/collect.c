// SPDX-License-Identifier: GPL-2.0-only
/* rbmap collect: store the incidents and streams of hosts. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/process.h"
#include "base/units.h"
#include "collect.h"
#include "collector.h"
#include "collector/index/incidents.h"
#include "command/options.h"
#include "command/service.h"
#include "command/settings.h"
#include "incoming.h"
#include "message/message.h"
#include "store.h"
#include "streams.h"
#include "transport/transport.h"
#include "upkeep.h"

#define DEFAULT_DIRECTORY	"/var/lib/rbmap-collect"
#define RECEIVE_MS		1000
#define CHECK_MS		20	/* a check may end meanwhile */
#define RETRY_MS		2000
#define RETENTION_SECONDS	10
#define STATUS_SECONDS		10
#define PERMITS_MAX		65536

static int set_count(const struct command *cmd, void *to, char *value)
{
	uint64_t count;

	if (!parse_u64(value, &count) || !count || count > PERMITS_MAX)
		return usage_error(cmd, "invalid number '%s': want 1 to %d", value, PERMITS_MAX);
	*(uint64_t *)to = count;
	return STATUS_OK;
}

/* The index has a bit for each part, up to a limit. */
static int set_incident_size(const struct command *cmd, void *to, char *value)
{
	uint64_t max_kb = (uint64_t)INDEX_PARTS_MAX * (MESSAGE_PAYLOAD_MAX >> 10);
	int status = set_size_kb(cmd, to, value);

	if (!status && *(uint64_t *)to > max_kb)
		return usage_error(cmd, "invalid size '%s': an incident has at most %" PRIu64 "G",
				   value, max_kb >> 20);
	return status;
}

static int set_large_size(const struct command *cmd, void *to, char *value)
{
	int status = set_size_kb(cmd, to, value);

	if (!status && *(uint64_t *)to > INT64_MAX >> 10)
		return usage_error(cmd, "the size '%s' is too large", value);
	return status;
}

#define COUNT(member)	OPTION_TO(set_count, uint64_t, struct collect_options, member)
#define SIZE(member)	OPTION_TO(set_large_size, uint64_t, struct collect_options, member)

static const struct cli_option options[] = {
	TRANSPORT_OPTIONS(struct collect_options, transport, 0),
	{ .name = "directory", .letter = 'd', .arg = "DIR", .kind = "dir",
	  .target = STRING(struct collect_options, directory),
	  .help = "where files and the index are;\ndefault: " DEFAULT_DIRECTORY },
	{ .name = "permits", .arg = "N", .kind = "number", .target = COUNT(permits),
	  .help = "hosts that may send at the same time; default: 256" },
	{ .name = "max-incident", .arg = "SIZE", .kind = "number",
	  .target = OPTION_TO(set_incident_size, uint64_t, struct collect_options,
			      max_incident_kb),
	  .help = "refuse larger incidents; default: 1G, at most 64G" },
	{ .name = "max-host", .arg = "SIZE", .kind = "number", .target = SIZE(max_host_kb),
	  .help = "bytes of a host that are not stored yet; default: 4G" },
	{ .name = "max-stream", .arg = "SIZE", .kind = "number", .target = SIZE(max_stream_kb),
	  .help = "bytes of the streams of a host, without the oldest;\ndefault: 4G" },
	{ .name = "keep-size", .arg = "SIZE", .kind = "number", .target = SIZE(keep_size_kb),
	  .help = "remove the oldest incidents and streams beyond\nthis size" },
	{ .name = "keep-days", .arg = "N", .kind = "number", .target = COUNT(keep_days),
	  .help = "remove incidents and streams that were stored\nlonger ago" },
	{ .name = "once", .arg = "SECONDS", .kind = "number",
	  .target = SECONDS(struct collect_options, once),
	  .help = "end when no message came for SECONDS" },
	SETTINGS_OPTION,
	{ 0 }
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static void catch_signals(void)
{
	struct sigaction act = { .sa_handler = end };

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	/* A limit on the size of files is an error, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
}

static void tell_status(const struct collector *c)
{
	char text[256];

	if (*c->present_error)
		return;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " messages, %" PRIu64 " incidents stored, %" PRIu64
		 " messages refused, %u hosts send", c->messages, c->stored, c->refused,
		 c->permits.nr);
	service_status(text);
}

/* Do the work of a round that no message causes. */
static void keep_up(struct collector *c)
{
	static double next_retention, next_status;

	store_complete(c);
	upkeep_ask(c);
	upkeep_permits(c);
	if (now() >= next_retention || c->failed) {
		retention_apply(c);
		upkeep_remove_old(c);
		upkeep_sources(c);
		next_retention = now() + RETENTION_SECONDS;
	}
	if (now() >= next_status) {
		tell_status(c);
		next_status = now() + STATUS_SECONDS;
	}
}

static int run(struct collector *c)
{
	double last = now();
	unsigned int nr = 0;
	bool busy = true;

	/* On a busy machine a round can take long. Messages that came meanwhile are received first. */
	while (!ended && (busy || !c->options->once || now() - last < c->options->once)) {
		c->failed = false;
		nr = batch_run(c, nr ? 0 : store_is_busy(c) ? CHECK_MS : RECEIVE_MS);
		busy = nr || store_is_busy(c);
		if (busy)
			last = now();
		keep_up(c);
		service_alive();
		if (!c->failed && !c->batch_failed)
			collector_works(c);
		else if (!ended)
			poll(NULL, 0, RECEIVE_MS);
	}
	printf("%" PRIu64 " messages, %" PRIu64 " incidents stored, %" PRIu64
	       " messages refused\n", c->messages, c->stored, c->refused);
	return *c->present_error ? STATUS_ERROR : STATUS_OK;
}

/*
 * Open the transport. The other side may come up later than the collector, after a power
 * failure for instance: wait for it. --once ends instead.
 */
static bool open_transport(struct collector *c)
{
	int ret = transport_open(&c->transport, &c->options->transport);

	while ((ret == -EAGAIN || ret == -EACCES) && !c->options->once && !ended) {
		collector_report(c, "%s; the collector tries again", c->transport.error);
		service_ready("waiting for the transport");
		service_busy();
		poll(NULL, 0, RETRY_MS);
		ret = transport_open(&c->transport, &c->options->transport);
	}
	if (ret && !ended)
		complain("%s", c->transport.error);
	return !ret;
}

static bool open_all(struct collector *c)
{
	if (!files_open(&c->files, c->options->directory))
		return false;
	if (!index_open(&c->index, c->options->directory, INDEX_CREATE)) {
		complain("cannot open %s/" INDEX_FILE ": %s", c->options->directory, c->index.error);
		return false;
	}
	if (stream_files_open(&c->streams, c->options->directory)) {
		complain("cannot make %s/streams: %s", c->options->directory, strerror(errno));
		return false;
	}
	if (!open_transport(c))
		return false;
	c->answers = calloc(STREAM_ANSWERS_MAX, sizeof(*c->answers));
	if (!c->answers || !permits_init(&c->permits, c->options->permits) ||
	    !budget_init(&c->budget)) {
		complain("out of memory");
		return false;
	}
	replies_init(&c->replies);
	return true;
}

static void close_all(struct collector *c)
{
	service_stopping();
	replies_free(&c->replies);
	store_stop(c);
	permits_free(&c->permits);
	budget_free(&c->budget);
	transport_close(&c->transport);
	index_close(&c->index);
	files_close(&c->files);
	stream_files_close(&c->streams);
	free(c->answers);
	buf_free(&c->space);
}

static int collect_with(const struct collect_options *options)
{
	static struct collector c;
	int status = STATUS_ERROR;

	c.options = options;
	umask(0027);
	catch_signals();
	if (open_all(&c)) {
		index_incidents_no_permits(&c.index);
		leftovers_remove(&c);
		retention_begin(&c);
		service_ready("collecting");
		status = run(&c);
	} else if (ended) {
		status = STATUS_OK;
	}
	close_all(&c);
	return status;
}

static int collect(int argc, char **argv)
{
	static struct collect_options o = {
		.transport.role = ROLE_COLLECTOR,
		.directory = DEFAULT_DIRECTORY,
		.permits = 256,
		.max_incident_kb = 1 << 20,
		.max_host_kb = 4 << 20,
		.max_stream_kb = 4 << 20,
	};
	int status;

	if (!parse_options(&command_collect, argc, argv, &o, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_collect, "unexpected argument '%s'", argv[optind]);
	if (!o.transport.url)
		return usage_error(&command_collect, "name the transport with --transport");
	return collect_with(&o);
}

const struct command command_collect = {
	.name		= "collect",
	.synopsis	= "--transport URL [--directory DIR] [OPTION]...",
	.summary	= "Keep the incidents that hosts send with 'rbmap ship'",
	.options	= options,
	.help		=
	"SIZE is a number of KiB, or a number with K, M or G. 'rbmap fleet' lists what\n"
	"was collected. SIGTERM ends the collector; what it has not acknowledged comes\n"
	"again.\n",
	.run		= collect,
};
