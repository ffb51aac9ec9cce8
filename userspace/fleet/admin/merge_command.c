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

#include "admin/merge/merge.h"
#include "base/complain.h"
#include "command/command.h"
#include "command/options.h"
#include "commands.h"
#include "message/message.h"

extern char **environ;

/**
 * struct options - the command line, and what it names
 * @input: the recordings; their paths were allocated
 * @missing: incidents that are not stored, and files that are no recordings
 */
struct options {
	const char *output;
	const char *directory;
	bool html;
	bool perfetto;
	struct merge_input *input;
	size_t nr;
	unsigned int missing;
};

static const struct cli_option options[] = {
	{ .name = "output", .letter = 'o', .arg = "FILE", .kind = "file",
	  .target = STRING(struct options, output),
	  .help = "write the recording FILE (default: merged.dat)" },
	{ .name = "directory", .letter = 'd', .arg = "DIR", .kind = "dir",
	  .target = STRING(struct options, directory),
	  .help = "the collector's directory;\ndefault: " DEFAULT_DIRECTORY },
	{ .name = "html", .target = FLAG(struct options, html),
	  .help = "also write a page for browsers, by rbmap report" },
	{ .name = "perfetto", .target = FLAG(struct options, perfetto),
	  .help = "also write a trace for Perfetto, by rbmap convert" },
	{ 0 }
};

/*
 * Store the host's name in the recording, with '_' for each dot. Return a status. STATUS_CUT:
 * the file cannot be merged.
 */
static int name_of_recording(struct merge_input *input)
{
	struct rbmap_recording *reader;
	const char *uname;
	int ret = dat_open(&reader, input->path);

	if (ret) {
		complain("cannot read %s: %s", input->path, dat_strerror(ret));
		return ret < DAT_ERR_LAST ? STATUS_CUT : STATUS_ERROR;
	}
	uname = rbmap_recording_uname(reader);
	if (!uname || sscanf(uname, "%*s %63s", input->host) != 1)
		*input->host = '\0';
	rbmap_recording_close(reader);
	for (char *c = input->host; *c; c++)
		if (*c == '.')
			*c = '_';
	if (is_host_name(input->host))
		return STATUS_OK;
	complain("%s does not name its host: write HOST=%s", input->path, input->path);
	return STATUS_ERROR;
}

/* Return a new input of a path, or NULL and report the error. */
static struct merge_input *new_input(struct options *o, const char *path)
{
	struct merge_input *input = &o->input[o->nr];

	if (o->nr == MERGE_INPUTS_MAX) {
		complain("at most %d recordings can be merged: merge those of fewer hosts",
			 MERGE_INPUTS_MAX);
		return NULL;
	}
	*input = (struct merge_input){ .path = strdup(path), .clock_error = CLOCK_ERROR_UNKNOWN };
	if (!input->path) {
		complain("out of memory");
		return NULL;
	}
	o->nr++;
	return input;
}

static bool add_named(struct options *o, const char *argument, const char *is)
{
	struct merge_input *input = new_input(o, is + 1);

	if (!input)
		return false;
	memcpy(input->host, argument, is - argument);
	if (is_host_name(input->host))
		return true;
	complain("invalid host name '%s': use letters, digits, '-' and '_'", input->host);
	return false;
}

static bool add_file(struct options *o, const char *path)
{
	struct merge_input *input = new_input(o, path);
	int status = input ? name_of_recording(input) : STATUS_ERROR;

	if (status != STATUS_CUT)
		return !status;
	complain("%s is left out", path);
	free((char *)input->path);
	o->nr--;
	o->missing++;
	return true;
}

static uint64_t clock_error_of(const char *manifest)
{
	struct text text = { manifest, manifest + strlen(manifest) };
	char name[32], value[32];
	uint64_t error;

	while (text_next(&text, name, sizeof(name), value, sizeof(value)))
		if (!strcmp(name, "clock-error") && text_u64(value, &error))
			return error;
	return CLOCK_ERROR_UNKNOWN;
}

