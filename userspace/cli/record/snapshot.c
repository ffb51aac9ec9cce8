// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap snapshot: write the current contents of the rings to a file, while
 * tracing goes on.
 */
#include <signal.h>

#include "common/cli.h"
#include "common/options.h"
#include "common/standard_file.h"
#include "snapshot_file.h"

struct snapshot {
	struct recording recording;
	const char *output;
	bool keep;
	bool existing;
};

static const struct cli_option options[] = {
	BUFFER_OPTION,
	OUTPUT_OPTION(struct snapshot, output),
	{ .name = "keep", .letter = 'k', .target = FLAG(struct snapshot, keep),
	  .help = "keep the snapshot in memory, to read it again" },
	{ .name = "read-existing", .letter = 'r',
	  .target = FLAG(struct snapshot, existing),
	  .help = "write the snapshot that is in memory, and keep it" },
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
	ok = recording_init(&s->recording, &events, enabled, NULL) &&
	     snapshot_file_write(&s->recording, s->output);
	recording_free(&s->recording);
	control_events_free(&events);
	return ok;
}

static bool run(struct snapshot *s)
{
	if (!control_present() || !control_has_formats())
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
	if (!s->existing && !snapshot_file_take())
		return false;
	if (!s->existing)
		recording_triggers(&s->recording);
	return write_file(s) && (s->keep || s->existing || snapshot_file_free());
}

static int snapshot(int argc, char **argv)
{
	struct snapshot s = { .output = DEFAULT_OUTPUT };
	struct standard_output output = { 0 };
	int status;
	bool ok;

	if (!parse_options(&command_snapshot, argc, argv, &s, &status))
		return status;
	if (optind < argc)
		return usage_error(&command_snapshot, "unexpected argument '%s'",
				   argv[optind]);
	if (!standard_output_begin(&output, &s.output))
		return STATUS_ERROR;
	ok = run(&s);
	if (!standard_output_end(&output, ok))
		ok = false;
	return ok ? STATUS_OK : STATUS_ERROR;
}

const struct command command_snapshot = {
	.name		= "snapshot",
	.synopsis	= "[-B NAME] [-o FILE] [--keep | --read-existing] [-q]\n"
			  "                    [--no-compress]",
	.summary	= "Write the events of the rings to a file while recording goes on",
	.options	= options,
	.help		=
	"The rings are frozen, and their CPUs write to new rings; no event is lost.\n"
	"FILE is a trace.dat for rbmap report, trace-cmd report and KernelShark.\n",
	.run		= snapshot,
};
