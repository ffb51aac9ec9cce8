// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "assembly.h"
#include "base/complain.h"
#include "base/units.h"
#include "command/command.h"
#include "live/machine.h"
#include "live/loss.h"
#include "live/task_cgroups.h"
#include "recording.h"
#include "recording/write/stat_texts.h"
#include "symbols/symbol_use.h"

#define DEVICES_ROOM	(64u << 10)	/* some two thousand disks and partitions */

int recording_set_output(const struct command *cmd, void *to, char *value)
{
	if (!*value)
		return usage_error(cmd, "option -o requires the name of a file");
	*(const char **)to = value;
	return STATUS_OK;
}

static char *read_or_complain(const char *file)
{
	char *text = control_read(file);

	if (!text)
		control_complain(CONTROL_READ, file, -errno);
	return text;
}

static bool read_formats(struct recording *r,
			 const struct control_events *events,
			 recording_wanted_fn *wanted, const void *data)
{
	bool has_symbols = false;
	uint64_t kptr;

	r->format = calloc(events->nr + 1, sizeof(*r->format));
	r->fields = comm_fields_new();
	if (!r->format || !r->fields) {
		complain("out of memory");
		return false;
	}
	for (size_t i = 0; i < events->nr; i++) {
		const struct control_event *ev = &events->v[i];
		char file[1024], *text;

		/* An event without a tracepoint has no format. */
		if (ev->unavailable || (r->only_wanted && !wanted(data, ev)))
			continue;
		snprintf(file, sizeof(file), "events/%s/%s/format", ev->system,
			 ev->name);
		text = read_or_complain(file);
		if (!text)
			return false;
		r->format[r->nr_formats++] =
			(struct dat_format){ ev->system, text };
		comm_fields_add(r->fields, text);
		if (wanted(data, ev) && kallsyms_wanted(text))
			has_symbols = true;
	}
	/* Hashed addresses have no symbols. */
	r->symbols = has_symbols && !control_read_u64("kptr", &kptr) && kptr;
	r->hashed = has_symbols && !r->symbols;
	return true;
}

bool recording_init(struct recording *r, const struct control_events *events,
		    recording_wanted_fn *wanted, const void *data)
{
	r->header_page = read_or_complain("events/header_page");
	r->header_event = read_or_complain("events/header_event");
	if (!r->header_page || !r->header_event)
		return false;
	r->cmdlines = cmdlines_new();
	if (!r->cmdlines) {
		complain("out of memory");
		return false;
	}
	cmdlines_scan(r->cmdlines, COMM_TS_BEGIN);
	return read_formats(r, events, wanted, data);
}

void recording_free(struct recording *r)
{
	for (size_t i = 0; i < r->nr_formats; i++)
		free((char *)r->format[i].text);
	free(r->format);
	free(r->header_page);
	free(r->header_event);
	comm_fields_free(r->fields);
	cmdlines_free(r->cmdlines);
	comm_events_end(r->comm_events);
}

void recording_begins(struct recording *r)
{
	r->times_clock = moment_clock();
	moment_take(&r->times.begin, r->times_clock);
}

/* A beginning by another clock cannot be compared with the trigger, so it is removed. */
void recording_triggers(struct recording *r, const char *reason)
{
	int clock = moment_clock();

	if (r->times_clock != clock)
		r->times.begin = (struct rbmap_moment){ 0 };
	moment_take(&r->times.trigger, clock);
	r->times_clock = clock;
	snprintf(r->times.reason, sizeof(r->times.reason), "%s", reason);
}

static const struct output_words words = {
	.write = "record to", .writes = "records to", .beside = "the files of its CPUs",
};

bool recording_publish(struct dat_writer *writer, const char *path)
{
	int ret = dat_publish(writer);

	if (ret)
		complain_output(&words, path, ret);
	return !ret;
}

