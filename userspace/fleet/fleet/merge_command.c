// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/options.h"
#include "merge/merge.h"
#include "merge_command.h"

extern char **environ;

struct options {
	const char *output;
	bool html;
	bool perfetto;
};

static const struct cli_option options[] = {
	{ .name = "output", .letter = 'o', .arg = "FILE", .kind = "file",
	  .target = STRING(struct options, output),
	  .help = "write the recording FILE (default: merged.dat)" },
	{ .name = "html", .target = FLAG(struct options, html),
	  .help = "also write a page for browsers, by rbmap report --html" },
	{ .name = "perfetto", .target = FLAG(struct options, perfetto),
	  .help = "also write a trace for Perfetto, by rbmap convert --perfetto" },
	{ 0 }
};

/* Store the host's name in the recording, with '_' for each dot. */
static bool name_of_recording(struct merge_input *input)
{
	struct dat_reader *reader;
	const char *uname;
	int ret = dat_open(&reader, input->path);

	if (ret) {
		complain("cannot read %s: %s", input->path, dat_strerror(ret));
		return false;
	}
	uname = dat_uname(reader);
	if (!uname || sscanf(uname, "%*s %63s", input->host) != 1)
		*input->host = '\0';
	dat_close(reader);
	for (char *c = input->host; *c; c++)
		if (*c == '.')
			*c = '_';
	if (is_host_name(input->host))
		return true;
	complain("%s does not name its host: write HOST=%s", input->path, input->path);
	return false;
}

/* Store an argument: FILE or HOST=FILE. */
static bool set_input(struct merge_input *input, const char *argument)
{
	const char *is = strchr(argument, '=');

	*input = (struct merge_input){ .path = argument, .clock_error = CLOCK_ERROR_UNKNOWN };
	if (!is || is - argument >= HOST_NAME_SIZE || memchr(argument, '/', is - argument))
		return name_of_recording(input);
	memcpy(input->host, argument, is - argument);
	input->path = is + 1;
	if (is_host_name(input->host))
		return true;
	complain("invalid host name '%s': use letters, digits, '-' and '_'", input->host);
	return false;
}

static void print_hosts(const struct merge_input *input, size_t nr)
{
	for (size_t i = 0; i < nr; i++, input++) {
		char error[48] = "unknown";

		if (input->clock_error != CLOCK_ERROR_UNKNOWN)
			snprintf(error, sizeof(error), "+-%.3f ms",
				 (double)input->clock_error / 1e6);
		fprintf(stderr, "%s: CPUs %u-%u, pids + %d, error of the clock: %s%s\n",
			input->host, input->first_cpu, input->first_cpu + input->nr_cpus - 1,
			input->first_pid, error,
			input->tai_unknown ? "; the host does not know TAI" : "");
	}
}

/* Two events are in order if they are further apart than both clocks may be wrong. */
static void print_order(const struct merge_input *input, size_t nr)
{
	uint64_t largest[2] = { 0 };

	for (size_t i = 0; i < nr; i++) {
		uint64_t error = input[i].clock_error;

		if (error == CLOCK_ERROR_UNKNOWN) {
			fputs("The order of events of different hosts is not certain: an error is unknown.\n",
			      stderr);
			return;
		}
		if (error > largest[0]) {
			largest[1] = largest[0];
			largest[0] = error;
		} else if (error > largest[1]) {
			largest[1] = error;
		}
	}
	fprintf(stderr, "The order of events of different hosts is certain if they are more than %.3f ms apart.\n",
		(double)largest[0] / 1e6 + (double)largest[1] / 1e6);
}

/* Store the path of rbmap: this program is in libexec/rbmap or in build/fleet. */
static bool find_rbmap(char *path, size_t size)
{
	static const char *const places[] = { "../../bin/rbmap", "../rbmap" };
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *directory;

	if (len < 0)
		return false;
	self[len] = '\0';
	directory = dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, size, "%s/%s", directory, places[i]);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static bool view(const char *command, const char *option, const char *recording)
{
	char path[PATH_MAX + 32];
	char *const argv[] = {
		"rbmap", (char *)command, (char *)option, (char *)recording, NULL,
	};
	int error, status;
	pid_t child;

	if (!find_rbmap(path, sizeof(path))) {
		complain("cannot find rbmap: run 'rbmap %s %s %s'", command, option, recording);
		return false;
	}
	error = posix_spawn(&child, path, NULL, NULL, argv, environ);
	if (error) {
		complain("cannot run %s: %s", path, strerror(error));
		return false;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool merge_files(const struct options *o, char **file, size_t nr)
{
	struct merge_input *input = calloc(nr, sizeof(*input));
	bool ok = input;

	if (!ok)
		complain("out of memory");
	for (size_t i = 0; ok && i < nr; i++)
		ok = set_input(&input[i], file[i]);
	ok = ok && merge_recordings(input, nr, o->output);
	if (ok) {
		print_hosts(input, nr);
		print_order(input, nr);
	}
	free(input);
	return ok && (!o->html || view("report", "--html", o->output)) &&
	       (!o->perfetto || view("convert", "--perfetto", o->output));
}

static int run(int argc, char **argv)
{
	struct options o = { .output = "merged.dat" };
	int status;

	if (!parse_options(&fleet_merge, argc, argv, &o, &status))
		return status;
	if (optind == argc)
		return usage_error(&fleet_merge, "name the recordings: [HOST=]FILE");
	if (argc - optind > MERGE_INPUTS_MAX)
		return usage_error(&fleet_merge, "at most %d recordings can be merged",
				   MERGE_INPUTS_MAX);
	return merge_files(&o, argv + optind, argc - optind) ? STATUS_OK : STATUS_ERROR;
}

const struct command fleet_merge = {
	.name		= "fleet merge",
	.synopsis	= "[-o FILE] [--html] [--perfetto] [HOST=]FILE...",
	.summary	= "Merge the recordings of several hosts by their clocks",
	.options	= options,
	.help		=
	"The times are those of TAI. Each host has CPUs and pids of its own in the merged\n"
	"recording, and the names of its tasks begin with its name. It has no names of\n"
	"addresses, because each kernel has others.\n",
	.run		= run,
};
