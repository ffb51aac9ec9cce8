// SPDX-License-Identifier: GPL-2.0-only
/*
 * received + lost = emitted, to the last event.
 *
 * Events with numbers are emitted on all CPUs at once, through the marker or
 * by emit.ko, while a reader for each CPU follows through the map or with
 * read().  Each number must come once, in order and intact; what is missing
 * must be what was told, where it was told; and all counters must agree.
 *
 *	exact [TARGET-OPTION]... marker|emit EVENTS [MODE-READER-PACE]...
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client.h"
#include "emit/emit.h"
#include "tap.h"

#define MAX_CPUS	64
#define EMIT_RUN	"/sys/module/emit/parameters/run"
#define EMIT_ATTEMPTS	"/sys/module/emit/parameters/attempts"

enum pace { FAST, SLOW, END };

static const char * const pace_names[] = { "fast", "slow", "end" };

/**
 * struct stream - what a reader has seen of a CPU's events
 * @next: number that comes next, by context, if nothing is lost
 * @received: events
 * @missing: numbers that were skipped over
 * @told: lost, as the sub-buffers say
 * @behind: contexts that have no event since the last loss, as bits
 * @places: losses that could be compared with what is missing there
 * @misplaced: those that differ
 * @late: events behind a gap that was not told yet
 * @time: of the last event
 * @error: the first thing that is wrong
 */
struct stream {
	uint64_t	next[EMIT_CONTEXTS];
	uint64_t	received;
	uint64_t	missing;
	uint64_t	told;
	unsigned int	behind;
	uint64_t	places;
	uint64_t	misplaced;
	uint64_t	late;
	uint64_t	time;
	bool		backwards;
	char		error[128];
};

struct worker {
	int			cpu;
	pthread_t		reader;
	pthread_t		emitter;
	struct client		client;
	struct stream		stream;
	uint64_t		first[EMIT_CONTEXTS];
	uint64_t		emitted[EMIT_CONTEXTS];
	uint64_t		refused;
};

static struct worker workers[MAX_CPUS];
static int nr_cpus;
static bool by_module, by_map, overwrite;
static unsigned int contexts;	/* that write at all, as bits */
static enum pace pace;
static uint64_t nr_events;
static bool ended;		/* nothing more is emitted */

__attribute__((format(printf, 2, 3)))
static void wrong(struct stream *stream, const char *format, ...)
{
	va_list args;

	if (stream->error[0])
		return;
	va_start(args, format);
	vsnprintf(stream->error, sizeof(stream->error), format, args);
	va_end(args);
}

/* Which context, which number; false: not as it was written. */
static bool event_identify(struct stream *stream, const struct record *record,
			   int cpu, unsigned int *context, uint64_t *number)
{
	const struct emit_event *event = (const void *)record->payload;
	size_t i, fill;

	*context = EMIT_TASK;
	if (!by_module) {
		if (record_number(record, number))
			return true;
		wrong(stream, "an event that is none of ours");
		return false;
	}
	if (record->size < sizeof(*event) || event->common.type != EMIT_TYPE ||
	    event->common.flags >= EMIT_CONTEXTS || event->common.pid != cpu) {
		wrong(stream, "an event that is none of ours");
		return false;
	}
	*context = event->common.flags;
	*number = event->number;
	fill = emit_size(*number) - sizeof(*event);
	if (record->size < sizeof(*event) + fill) {
		wrong(stream, "event %" PRIu64 " is too short", *number);
		return false;
	}
	for (i = 0; i < fill; i++) {
		if (event->fill[i] != (uint8_t)(*number + *context)) {
			wrong(stream, "event %" PRIu64 " is damaged at %zu",
			      *number, i);
			return false;
		}
	}
	return true;
}

/* All contexts have an event behind the last loss: so what is missing is known. */
static void compare_place(struct stream *stream)
{
	stream->places++;
	stream->misplaced += stream->missing != stream->told;
}

static void stream_event(struct stream *stream, const struct record *record,
			 int cpu)
{
	unsigned int context;
	uint64_t number;

	if (record->time < stream->time)
		stream->backwards = true;
	stream->time = record->time;
	if (!event_identify(stream, record, cpu, &context, &number))
		return;
	stream->received++;
	if (number < stream->next[context]) {
		wrong(stream, "number %" PRIu64 " of context %u comes again",
		      number, context);
		return;
	}
	stream->missing += number - stream->next[context];
	stream->next[context] = number + 1;
	if (stream->behind & 1u << context) {
		stream->behind &= ~(1u << context);
		if (!stream->behind)
			compare_place(stream);
	}
	stream->late += stream->missing > stream->told;
}

