// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything at once, at random: two readers on each CPU, one with a map and
 * one with read(), processes that start and end, and a thread that changes all
 * settings.
 *
 *	storm [TARGET-OPTION]... SECONDS [SEED]
 *
 * Readers check that their data is valid. At the end all events are disabled,
 * and the counters must agree.
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
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define MAX_CPUS	64

/**
 * struct reader - a thread that reads
 * @subbufs: number of pieces of sub-buffers that it got
 * @events: number of events in them
 * @told: number of lost events that they reported
 * @error: the first fault found
 */
struct reader {
	pthread_t	thread;
	struct client	client;
	int		cpu;
	bool		maps;
	uint64_t	subbufs;
	uint64_t	events;
	uint64_t	reported;
	char		error[160];
};

static struct reader readers[MAX_CPUS][2];
static int nr_cpus;
static bool over;
static uint64_t paused_until;	/* time before which readers do not read */

static bool is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}

__attribute__((format(printf, 2, 3)))
static void wrong(struct reader *reader, const char *format, ...)
{
	va_list args;

	if (reader->error[0])
		return;
	va_start(args, format);
	vsnprintf(reader->error, sizeof(reader->error), format, args);
	va_end(args);
}

/*
 * Within a sub-buffer time never goes back, whatever setting changes: a change
 * of the clock begins another sub-buffer.
 */
static void look(struct reader *reader, const void *subbuf, size_t from,
		 size_t to)
{
	struct cursor cursor;
	struct record record;
	uint64_t time = 0;

	if (to > reader->client.subbuf_size - RBMAP_SUBBUF_HEADER_SIZE) {
		wrong(reader, "commit is %zu", to);
		return;
	}
	cursor_begin(&cursor, subbuf);
	cursor.end = to;
	while (cursor_next(&cursor, &record)) {
		const struct rbmap_event_common *common =
			(const void *)record.payload;

		if (record.time < time)
			wrong(reader, "time goes back at %zu", cursor.at);
		time = record.time;
		if (cursor.at <= from)
			continue;
		reader->events++;
		if (record.size < sizeof(*common) || !common->type ||
		    common->type > 1000 || common->pid < 0)
			wrong(reader, "no event at %zu of %zu", cursor.at, to);
	}
	if (cursor.bad)
		wrong(reader, "at %zu of %zu: %s", cursor.at, to, cursor.bad);
	reader->subbufs++;
}

static bool step_map(struct reader *reader)
{
	struct client *client = &reader->client;
	int error = get_reader(client->fd);
	size_t from, to;
	uint32_t id;

	/* Another clock, another size or a snapshot: continue in the next ring. */
	if (error == ESTALE) {
		client_unmap(client);
		if (client_map(client)) {
			client->any = false;
			return true;
		}
		error = errno;
	}
	if (error) {
		wrong(reader, "GET_READER: %s", error_name(error));
		return false;
	}
	/*
	 * The other reader may have advanced the ring by now: only decode the
	 * bytes.
	 */
	id = client->meta->reader.id;
	if (id >= client->nr_subbufs) {
		wrong(reader, "id %u", id);
		return false;
	}
	to = subbuf_commit(client->data + id * client->subbuf_size);
	from = client->any && client->id == id ? client->seen : 0;
	if (from && to <= from)
		return false;
	if (client->id != id)
		reader->reported += client->meta->reader.lost_events;
	client->any = true;
	client->id = id;
	client->seen = to;
	return true;
}

static bool step_read(struct reader *reader, void *subbuf)
{
	struct client *client = &reader->client;
	ssize_t ret = read(client->fd, subbuf, client->subbuf_size);
	uint64_t lost;

	if (ret < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (ret != (ssize_t)client->subbuf_size) {
		wrong(reader, "read: %s", ret < 0 ? error_name(errno) :
		      "not a sub-buffer");
		return false;
	}
	if (subbuf_lost(subbuf, client->subbuf_size, &lost))
		reader->reported += lost;
	look(reader, subbuf, 0, subbuf_commit(subbuf));
	return true;
}

static void *read_all(void *data)
{
	struct reader *reader = data;
	struct client *client = &reader->client;
	struct pollfd pollfd = { .fd = client->fd, .events = POLLIN };
	void *subbuf = malloc(client->subbuf_size);

	while (!is_over()) {
		bool got = reader->maps ? step_map(reader) :
					  step_read(reader, subbuf);

		if (!got)
			poll(&pollfd, 1, 10);
		else if (reader->maps)
			reader->subbufs++;
		while (now() < __atomic_load_n(&paused_until,
					       __ATOMIC_RELAXED) && !is_over())
			nap(10);
	}
	free(subbuf);
	return NULL;
}

/* Work like a build's: short programs, pipes, small files. */
static void *work(void *data)
{
	unsigned int round;

	(void)data;
	for (round = 0; !is_over(); round++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			/* exec() removes the readers' maps. */
			execlp("sh", "sh", "-c",
			       "for i in 1 2 3; do echo $i; done | sort -n | "
			       "grep -c . >/tmp/storm.$$; rm -f /tmp/storm.$$; "
			       "true & wait", NULL);
			_exit(127);
		}
		waitpid(pid, &status, 0);
	}
	return NULL;
}

static const char * const clocks[] = { "local", "mono", "boot", "x86-tsc" };
static const char * const switches[] = {
	"events/enable", "events/sched/enable", "events/irq/enable",
	"events/raw_syscalls/enable", "events/sched/sched_switch/enable",
	"events/raw_syscalls/sys_enter/enable",
};

#define PICK(array)	(array[random() % (sizeof(array) / sizeof(*array))])

static unsigned int turned;

/*
 * Change one setting at random; most of them are restored, so that events
 * continue.
 */
