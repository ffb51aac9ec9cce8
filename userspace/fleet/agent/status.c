// SPDX-License-Identifier: GPL-2.0-only
/*
 * rbmap ship status. The agent can remove files while this runs. A file that is gone no
 * longer waits, so that is not an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "agent/incident/spool.h"
#include "agent/stream/stream_spool.h"
#include "agent/stream/stream_spool_files.h"
#include "agent/uplink/clocks.h"
#include "agent/uplink/files.h"
#include "base/complain.h"
#include "base/json.h"
#include "base/units.h"
#include "message/message.h"
#include "ship.h"

#define NS_PER_S	1000000000ULL
#define DATE_SIZE	32
#define FILE_NAME	"contact"
#define SIZE_MOST	4096
#define PERIOD_NS	(60 * NS_PER_S)

/**
 * struct last_contact - the file "contact" of the spool, by which the agent informs the command
 * @host: name of the host
 * @transport: time at which the transport last took a message, in ns since 1970; 0: never
 * @collector: time of the last message from the collector; 0: never
 * @error: the error that lasts; "": none
 */
struct last_contact {
	char host[64];
	uint64_t transport;
	uint64_t collector;
	char error[320];
};

/* Read the file of the spool that is open as @dir. Values that it lacks are 0 or "". */
static void last_contact_read(struct last_contact *c, int dir)
{
	char name[32], value[sizeof(c->error)];
	struct buf bytes = { 0 };
	struct text t;

	*c = (struct last_contact){ 0 };
	if (!files_read(dir, FILE_NAME, &bytes, SIZE_MOST)) {
		t = (struct text){ bytes.data, bytes.data + bytes.size };
		while (text_next(&t, name, sizeof(name), value, sizeof(value))) {
			if (!strcmp(name, "host"))
				snprintf(c->host, sizeof(c->host), "%.63s", value);
			else if (!strcmp(name, "transport"))
				text_u64(value, &c->transport);
			else if (!strcmp(name, "collector"))
				text_u64(value, &c->collector);
			else if (!strcmp(name, "error"))
				snprintf(c->error, sizeof(c->error), "%s", value);
		}
	}
	buf_free(&bytes);
}

/* Write the file. After an error it is written at the next call. */
static void last_contact_write(const struct last_contact *c, int dir)
{
	struct buf text = { 0 };

	text_add(&text, "host", c->host);
	text_add_u64(&text, "transport", c->transport);
	text_add_u64(&text, "collector", c->collector);
	text_add(&text, "error", c->error);
	if (!text.failed)
		files_replace(dir, FILE_NAME, text.data, text.size, false);
	buf_free(&text);
}

/* The first error, in the order of importance; "": none */
static const char *error_of(const struct agent *a)
{
	const struct backoff *all[] = { &a->uplink.publishing, &a->uplink.receiving,
					&a->intake.backoff, &a->intake.full };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (*all[i]->text)
			return all[i]->text;
	return "";
}

void agent_write_last_contact(struct agent *a, bool now)
{
	struct last_contact c = { .transport = a->uplink.published, .collector = a->received };

	snprintf(c.host, sizeof(c.host), "%s", a->options->transport.host);
	snprintf(c.error, sizeof(c.error), "%s", error_of(a));
	/* Write the file at once if an error begins or ends. */
	if (!now && !strcmp(a->reported_error, c.error) && clock_monotonic() < a->last_contact)
		return;
	snprintf(a->reported_error, sizeof(a->reported_error), "%s", c.error);
	a->last_contact = clock_monotonic() + PERIOD_NS;
	last_contact_write(&c, a->spool.dir);
}

/**
 * struct status - contents of the spool
 * @spool: its incidents; other members are not set
 * @losses: sums of the records of losses
 * @nr_losses: number of incidents in them
 * @answers: answers that wait
 * @stream_bytes: size of the spool of streams
 * @stream_removed: events that were removed from it before the collector had them
 * @streams: the spool of streams exists
 */
struct status {
	struct spool spool;
	struct loss_sums losses;
	uint64_t nr_losses;
	unsigned int answers;
	uint64_t stream_bytes;
	uint64_t stream_removed;
	struct last_contact last_contact;
	bool streams;
	bool running;
	int dir;
};

static int add_incident(void *data, int dir, const char *name)
{
	struct status *s = data;
	struct stat state, file;

	if (!is_source_name(name) || fstatat(dir, name, &state, AT_SYMLINK_NOFOLLOW) ||
	    fstatat(s->spool.data, name, &file, AT_SYMLINK_NOFOLLOW))
		return 0;
	return spool_add(&s->spool, name, file.st_size,
			 state.st_mtim.tv_sec * NS_PER_S + state.st_mtim.tv_nsec);
}

static int add_loss(void *data, int dir, const char *name)
{
	struct status *s = data;
	struct loss_sums one;

	if (!losses_read(dir, name, &one))
		return 0;
	s->nr_losses += one.incidents;
	s->losses.size += one.size;
	s->losses.events += one.events;
	s->losses.lost += one.lost;
	s->losses.unknown += one.unknown;
	s->losses.lost_unknown |= one.lost_unknown;
	return 0;
}

static int add_answer(void *data, int dir, const char *name)
{
	struct status *s = data;

	(void)dir;
	(void)name;
	s->answers++;
	return 0;
}