struct dat_writer *recording_create(const struct recording *r, const char *path,
				    const struct recorder *recorder,
				    const char *clocks)
{
	char uname_text[sizeof(struct utsname)], version[64];
	struct dat_source source = {
		.header_page = r->header_page,
		.header_event = r->header_event,
		.formats = r->format,
		.nr_formats = r->nr_formats,
		/* The symbols that occur are known at the end only. */
		.kallsyms_room = r->symbols ? KALLSYMS_ROOM : 0,
		.clocks = clocks,
		.uname = uname_text,
		.version = version,
		.page_size = recorder_page_size(recorder),
		.nr_cpus = recorder_nr_cpus(recorder),
		.max_cpus = recorder_max_cpus(recorder),
	};
	int clock = recorder_clock(recorder);
	struct buf names = { 0 };
	struct dat_writer *writer;
	struct utsname u;
	int ret;

	if (r->times_clock == clock)
		source.times = r->times;
	if (!source.times.begin.real)
		moment_take(&source.times.begin, clock);
	/* If this process is killed, these names are better than none. */
	cmdlines_print(r->cmdlines, &names, dat_cmdlines_room());
	if (!names.failed)
		source.cmdlines = &names;
	uname(&u);
	snprintf(uname_text, sizeof(uname_text), "%s %s %s %s", u.sysname,
		 u.nodename, u.release, u.machine);
	snprintf(version, sizeof(version), "rbmap %s", rbmap_version());
	ret = dat_create(&writer, path, &source);
	buf_free(&names);
	if (!ret)
		return writer;
	complain_output(&words, path, ret);
	return NULL;
}

static bool tell_failure(const char *path, bool published,
			 const struct recorder_result *result)
{
	const char *rest = published ? "the file has the events before" :
				       "no file was written";

	if (!result->error && result->new_clock < 0)
		return true;
	if (!result->error)
		complain("trace_clock was changed to %s, and a recording has one clock: the recording ends at the change",
			 control_clock_name(result->new_clock));
	else if (result->reading)
		complain("cannot read the ring of CPU %u: %s", result->cpu,
			 rbmap_strerror(result->error));
	else if (result->error == -ENOSPC || result->error == -EDQUOT)
		complain("%s: no space is left, and recording stopped; %s; free some space or name a file elsewhere with -o",
			 path, rest);
	else if (result->error == -EFBIG)
		complain("%s: the file has its largest size (ulimit -f, or the file system), and recording stopped; %s",
			 path, rest);
	else
		complain("cannot write %s: %s; recording stopped; %s",
			 path, strerror(-result->error), rest);
	return false;
}

/* Return the text with another number behind "\nNAME: ", and free the old one. */
static char *replace_count(char *text, const char *name, uint64_t count)
{
	struct buf stats = { 0 };
	char key[32], *line;

	snprintf(key, sizeof(key), "\n%s: ", name);
	line = text ? strstr(text, key) : NULL;
	if (!line)
		return text;
	buf_add(&stats, text, line - text);
	line = strchr(line + 1, '\n');
	buf_printf(&stats, "%s%" PRIu64 "%s", key, count, line ? line : "");
	buf_add(&stats, "", 1);
	if (stats.failed) {
		buf_free(&stats);
		return text;
	}
	free(text);
	return stats.data;
}

/* The counters of a CPU as text. Those of other recordings are not in it. */
static char *read_stats(const struct recorder *recorder, unsigned int cpu)
{
	char file[64], *text;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	text = control_read(file);
	for (int i = 0; i < NR_RECORDER_COUNTS; i++)
		text = replace_count(text, recorder_count_name(i),
				     recorder_file_count(recorder, cpu, i));
	return text;
}

/* The names of the block devices that this machine has now. */
static void print_devices(const char *path, struct buf *text)
{
	struct dat_devices *devices = dat_devices_new();
	size_t left_out;

	if (!devices)
		return;
	left_out = block_devices_scan(devices) + devices_text(devices, text, DEVICES_ROOM);
	if (left_out)
		complain("note: %zu block devices have no name in %s: the table is full", left_out,
			 path);
	dat_devices_free(devices);
}

