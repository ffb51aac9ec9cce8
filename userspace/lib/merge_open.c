// SPDX-License-Identifier: LGPL-2.1-only
/* A merge of rings: open it, look for the rings of new CPUs, close it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "merge.h"

static int open_cpu(struct rbmap_merge *m, int cpu)
{
	struct rbmap_map *map;
	int ret;

	for (unsigned int i = 0; i < m->nr; i++)
		if (m->source[i]->cpu == cpu && m->source[i]->map)
			return 0;
	ret = rbmap_map_open(&map, m->dir, cpu, m->observes);
	/* The device was removed after readdir() returned it. */
	if (ret == RBMAP_ERR_NO_CPU)
		return 0;
	if (ret)
		return ret;
	/* All events of a CPU that has come meanwhile are those of the merge. */
	if (m->observes && m->opened)
		rbmap_observer_count_older(map);
	ret = rbmap_merge_add(m, map);
	if (ret)
		rbmap_close(map);
	return ret;
}

static bool grow(void *array, size_t size)
{
	void *bigger = realloc(*(void **)array, size);

	if (bigger)
		*(void **)array = bigger;
	return bigger;
}

/* The device or its module was removed meanwhile: no events are missing. */
static bool is_gone(int error)
{
	return error == RBMAP_ERR_GONE || error == RBMAP_ERR_NOT_LOADED || error == -ENODEV;
}

/* The ring is tried again at the next scan. */
static void add_unopened(struct rbmap_merge *m, int cpu, int error)
{
	if (grow(&m->unopened, (m->nr_unopened + 1) * sizeof(*m->unopened)))
		m->unopened[m->nr_unopened++] = (struct unopened){ cpu, error };
	else
		m->scan_error = -ENOMEM;
}

static int dir_error(const char *dir, int error)
{
	if (error == EACCES)
		return RBMAP_ERR_PERMISSION;
	/* Without the module the directory of a named buffer does not exist either. */
	return access(DEVICE_DIR, F_OK) || !strcmp(dir, DEVICE_DIR) ?
	       RBMAP_ERR_NOT_LOADED : -error;
}

/* Open the devices that are not open yet.  Return the first error, after which others are opened. */
static int scan(struct rbmap_merge *m)
{
	struct dirent *entry;
	int ret = 0, cpu, len, error;
	DIR *dir;

	m->scanned_ns = m->clock();
	m->nr_unopened = 0;
	m->scan_error = 0;
	dir = opendir(m->dir);
	if (!dir) {
		/* A buffer that has gone has no rings. */
		m->scan_error = errno == ENOENT ? 0 : -errno;
		return dir_error(m->dir, errno);
	}
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "cpu%d%n", &cpu, &len) != 1 ||
		    entry->d_name[len] || cpu < 0)
			continue;
		error = open_cpu(m, cpu);
		if (error && !is_gone(error))
			add_unopened(m, cpu, error);
		ret = ret ? ret : error;
	}
	closedir(dir);
	return ret;
}

bool rbmap_merge_scan_again(struct rbmap_merge *m)
{
	unsigned int nr = m->nr;

	m->scan_due = false;
	if (m->dir)
		scan(m);
	return m->nr > nr;
}

bool rbmap_merge_scan_is_due(const struct rbmap_merge *m)
{
	return m->dir && m->clock() - m->scanned_ns > SCAN_NS;
}

RBMAP_API int rbmap_merge_unopened(const struct rbmap_merge *m, unsigned int i, int *cpu)
{
	*cpu = -1;
	if (i < m->nr_unopened) {
		*cpu = m->unopened[i].cpu;
		return m->unopened[i].error;
	}
	return i == m->nr_unopened ? m->scan_error : 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

struct rbmap_merge *rbmap_merge_new(uint64_t (*clock)(void))
{
	struct rbmap_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->hold_ns = RBMAP_MERGE_HOLD_US * 1000ULL;
	m->ticks_per_ns = 1;
	m->pace.fd = -1;
	m->clock = clock ? clock : now_ns;
	m->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->wake_fd < 0) {
		free(m);
		return NULL;
	}
	return m;
}

/* Takes ownership of @map if it returns 0. */
int rbmap_merge_add(struct rbmap_merge *m, struct rbmap_map *map)
{
	unsigned int nr = m->nr + 1;
	struct source *s;

	if (!grow(&m->source, nr * sizeof(*m->source)) ||
	    !grow(&m->heap, nr * sizeof(*m->heap)) ||
	    !grow(&m->empty, nr * sizeof(*m->empty)) ||
	    !grow(&m->fds, (nr + 1) * sizeof(*m->fds)) ||
	    !grow(&m->maps, nr * sizeof(*m->maps)))
		return -ENOMEM;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->map = map;
	s->cpu = map->cpu;
	m->observes |= map->observer != NULL;
	m->source[m->nr++] = s;
	rbmap_merge_add_empty(m, s);
	return 0;
}

static int open_merge(struct rbmap_merge **merge, const char *dir,
		      unsigned int flags, bool observes)
{
	struct rbmap_merge *m;
	int ret;

	*merge = NULL;
	if (flags)
		return -EINVAL;
	m = rbmap_merge_new(NULL);
	if (!m)
		return -errno;
	m->observes = observes;
	m->dir = strdup(dir);
	ret = m->dir ? scan(m) : -ENOMEM;
	if (!ret && !m->nr)
		ret = RBMAP_ERR_NO_CPU;
	if (ret) {
		rbmap_merge_close(m);
		return ret;
	}
	m->opened = true;
	*merge = m;
	return 0;
}

RBMAP_API int rbmap_merge_open(struct rbmap_merge **merge, unsigned int flags)
{
	return open_merge(merge, DEVICE_DIR, flags, false);
}

RBMAP_API int rbmap_merge_open_path(struct rbmap_merge **merge,
				    const char *dir, unsigned int flags)
{
	return open_merge(merge, dir, flags, false);
}

RBMAP_API int rbmap_merge_observe(struct rbmap_merge **merge,
				  unsigned int flags)
{
	return open_merge(merge, DEVICE_DIR, flags, true);
}

RBMAP_API int rbmap_merge_observe_path(struct rbmap_merge **merge,
				       const char *dir, unsigned int flags)
{
	return open_merge(merge, dir, flags, true);
}

RBMAP_API void rbmap_merge_close(struct rbmap_merge *m)
{
	if (!m)
		return;
	for (unsigned int i = 0; i < m->nr; i++) {
		rbmap_close(m->source[i]->map);
		free(m->source[i]);
	}
	free(m->source);
	free(m->heap);
	free(m->empty);
	free(m->fds);
	free(m->maps);
	free(m->unopened);
	free(m->dir);
	if (m->pace.fd >= 0)
		close(m->pace.fd);
	close(m->wake_fd);
	free(m);
}
