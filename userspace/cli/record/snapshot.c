// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap snapshot: write the current contents of the rings to a file, while
 * tracing goes on.
 */
#include <signal.h>

#include "common/cli.h"
#include "snapshot_file.h"

struct snapshot {
	struct recording recording;
	const char *output;
	bool keep;
	bool existing;
};

static int parse_options(struct snapshot *s, int argc, char **argv, bool *done)
{
	static const struct option longs[] = {
		GETOPT_BUFFER,
		{ "output",		required_argument,	NULL, 'o' },
		{ "keep",		no_argument,		NULL, 'k' },
		{ "read-existing",	no_argument,		NULL, 'r' },
		{ "quiet",		no_argument,		NULL, 'q' },
		{ "help",		no_argument,		NULL, 'h' },
		{ 0 }
	};
	const struct command *cmd = &command_snapshot;
	int c, status = STATUS_OK;

	*done = true;
	while ((c = next_option(cmd, argc, argv, "B:o:krq", longs,
				&status)) != -1) {
		switch (c) {
		case 'o':
			if (!*optarg)
				return usage_error(cmd, NO_OUTPUT_NAME);
			s->output = optarg;
			break;
		case 'k':
			s->keep = true;
			break;
		case 'r':
			s->existing = true;
			break;
		case 'q':
			s->recording.quiet = true;
			break;
		case OPTION_DONE:
			return status;
		}
	}
	if (optind < argc)
		return usage_error(cmd, "unexpected argument '%s'", argv[optind]);
	*done = false;
	return STATUS_OK;
}

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
	return write_file(s) && (s->keep || s->existing || snapshot_file_free());
}

static int snapshot(int argc, char **argv)
{
	struct snapshot s = { .output = DEFAULT_OUTPUT };
	bool done;
	int status = parse_options(&s, argc, argv, &done);

	if (done)
		return status;
	return run(&s) ? STATUS_OK : STATUS_ERROR;
}

const struct command command_snapshot = {
	.name		= "snapshot",
	.synopsis	= "[-B NAME] [-o FILE] [--keep | --read-existing] [-q]",
	.summary	= "Write the events of the rings to a file while recording goes on",
	.help		=
	"  -B, --buffer NAME    use the buffer NAME of 'rbmap create'\n"
	"  -o, --output FILE    default: " DEFAULT_OUTPUT "\n"
	"  -k, --keep           keep the snapshot in memory, to read it again\n"
	"  -r, --read-existing  write the snapshot that is in memory, and keep it\n"
	"  -q, --quiet          print losses only, no sums\n"
	"\n"
	"The rings are frozen, and their CPUs write to new rings; no event is lost.\n"
	"FILE is a trace.dat for rbmap report, trace-cmd report and KernelShark.\n",
	.run		= snapshot,
};