static bool turn(void)
{
	const char *name, *clock;

	turned++;
	switch (random() % 11) {
	case 0:
	case 1:
		name = PICK(switches);
		return set_number(name, random() % 4 != 0);
	case 2:
		return set_number("tracing_on", random() % 4 != 0);
	case 3:
		return set_overwrite(random() % 2);
	case 4:
		/* A machine may lack a clock. */
		clock = PICK(clocks);
		return set("trace_clock", clock) || errno == EINVAL;
	case 5:
		return reset();
	case 6:
		return set_number("buffer_percent", random() % 101);
	case 7:
		return set_number("buffer_size_kb", 16 << random() % 5);
	case 8:
		return set_number("snapshot", random() % 2);
	case 9:
		/* Pause long enough for rings to overflow. */
		__atomic_store_n(&paused_until, now() + 500000000,
				 __ATOMIC_RELAXED);
		return true;
	default:
		return set_number("events/enable", 1);
	}
}

/* Read the rest and compare the counters. */
static bool settle(int cpu)
{
	struct client client;
	uint64_t emitted, lost;
	char *subbuf;
	bool good;

	/* Read all rings, one after the other. */
	client_open(&client, cpu, O_RDONLY | O_NONBLOCK);
	client_unmap(&client);
	subbuf = malloc(client.subbuf_size);
	while (read(client.fd, subbuf, client.subbuf_size) > 0)
		;
	free(subbuf);
	client_map(&client);
	emitted = stat_of(cpu, "emitted");
	lost = stat_of(cpu, "overrun") + stat_of(cpu, "dropped events");
	good = stat_of(cpu, "entries") == 0 &&
	       emitted == stat_of(cpu, "read events") +
			  stat_of(cpu, "overrun") &&
	       lost == stat_of(cpu, "lost events") &&
	       lost == stat_of(cpu, "lost reported") &&
	       client.meta->entries == client.meta->read +
				       client.meta->overrun &&
	       client.meta->lost_reported == client.meta->lost &&
	       stat_of(cpu, "retired rings") == 0;
	if (!good)
		diag("CPU %d: emitted %" PRIu64 ", read %" PRIu64 ", overrun %"
		     PRIu64 ", lost %" PRIu64 ", told %" PRIu64 ", unread %"
		     PRIu64, cpu, emitted, stat_of(cpu, "read events"),
		     stat_of(cpu, "overrun"), stat_of(cpu, "lost events"),
		     stat_of(cpu, "lost reported"), stat_of(cpu, "entries"));
	client_close(&client);
	return good;
}

static void start_readers(void)
{
	int cpu, i;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		for (i = 0; i < 2; i++) {
			struct reader *reader = &readers[cpu][i];

			reader->cpu = cpu;
			reader->maps = !i;
			if (!client_open(&reader->client, cpu,
					 O_RDONLY | O_NONBLOCK))
				bail_out("cannot map: %s", error_name(errno));
			if (!reader->maps)
				client_unmap(&reader->client);
			pthread_create(&reader->thread, NULL, read_all, reader);
		}
	}
}

static bool all_have_read(void)
{
	bool all = true;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		for (int i = 0; i < 2; i++)
			all &= __atomic_load_n(&readers[cpu][i].subbufs, __ATOMIC_RELAXED) > 0;
	return all;
}

/* A busy machine may not have run each reader meanwhile. */
static void await_readers(void)
{
	for (unsigned int i = 0; i < 300 * slowness() && !all_have_read(); i++) {
		set("tracing_on", "1");
		set("events/enable", "1");
		nap(100);
	}
}

static void judge_readers(void)
{
	uint64_t events = 0, told = 0, taken = 0;
	bool good = true, alive = true;
	int cpu, i;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		for (i = 0; i < 2; i++) {
			struct reader *reader = &readers[cpu][i];

			pthread_join(reader->thread, NULL);
			if (reader->error[0]) {
				diag("CPU %d, %s: %s", cpu,
				     i ? "read" : "map", reader->error);
				good = false;
			}
			alive &= reader->subbufs > 0;
			events += reader->events;
			told += reader->reported;
			if (reader->maps)
				taken += reader->subbufs;
			client_close(&reader->client);
		}
	}
	ok(good, "what readers got makes sense (%" PRIu64 " events read, %"
	   PRIu64 " lost, %" PRIu64 " sub-buffers seen in the map)", events,
	   told, taken);
	ok(alive, "each reader got events");
}

int main(int argc, char **argv)
{
	int first = target_options(argc, argv), cpu;
	pthread_t workers[2];
	unsigned int seed, i;
	bool good = true;
	uint64_t end;

	if (argc - first < 1)
		bail_out("usage: storm SECONDS [SEED]");
	seed = argc - first > 1 ? strtoul(argv[first + 1], NULL, 0) :
				  (unsigned int)now();
	diag("seed %u", seed);
	srandom(seed);
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;

	start_readers();
	for (i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	end = now() + strtoull(argv[first], NULL, 0) * 1000000000;
	while (now() < end) {
		if (!turn() && good) {
			diag("switch %u: %s", turned, error_name(errno));
			good = false;
		}
		nap(random() % 40);
	}
	ok(good, "settings are obeyed (%u changes)", turned);
	await_readers();

	good = set("events/enable", "0") && set("trace_clock", "local") &&
	       set("tracing_on", "1") && set_overwrite(true) &&
	       set("buffer_percent", "50") && set("snapshot", "0");
	ok(good, "all settings are restored");
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	judge_readers();
	for (i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	good = true;
	for (cpu = 0; cpu < nr_cpus; cpu++)
		good &= settle(cpu);
	ok(good, "counters agree");
	return done_testing();
}
