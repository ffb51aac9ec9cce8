// SPDX-License-Identifier: GPL-2.0-only
/* rbmap fleet: the commands of the administrator. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "admin/setup/setup.h"
#include "base/complain.h"
#include "base/printable.h"
#include "base/units.h"
#include "command/command.h"
#include "command/complete.h"
#include "command/options.h"
#include "command/settings.h"
#include "commands.h"
#include "fleet.h"
#include "transport/transport.h"

#define REASON_SIZE	128
/* The administrator writes the settings once. */
#define FLEET_SETTINGS	"/etc/rbmap/fleet.conf"
/* The shortest beginning of --settings that getopt_long() accepts */
#define SETTINGS_PREFIX	"--se"
#define NS_PER_SEC	1000000000LL
#define SECONDS_MAX	(INT64_MAX / NS_PER_SEC - 1)

enum {
	SNAPSHOT	= 1 << 0,
	INCIDENTS	= 1 << 1,
	SHOW		= 1 << 2,
	FETCH		= 1 << 3,
	TOP		= 1 << 4,
	HOSTS		= 1 << 5,
	STREAM		= 1 << 6,
};

static const struct {
	const char *name;
	unsigned int bit;
	bool has_id;
	int (*run)(const struct fleet_options *o);
} actions[] = {
	{ "snapshot", SNAPSHOT, false, fleet_snapshot },
	{ "incidents", INCIDENTS, false, fleet_incidents },
	{ "show", SHOW, true, fleet_show },
	{ "fetch", FETCH, true, fleet_fetch },
	{ "stream", STREAM, false, fleet_stream },
	{ "top", TOP, false, fleet_top },
	{ "hosts", HOSTS, false, fleet_hosts },
};

#define NR_ACTIONS	(sizeof(actions) / sizeof(*actions))

static void complete_actions(void)
{
	for (size_t i = 0; i < NR_ACTIONS; i++)
		printf("%s\n", actions[i].name);
	printf("merge\nsetup\n");
}

static int set_reason(const struct command *cmd, void *to, char *value)
{
	if (!*value || strlen(value) >= REASON_SIZE || !is_printable(value, strlen(value)))
		return usage_error(cmd, "the reason must be one line of 1 to %d bytes",
				   REASON_SIZE - 1);
	*(const char **)to = value;
	return STATUS_OK;
}

/* Return the seconds of "10m", or -1. */
static double parse_span(const char *text)
{
	static const char units[] = "smhd";
	static const int seconds[] = { 1, 60, 3600, 86400 };
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, text[len - 1]) : NULL;
	char *digits = strndup(text, unit ? len - 1 : len);
	double value = -1;

	if (digits && parse_seconds(digits, &value))
		value *= unit ? seconds[unit - units] : 1;
	else
		value = -1;
	free(digits);
	return value;
}

/* Return the seconds of a date and a time, or of a time of today, or -1. */
static double parse_date(const char *text)
{
	static const char *const formats[] = { "%Y-%m-%dT%T", "%Y-%m-%dT%H.%M.%S", "%F %T", "%F", "%T" };
	time_t today = time(NULL);

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct tm tm = { 0 };
		const char *end;

		if (!strcmp(formats[i], "%T"))
			localtime_r(&today, &tm);
		end = strptime(text, formats[i], &tm);
		tm.tm_isdst = -1;
		if (end && !*end)
			return mktime(&tm);
	}
	return -1;
}

/* Parse "1795771584.5". parse_seconds() has another limit, for spans. */
static double parse_epoch(const char *text)
{
	double seconds;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	seconds = strtod(text, &end);
	return *end ? -1 : seconds;
}

/*
 * Store a time in ns since 1970, in an int64_t: "2026-11-26T14:03:12", "14:03:12" (today),
 * "@SECONDS" (since 1970), or "-10m" (before now; s, m, h or d).
 */
static int set_time(const struct command *cmd, void *to, char *value)
{
	double seconds = -1, span;

	if (*value == '@') {
		seconds = parse_epoch(value + 1);
	} else if (*value == '-') {
		span = parse_span(value + 1);
		seconds = span < 0 ? -1 : time(NULL) - span;
	} else {
		seconds = parse_date(value);
	}
	if (seconds < 0 || seconds > SECONDS_MAX)
		return usage_error(cmd, "invalid time '%s': want 2026-11-26T14:03:12, 14:03:12, @SECONDS or -10m",
				   value);
	*(int64_t *)to = (int64_t)(seconds * NS_PER_SEC);
	return STATUS_OK;
}

#define TIME(structure, member)	OPTION_TO(set_time, int64_t, structure, member)

static const struct cli_option options[] = {
	TRANSPORT_OPTIONS(struct fleet_options, transport, SNAPSHOT),
	{ .name = "directory", .letter = 'd', .arg = "DIR", .kind = "dir",
	  .target = STRING(struct fleet_options, directory),
	  .help = "the collector's directory;\ndefault: " DEFAULT_DIRECTORY },
	{ .name = "hosts", .arg = "GLOB", .kind = "text", .actions = SNAPSHOT | INCIDENTS | TOP | HOSTS |
	  STREAM,
	  .target = STRING(struct fleet_options, hosts),
	  .help = "only hosts with a name that fits; default: *" },
	{ .name = "reason", .arg = "TEXT", .kind = "text", .actions = SNAPSHOT,
	  .target = OPTION_TO(set_reason, const char *, struct fleet_options, reason),
	  .help = "snapshot: why; one line for the recordings" },
	{ .name = "wait", .arg = "SECONDS", .kind = "number", .actions = SNAPSHOT,
	  .target = SECONDS(struct fleet_options, wait),
	  .help = "snapshot: wait for answers and files; default: 10" },
	{ .name = "since", .arg = "TIME", .kind = "text", .actions = INCIDENTS | STREAM,
	  .target = TIME(struct fleet_options, since),
	  .help = "incidents, stream: from this time on" },
	{ .name = "until", .arg = "TIME", .kind = "text", .actions = INCIDENTS | STREAM,
	  .target = TIME(struct fleet_options, until),
	  .help = "incidents, stream: up to this time" },
	{ .name = "output", .letter = 'o', .arg = "DIR", .kind = "dir", .actions = FETCH | STREAM,
	  .target = STRING(struct fleet_options, output),
	  .help = "fetch, stream: where the files go" },
	{ .name = "json", .letter = 'j', .actions = INCIDENTS | SHOW | TOP | HOSTS,
	  .target = FLAG(struct fleet_options, json), .help = "print JSON" },
	SETTINGS_OPTION,
	{ 0 }
};

