// SPDX-License-Identifier: GPL-2.0-only
/* rbmap recover: complete the recording of a recorder that was killed. */
#include <signal.h>
#include <unistd.h>

#include "base/complain.h"
#include "command/command.h"
#include "command/options.h"
#include "live/recorder/assembly.h"
#include "live/recorder/recording.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"

extern const struct command command_recover;

struct recover {
	const char *input;
	bool no_compress;
	bool quiet;
};

static const struct cli_option options[] = {
	NO_COMPRESS_OPTION(struct recover, no_compress),
	{ .name = "quiet", .letter = 'q',
	  .target = FLAG(struct recover, quiet),
	  .help = "print errors only, no progress and no size" },
	{ 0 }
};

/* A signal then stops the work between two steps, and the files can be read. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	assembly_add_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/*
	 * A limit on the size of files then returns an error, as a full disk
	 * does.
	 */
	signal(SIGXFSZ, SIG_IGN);
}

static void tell_error(const char *path, int error)
{
	if (error < DAT_ERR_LAST)
		complain("%s %s", path, dat_strerror(error));
	else
		complain("cannot recover %s: %s", path, dat_strerror(error));
}

static bool run(const struct recover *r)
{
	int fd;

	block_signals();
	fd = dat_lock(r->input);
	if (fd < 0) {
		tell_error(r->input, fd);
		return false;
	}
	return assembly_run(r->input, fd, &(struct assembly_options){
		.compress = !r->no_compress, .quiet = r->quiet });
}

static int recover(int argc, char **argv)
{
	struct recover r = { .input = DEFAULT_OUTPUT };
	int status;

	if (!parse_options(&command_recover, argc, argv, &r, &status))
		return status;
	if (optind < argc)
		r.input = argv[optind++];
	if (optind < argc)
		return usage_error(&command_recover, "unexpected argument '%s': recover completes one recording",
				   argv[optind]);
	return run(&r) ? STATUS_OK : STATUS_ERROR;
}

const struct command command_recover = {
	.name		= "recover",
	.synopsis	= "[-q] [--no-compress] [FILE]",
	.summary	= "Complete the recording of a recorder that was killed",
	.options	= options,
	.help		=
	"The recorder has left FILE, and its events in FILE.cpu0, FILE.cpu1 and so on.\n"
	"They become one trace.dat; default: " DEFAULT_OUTPUT ".\n",
	.run		= recover,
};
