// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions in place of librbmap's and the C library's, for plugin.sh: the ring of CPU 0, which
 * gets a sub-buffer after source.rbmap.live has ended. CPU 1 has events and no ring. CPU 2
 * comes later, and has overwritten some of its events. The folder RBMAP_TEST_ROOT is in place
 * of /. The clock does not depend on the machine: each look at it takes a millisecond, and one
 * of them more than the source has.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <rbmap.h>

#define NS_PER_S	1000000000ULL
#define NS_PER_MS	1000000ULL
#define LATE_NS		(60 * NS_PER_MS)	/* more than the parameter `seconds` */
#define JUMP_AT		20		/* looks at the clock: the source has opened all rings */
#define JUMP_MS		100		/* more than LATE_NS */
#define LOST		5
#define MISSED		20	/* besides */
#define BEFORE		300

#define OLDER		40	/* events of CPU 2 that were overwritten */
#define READ		7	/* events of CPU 2 that were not */

static char ring[4096];
static char late_ring[4096];
static int given_late;
static uint64_t opened;
static int given;

static const char *moved(char *room, size_t size, const char *path)
{
	if (strncmp(path, "/dev/rbmap", 10) && strncmp(path, "/sys/", 5))
		return path;
	snprintf(room, size, "%s%s", getenv("RBMAP_TEST_ROOT"), path);
	return room;
}

DIR *opendir(const char *path)
{
	DIR *(*real)(const char *) = (DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir");
	char room[4096];

	return real(moved(room, sizeof(room), path));
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) =
		(FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen");
	char room[4096];

	return real(moved(room, sizeof(room), path), mode);
}

/* The name that the plugin has for it, as its files have offsets of 64 bits. */
FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

static uint64_t now(void)
{
	static unsigned int looks;

	looks++;
	return NS_PER_S + (looks + (looks < JUMP_AT ? 0 : JUMP_MS)) * NS_PER_MS;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t ns;

	if (id != CLOCK_MONOTONIC)
		return syscall(SYS_clock_gettime, id, ts);
	ns = now();
	*ts = (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
	return 0;
}

static void write_stats(int cpu, int emitted, int missed)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/rbmap/per_cpu/cpu%d/stats", cpu);
	file = fopen(path, "w");
	if (!file)
		abort();
	fprintf(file, "entries: 0\nemitted: %d\nmissed: %d\nlost events: 0\n", emitted, missed);
	fclose(file);
}

/* The kernel has missed some events since the source began. */
static void write_missed(int nr)
{
	write_stats(0, 0, nr);
	write_stats(1, 10 * nr, nr);
}

int rbmap_observe_path(struct rbmap_map **map, const char *path, unsigned int flags)
{
	size_t len = strlen(path);

	(void)flags;
	if (opened && len > 4 && !strcmp(path + len - 4, "cpu2") && now() > opened + LATE_NS / 2) {
		*map = (struct rbmap_map *)late_ring;
		return 0;
	}
	if (len < 4 || strcmp(path + len - 4, "cpu0"))
		return RBMAP_ERR_NO_CPU;
	*map = (struct rbmap_map *)ring;
	opened = now();
	write_missed(BEFORE);
	return 0;
}

void rbmap_close(struct rbmap_map *map)
{
	(void)map;
}

int rbmap_clock(const struct rbmap_map *map)
{
	(void)map;
	return 0;
}

size_t rbmap_subbuf_size(const struct rbmap_map *map)
{
	(void)map;
	return sizeof(ring);
}

int rbmap_moment_now(struct rbmap_moment *moment, int clock, const char *control)
{
	(void)clock;
	(void)control;
	*moment = (struct rbmap_moment){ .ring = now(), .real = now() };
	return 0;
}

int rbmap_formats_load(struct rbmap_formats *formats, const char *dir)
{
	(void)formats;
	(void)dir;
	return 0;
}

/* The loss of the sub-buffer counts as reported when the ring gives it. */
int rbmap_next_subbuf(struct rbmap_map *map, struct rbmap_subbuf *sb)
{
	if (map == (struct rbmap_map *)late_ring) {
		*sb = (struct rbmap_subbuf){ .start = late_ring, .size = 16, .timestamp = opened + 1 };
		return !given_late++;
	}
	if (now() < opened + LATE_NS || given)
		return 0;
	given = 1;
	write_missed(BEFORE + MISSED);
	*sb = (struct rbmap_subbuf){
		.start = ring, .size = 16, .timestamp = now(), .lost = LOST,
	};
	return 1;
}

int rbmap_loss(struct rbmap_map *map, struct rbmap_loss *loss)
{
	bool is_late = map == (struct rbmap_map *)late_ring;

	*loss = (struct rbmap_loss){ 0 };
	if (!is_late)
		*loss = (struct rbmap_loss){ .total = LOST, .reported = given ? LOST : 0 };
	return 0;
}

unsigned int rbmap_generation(const struct rbmap_map *map)
{
	(void)map;
	return 1;
}

uint64_t rbmap_observer_number(const struct rbmap_map *map)
{
	(void)map;
	return OLDER + READ;
}

uint64_t rbmap_events_read(const struct rbmap_map *map)
{
	(void)map;
	return READ;
}