/* The texts about tasks. */
struct task_texts {
	struct buf names;
	struct buf cgroups;
};

static void free_texts(struct task_texts *texts)
{
	buf_free(&texts->names);
	buf_free(&texts->cgroups);
}

/* Return the number of tasks whose cgroup does not fit into @room bytes. */
static size_t print_tasks(const struct cmdlines *cmdlines, const struct dat_cgroups *cgroups,
			  size_t room, struct task_texts *texts)
{
	cmdlines_print(cmdlines, &texts->names, room);
	return cgroups_text(cgroups, &texts->cgroups, room - texts->names.size);
}

/* Print names and cgroups of tasks, as many as the file has space for. */
static size_t print_fitting_tasks(struct dat_writer *writer, const struct cmdlines *cmdlines,
				  const struct dat_cgroups *cgroups, size_t devices,
				  struct task_texts *texts)
{
	size_t left_out = print_tasks(cmdlines, cgroups, dat_cmdlines_room() - devices, texts);
	size_t all = devices + texts->names.size + texts->cgroups.size;
	size_t room = dat_reserve_tables(writer, all);

	if (room >= all)
		return left_out;
	free_texts(texts);
	return print_tasks(cmdlines, cgroups, room - devices, texts);
}

/* Store the locked descriptor of the file, also if an error is reported. */
static bool finish_files(struct dat_writer *writer, const char *path,
			 const struct recorder *recorder,
			 struct cmdlines *cmdlines, struct dat_cgroups *cgroups, int *fd)
{
	/* The files can have a CPU that the recorder could not begin with. */
	unsigned int nr_cpus = dat_nr_cpus(writer);
	char **stats = calloc(nr_cpus, sizeof(*stats));
	struct task_texts tasks = { 0 };
	struct buf devices = { 0 };
	size_t left_out;
	int ret;

	for (unsigned int i = 0; stats && i < nr_cpus; i++)
		if (recorder_has_cpu(recorder, i))
			stats[i] = read_stats(recorder, i);
	cmdlines_scan(cmdlines, COMM_TS_END);
	print_devices(path, &devices);
	task_cgroups_scan(cgroups);
	task_cgroups_read_quotas(cgroups);
	left_out = print_fitting_tasks(writer, cmdlines, cgroups, devices.size, &tasks);
	if (left_out)
		complain("note: %zu tasks have no cgroup in %s: the table is full", left_out, path);
	dat_add_table(writer, &tasks.cgroups);
	dat_add_table(writer, &devices);
	ret = dat_finish(writer, &tasks.names, stats, fd);
	if (ret)
		complain("cannot finish %s: %s", path, strerror(-ret));
	for (unsigned int i = 0; stats && i < nr_cpus; i++)
		free(stats[i]);
	free(stats);
	free_texts(&tasks);
	buf_free(&devices);
	return !ret;
}

struct assembly_options recording_assembly_options(const struct recording *r)
{
	return (struct assembly_options){
		.compress = !r->no_compress, .quiet = r->quiet, .symbols = r->symbols,
	};
}

static bool assemble(const struct recording *r, const char *path, int fd)
{
	struct assembly_options options;

	if (r->assembly)
		return assembly_add(r->assembly, path, fd, r->symbols);
	options = recording_assembly_options(r);
	return assembly_run(path, fd, &options);
}