/*
 * Bytes [from, to) of a sub-buffer are new, and the meta-page says how many
 * were lost before it.
 */
static void stream_subbuf(struct stream *stream, const void *subbuf,
			  size_t size, size_t from, size_t to,
			  uint64_t in_meta, int cpu)
{
	struct cursor cursor;
	struct record record;
	uint64_t lost = 0;

	if (!from && !subbuf_lost(subbuf, size, &lost)) {
		/* No room for the number: the meta-page has it. */
		if (!by_map)
			wrong(stream, "a loss without its number");
		lost = in_meta;
	}
	if (lost) {
		stream->told += lost;
		stream->behind = contexts;
	}
	cursor_begin(&cursor, subbuf);
	cursor.end = to;
	while (cursor_next(&cursor, &record))
		if (cursor.at > from)
			stream_event(stream, &record, cpu);
	if (cursor.bad)
		wrong(stream, "at %zu: %s", cursor.at, cursor.bad);
}

/* One step of a reader: false when nothing is there. */
static bool step_map(struct worker *worker)
{
	struct client *client = &worker->client;
	uint32_t id = client->id;
	bool any = client->any;
	const void *subbuf;
	size_t from, commit;

	if (get_reader(client->fd))
		wrong(&worker->stream, "GET_READER: %s", error_name(errno));
	subbuf = client_subbuf(client);
	client->id = client->meta->reader.id;
	from = any && id == client->id ? client->seen : 0;
	commit = subbuf_commit(subbuf);
	if (any && id == client->id && commit == from)
		return false;
	client->any = true;
	stream_subbuf(&worker->stream, subbuf, client->subbuf_size, from,
		      commit, client->meta->reader.lost_events, worker->cpu);
	client->seen = commit;
	return true;
}

static bool step_read(struct worker *worker, void *subbuf)
{
	struct client *client = &worker->client;
	ssize_t ret = read(client->fd, subbuf, client->subbuf_size);

	if (ret < 0 && errno != EAGAIN && errno != EINTR)
		wrong(&worker->stream, "read: %s", error_name(errno));
	if (ret < 0)
		return false;
	if (ret != (ssize_t)client->subbuf_size) {
		wrong(&worker->stream, "read gives %zd bytes", ret);
		return false;
	}
	stream_subbuf(&worker->stream, subbuf, client->subbuf_size, 0,
		      subbuf_commit(subbuf), 0, worker->cpu);
	return true;
}

static void *reader(void *data)
{
	struct worker *worker = data;
	struct pollfd pollfd = { .fd = worker->client.fd, .events = POLLIN };
	void *subbuf = malloc(worker->client.subbuf_size);
	unsigned int idle = 0;

	while (pace == END && !__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		nap(5);
	/* Nothing new, seen twice after the end: that was all. */
	while (idle < 2) {
		bool over = __atomic_load_n(&ended, __ATOMIC_ACQUIRE);
		bool got = by_map ? step_map(worker) :
				    step_read(worker, subbuf);

		if (over)
			idle = got ? 0 : idle + 1;
		else if (pace == SLOW)
			nap(3);
		else if (!got)
			poll(&pollfd, 1, 20);
	}
	free(subbuf);
	return NULL;
}

/* The marker: its own thread for each CPU, which counts what is refused too. */
static void *emit_markers(void *data)
{
	struct worker *worker = data;
	uint64_t i;

	pin(worker->cpu);
	for (i = 0; i < nr_events; i++)
		emit_one(worker->first[EMIT_TASK] + i, 150);
	worker->emitted[EMIT_TASK] = nr_events;
	return NULL;
}

static void emit_run(void)
{
	int fd = open(EMIT_RUN, O_WRONLY | O_CLOEXEC);
	char text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, nr_events);

	if (fd < 0 || write(fd, text, len) != len)
		bail_out(EMIT_RUN ": %s", error_name(errno));
	close(fd);
}

