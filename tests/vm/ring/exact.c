// SPDX-License-Identifier: GPL-2.0-only
/*
 * received + lost = emitted, to the last event.
 *
 * The marker or emit.ko emits numbered events on all CPUs at once. One reader
 * for each CPU follows, through the map, with read() or with splice(). Each
 * number must come once, in order and intact, with the time at which it was
 * reserved. Each missing event must be reported as lost, at the place where it
 * is missing. All counters must agree.
 *
 *	exact [TARGET-OPTION]... [OPTION]... marker|emit EVENTS
 *	      [MODE-READER-PACE]...
 *
 *	--wait poll|block  readers poll before each step, or wait in the step
 *	--percent N        buffer_percent
 *	--clock NAME       trace_clock
 *	--depth N          nesting depth of the events that a task writes
 *	--hotplug          CPUs go offline and come back while events are written
 *	--offline          CPUs are offline while their events are read
 *	--splice           use splice() while events are written, then read()
 *	--mapped           readers with read() or splice() map the ring as well
 *	--observers N      N observers follow all rings meanwhile
 *	--lossless         the rings are large enough for all events
 *	--resize N         the rings are replaced N times while events are written
 *	--snapshot N       like --resize, but by snapshots
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"
#include "stream.h"
#include "tap.h"
#include "watcher.h"

#define MAX_CPUS	EMIT_CPUS
#define EMIT_PARAM	"/sys/module/emit/parameters/"

/* ktime_get_mono_fast_ns() may step when the timekeeper is updated. */
#define FAST_CLOCK_SLACK	10000

/*
 * Contexts that can nest: task, softirq, irq and NMI. A task that nests events
 * of its own adds to this depth.
 */
#define NEST_OF_CONTEXTS	4
#define MAX_NEST		5

enum pace { FAST, SLOW, END };

static const char * const pace_names[] = { "fast", "slow", "end" };

enum wait { WHEN_EMPTY, POLL, BLOCK };

static const char * const wait_names[] = { "", " poll", " block" };

/* In the order of enum rbmap_clock. */
static const char * const clocks[] = { "local", "mono", "boot", "x86-tsc" };

/**
 * struct worker - a CPU, its reader and the events written on it
 * @polled: number of times that poll() reported data
 * @empty: number of these since a step last found data
 * @in_vain: number of these after which neither data nor a loss was found
 * @pipe: pipe that splice() fills
 * @spliced: number of sub-buffers that came through the pipe
 * @rings: number of replaced rings that were read to their end
 * @finished: the reader has come to the end
 * @first: number of events before the scenario, by context
 * @emitted: number of events in the scenario, by context
 * @refused: number of these that the ring refused, by context
 * @discards_refused: number of refused reservations that would have been discarded
 */
struct worker {
	int			cpu;
	pthread_t		reader;
	pthread_t		emitter;
	struct client		client;
	struct stream		stream;
	uint64_t		polled;
	uint64_t		in_vain;
	uint64_t		empty;
	int			pipe[2];
	uint64_t		spliced;
	uint64_t		rings;
	bool			finished;
	uint64_t		first[EMIT_CONTEXTS];
	uint64_t		emitted[EMIT_CONTEXTS];
	uint64_t		refused[EMIT_CONTEXTS];
	uint64_t		discards_refused;
};

static struct worker workers[MAX_CPUS];

/**
 * struct observer - a thread that observes the rings of all CPUs
 * @slow: the thread sleeps, so it must miss events where rings are small
 */
struct observer {
	pthread_t		thread;
	bool			slow;
	struct watcher		watcher[MAX_CPUS];
};

static struct observer *observers;
static unsigned int nr_observers;
static bool lossless;
static int nr_cpus;
static bool by_module, by_map, overwrite;
static enum pace pace;
static enum wait waiting;
static bool hotplug, offline;
static bool by_splice, mapped;
static unsigned int percent = 50;	/* the watermark: with 0 poll() returns at the first event */
static unsigned int clock_id, depth = 1;
static struct emit_rule rule;
static uint64_t nr_events, largest, tiny[EMIT_TINY];
static unsigned int scenarios;
static bool emitted_all;	/* all events were emitted */
static bool ended;		/* all events were emitted, and all settings are final */
static unsigned int toggled, resizes, resized;
static bool by_snapshot;

static bool is_ended(void)
{
	return __atomic_load_n(&ended, __ATOMIC_ACQUIRE);
}