/* Help must not depend on a valid file. */
static bool needs_no_file(const char *argument)
{
	return !strncmp(argument, SETTINGS_PREFIX, strlen(SETTINGS_PREFIX)) ||
	       !strcmp(argument, "--help") || !strcmp(argument, "-h") ||
	       !strcmp(argument, COMPLETE);
}

/*
 * Read FLEET_SETTINGS, if the file exists and the command line names no other settings.
 * Return STATUS_OK, or report an error and return another status.
 */
static int read_default_settings(const struct command *cmd, int argc, char **argv,
				 struct fleet_options *o)
{
	char path[] = FLEET_SETTINGS;

	for (int i = 1; i < argc; i++)
		if (needs_no_file(argv[i]))
			return STATUS_OK;
	if (access(path, F_OK) && errno == ENOENT)
		return STATUS_OK;
	return read_settings(cmd, o, path);
}

static int run_action(size_t i, int argc, char **argv, struct fleet_options *o)
{
	int status;

	if (!parse_action_options(&command_fleet, actions[i].bit, argc, argv, o, &status))
		return status;
	if (actions[i].has_id && optind == argc)
		return usage_error(&command_fleet, "%s needs the ID of an incident or of a command",
				   actions[i].name);
	if (actions[i].has_id)
		o->id = argv[optind++];
	if (optind < argc)
		return usage_error(&command_fleet, "unexpected argument '%s'", argv[optind]);
	if (actions[i].bit == SNAPSHOT && !o->reason)
		return usage_error(&command_fleet, "snapshot needs --reason");
	if (actions[i].bit == SNAPSHOT && !o->transport.url)
		return usage_error(&command_fleet, "snapshot needs --transport, or a line 'transport = URL' in "
				   FLEET_SETTINGS);
	if (actions[i].bit & (FETCH | STREAM) && !o->output)
		return usage_error(&command_fleet, "%s needs --output", actions[i].name);
	return actions[i].run(o);
}

static int fleet(int argc, char **argv)
{
	static struct fleet_options o = {
		.transport.role = ROLE_ADMIN,
		.directory = DEFAULT_DIRECTORY,
		.hosts = "*",
		.until = INT64_MAX,
		.wait = 10,
	};
	int status;

	if (complete_wanted(argc, argv))
		complete_actions();
	status = read_default_settings(&command_fleet, argc, argv, &o);
	if (status)
		return status;
	if (!parse_options(&command_fleet, argc, argv, &o, &status))
		return status;
	if (optind == argc)
		return usage_error(&command_fleet, "name a subcommand");
	argc -= optind;
	argv += optind;
	if (!strcmp(argv[0], "merge"))
		return fleet_merge(argc, argv, o.directory);
	if (!strcmp(argv[0], "setup"))
		return fleet_setup(argc, argv, &o.transport);
	for (size_t i = 0; i < NR_ACTIONS; i++)
		if (!strcmp(actions[i].name, argv[0]))
			return run_action(i, argc, argv, &o);
	return usage_error(&command_fleet, "no subcommand '%s'", argv[0]);
}

const struct command command_fleet = {
	.name		= "fleet",
	.synopsis	= "snapshot --reason TEXT [--transport URL] [--hosts GLOB]\n"
			  "                            [--wait SECONDS] [OPTION]...\n"
			  "       rbmap fleet incidents [--hosts GLOB] [--since TIME] [--until TIME]\n"
			  "                             [--json] [OPTION]...\n"
			  "       rbmap fleet show [--json] [OPTION]... ID\n"
			  "       rbmap fleet fetch -o DIR [OPTION]... ID\n"
			  "       rbmap fleet stream -o DIR [--hosts GLOB] [--since TIME] [--until TIME]\n"
			  "                          [OPTION]...\n"
			  "       rbmap fleet merge [-o FILE] [--html] [--perfetto] ID | [HOST=]FILE...\n"
			  "       rbmap fleet setup dir:/DIRECTORY | nats ... | streams ...\n"
			  "       rbmap fleet top | hosts [--hosts GLOB] [--json] [OPTION]...",
	.summary	= "Ask many hosts for snapshots, and list what was collected",
	.options	= options,
	.in_order	= true,
	.help		=
	"ID is an incident, or the command that 'rbmap fleet snapshot' prints.\n"
	"TIME is 2026-11-26T14:03:12, 14:03:12, @SECONDS since 1970, or -10m (s, m, h,\n"
	"d). Without --settings, " FLEET_SETTINGS " is read, if it exists. 'rbmap\n"
	"fleet merge --help' and 'rbmap fleet setup --help' print their own options.\n"
	"Exit status 3: something is missing: a host that has not answered, or an\n"
	"incident that is not stored, was lost, or was damaged.\n",
	.run		= fleet,
};
