// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap snapshot: write the current contents of the rings to a file, while
 * tracing goes on.
 */
#include <signal.h>
#include <string.h>

#include "base/complain.h"
#include "base/files.h"
#include "base/printable.h"
#include "base/units.h"
#include "command/command.h"
#include "command/options.h"
#include "kernel/control.h"
#include "live/recorder/snapshot_file.h"

extern const struct command command_snapshot;

struct snapshot {
	struct recording recording;
	const char *output;
	const char *reason;
	bool keep;
	bool existing;
	bool free;
	uint64_t recorder;	/* 0: none */
};

static int set_reason(const struct command *cmd, void *to, char *value)
{
	if (strlen(value) >= DAT_REASON_SIZE || !is_printable(value, strlen(value)))
		return usage_error(cmd, "the reason must be one line of at most %d bytes",
				   DAT_REASON_SIZE - 1);
	*(const char **)to = value;
	return STATUS_OK;
}

static int set_recorder(const struct command *cmd, void *to, char *value)
{
	uint64_t *pid = to;

	if (parse_u64(value, pid) && *pid && *pid <= INT32_MAX)
		return STATUS_OK;
	return usage_error(cmd, "invalid process id '%s'", value);
}

static const struct cli_option options[] = {
	BUFFER_OPTION,
	OUTPUT_OPTION(struct snapshot, output),
	{ .name = "keep", .letter = 'k', .target = FLAG(struct snapshot, keep),
	  .help = "keep the snapshot in memory, to read it again" },
	{ .name = "read-existing", .letter = 'r',
	  .target = FLAG(struct snapshot, existing),
	  .help = "write the snapshot that is in memory, and keep it" },
	{ .name = "free", .target = FLAG(struct snapshot, free),
	  .help = "free the snapshot that is in memory, and write nothing" },
	{ .name = "recorder", .arg = "PID", .kind = "pid",
	  .target = OPTION_TO(set_recorder, uint64_t, struct snapshot, recorder),
	  .help = "let the flight recorder of that process write its\n"
		  "file, and wait for that" },
	{ .name = "reason", .arg = "TEXT", .kind = "text",
	  .target = OPTION_TO(set_reason, const char *, struct snapshot, reason),
	  .help = "one line for FILE; rbmap report prints it" },
	NO_COMPRESS_OPTION(struct snapshot, recording.no_compress),
	{ .name = "quiet", .letter = 'q',
	  .target = FLAG(struct snapshot, recording.quiet),
	  .help = "print losses only, no sums" },
	{ 0 }
};

/* The snapshot most likely contains the events that are enabled now. */
static bool enabled(const void *data, const struct control_event *event)
{
	(void)data;
	return event->enabled;
}

static bool write_file(struct snapshot *s)
{
	struct control_events events;
	bool ok;

	if (control_events_read(&events))
		return false;
	ok = recording_init(&s->recording, &events, enabled, NULL);
	if (ok && !snapshot_file_write(&s->recording, s->output, NULL)) {
		snapshot_file_tell_kept();
		ok = false;
	}
	recording_free(&s->recording);
	control_events_free(&events);
	return ok;
}

static bool run(struct snapshot *s)
{
	if (!control_present())
		return false;
	if (s->free)
		return snapshot_file_free();
	if (!control_has_formats())
		return false;
	/*
	 * A limit on the size of files then returns an error, as a full disk
	 * does.
	 */
	signal(SIGXFSZ, SIG_IGN);
	/*
	 * Take the snapshot before anything slow: the rings are being
	 * overwritten.
	 */
	if (!s->existing) {
		if (!snapshot_file_take())
			return false;
		recording_triggers(&s->recording, s->reason);
	}
	return write_file(s) && (s->keep || s->existing || snapshot_file_free());
}

static int snapshot(int argc, char **argv)
{
	struct snapshot s = { .output = DEFAULT_OUTPUT, .reason = "" };
	struct standard_output output = { 0 };
	int status;
	bool ok;

	if (!parse_options(&command_snapshot, argc, argv, &s, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_snapshot, "unexpected argument '%s'",
				   argv[optind]);
	if (s.free + s.keep + s.existing > 1)
		return usage_error(&command_snapshot, "--keep, --read-existing and --free exclude each other");
	if (s.recorder && (s.free || s.keep || s.existing || strcmp(s.output, DEFAULT_OUTPUT) ||
			   *s.reason || control_buffer()))
		return usage_error(&command_snapshot, "--recorder stands alone: the recorder has its own buffer, file and reason");
	if (s.recorder)
		return dump_request(s.recorder, DUMP_SECONDS) ? STATUS_OK : STATUS_ERROR;
	if (s.free)
		return run(&s) ? STATUS_OK : STATUS_ERROR;
	if (!standard_output_begin(&output, &s.output))
		return STATUS_ERROR;
	ok = run(&s);
	if (!standard_output_end(&output, ok))
		ok = false;
	return ok ? STATUS_OK : STATUS_ERROR;
}

const struct command command_snapshot = {
	.name		= "snapshot",
	.synopsis	= "[-B NAME] [-o FILE] [--keep | --read-existing | --free]\n"
			  "                    [--reason TEXT] [--no-compress] [-q]\n"
			  "       rbmap snapshot --recorder PID",
	.summary	= "Write the events of the rings to a file while recording goes on",
	.options	= options,
	.help		=
	"The rings are frozen, and their CPUs write to new rings; no event is lost.\n"
	"FILE is a trace.dat for rbmap report, trace-cmd report and KernelShark.\n",
	.run		= snapshot,
};