/* Continue in the next ring: this one was replaced and read to its end. */
static bool next_ring(struct worker *worker)
{
	struct client *client = &worker->client;

	worker->rings++;
	if (!client->meta->retired)
		stream_wrong(&worker->stream, "ESTALE, but not retired");
	/* Events that were lost behind the ring's last event. */
	worker->stream.reported += client->meta->reader.lost_events;
	client_unmap(client);
	if (!client_map(client)) {
		stream_wrong(&worker->stream, "map again: %s",
			     error_name(errno));
		return false;
	}
	client->any = client->meta->reader.read != 0;
	client->id = client->meta->reader.id;
	client->seen = client->meta->reader.read;
	return true;
}

/* One step of a reader. Return false when the ring has no new data. */
static bool step_map(struct worker *worker)
{
	struct client *client = &worker->client;
	uint32_t id = client->id;
	bool any = client->any;
	const void *subbuf;
	size_t from, commit;
	int error;

	error = get_reader(client->fd);
	if (error == ESTALE && resizes)
		return next_ring(worker);
	if (error)
		stream_wrong(&worker->stream, "GET_READER: %s",
			     error_name(error));
	subbuf = client_subbuf(client);
	client->id = client->meta->reader.id;
	from = any && id == client->id ? client->seen : 0;
	commit = subbuf_commit(subbuf);
	if (any && id == client->id && commit == from)
		return false;
	client->any = true;
	stream_subbuf(&worker->stream, subbuf, client->subbuf_size, from,
		      commit, client->meta->reader.lost_events, true);
	client->seen = commit;
	return true;
}

static bool step_read(struct worker *worker, void *subbuf)
{
	struct client *client = &worker->client;
	ssize_t ret = read(client->fd, subbuf, client->subbuf_size);

	if (ret < 0 && errno != EAGAIN && errno != EINTR)
		stream_wrong(&worker->stream, "read: %s", error_name(errno));
	if (ret < 0)
		return false;
	if (ret != (ssize_t)client->subbuf_size) {
		stream_wrong(&worker->stream, "read gives %zd bytes", ret);
		return false;
	}
	stream_subbuf(&worker->stream, subbuf, client->subbuf_size, 0,
		      subbuf_commit(subbuf), 0, false);
	return true;
}

/* Most sub-buffers that one splice() may move. */
#define SPLICE_SUBBUFS	3

/* Read the next sub-buffer from the pipe, which may return it in pieces. */
static bool pipe_read(struct worker *worker, char *subbuf)
{
	size_t got = 0, size = worker->client.subbuf_size;
	ssize_t ret = 1;

	for (; got < size && ret > 0; got += ret)
		ret = read(worker->pipe[0], subbuf + got, size - got);
	return ret > 0;
}

/* splice() leaves the writer's sub-buffer in the ring until the writer leaves it. */
static bool step_splice(struct worker *worker, void *subbuf)
{
	size_t size = worker->client.subbuf_size;
	ssize_t ret, i;

	ret = splice(worker->client.fd, NULL, worker->pipe[1], NULL,
		     SPLICE_SUBBUFS * size + size / 2, SPLICE_F_MOVE);
	if (ret < 0 && errno != EAGAIN && errno != EINTR)
		stream_wrong(&worker->stream, "splice: %s", error_name(errno));
	if (ret <= 0)
		return is_ended() && step_read(worker, subbuf);
	if (ret % size || ret > (ssize_t)(SPLICE_SUBBUFS * size))
		stream_wrong(&worker->stream, "splice gives %zd bytes", ret);
	for (i = 0; i < ret / (ssize_t)size; i++) {
		if (!pipe_read(worker, subbuf)) {
			stream_wrong(&worker->stream, "the pipe is empty");
			return false;
		}
		worker->spliced++;
		stream_subbuf(&worker->stream, subbuf, size, 0,
			      subbuf_commit(subbuf), 0, false);
	}
	return true;
}

static bool step(struct worker *worker, void *subbuf)
{
	if (by_map)
		return step_map(worker);
	return by_splice ? step_splice(worker, subbuf) :
			   step_read(worker, subbuf);
}

static void open_pipe(struct worker *worker)
{
	int size = (SPLICE_SUBBUFS + 1) * worker->client.subbuf_size;

	if (pipe(worker->pipe) ||
	    fcntl(worker->pipe[1], F_SETPIPE_SZ, size) < size)
		bail_out("a pipe of %d bytes: %s", size, error_name(errno));
	worker->spliced = 0;
}

static bool polled(struct worker *worker)
{
	struct pollfd pollfd = { .fd = worker->client.fd, .events = POLLIN };

	if (poll(&pollfd, 1, 20) != 1)
		return false;
	/* The file reports POLLHUP at the end of a replaced ring. */
	if (resizes && by_map)
		pollfd.revents &= ~POLLHUP;
	if (pollfd.revents != POLLIN)
		stream_wrong(&worker->stream, "poll says %#x", pollfd.revents);
	return true;
}

