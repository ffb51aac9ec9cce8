// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host with rings in shared memory, and an agent that is killed again and again:
 *
 *	fleet_stream_host URL SPOOL SECONDS SEED SIZE_MB EVENTS FILE
 *
 * This process writes EVENTS events a millisecond to the rings of two CPUs, and sometimes a
 * thousand at once. Ring 0 is replaced in the middle. The children are the agents. That takes
 * SECONDS, and longer until FILE exists. At the end it prints "CPU GENERATION EVENTS" for each
 * ring, and the last agent runs on until SIGTERM.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/lib/live_ring.h"
#include "agent/agent.h"
#include "agent/stream/stream_spool.h"
#include "agent/uplink/clocks.h"
#include "internal.h"

#define NR_CPUS		2
#define NR_RINGS	2	/* the generations of CPU 0 */
#define SLOTS		32
#define SUBBUF		4096
#define MS		1000000L

static struct live_ring *rings[NR_CPUS][NR_RINGS];

/* Numbers that all processes share */
struct shared {
	atomic_uint generation[NR_CPUS];
	atomic_uint_fast64_t emitted[NR_CPUS][NR_RINGS];
	atomic_uint opened;	/* how often an agent has opened a ring of CPU 0 */
	atomic_bool pause, stop;
	atomic_uint writers;	/* that have begun, and allocate nothing any more */
};

static struct shared *shared;
static unsigned int rate;

/* live_ring.c is compiled with these names: its rings are in shared memory. */
void *shared_alloc(size_t align, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)align;
	return p == MAP_FAILED ? NULL : p;
}

void shared_free(void *p)
{
	(void)p;
}

static void sleep_ms(unsigned int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * MS }, NULL);
}

/* ---- the rings, as the agent opens them */

static void map_ring(struct rbmap_map *map, struct live_ring *live)
{
	if (rbmap_map_init(map, live->meta, 4096))
		abort();
	map->data = live->data;
}

static int next_ring(struct rbmap_map *map)
{
	unsigned int last = atomic_load(&shared->generation[map->cpu]);
	struct live_ring *live = rings[map->cpu][last - 1];

	map_ring(map, live);
	return rbmap_observer_init(map, live->slot_table);
}

static void close_ring(struct rbmap_map *map)
{
	rbmap_observer_free(map);
	free(map);
}

static const struct rbmap_transport transport = { .next_ring = next_ring, .close = close_ring };

static int list(const char *buffer, int *cpus, int most)
{
	(void)buffer;
	(void)most;
	for (int i = 0; i < NR_CPUS; i++)
		cpus[i] = i;
	return NR_CPUS;
}

static int open_ring(struct rbmap_map **map, const char *buffer, int cpu)
{
	struct live_ring *live = rings[cpu][atomic_load(&shared->generation[cpu]) - 1];
	struct rbmap_map *m = calloc(1, sizeof(*m));
	int ret;

	(void)buffer;
	m->transport = &transport;
	m->fd = m->wake_fd = -1;
	m->cpu = cpu;
	map_ring(m, live);
	*map = m;
	if (rbmap_observer_new(m))
		return -ENOMEM;
	ret = rbmap_observer_init(m, live->slot_table);
	if (!cpu)
		atomic_fetch_add(&shared->opened, 1);
	return ret;
}

static int moment(struct rbmap_moment *m, const char *buffer, int clock)
{
	(void)buffer;
	(void)clock;
	*m = (struct rbmap_moment){ .ring = clock_monotonic(), .real = clock_real(),
				    .boot = clock_monotonic(), .tai_offset = 37, .error = 1000 };
	return 0;
}

static int missed(const char *buffer, int cpu, uint64_t *nr)
{
	(void)buffer;
	(void)cpu;
	*nr = 0;
	return 0;
}

static int format(struct buf *text, char system[SYSTEM_NAME_SIZE], const char *buffer,
		  unsigned int id)
{
	(void)buffer;
	if (id != 1)
		return -ENOENT;
	strcpy(system, "live");
	buf_printf(text, "name: live\nID: 1\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		   "\tfield:u64 number;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		   "print fmt: \"number=%%llu\", REC->number\n");
	return 0;
}

static const struct stream_access test_access = {
	.list = list, .open = open_ring, .moment = moment, .missed = missed,
	.format = format,
};

/* ---- the writers */

