// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the clock of a ring together with the clocks of user space. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/rbmap.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "internal.h"

#define NS_PER_S	1000000000ULL
#define TRIES		5
/* The kernel's PROC_TIME_INIT_INO */
#define INITIAL_TIMES	"time:[4026531834]"

/* Offsets that a time namespace adds to the clocks, in ns */
struct offsets {
	int64_t mono;
	int64_t boot;
};

static uint64_t read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* Return the length of a link's text, 0 without such a link. */
static size_t read_link(const char *link, char *text, size_t size)
{
	ssize_t len = readlink(link, text, size);

	return len > 0 && (size_t)len < size ? len : 0;
}

static int parse_offsets(FILE *file, struct offsets *offsets)
{
	char line[128], clock[32];
	int64_t s, ns;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%31s %" SCNd64 " %" SCNd64, clock, &s, &ns) != 3)
			return -EIO;
		/* Older kernels print the number of the clock. */
		if (!strcmp(clock, "monotonic") || !strcmp(clock, "1"))
			offsets->mono = s * (int64_t)NS_PER_S + ns;
		else if (!strcmp(clock, "boottime") || !strcmp(clock, "7"))
			offsets->boot = s * (int64_t)NS_PER_S + ns;
	}
	return 0;
}

/*
 * Events have the times of the kernel, and a process in a time namespace has others. The
 * file of offsets describes the namespace of its children.
 */
static int read_offsets(struct offsets *offsets)
{
	char own[64], children[64];
	size_t len = read_link("/proc/self/ns/time", own, sizeof(own));
	FILE *file;
	int ret;

	*offsets = (struct offsets){ 0 };
	/* Linux before 5.6 has no such namespaces. */
	if (!len || (len == strlen(INITIAL_TIMES) && !memcmp(own, INITIAL_TIMES, len)))
		return 0;
	if (read_link("/proc/self/ns/time_for_children", children, sizeof(children)) != len ||
	    memcmp(own, children, len))
		return -EOPNOTSUPP;
	file = fopen("/proc/self/timens_offsets", "re");
	if (!file)
		return -errno;
	ret = parse_offsets(file, offsets);
	fclose(file);
	return ret;
}

/* Find "now ts: SECONDS.MICROSECONDS". The middle of that microsecond is the best guess. */
static int find_now(FILE *stats, uint64_t *value)
{
	uint64_t s, us;
	char line[128];

	while (fgets(line, sizeof(line), stats)) {
		if (sscanf(line, "now ts: %" SCNu64 ".%6" SCNu64, &s, &us) == 2) {
			*value = s * NS_PER_S + us * 1000 + 500;
			return 0;
		}
	}
	return -EIO;
}

/* Programs cannot read the clock local, but the kernel prints it for a CPU. */
static int read_local(const char *control, uint64_t *value)
{
	int cpu = sched_getcpu(), ret;
	char path[PATH_MAX];
	FILE *stats;

	if (!control)
		return -EINVAL;
	if (cpu < 0)
		return -errno;
	if (snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/stats", control, cpu) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	stats = fopen(path, "re");
	if (!stats)
		return -errno;
	ret = find_now(stats, value);
	fclose(stats);
	return ret;
}

static int read_ring(int clock, const char *control, const struct offsets *offsets,
		     uint64_t *value)
{
	switch (clock) {
	case RBMAP_CLOCK_MONO:
		*value = read_ns(CLOCK_MONOTONIC) - offsets->mono;
		return 0;
	case RBMAP_CLOCK_BOOT:
		*value = read_ns(CLOCK_BOOTTIME) - offsets->boot;
		return 0;
	case RBMAP_CLOCK_LOCAL:
		return read_local(control, value);
#ifdef __x86_64__
	case RBMAP_CLOCK_X86_TSC:
		*value = __rdtsc();
		return 0;
#endif
	}
	return -EINVAL;
}

/* Read the ring's clock between two looks at the others. */
static int look(int clock, const char *control, const struct offsets *offsets,
		struct rbmap_moment *m)
{
	uint64_t real = read_ns(CLOCK_REALTIME), boot = read_ns(CLOCK_BOOTTIME), after;
	int ret = read_ring(clock, control, offsets, &m->ring);

	if (ret)
		return ret;
	after = read_ns(CLOCK_BOOTTIME);
	m->error = (after - boot) / 2;
	m->boot = boot + m->error - offsets->boot;
	m->real = real + m->error;
	if (clock == RBMAP_CLOCK_LOCAL)
		m->error += 500;
	return 0;
}

RBMAP_API int rbmap_moment_now(struct rbmap_moment *moment, int clock, const char *control)
{
	struct rbmap_moment best = { 0 }, m = { 0 };
	struct offsets offsets;
	int error = read_offsets(&offsets);

	if (error)
		return error;

	/* An interrupt in between makes a look inexact: keep the best one. */
	for (int i = 0; i < TRIES; i++) {
		int ret = look(clock, control, &offsets, &m);

		if (ret)
			return ret;
		if (!i || m.error < best.error)
			best = m;
	}
	/* Both clocks tick at once, and are read within half a second of each other. */
	best.tai_offset = ((int64_t)(read_ns(CLOCK_TAI) - read_ns(CLOCK_REALTIME)) +
			   (int64_t)NS_PER_S / 2) / (int64_t)NS_PER_S;
	*moment = best;
	return 0;
}