/*
 * Data that poll() has reported may be overwritten before it is read, if a
 * writer nests inside an event that is not published yet. Until that event is
 * published there is nothing to read; the next sub-buffer then reports the
 * loss.
 */
static bool step_after_poll(struct worker *worker, void *subbuf)
{
	uint64_t told = worker->stream.reported;

	if (!step(worker, subbuf))
		return false;
	if (!overwrite || worker->stream.reported == told)
		worker->in_vain += worker->empty;
	worker->empty = 0;
	return true;
}

static void step_if_polled(struct worker *worker, void *subbuf)
{
	if (!polled(worker))
		return;
	worker->polled++;
	worker->empty += !step_after_poll(worker, subbuf);
}

/* Follow the writers at the scenario's pace while events are written. */
static void follow(struct worker *worker, void *subbuf)
{
	while (!is_ended()) {
		if (pace == END) {
			nap(5);
			continue;
		}
		if (waiting != POLL) {
			if (!step(worker, subbuf) && pace == FAST)
				polled(worker);
		} else {
			step_if_polled(worker, subbuf);
		}
		if (pace == SLOW)
			nap(3);
	}
	/* The writers may have ended before this thread came to run. */
	if (waiting == POLL && pace != END && !worker->polled)
		step_if_polled(worker, subbuf);
}

static void *reader(void *data)
{
	struct worker *worker = data;
	void *subbuf = malloc(worker->client.subbuf_size);
	unsigned int idle = 0;

	follow(worker, subbuf);
	/* Two empty steps after the end: the ring is drained. */
	while (idle < 2)
		idle = step_after_poll(worker, subbuf) ? 0 : idle + 1;
	worker->in_vain += worker->empty;
	free(subbuf);
	__atomic_store_n(&worker->finished, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Wake a reader that waits in a step until it has found the ring empty. */
static void join_reader(struct worker *worker)
{
	int fd = worker->client.fd;

	if (waiting == BLOCK) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		while (!__atomic_load_n(&worker->finished, __ATOMIC_ACQUIRE)) {
			ioctl(fd, 0);
			nap(2);
		}
	}
	pthread_join(worker->reader, NULL);
}

/*
 * Write events to the marker from a thread on each CPU. Refused events count as
 * emitted.
 */
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

static void emit_set(const char *name, uint64_t value)
{
	char path[128], text[24];
	int len = snprintf(text, sizeof(text), "%" PRIu64, value), fd;

	snprintf(path, sizeof(path), EMIT_PARAM "%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, len) != len)
		bail_out("%s: %s", path, error_name(errno));
	close(fd);
}

static FILE *emit_open(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		bail_out("%s: %s", path, error_name(errno));
	return file;
}

/* Read how many events each context has tried to write since emit.ko was loaded. */
static void emit_read(bool after)
{
	FILE *file = emit_open(EMIT_PARAM "attempts");
	int cpu, context;

	while (fscanf(file, "%d", &cpu) == 1) {
		struct worker *worker = &workers[cpu];
		uint64_t discards = 0;

		for (context = 0; context < EMIT_CONTEXTS; context++) {
			uint64_t attempts, refused, more;

			if (fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64,
				   &attempts, &refused, &more) != 3)
				bail_out("attempts: not understood");
			discards += more;
			if (!after) {
				worker->first[context] = attempts;
				worker->refused[context] = refused;
				continue;
			}
			worker->emitted[context] = attempts -
						   worker->first[context];
			worker->refused[context] = refused -
						   worker->refused[context];
		}
		worker->discards_refused = after ?
			discards - worker->discards_refused : discards;
	}
	fclose(file);
}

static void emit_all(void)
{
	int cpu;

	if (by_module) {
		emit_set("run", nr_events);
		return;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_create(&workers[cpu].emitter, NULL, emit_markers,
			       &workers[cpu]);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_join(workers[cpu].emitter, NULL);
}

static void must_set_online(int cpu, bool on)
{
	if (!set_online(cpu, on))
		bail_out("CPU %d: %s", cpu, error_name(errno));
}

/* CPU 0 stays online, because it cannot go offline on most machines. */
static void *toggle(void *unused)
{
	int cpu = 0;

	(void)unused;
	toggled = 0;
	while (!__atomic_load_n(&emitted_all, __ATOMIC_ACQUIRE) && nr_cpus > 1) {
		cpu = cpu % (nr_cpus - 1) + 1;
		must_set_online(cpu, false);
		nap(20);
		must_set_online(cpu, true);
		toggled++;
		nap(50);
	}
	return NULL;
}

/*
 * A reader that sleeps keeps all replaced rings in memory: the rings are small
 * then. A resize that was killed or refused does not count.
 */
static void *resize(void *unused)
{
	static const unsigned int sizes_kb[] = { 8, 65536, 24, 512 };
	unsigned int i;

	(void)unused;
	resized = 0;
	for (i = 0; !__atomic_load_n(&emitted_all, __ATOMIC_ACQUIRE); i = (i + 1) % 4) {
		if (pace != FAST && !by_snapshot && sizes_kb[i] > 1024)
			continue;
		if (by_snapshot ? set("snapshot", "1") :
		    set_number("buffer_size_kb", sizes_kb[i]))
			__atomic_add_fetch(&resized, 1, __ATOMIC_RELAXED);
		else
			diag("buffer_size_kb=%u: %s", sizes_kb[i],
			     error_name(errno));
		if (pace == END && resized >= resizes)
			break;
	}
	return NULL;
}

static bool observe_all(struct observer *observer)
{
	bool any = false;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		any |= watcher_step(&observer->watcher[cpu]);
	return any;
}

static void *observe(void *data)
{
	struct observer *observer = data;

	/*
	 * A low priority: the observers must not take the recorder's time and
	 * make it lose events.
	 */
	setpriority(PRIO_PROCESS, 0, 19);
	while (!is_ended()) {
		if (!observe_all(observer) || observer->slow)
			nap(observer->slow ? 30 : 1);
	}
	while (observe_all(observer))
		;
	return NULL;
}

static void start_observers(uint64_t slack)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < nr_observers; i++) {
		observers[i].slow = i % 5 == 4;
		for (cpu = 0; cpu < nr_cpus; cpu++)
			watcher_open(&observers[i].watcher[cpu], cpu,
				     by_module ? &rule : NULL, slack,
				     workers[cpu].first);
		pthread_create(&observers[i].thread, NULL, observe,
			       &observers[i]);
	}
}