/* What each context has tried to write since emit.ko was loaded. */
static void emit_read(bool after)
{
	FILE *file = fopen(EMIT_ATTEMPTS, "re");
	uint64_t attempts[EMIT_CONTEXTS], refused;
	int cpu, context;

	if (!file)
		bail_out(EMIT_ATTEMPTS ": %s", error_name(errno));
	while (fscanf(file, "%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		      " %" SCNu64, &cpu, &attempts[EMIT_TASK],
		      &attempts[EMIT_SOFTIRQ], &attempts[EMIT_IRQ],
		      &attempts[EMIT_NMI], &refused) == 6) {
		struct worker *worker = &workers[cpu];

		worker->refused = after ? refused - worker->refused : refused;

		for (context = 0; context < EMIT_CONTEXTS; context++) {
			if (after)
				worker->emitted[context] =
					attempts[context] -
					worker->first[context];
			else
				worker->first[context] = attempts[context];
		}
	}
	fclose(file);
}

static void emit_all(void)
{
	int cpu;

	if (by_module) {
		emit_run();
		return;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_create(&workers[cpu].emitter, NULL, emit_markers,
			       &workers[cpu]);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_join(workers[cpu].emitter, NULL);
}

/* Open, and forget what is there. */
static void begin(void)
{
	int cpu;

	if (!set_overwrite(overwrite) || !reset())
		bail_out("cannot set up: %s", error_name(errno));
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		struct worker *worker = &workers[cpu];

		memset(&worker->stream, 0, sizeof(worker->stream));
		worker->cpu = cpu;
		if (!client_open(&worker->client, cpu, O_RDONLY | O_NONBLOCK))
			bail_out("cannot map: %s", error_name(errno));
		/* What is in the reader's sub-buffer is not ours. */
		worker->client.any = true;
		worker->client.id = worker->client.meta->reader.id;
		worker->client.seen = subbuf_commit(
					client_subbuf(&worker->client));
		if (!by_map)
			client_unmap(&worker->client);
	}
	ended = false;
}

static void run(void)
{
	int cpu;

	begin();
	if (by_module)
		emit_read(false);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		memcpy(workers[cpu].stream.next, workers[cpu].first,
		       sizeof(workers[cpu].first));
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_create(&workers[cpu].reader, NULL, reader,
			       &workers[cpu]);
	emit_all();
	if (by_module)
		emit_read(true);
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_join(workers[cpu].reader, NULL);
}

static bool agree(const char *what, uint64_t got, uint64_t wanted, int cpu)
{
	if (got == wanted)
		return true;
	diag("CPU %d: %s: %" PRIu64 ", not %" PRIu64, cpu, what, got, wanted);
	return false;
}

static bool stats_agree(const struct worker *worker, uint64_t emitted)
{
	const struct stream *stream = &worker->stream;
	const int cpu = worker->cpu;
	uint64_t lost = emitted - stream->received + worker->refused;
	uint64_t dropped = stat_of(cpu, "dropped events");
	uint64_t overrun = stat_of(cpu, "overrun");
	bool good = true;

	good &= agree("stats: unread", stat_of(cpu, "entries"), 0, cpu);
	good &= agree("stats: read", stat_of(cpu, "read events"),
		      stream->received, cpu);
	good &= agree("stats: emitted, less overrun",
		      stat_of(cpu, "emitted") - overrun, stream->received, cpu);
	good &= agree("stats: overrun and dropped", overrun + dropped, lost,
		      cpu);
	good &= agree("stats: lost", stat_of(cpu, "lost events"), lost, cpu);
	good &= agree("stats: lost told", stat_of(cpu, "lost told"), lost, cpu);
	good &= agree("stats: dropped, by cause",
		      stat_of(cpu, "dropped full") +
		      stat_of(cpu, "dropped lapped") +
		      stat_of(cpu, "dropped nested") +
		      stat_of(cpu, "dropped too large"), dropped, cpu);
	if (!overwrite)
		good &= agree("stats: overrun", overrun, 0, cpu);
	return good;
}

