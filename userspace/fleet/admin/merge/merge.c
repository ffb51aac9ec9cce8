// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rbmap.h>

#include <linux/rbmap.h>

#include "base/complain.h"
#include "events.h"
#include "merge.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_cgroups.h"
#include "recording/dat_hosts.h"
#include "recording/dat_read.h"
#include "recording/write/stat_texts.h"
#include "recordings.h"

#define NS_PER_S	1000000000LL
#define HEAD		RBMAP_SUBBUF_HEADER_SIZE
#define PAGE_SIZE	65536

/**
 * struct merge - a recording that is being made
 * @tai_offset: seconds that TAI is ahead of UTC
 * @comms: the names of all tasks
 * @cgroups: the cgroups of all tasks, below "/HOST"
 * @map: the ids of the host that is being read
 * @copy: a sub-buffer, with @room bytes
 * @skipped: inputs that are left out
 * @cut: some events of an input could not be read, and were reported
 */
struct merge {
	struct merge_input *input;
	size_t nr;
	const char *path;
	unsigned int nr_cpus;
	int64_t tai_offset;
	struct event_ids ids;
	struct buf comms;
	struct dat_cgroups *cgroups;
	struct event_id_map map;
	struct dat_writer *writer;
	unsigned char *copy;
	size_t room;
	size_t skipped;
	bool cut;
};

struct comm_of {
	struct merge *merge;
	const struct merge_input *input;
};

static void add_comm(void *data, int pid, const char *name)
{
	const struct comm_of *of = data;

	if (pid > 0)
		buf_printf(&of->merge->comms, "%d %s:%s\n", pid + of->input->first_pid,
			   of->input->host, name);
}

/* Return the path of a host's cgroup in the merged recording, in @path; NULL: no memory. */
static const char *host_cgroup(const struct merge_input *input, const char *cgroup,
			       struct buf *path)
{
	path->size = 0;
	buf_printf(path, "/%s%s", input->host, strcmp(cgroup, "/") ? cgroup : "");
	buf_add(path, "", 1);
	return path->failed ? NULL : path->data;
}

/* Add the cgroups of a host. Return 0 or -ENOMEM. */
static int add_cgroups(struct merge *m, const struct merge_input *input)
{
	const struct dat_cgroups *from = dat_cgroups(input->reader);
	const struct dat_task **task;
	struct buf path = { 0 };
	size_t nr = 0;
	int ret = 0;

	if (!from)
		return 0;
	for (unsigned int i = 0; !ret && i < dat_cgroups_count(from); i++) {
		const char *cgroup = dat_cgroups_path(from, i);
		const struct dat_quota *own = dat_cgroups_own_quota(from, cgroup);
		struct dat_quota moved;

		if (!own)
			continue;
		moved = *own;
		moved.cgroup = host_cgroup(input, cgroup, &path);
		ret = moved.cgroup ? dat_cgroups_set_quota(m->cgroups, &moved) : -ENOMEM;
	}
	task = dat_cgroups_sorted(from, &nr);
	ret = task ? ret : -ENOMEM;
	for (size_t i = 0; !ret && i < nr; i++) {
		struct dat_task moved = *task[i];

		moved.pid += input->first_pid;
		moved.cgroup = host_cgroup(input, task[i]->cgroup, &path);
		ret = moved.cgroup ? dat_cgroups_learn(m->cgroups, &moved) : -ENOMEM;
	}
	free(task);
	buf_free(&path);
	return ret;
}

/* Leave a host out, and go on with the others. The cause was reported. */
static void skip(struct merge *m, struct merge_input *input)
{
	complain("%s of %s is left out", input->path, input->host);
	input->skipped = true;
	m->skipped++;
}

/* Hosts that know the offset agree; it changes once in years. */
static void find_tai_offset(struct merge *m)
{
	for (size_t i = 0; i < m->nr && !m->tai_offset; i++) {
		if (!merge_input_open(&m->input[i], 0)) {
			skip(m, &m->input[i]);
			continue;
		}
		m->tai_offset = merge_input_tai_offset(&m->input[i]);
		merge_input_close(&m->input[i]);
	}
}