/* Open the files and skip the events that are in the rings. */
static void begin(void)
{
	uint64_t slack = clock_id == RBMAP_CLOCK_MONO ||
			 clock_id == RBMAP_CLOCK_BOOT ? FAST_CLOCK_SLACK : 0;
	int cpu;

	/* In each scenario, other contexts write the tiny events. */
	rule.tiny++;
	rule.too_large = !overwrite || pace == END;
	if (by_module) {
		emit_set("tiny", rule.tiny);
		emit_set("too_large", rule.too_large);
		emit_set("clock", clock_id);
		emit_set("depth", depth);
		emit_read(false);
	}
	/* Keep all replaced rings that were not read, however slow the reader is. */
	if (target.own)
		set_number("retired_size_kb", 1 << 30);
	if (!set_overwrite(overwrite) || !reset())
		bail_out("cannot set up: %s", error_name(errno));
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		struct worker *worker = &workers[cpu];

		worker->cpu = cpu;
		worker->polled = worker->in_vain = worker->empty = 0;
		worker->rings = 0;
		worker->finished = false;
		stream_begin(&worker->stream, cpu, by_module ? &rule : NULL,
			     slack, worker->first);
		if (!client_open(&worker->client, cpu, O_RDONLY |
				 (waiting == BLOCK ? 0 : O_NONBLOCK)))
			bail_out("cannot map: %s", error_name(errno));
		/* Events in the reader's sub-buffer are older than the scenario. */
		worker->client.any = true;
		worker->client.id = worker->client.meta->reader.id;
		worker->client.seen = subbuf_commit(
					client_subbuf(&worker->client));
		/*
		 * Make this file a reader, so that a snapshot leaves the unread
		 * events to it.
		 */
		if (by_snapshot && waiting != BLOCK)
			get_reader(worker->client.fd);
		if (!by_map && !mapped)
			client_unmap(&worker->client);
		if (by_splice)
			open_pipe(worker);
	}
	emitted_all = ended = false;
	start_observers(slack);
}

static void start_readers(void)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		pthread_create(&workers[cpu].reader, NULL, reader,
			       &workers[cpu]);
}

static void end_stream(struct stream *stream, const struct worker *worker)
{
	uint64_t end[EMIT_CONTEXTS];
	int i;

	for (i = 0; i < EMIT_CONTEXTS; i++)
		end[i] = worker->first[i] + worker->emitted[i];
	stream_end(stream, end);
}

static void run(void)
{
	pthread_t toggler;
	unsigned int i;
	int cpu;

	begin();
	if (!offline)
		start_readers();
	if (hotplug || resizes)
		pthread_create(&toggler, NULL, hotplug ? toggle : resize, NULL);
	do
		emit_all();
	while (__atomic_load_n(&resized, __ATOMIC_RELAXED) < resizes);
	__atomic_store_n(&emitted_all, true, __ATOMIC_RELEASE);
	if (hotplug || resizes)
		pthread_join(toggler, NULL);
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	if (offline) {
		for (cpu = 1; cpu < nr_cpus; cpu++)
			must_set_online(cpu, false);
		start_readers();
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		join_reader(&workers[cpu]);
	for (i = 0; i < nr_observers; i++)
		pthread_join(observers[i].thread, NULL);
	if (by_module)
		emit_read(true);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		end_stream(&workers[cpu].stream, &workers[cpu]);
		for (i = 0; i < nr_observers; i++)
			end_stream(&observers[i].watcher[cpu].stream,
				   &workers[cpu]);
	}
}