static void tell_sums(const struct recording *r, const char *path,
		      uint64_t events, uint64_t bytes, size_t page_size,
		      const struct recorder_result *result)
{
	char size[SIZE_TEXT];

	if (r->quiet && !result->loss.total && !result->more && !result->other_clock)
		return;
	loss_print(stderr, events, &result->loss, result->more);
	loss_print_missed(stderr, result->missed);
	loss_print_unopened(stderr, result->unopened);
	if (result->missed && result->since_begin)
		fputs("  the missed ones are those since the buffer began or was reset: an earlier snapshot has its part of them, too\n",
		      stderr);
	if (result->earlier)
		fprintf(stderr, "  %" PRIu64 " of them before the recording began: 'rbmap stat' lists the causes\n",
			result->earlier);
	if (result->too_large)
		fprintf(stderr, "  %" PRIu64 " larger than the sub-buffers were when the recording began (%zu KiB): avoid it with a larger buffer_subbuf_size_kb before\n",
			result->too_large,
			page_size >> 10);
	if (result->other_clock)
		fprintf(stderr, "  %" PRIu64 " more events were discarded: their trace_clock was not the recording's\n",
			result->other_clock);
	if (result->unwritten)
		fprintf(stderr, "  %" PRIu64 " more events were read and not written: no space was left for the file\n",
			result->unwritten);
	if (r->quiet)
		return;
	loss_print_excluded(stderr, result->excluded);
	fprintf(stderr, "%s: %s of events\n", path, size_text(bytes, size));
}

bool recording_end_file(const struct recording *r, struct dat_writer *writer, const char *path,
			struct recorder *recorder)
{
	struct cmdlines *cmdlines = cmdlines_new();
	struct dat_cgroups *cgroups = dat_cgroups_new();
	struct rbmap_moment end;
	bool ok = cmdlines && cgroups;
	int fd;

	moment_take(&end, recorder_clock(recorder));
	dat_set_end(writer, &end);
	if (ok) {
		cmdlines_merge(cmdlines, r->cmdlines);
		if (r->comm_events)
			comm_events_merge(r->comm_events, cmdlines, cgroups);
		recorder_add_names(recorder, cmdlines);
		recorder_end_file(recorder);
		ok = finish_files(writer, path, recorder, cmdlines, cgroups, &fd);
	} else {
		complain("out of memory");
		dat_finish(writer, NULL, NULL, &fd);
	}
	if (!assemble(r, path, fd))
		ok = false;
	cmdlines_free(cmdlines);
	dat_cgroups_free(cgroups);
	return ok;
}

bool recording_finish(const struct recording *r, struct dat_writer *writer,
		      const char *path, struct recorder *recorder)
{
	uint64_t events = recorder_events(recorder), bytes = dat_bytes(writer);
	struct cmdlines *cmdlines = cmdlines_new();
	struct dat_cgroups *cgroups = dat_cgroups_new();
	struct recorder_result result;
	struct rbmap_moment end;
	bool ok;
	int fd;

	moment_take(&end, recorder_clock(recorder));
	dat_set_end(writer, &end);
	if (!cmdlines || !cgroups) {
		complain("out of memory");
		cmdlines_free(cmdlines);
		dat_cgroups_free(cgroups);
		dat_finish(writer, NULL, NULL, &fd);
		close(fd);
		return false;
	}
	cmdlines_merge(cmdlines, r->cmdlines);
	if (r->comm_events)
		comm_events_merge(r->comm_events, cmdlines, cgroups);
	recorder_result(recorder, cmdlines, &result);
	ok = tell_failure(path, dat_published(writer), &result);
	/* A snapshot that is still in memory needs no part of it in a file. */
	if (!ok && !dat_published(writer)) {
		dat_discard(writer);
		cmdlines_free(cmdlines);
		dat_cgroups_free(cgroups);
		return false;
	}
	if (result.incomplete)
		ok = false;
	if (result.gone)
		complain("the module that owns the buffer was removed: %s has all events until then; another 'rbmap record' reads the buffer of the next load from its first event on",
			 path);
	recorder_end_file(recorder);
	if (!finish_files(writer, path, recorder, cmdlines, cgroups, &fd))
		ok = false;
	tell_sums(r, path, events, bytes, recorder_page_size(recorder),
		  &result);
	recorder_close_files(recorder);
	if (!assemble(r, path, fd))
		ok = false;
	cmdlines_free(cmdlines);
	dat_cgroups_free(cgroups);
	return ok;
}