/* Return whether there is room for the host's CPUs, or report that there is no room. */
static bool has_cpus(const struct merge *m, const struct merge_input *input)
{
	unsigned int files = new_recording_cpus_max();
	unsigned int most = files < DAT_CPUS_MAX ? files : DAT_CPUS_MAX;

	if (m->nr_cpus <= most && input->nr_cpus <= most - m->nr_cpus)
		return true;
	complain("%s has %u CPUs, and all hosts can have %u: %smerge fewer hosts",
		 input->path, input->nr_cpus, most,
		 files < DAT_CPUS_MAX ? "raise 'ulimit -n', or " : "");
	return false;
}

/* Read all but the events of a recording. Return a status. */
static int look_at(struct merge *m, size_t i)
{
	struct merge_input *input = &m->input[i];
	struct comm_of of = { m, input };
	int status = STATUS_CUT;

	if (!merge_input_open(input, m->tai_offset))
		return STATUS_CUT;
	input->first_cpu = m->nr_cpus;
	input->first_pid = (int)i * PIDS_OF_HOST;
	if (has_cpus(m, input))
		status = event_ids_add(&m->ids, input);
	if (!status) {
		m->nr_cpus += input->nr_cpus;
		dat_each_comm(input->reader, add_comm, &of);
		if (add_cgroups(m, input)) {
			complain("out of memory");
			status = STATUS_ERROR;
		}
	}
	merge_input_close(input);
	return status;
}

static bool look_at_all(struct merge *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		int status = m->input[i].skipped ? STATUS_OK : look_at(m, i);

		if (status == STATUS_ERROR)
			return false;
		if (status)
			skip(m, &m->input[i]);
	}
	if (m->skipped < m->nr)
		return true;
	complain("no recording is left to be merged");
	return false;
}

static const struct merge_input *first_input(const struct merge *m)
{
	const struct merge_input *input = m->input;

	while (input->skipped)
		input++;
	return input;
}

/* Store the maximum error of each clock in the file. */
static void add_errors(const struct merge *m, char *reason, size_t size)
{
	int at = snprintf(reason, size, "merged:");

	for (size_t i = 0; i < m->nr && at >= 0 && (size_t)at < size; i++) {
		const struct merge_input *input = &m->input[i];

		if (input->skipped)
			continue;
		if (input->clock_error == CLOCK_ERROR_UNKNOWN)
			at += snprintf(reason + at, size - at, " %s +-?", input->host);
		else
			at += snprintf(reason + at, size - at, " %s +-%.3fms", input->host,
				       (double)input->clock_error / 1e6);
	}
}

static bool create(struct merge *m)
{
	uint64_t tai = tai_of(&first_input(m)->line, first_input(m)->line.ring[1]);
	char uname[64], version[64], header_page[DAT_HEADER_PAGE_ROOM];
	struct dat_source source = {
		.header_page = header_page,
		.header_event = new_recording_header_event,
		.formats = m->ids.formats,
		.nr_formats = m->ids.nr,
		/* Each kernel has other addresses. */
		.clocks = "[tai]",
		.uname = uname,
		.version = version,
		.page_size = PAGE_SIZE,
		.nr_cpus = m->nr_cpus,
		.times.trigger = {
			.ring = tai, .real = tai - m->tai_offset * NS_PER_S,
			.tai_offset = m->tai_offset,
		},
	};
	int ret;

	dat_print_header_page(header_page, PAGE_SIZE);
	snprintf(uname, sizeof(uname), "Linux %zu-hosts merged merged", m->nr - m->skipped);
	snprintf(version, sizeof(version), "rbmap %s", rbmap_version());
	add_errors(m, source.times.reason, sizeof(source.times.reason));
	/* Each CPU has a file until the recording is assembled. */
	new_recording_allow_cpus(m->nr_cpus);
	ret = dat_create(&m->writer, m->path, &source);
	if (ret == -EMFILE)
		complain("cannot open a file for each of %u CPUs: raise 'ulimit -n', or merge fewer hosts",
			 m->nr_cpus);
	else if (ret)
		complain("cannot write %s: %s", m->path, strerror(-ret));
	return !ret;
}