static bool agree(const char *what, uint64_t got, uint64_t wanted, int cpu)
{
	if (got == wanted)
		return true;
	diag("CPU %d: %s: %" PRIu64 ", not %" PRIu64, cpu, what, got, wanted);
	return false;
}

static uint64_t too_large(const struct worker *worker)
{
	uint64_t i, sum = 0;
	int context;

	for (context = 0; by_module && context < EMIT_CONTEXTS; context++)
		for (i = 0; i < worker->emitted[context]; i++)
			sum += emit_size(&rule, emit_who(worker->cpu, context),
					 worker->first[context] + i) > rule.max;
	return sum;
}

/*
 * Each cause is counted only in the modes in which it can occur. An event that
 * is refused because contexts nest too deep is not counted as too large.
 */
static bool causes_agree(const struct worker *worker)
{
	const int cpu = worker->cpu;
	uint64_t nested = stat_of(cpu, "dropped nested");
	bool good = true;

	if (depth + NEST_OF_CONTEXTS <= MAX_NEST)
		good &= agree("stats: dropped nested", nested, 0, cpu);
	if (!nested)
		good &= agree("stats: dropped too large",
			      stat_of(cpu, "dropped too large"),
			      too_large(worker), cpu);
	if (overwrite)
		good &= agree("stats: dropped full",
			      stat_of(cpu, "dropped full"), 0, cpu);
	else
		good &= agree("stats: dropped lapped",
			      stat_of(cpu, "dropped lapped"), 0, cpu) &&
			agree("stats: overrun", stat_of(cpu, "overrun"), 0,
			      cpu);
	return good;
}

static bool stats_agree(const struct worker *worker)
{
	const struct stream *stream = &worker->stream;
	const int cpu = worker->cpu;
	uint64_t received = stream_sum(stream->received);
	uint64_t lost = stream_sum(worker->emitted) - received +
			worker->discards_refused;
	uint64_t dropped = stat_of(cpu, "dropped events");
	uint64_t overrun = stat_of(cpu, "overrun");
	bool good = true;

	good &= agree("stats: unread", stat_of(cpu, "entries"), 0, cpu);
	good &= agree("stats: read", stat_of(cpu, "read events"), received,
		      cpu);
	good &= agree("stats: emitted, less overrun",
		      stat_of(cpu, "emitted") - overrun, received, cpu);
	good &= agree("stats: overrun and dropped", overrun + dropped, lost,
		      cpu);
	good &= agree("stats: lost", stat_of(cpu, "lost events"), lost, cpu);
	good &= agree("stats: lost reported", stat_of(cpu, "lost reported"), lost, cpu);
	good &= agree("stats: dropped, by cause",
		      stat_of(cpu, "dropped full") +
		      stat_of(cpu, "dropped lapped") +
		      stat_of(cpu, "dropped nested") +
		      stat_of(cpu, "dropped too large"), dropped, cpu);
	if (by_module)
		good &= agree("stats: dropped, as the writers were told",
			      dropped, stream_sum(worker->refused) +
			      worker->discards_refused, cpu);
	return good && causes_agree(worker);
}

static bool meta_agrees(const struct worker *worker)
{
	volatile struct rbmap_meta *meta = worker->client.meta;
	const struct stream *stream = &worker->stream;
	uint64_t received = stream_sum(stream->received);
	uint64_t lost = stream_sum(worker->emitted) - received +
			worker->discards_refused;
	const int cpu = worker->cpu;
	bool good = true;

	/* The meta-page counts for its ring alone. */
	if (!by_map || resizes)
		return true;
	good &= agree("meta: read", meta->read, received, cpu);
	good &= agree("meta: entries", meta->entries,
		      received + meta->overrun, cpu);
	good &= agree("meta: lost", meta->lost, lost, cpu);
	good &= agree("meta: lost_reported", meta->lost_reported, lost, cpu);
	good &= agree("meta: overrun and dropped", meta->overrun +
		      meta->dropped_full + meta->dropped_lapped +
		      meta->dropped_nested + meta->dropped_too_large +
		      meta->dropped_no_ring, lost,
		      cpu);
	return good;
}