static int add_segment(void *data, int dir, const char *name)
{
	struct status *s = data;
	struct stat file;

	if (!fstatat(dir, name, &file, AT_SYMLINK_NOFOLLOW))
		s->stream_bytes += file.st_size;
	return 0;
}

static void read_streams(struct status *s)
{
	int dir = openat(s->dir, STREAM_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stream_gaps gaps;

	s->streams = dir >= 0;
	if (dir < 0)
		return;
	files_each(dir, add_segment, s);
	if (!stream_gaps_read(&gaps, dir)) {
		for (size_t i = 0; i < gaps.nr; i++)
			s->stream_removed += gaps.v[i].events;
		stream_gaps_free(&gaps);
	}
	close(dir);
}

static void each(const struct status *s, const char *folder, files_each_fn *fn)
{
	int fd = openat(s->dir, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	files_each(fd, fn, (void *)s);
	close(fd);
}

static void read_all(struct status *s)
{
	s->spool.data = openat(s->dir, "data", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	each(s, "state", add_incident);
	each(s, "losses", add_loss);
	each(s, "answers", add_answer);
	if (s->spool.data >= 0)
		close(s->spool.data);
	read_streams(s);
	last_contact_read(&s->last_contact, s->dir);
	s->running = spool_is_locked(s->dir);
}

static const char *date_of(uint64_t ns, char date[DATE_SIZE])
{
	time_t seconds = ns / NS_PER_S;
	struct tm tm;

	if (!ns || !localtime_r(&seconds, &tm) || !strftime(date, DATE_SIZE, "%F %T", &tm))
		strcpy(date, "never");
	return date;
}

static void print_losses(const struct status *s)
{
	char size[SIZE_TEXT];

	if (!s->nr_losses)
		return;
	printf("lost: %" PRIu64 " incidents with %" PRIu64 " events%s, %s; the collector does not know it yet\n",
	       s->nr_losses, s->losses.events, s->losses.unknown ? " or more" : "",
	       size_text(s->losses.size, size));
}

static void print_streams(const struct status *s)
{
	char size[SIZE_TEXT];

	if (!s->streams)
		return;
	printf("streams: %s in the spool", size_text(s->stream_bytes, size));
	if (s->stream_removed)
		printf("; %" PRIu64 " events were removed, and the collector does not know it yet",
		       s->stream_removed);
	putchar('\n');
}

static void print_text(const struct status *s)
{
	char size[SIZE_TEXT], date[DATE_SIZE];

	printf("agent: %s\n", s->running ? "running" : "not running");
	printf("waiting: %zu incidents, %s", s->spool.nr, size_text(s->spool.bytes, size));
	if (s->spool.nr)
		printf(", since %s", date_of(s->spool.v[0].since, date));
	putchar('\n');
	for (size_t i = 0; i < s->spool.nr; i++)
		printf("  %s  %s  %s\n", date_of(s->spool.v[i].since, date), s->spool.v[i].id,
		       size_text(s->spool.v[i].size, size));
	print_losses(s);
	print_streams(s);
	printf("last contact with the transport: %s\n", date_of(s->last_contact.transport, date));
	printf("last contact with the collector: %s\n", date_of(s->last_contact.collector, date));
	if (*s->last_contact.error)
		printf("error: %s\n", s->last_contact.error);
}

static void print_time(struct json *j, const char *key, uint64_t ns)
{
	if (ns)
		json_unsigned(j, key, ns);
	else
		json_null(j, key);
}

static void print_json_losses(struct json *j, const struct status *s)
{
	json_open(j, "lost", '{');
	json_unsigned(j, "incidents", s->nr_losses);
	json_unsigned(j, "bytes", s->losses.size);
	json_unsigned(j, "events", s->losses.events);
	json_unsigned(j, "incidents_without_events", s->losses.unknown);
	json_close(j, '}');
}

static void print_json_streams(struct json *j, const struct status *s)
{
	if (!s->streams) {
		json_null(j, "streams");
		return;
	}
	json_open(j, "streams", '{');
	json_unsigned(j, "bytes", s->stream_bytes);
	json_unsigned(j, "removed_events", s->stream_removed);
	json_close(j, '}');
}

static void print_json(const struct status *s)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_bool(&j, "running", s->running);
	json_string(&j, "host", s->last_contact.host);
	json_unsigned(&j, "waiting_bytes", s->spool.bytes);
	json_open(&j, "waiting", '[');
	for (size_t i = 0; i < s->spool.nr; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "id", s->spool.v[i].id);
		json_unsigned(&j, "size", s->spool.v[i].size);
		json_unsigned(&j, "since_ns", s->spool.v[i].since);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_unsigned(&j, "waiting_answers", s->answers);
	print_json_losses(&j, s);
	print_json_streams(&j, s);
	print_time(&j, "transport_contact_ns", s->last_contact.transport);
	print_time(&j, "collector_contact_ns", s->last_contact.collector);
	if (*s->last_contact.error)
		json_string(&j, "error", s->last_contact.error);
	else
		json_null(&j, "error");
	json_close(&j, '}');
}

int status_print(const char *path, bool json)
{
	struct status s = { 0 };

	s.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.dir < 0) {
		complain("cannot read the spool %s: %s: name another directory with --spool", path,
			 strerror(errno));
		return STATUS_ERROR;
	}
	read_all(&s);
	if (json)
		print_json(&s);
	else
		print_text(&s);
	free(s.spool.v);
	close(s.dir);
	return STATUS_OK;
}