static bool copy_subbuf(struct merge *m, const struct rbmap_subbuf *sb)
{
	size_t size = HEAD + sb->size;

	if (size > m->room) {
		unsigned char *more = realloc(m->copy, size);

		if (!more)
			return false;
		m->copy = more;
		m->room = size;
	}
	memcpy(m->copy, sb->start, size);
	return true;
}

/* Return the time of the last event of the copy. */
static uint64_t last_time(const struct merge *m, size_t size, uint64_t begin)
{
	struct rbmap_cursor cursor = { 0 };
	struct rbmap_event ev;

	while (rbmap_decode(m->copy, HEAD + size, &cursor, &ev) == 1)
		if (ev.ts > begin)
			begin = ev.ts;
	return begin;
}

/* Add a sub-buffer. @last: time of the CPU's last event, which the next one is not before. */
static int add_subbuf(struct merge *m, const struct merge_input *input, unsigned int cpu,
		      const struct rbmap_subbuf *sb, uint64_t *last)
{
	struct rbmap_subbuf added = { .lost = sb->lost };
	uint64_t begin = tai_of(&input->line, sb->timestamp);
	struct subbuf_change change = {
		.ids = &m->ids, .map = &m->map, .first_pid = input->first_pid,
	};

	if (!sb->size)
		return dat_add(m->writer, cpu, &added);
	if (!copy_subbuf(m, sb))
		return -ENOMEM;
	if (begin < *last)
		begin = *last;
	change.later = begin - sb->timestamp;
	subbuf_change(&change, m->copy, sb->size);
	added.start = m->copy;
	added.size = sb->size;
	added.timestamp = begin;
	*last = last_time(m, sb->size, begin);
	dat_next_ring(m->writer, cpu);
	return dat_add(m->writer, cpu, &added);
}

/* Copy the sub-buffers of a CPU. Store the error of the input; return that of the output. */
static int add_cpu(struct merge *m, const struct merge_input *input, unsigned int cpu,
		   int *input_error)
{
	struct rbmap_subbuf sb = { 0 };
	uint64_t last = 0;
	bool lacks;
	int ret;

	while ((ret = rbmap_recording_next_subbuf(input->reader, cpu, &sb)) == 1) {
		ret = add_subbuf(m, input, input->first_cpu + cpu, &sb, &last);
		if (ret)
			return ret;
	}
	if (ret < 0)
		*input_error = ret;
	/* The number of events behind an error or a damage is unknown. */
	lacks = ret < 0 || dat_cpu_lacks_events(input->reader, cpu);
	sb = (struct rbmap_subbuf){
		.lost = lacks ? RBMAP_LOST_UNKNOWN :
				rbmap_recording_lost_last(input->reader, cpu),
	};
	return dat_add(m->writer, input->first_cpu + cpu, &sb);
}

/* Report what the recording of a host lacks. */
static void tell_damage(struct merge *m, const struct merge_input *input)
{
	const struct rbmap_damage *damage = rbmap_recording_damage(input->reader);

	if (damage->busy)
		complain("%s of %s is still being recorded: its events up to now are merged",
			 input->path, input->host);
	else if (damage->unfinished)
		complain("%s of %s was not finished, because its recorder was killed: its complete events are merged",
			 input->path, input->host);
	if (damage->lacking)
		complain("%s of %s lacks the files of %u CPUs, %s.cpuN: their events are not merged",
			 input->path, input->host, damage->lacking, input->path);
	if (damage->missing)
		complain("%s of %s is truncated, %" PRIu64 " bytes of events are missing: the remaining events are merged",
			 input->path, input->host, damage->missing);
	if (damage->broken)
		complain("%s of %s is damaged, %" PRIu64 " sub-buffers are invalid: the rest of each is left out",
			 input->path, input->host, damage->broken);
	if (damage->unfinished || damage->missing || damage->broken)
		m->cut = true;
}