/* Compare received and missing events with emitted events, for each context. */
static bool sums_agree(const struct worker *worker)
{
	const struct stream *stream = &worker->stream;
	const int cpu = worker->cpu;
	bool good = true;
	char what[48];
	int i;

	for (i = 0; i < EMIT_CONTEXTS; i++) {
		snprintf(what, sizeof(what), "context %d: received and missing",
			 i);
		good &= agree(what, stream->received[i] + stream->missing[i],
			      worker->emitted[i], cpu);
		if (!by_module)
			continue;
		/* Overwritten events are missing, too. */
		snprintf(what, sizeof(what), "context %d: missing or refused",
			 i);
		if (!overwrite || stream->missing[i] < worker->refused[i])
			good &= agree(what, stream->missing[i],
				      worker->refused[i], cpu);
	}
	return good & agree("told", stream->reported,
			    stream_sum(stream->missing) +
			    worker->discards_refused, cpu);
}

/*
 * All sub-buffers that came by splice() are counted; those of mapped rings were
 * copied.
 */
static void judge_splices(const char *name)
{
	uint64_t spliced = 0, moved = 0, copied = 0;
	bool counted = true;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t here = stat_of(cpu, "subbufs moved");
		uint64_t copies = stat_of(cpu, "subbufs copied");

		counted &= agree("stats: sub-buffers moved and copied",
				 here + copies, workers[cpu].spliced, cpu);
		spliced += workers[cpu].spliced;
		moved += here;
		copied += copies;
	}
	ok(counted && (mapped ? copied && !moved : moved > 0),
	   "%s: %" PRIu64 " sub-buffers came by splice, %" PRIu64
	   " without a copy", name, spliced, moved);
}

/* Describe the scenario for the reader of the log. */
static void describe(void)
{
	uint64_t emitted[EMIT_CONTEXTS] = { 0 }, bytes = 0, timed = 0;
	int cpu, i;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		struct worker *worker = &workers[cpu];

		for (i = 0; i < EMIT_CONTEXTS; i++)
			emitted[i] += worker->emitted[i];
		for (i = 0; i < (int)EMIT_TINY; i++)
			tiny[i] += worker->stream.tiny[i];
		bytes += worker->stream.bytes;
		timed += worker->stream.timed;
		if (worker->stream.largest > largest)
			largest = worker->stream.largest;
	}
	if (!by_module)
		return;
	diag("emitted: task %" PRIu64 ", softirq %" PRIu64 ", timer %" PRIu64
	     ", irq %" PRIu64 ", irq_work %" PRIu64 ", NMI %" PRIu64
	     "; %" PRIu64 " bytes and %" PRIu64 " times compared",
	     emitted[EMIT_TASK], emitted[EMIT_SOFTIRQ], emitted[EMIT_TIMER],
	     emitted[EMIT_IRQ], emitted[EMIT_IRQ_WORK], emitted[EMIT_NMI],
	     bytes, timed);
}

/*
 * A ring without events may be freed before a reader comes to it, so fewer
 * rings than resizes may be read.
 */
static void judge_rings(const char *name)
{
	uint64_t seen = 0;
	bool gone = true;
	int cpu;

	if (by_snapshot)
		set("snapshot", "0");
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		seen += workers[cpu].rings;
		gone &= agree("stats: retired rings",
			      stat_of(cpu, "retired rings"), 0, cpu);
	}
	ok(resized >= resizes && (seen || !by_map) && seen <= resized * nr_cpus,
	   "%s: resized %u times, %" PRIu64 " rings were read to their end",
	   name, resized, seen);
	ok(gone, "%s: no old ring is left", name);
}

/*
 * Check one observer's view of a CPU. Each missing event was reported, unless
 * it was dropped after the last sub-buffer was opened.
 */
static bool observed(const struct observer *observer,
		     const struct worker *worker)
{
	const struct stream *stream = &observer->watcher[worker->cpu].stream;
	const int cpu = worker->cpu;
	uint64_t lost = stream_sum(stream->missing) + worker->discards_refused;
	uint64_t dropped = stat_of(cpu, "dropped events");
	bool good = true;

	if (stream->error[0]) {
		diag("CPU %d, observer %td: %s", cpu, observer - observers,
		     stream->error);
		good = false;
	}
	good &= agree("observer: seen and missing",
		      stream_sum(stream->received) + stream_sum(stream->missing),
		      stream_sum(worker->emitted), cpu);
	if (stream->reported > lost || stream->reported + dropped < lost)
		good &= agree("observer: told", stream->reported, lost, cpu);
	if (!dropped)
		good &= agree("observer: losses in another place",
			      stream->misplaced, 0, cpu);
	return good & agree("observer: time goes back", stream->backwards, 0,
			    cpu);
}

/*
 * Observers do not consume: the counters that other checks compare are the same
 * as without observers.
 */