static void *write_cpu(void *data)
{
	unsigned int cpu = (uintptr_t)data, seed = cpu + 1;
	uint64_t number = 0;

	atomic_fetch_add(&shared->writers, 1);
	while (!atomic_load(&shared->stop)) {
		unsigned int nr = rand_r(&seed) % 200 ? rate : 1000;

		for (unsigned int i = 0; i < nr && !atomic_load(&shared->pause); i++) {
			unsigned int ring = atomic_load(&shared->generation[cpu]) - 1;

			if (!live_emit_at(rings[cpu][ring], number++, clock_monotonic()))
				abort();
			atomic_fetch_add(&shared->emitted[cpu][ring], 1);
		}
		sleep_ms(1);
	}
	return NULL;
}

/* ---- the agents */

static pid_t start(const struct agent_options *options)
{
	pid_t child = fork();

	if (child)
		return child;
	_exit(agent_run(options));
}

static void kill_agent(pid_t child, int sig)
{
	kill(child, sig);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void await_opening(unsigned int opened)
{
	while (atomic_load(&shared->opened) == opened)
		sleep_ms(10);
}

/* Return whether the spool has a message of ring 1 of CPU 0. */
static bool has_next_ring(const char *spool)
{
	char command[512];

	snprintf(command, sizeof(command), "grep -qrF 'test.0.2.' '%s/" STREAM_FOLDER "'", spool);
	return !system(command);
}

/*
 * An agent opens ring 0 before the next one begins, and lives until the spool has a message
 * of that one: all events of ring 0 are in messages then. An agent that opens a ring later
 * cannot know how many events an earlier ring had.
 */
static void replace_ring(const char *spool, unsigned int opened)
{
	atomic_store(&shared->pause, true);
	sleep_ms(200);	/* A writer can have an event to finish. */
	await_opening(opened);
	atomic_store(&shared->generation[0], 2);
	rings[0][0]->meta->retired = 1;
	atomic_store(&shared->pause, false);
	while (!has_next_ring(spool))
		sleep_ms(100);
}

static void run(const struct agent_options *options, unsigned int seconds, unsigned int seed,
		const char *file)
{
	uint64_t begin = clock_monotonic(), end = begin + seconds * 1000ULL * MS;
	bool replaced = false;

	while (clock_monotonic() < end || !replaced || access(file, F_OK)) {
		unsigned int opened = atomic_load(&shared->opened);
		pid_t child = start(options);

		if (!replaced && clock_monotonic() > (begin + end) / 2) {
			replace_ring(options->spool, opened);
			replaced = true;
		}
		/* One of four is killed at any moment of its start, too. */
		if (rand_r(&seed) % 4)
			await_opening(opened);
		sleep_ms(50 + rand_r(&seed) % 2000);
		kill_agent(child, SIGKILL);
		if (rand_r(&seed) % 2)
			sleep_ms(rand_r(&seed) % 500);
	}
}

static volatile sig_atomic_t ended;

static void on_term(int sig)
{
	(void)sig;
	ended = 1;
}

static void finish(const struct agent_options *options, pthread_t *writer)
{
	pid_t child = start(options);

	/* Some more events show what was lost before them. */
	sleep_ms(500);
	atomic_store(&shared->stop, true);
	for (int i = 0; i < NR_CPUS; i++)
		pthread_join(writer[i], NULL);
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		for (unsigned int i = 0; i < atomic_load(&shared->generation[cpu]); i++)
			printf("%d %u %lu\n", cpu, i + 1, atomic_load(&shared->emitted[cpu][i]));
	fflush(stdout);
	while (!ended)
		sleep_ms(50);
	kill_agent(child, SIGTERM);
}

int main(int argc, char **argv)
{
	struct agent_options options = {
		.transport = { .role = ROLE_HOST, .host = "h1" },
		.incidents = ".", .spool_bytes = 1 << 30, .snapshot = "true",
		.streams = { .name = { "test" }, .nr = 1 },
		.access = &test_access, .patience = 1000,
	};
	pthread_t writer[NR_CPUS];

	if (argc != 8)
		return 2;
	options.transport.url = argv[1];
	options.spool = argv[2];
	options.stream_bytes = strtoull(argv[5], NULL, 10) << 20;
	rate = atoi(argv[6]);
	shared = shared_alloc(0, sizeof(*shared));
	signal(SIGTERM, on_term);
	for (uintptr_t i = 0; i < NR_CPUS; i++) {
		for (int j = 0; j < NR_RINGS; j++)
			rings[i][j] = live_new(SLOTS, SUBBUF, false, 0, j + 1);
		atomic_store(&shared->generation[i], 1);
		pthread_create(&writer[i], NULL, write_cpu, (void *)i);
	}
	/* A child of fork() would wait for ever for the allocator's lock of a thread that begins. */
	while (atomic_load(&shared->writers) < NR_CPUS)
		sleep_ms(1);
	run(&options, atoi(argv[3]), atoi(argv[4]), argv[7]);
	finish(&options, writer);
	return 0;
}