static bool meta_agrees(const struct worker *worker, uint64_t emitted)
{
	volatile struct rbmap_meta *meta = worker->client.meta;
	const struct stream *stream = &worker->stream;
	uint64_t lost = emitted - stream->received + worker->refused;
	const int cpu = worker->cpu;
	bool good = true;

	if (!by_map)
		return true;
	good &= agree("meta: read", meta->read, stream->received, cpu);
	good &= agree("meta: entries", meta->entries,
		      stream->received + meta->overrun, cpu);
	good &= agree("meta: lost", meta->lost, lost, cpu);
	good &= agree("meta: lost_told", meta->lost_told, lost, cpu);
	good &= agree("meta: overrun and dropped", meta->overrun +
		      meta->dropped_full + meta->dropped_lapped +
		      meta->dropped_nested + meta->dropped_too_large, lost,
		      cpu);
	return good;
}

static void judge(const char *name)
{
	bool intact = true, forward = true, told = true, placed = true;
	bool counters = true, sum = true, unplaced = false;
	uint64_t all_emitted = 0, received = 0, lost = 0, places = 0;
	int cpu, context;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		struct worker *worker = &workers[cpu];
		struct stream *stream = &worker->stream;
		uint64_t emitted = 0, missing = stream->missing;

		for (context = 0; context < EMIT_CONTEXTS; context++) {
			emitted += worker->emitted[context];
			/* And those behind the last that came. */
			missing += worker->first[context] +
				   worker->emitted[context] -
				   stream->next[context];
		}
		if (stream->error[0]) {
			diag("CPU %d: %s", cpu, stream->error);
			intact = false;
		}
		forward &= !stream->backwards;
		sum &= agree("received and missing",
			     stream->received + missing, emitted, cpu);
		told &= agree("told", stream->told, missing + worker->refused,
			      cpu);
		/*
		 * A dropped event is told with the next sub-buffer, but smaller
		 * ones may fit before that.  NMIs are too rare to say soon what
		 * of them is missing.
		 */
		unplaced |= stat_of(cpu, "dropped events") != 0 ||
			    worker->emitted[EMIT_NMI];
		placed &= !stream->misplaced && !stream->late;
		counters &= stats_agree(worker, emitted);
		counters &= meta_agrees(worker, emitted);
		all_emitted += emitted;
		received += stream->received;
		lost += missing;
		places += stream->places;
	}
	ok(sum && told, "%s: %" PRIu64 " received + %" PRIu64
	   " lost = %" PRIu64 " emitted", name, received, lost, all_emitted);
	ok(intact, "%s: each once, in order, intact", name);
	ok(forward, "%s: time never goes back", name);
	if (!unplaced)
		ok(placed, "%s: each loss is told where it was (%" PRIu64
		   " places)", name, places);
	ok(counters, "%s: meta-page and stats agree", name);
	/* A test of losses without any tests nothing. */
	if (pace == END)
		ok(lost > 0, "%s: something was lost", name);
}

static void scenario(void)
{
	char name[64];
	int cpu;

	snprintf(name, sizeof(name), "%s %s %s",
		 overwrite ? "overwrite" : "discard", by_map ? "map" : "read",
		 pace_names[pace]);
	run();
	judge(name);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		int context;

		client_close(&workers[cpu].client);
		for (context = 0; context < EMIT_CONTEXTS; context++)
			workers[cpu].first[context] +=
				workers[cpu].emitted[context];
	}
}

/* "overwrite-map-slow": words that are left out stand for all. */
static bool wanted(char **filters, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (strstr(filters[i], overwrite ? "discard" : "overwrite") ||
		    strstr(filters[i], by_map ? "read" : "map") ||
		    (strstr(filters[i], "fast") && pace != FAST) ||
		    (strstr(filters[i], "slow") && pace != SLOW) ||
		    (strstr(filters[i], "end") && pace != END))
			continue;
		return true;
	}
	return !count;
}

int main(int argc, char **argv)
{
	int first = target_options(argc, argv), i;

	if (argc - first < 2)
		bail_out("usage: exact marker|emit EVENTS [MODE-READER-PACE]...");
	by_module = !strcmp(argv[first], "emit");
	nr_events = strtoull(argv[first + 1], NULL, 10);
	contexts = by_module ? 1u << EMIT_TASK | 1u << EMIT_SOFTIRQ |
			       1u << EMIT_IRQ : 1u << EMIT_TASK;
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	for (i = 0; i < 12; i++) {
		overwrite = i % 2 == 0;
		by_map = i / 2 % 2 == 0;
		pace = i / 4;
		if (wanted(argv + first + 2, argc - first - 2))
			scenario();
	}
	set_overwrite(true);
	return done_testing();
}