static void judge_observers(const char *name)
{
	uint64_t seen = 0, missed = 0, torn = 0, bytes = 0, emitted = 0;
	bool good = true;
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		emitted += stream_sum(workers[cpu].emitted);
	for (i = 0; i < nr_observers; i++) {
		for (cpu = 0; cpu < nr_cpus; cpu++) {
			const struct watcher *w = &observers[i].watcher[cpu];

			good &= observed(&observers[i], &workers[cpu]);
			seen += stream_sum(w->stream.received);
			missed += w->stream.reported;
			bytes += w->stream.bytes;
			torn += w->torn;
		}
	}
	ok(good,
	   "%s: %u observers: each event at most once, in order, intact, missing ones reported",
	   name, nr_observers);
	diag("observers: %" PRIu64 " events and %" PRIu64 " bytes seen, %" PRIu64
	     " missed, %" PRIu64 " copies that were overwritten meanwhile",
	     seen, bytes, missed, torn);
	ok(seen > 0 && (!lossless || seen == emitted * nr_observers),
	   "%s: observers saw %" PRIu64 " of %u times %" PRIu64 " events", name,
	   seen, nr_observers, emitted);
}

/*
 * Whether a CPU got so much that poll() had to report it: the watermark counts full
 * sub-buffers. By chance the events of a ring with large sub-buffers are too small for that.
 */
static bool watermark_reached(const struct worker *worker)
{
	uint64_t size = worker->client.subbuf_size;

	return worker->stream.bytes > worker->client.nr_subbufs * size * percent / 100 + size;
}

static void judge(const char *name)
{
	bool intact = true, forward = true, summed = true, placed = true;
	bool counters = true, unplaced = false, reached = !percent;
	uint64_t emitted = 0, received = 0, places = 0, nested = 0, polls = 0;
	uint64_t in_vain = 0;
	int cpu;

	describe();
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		struct worker *worker = &workers[cpu];
		struct stream *stream = &worker->stream;

		if (stream->error[0]) {
			diag("CPU %d: %s", cpu, stream->error);
			intact = false;
		}
		forward &= !stream->backwards;
		summed &= sums_agree(worker);
		/*
		 * A dropped event is reported with the next sub-buffer. Smaller
		 * events may fit into the ring before that, so the place can
		 * differ.
		 */
		unplaced |= stat_of(cpu, "dropped events") != 0;
		placed &= !stream->misplaced && !stream->late;
		counters &= stats_agree(worker) & meta_agrees(worker);
		emitted += stream_sum(worker->emitted);
		received += stream_sum(stream->received);
		places += stream->places;
		nested += stat_of(cpu, "dropped nested");
		polls += worker->polled;
		reached |= watermark_reached(worker);
		in_vain += worker->in_vain;
	}
	ok(summed, "%s: %" PRIu64 " received + %" PRIu64 " lost = %" PRIu64
	   " emitted, in each context", name, received, emitted - received,
	   emitted);
	ok(intact,
	   "%s: each event once, in order, intact, with its time", name);
	ok(forward, "%s: time never goes back", name);
	if (!unplaced)
		ok(placed, "%s: each loss is reported at its place (%" PRIu64
		   " places)", name, places);
	ok(counters, "%s: meta-page and stats agree", name);
	if (lossless)
		ok(received == emitted, "%s: no event was lost", name);
	if (nr_observers)
		judge_observers(name);
	if (by_splice && !by_map)
		judge_splices(name);
	/* Without a loss, this scenario would test nothing. */
	if (pace == END)
		ok(emitted > received, "%s: some events were lost", name);
	/*
	 * In discard mode the outermost event is refused if the ring is full,
	 * so no nesting occurs.
	 */
	if (depth >= MAX_NEST && overwrite)
		ok(nested > 0, "%s: events were dropped for nesting", name);
	if (hotplug)
		ok(toggled > 0, "%s: CPUs went off line and came back %u times",
		   name, toggled);
	if (resizes)
		judge_rings(name);
	/*
	 * A reader with a map may have seen events before GET_READER counts
	 * them as read.
	 */
	if (waiting == POLL && pace != END)
		ok((polls > 0 || !reached || (percent && emitted == received)) &&
		   (by_map || by_splice || !in_vain),
		   "%s: poll has said %" PRIu64 " times that there is something, and there was",
		   name, polls);
}

/*
 * Events of 1 MiB are rare, and a slow reader may lose each of them, or all of one byte. So the
 * scenarios run again until events of all sizes have come. With few scenarios, only contexts
 * with rare events may write tiny events.
 */
static bool sizes_came(bool few)
{
	bool all = true;
	int i;

	for (i = 0; i < (int)EMIT_TINY; i++)
		all &= tiny[i] > 0;
	return largest + 20 >= rule.max && (all || few);
}