static bool add_stored(struct options *o, sqlite3_stmt *st)
{
	struct merge_input *input;
	char path[PATH_MAX];

	if (!stored_is_there(st)) {
		o->missing++;
		return true;
	}
	stored_path(st, o->directory, path, sizeof(path));
	input = new_input(o, path);
	if (!input)
		return false;
	snprintf(input->host, sizeof(input->host), "%s", index_text(st, STORED_HOST));
	input->clock_error = clock_error_of(index_text(st, STORED_MANIFEST));
	return true;
}

/* Add the incidents of an ID. */
static bool add_id(struct options *o, const char *id)
{
	const struct fleet_options index = { .directory = o->directory };
	struct fleet_index ix;
	sqlite3_stmt *st;
	size_t before = o->nr;
	bool ok = true;

	if (!fleet_open_index(&ix, &index, INDEX_READ))
		return false;
	st = stored_select(&ix, id);
	while (ok && index_row(&ix, st))
		ok = add_stored(o, st);
	index_end(st);
	if (fleet_close_index(&ix, &index, ok ? STATUS_OK : STATUS_ERROR))
		return false;
	if (o->nr == before && !o->missing)
		complain("'%s' is neither a file nor an incident: 'rbmap fleet incidents' lists them",
			 id);
	return o->nr > before;
}

/* Add what an argument names: HOST=FILE, FILE or ID. */
static bool add_argument(struct options *o, const char *argument)
{
	const char *is = strchr(argument, '=');

	if (is && is - argument < HOST_NAME_SIZE && !memchr(argument, '/', is - argument))
		return add_named(o, argument, is);
	if (!is_source_name(argument) || !access(argument, F_OK))
		return add_file(o, argument);
	return add_id(o, argument);
}

static void print_hosts(const struct merge_input *input, size_t nr)
{
	for (size_t i = 0; i < nr; i++, input++) {
		char error[48] = "unknown";

		if (input->skipped)
			continue;
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

		if (input[i].skipped)
			continue;
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

static int merge_inputs(const struct options *o)
{
	int status;

	if (!o->nr) {
		complain("no recording is left to be merged");
		return STATUS_ERROR;
	}
	status = merge_recordings(o->input, o->nr, o->output);
	if (status == STATUS_ERROR)
		return status;
	print_hosts(o->input, o->nr);
	print_order(o->input, o->nr);
	if (o->html && !view("report", "--html", o->output))
		return STATUS_ERROR;
	if (o->perfetto && !view("convert", "--perfetto", o->output))
		return STATUS_ERROR;
	return o->missing ? STATUS_CUT : status;
}

static int merge_arguments(struct options *o, char **argument)
{
	int status = STATUS_ERROR;
	bool ok = true;

	o->input = calloc(MERGE_INPUTS_MAX, sizeof(*o->input));
	if (!o->input) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	while (ok && *argument)
		ok = add_argument(o, *argument++);
	if (ok)
		status = merge_inputs(o);
	for (size_t i = 0; i < o->nr; i++)
		free((char *)o->input[i].path);
	free(o->input);
	return status;
}

static const struct command command_merge = {
	.name		= "fleet merge",
	.synopsis	= "[-d DIR] [-o FILE] [--html] [--perfetto]\n"
			  "                         ID | [HOST=]FILE...",
	.summary	= "Merge the recordings of several hosts by their clocks",
	.options	= options,
	.help		=
	"The times are those of TAI. Each host has CPUs and pids of its own in the\n"
	"merged recording, and the names of its tasks begin with its name. It has no\n"
	"names of addresses, because each kernel has others. Exit status 3: an incident\n"
	"of the ID is not stored, or a recording could not be merged and is left out, or\n"
	"one is truncated, damaged or not finished; its readable events were merged.\n",
};

int fleet_merge(int argc, char **argv, const char *directory)
{
	struct options o = { .output = "merged.dat", .directory = directory };
	int status;

	if (!parse_options(&command_merge, argc, argv, &o, &status))
		return status;
	if (optind == argc)
		return usage_error(&command_merge, "name recordings: ID, FILE or HOST=FILE");
	return merge_arguments(&o, argv + optind);
}