static bool add_host(struct merge *m, struct merge_input *input)
{
	int ret = 0, input_error = 0;

	/* It could be opened before. */
	if (!merge_input_open(input, m->tai_offset)) {
		skip(m, input);
		return true;
	}
	event_id_map_make(&m->map, &m->ids, input);
	for (unsigned int cpu = 0; !ret && cpu < input->nr_cpus; cpu++)
		ret = add_cpu(m, input, cpu, &input_error);
	tell_damage(m, input);
	merge_input_close(input);
	if (input_error) {
		complain("%s cannot be read to its end: %s; the events before that are merged",
			 input->path, dat_strerror(input_error));
		m->cut = true;
	}
	if (ret)
		complain("cannot write %s: %s", m->path, dat_strerror(ret));
	return !ret;
}

static bool go_on(void *data, double done)
{
	(void)data;
	(void)done;
	return true;
}

static void print_hosts(const struct merge *m, struct buf *text)
{
	buf_printf(text, "%s", DAT_HOSTS_HEAD);
	for (size_t i = 0; i < m->nr; i++) {
		const struct merge_input *input = &m->input[i];

		if (!input->skipped)
			buf_printf(text, DAT_HOSTS_LINE, input->first_cpu, input->nr_cpus,
				   input->first_pid, input->host);
	}
}

/* Print the cgroups of the tasks, as far as the file has room for them. */
static void print_cgroups(const struct merge *m, size_t hosts, struct buf *text)
{
	size_t room = dat_cmdlines_room(), used = hosts + m->comms.size;
	size_t left_out = cgroups_text(m->cgroups, text, used < room ? room - used : 0);

	if (left_out)
		complain("%zu tasks have no cgroup in %s: it has room for %zu KiB of names and cgroups",
			 left_out, m->path, room >> 10);
}

static bool finish(struct merge *m)
{
	struct dat_assembly assembly = { .compress = true, .go_on = go_on };
	char **stats = calloc(m->nr_cpus, sizeof(*stats));
	struct buf hosts = { 0 }, cgroups = { 0 };
	int fd = -1, ret = stats ? 0 : -ENOMEM;

	print_hosts(m, &hosts);
	dat_add_table(m->writer, &hosts);
	print_cgroups(m, hosts.size, &cgroups);
	dat_add_table(m->writer, &cgroups);
	if (ret)
		dat_discard(m->writer);
	else
		ret = dat_finish(m->writer, &m->comms, stats, &fd);
	m->writer = NULL;
	free(stats);
	buf_free(&hosts);
	buf_free(&cgroups);
	assembly.fd = fd;
	if (!ret)
		ret = dat_assemble(m->path, &assembly);
	if (fd >= 0)
		close(fd);
	if (ret)
		complain("cannot write %s: %s", m->path, dat_strerror(ret));
	return !ret;
}

static bool merge(struct merge *m)
{
	find_tai_offset(m);
	if (!look_at_all(m) || !event_ids_finish(&m->ids) || !create(m))
		return false;
	for (size_t i = 0; i < m->nr; i++)
		if (!m->input[i].skipped && !add_host(m, &m->input[i]))
			return false;
	return finish(m);
}

int merge_recordings(struct merge_input *input, size_t nr, const char *path)
{
	struct merge *m = calloc(1, sizeof(*m));
	int status = STATUS_ERROR;

	if (m) {
		*m = (struct merge){ .input = input, .nr = nr, .path = path };
		m->cgroups = dat_cgroups_new();
		if (!m->cgroups)
			complain("out of memory");
		else if (merge(m))
			status = m->skipped || m->cut ? STATUS_CUT : STATUS_OK;
		if (m->writer)
			dat_discard(m->writer);
		event_ids_free(&m->ids);
		buf_free(&m->comms);
		dat_cgroups_free(m->cgroups);
		free(m->copy);
	} else {
		complain("out of memory");
	}
	free(m);
	return status;
}