static void judge_sizes(bool few)
{
	int i;

	for (i = 0; i < (int)EMIT_TINY; i++)
		diag("%" PRIu64 " events of %d bytes", tiny[i], i);
	ok(sizes_came(few),
	   "events of all sizes came, the largest has %" PRIu64 " of %u bytes",
	   largest, rule.max);
}

static void scenario(void)
{
	char name[96];
	unsigned int n;
	int cpu, i;

	snprintf(name, sizeof(name), "%s %s %s%s%s%s%s%s",
		 overwrite ? "overwrite" : "discard",
		 by_map ? "map" : by_splice ? "splice" : "read",
		 pace_names[pace], wait_names[waiting],
		 hotplug ? " hotplug" : "", offline ? " offline" : "",
		 by_snapshot ? " snapshot" : resizes ? " resize" : "",
		 nr_observers ? " observed" : "");
	run();
	judge(name);
	scenarios++;
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		client_close(&workers[cpu].client);
		for (n = 0; n < nr_observers; n++)
			watcher_close(&observers[n].watcher[cpu]);
		if (by_splice) {
			close(workers[cpu].pipe[0]);
			close(workers[cpu].pipe[1]);
		}
		for (i = 0; i < EMIT_CONTEXTS; i++)
			workers[cpu].first[i] += workers[cpu].emitted[i];
		if (offline && cpu)
			must_set_online(cpu, true);
	}
}

/*
 * Select scenarios by a filter such as "overwrite-map-slow". A word that is
 * left out matches all values.
 */
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

static void all_scenarios(char **filters, int count)
{
	int i;

	for (i = 0; i < 12; i++) {
		overwrite = i % 2 == 0;
		by_map = i / 2 % 2 == 0;
		pace = i / 4;
		if (wanted(filters, count))
			scenario();
	}
}

static void set_clock(const char *name)
{
	for (clock_id = 0; clock_id < 4; clock_id++)
		if (!strcmp(clocks[clock_id], name))
			break;
	if (clock_id == 4 || !set("trace_clock", name))
		bail_out("no clock %s", name);
}

/* Parse the options. Return the index of the first argument behind them. */
static int options(int argc, char **argv)
{
	int i = target_options(argc, argv);

	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		const char *option = argv[i] + 2, *value = argv[i + 1];

		if (!strcmp(option, "hotplug")) {
			hotplug = true;
			continue;
		}
		if (!strcmp(option, "splice")) {
			by_splice = true;
			continue;
		}
		if (!strcmp(option, "mapped")) {
			mapped = true;
			continue;
		}
		if (!strcmp(option, "lossless")) {
			lossless = true;
			continue;
		}
		if (!strcmp(option, "observers")) {
			nr_observers = strtoul(value, NULL, 10);
			observers = calloc(nr_observers, sizeof(*observers));
			i++;
			continue;
		}
		if (!strcmp(option, "resize") || !strcmp(option, "snapshot")) {
			by_snapshot = option[0] == 's';
			resizes = strtoul(value, NULL, 10);
			i++;
			continue;
		}
		if (!strcmp(option, "offline")) {
			offline = true;
			continue;
		}
		if (++i == argc)
			bail_out("--%s wants a value", option);
		if (!strcmp(option, "wait"))
			waiting = !strcmp(value, "poll") ? POLL : BLOCK;
		else if (!strcmp(option, "percent"))
			percent = set("buffer_percent", value) ?
				  strtoul(value, NULL, 10) : percent;
		else if (!strcmp(option, "clock"))
			set_clock(value);
		else if (!strcmp(option, "depth"))
			depth = strtoul(value, NULL, 10);
		else
			bail_out("unknown option --%s", option);
	}
	return i;
}

int main(int argc, char **argv)
{
	int first = options(argc, argv), i;

	if (argc - first < 2)
		bail_out("usage: exact [OPTION]... marker|emit EVENTS [MODE-READER-PACE]...");
	by_module = !strcmp(argv[first], "emit");
	nr_events = strtoull(argv[first + 1], NULL, 10);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	if (by_module) {
		FILE *file = emit_open(EMIT_PARAM "max");

		if (fscanf(file, "%u", &rule.max) != 1)
			bail_out("no largest event");
		fclose(file);
	}
	all_scenarios(argv + first + 2, argc - first - 2);
	if (by_module) {
		bool few = scenarios * nr_cpus < EMIT_CONTEXTS;

		for (i = 0; i < 20 && !sizes_came(few); i++)
			all_scenarios(argv + first + 2, argc - first - 2);
		judge_sizes(few);
	}
	set_overwrite(true);
	set_number("buffer_percent", 50);
	set("trace_clock", "local");
	return done_testing();
}
