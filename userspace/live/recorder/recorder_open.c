// SPDX-License-Identifier: GPL-2.0-only
/* Open and close the rings of a recorder. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "kernel/control.h"
#include "recorder_parts.h"

/* ---- open */
static void complain_open(const char *path, int error)
{
	if (error == RBMAP_ERR_PERMISSION && control_complain_lockdown())
		return;
	if (error == RBMAP_ERR_PERMISSION)
		complain_unreadable(path);
	else
		complain("cannot map %s: %s", path, rbmap_strerror(error));
}

/* The array does not move later, because each thread has a pointer into it. */
static bool alloc_cpus(struct recorder *rec)
{
	unsigned int possible = control_possible_cpus();

	rec->max_cpus = possible > rec->nr_cpus ? possible : rec->nr_cpus;
	rec->cpu = calloc(rec->max_cpus + 1, sizeof(*rec->cpu));
	if (!rec->cpu)
		complain("out of memory");
	return rec->cpu;
}

/*
 * The next reader gets the loss that no reader has got yet. Its cause is known
 * if none was reported before, or if only one cause exists.
 */
static void count_earlier(struct cpu_recorder *c)
{
	struct rbmap_loss *b = &c->before;
	uint64_t earlier = b->unreported;
	uint64_t *const causes[] = {
		&b->overrun, &b->full, &b->lapped, &b->nested, &b->too_large,
		&b->expired, &b->no_ring,
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (*causes[i] == b->total) {
			*causes[i] -= earlier;
			b->total -= earlier;
			return;
		}
	}
	if (earlier == b->total)
		*b = (struct rbmap_loss){ 0 };
	else
		c->earlier = earlier;
}

/*
 * All pages of a file have one size: that of the CPU with the largest
 * sub-buffers.
 */
static void want_page_size(struct recorder *rec, size_t size)
{
	if (rec->page_size < size)
		rec->page_size = size;
}

static void cpu_path(char *path, size_t size, const struct recorder *rec, unsigned int cpu)
{
	snprintf(path, size, "%s/cpu%u", rec->dir, cpu);
}

int cpu_recorder_open(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	char path[128];
	int ret;

	cpu_path(path, sizeof(path), rec, cpu);
	if (access(path, F_OK))
		return 0;
	*c = (struct cpu_recorder){ .rec = rec, .cpu = cpu };
	ret = rbmap_open_path(&c->map, path, 0);
	if (ret) {
		c->map = NULL;
		return ret == -ENODATA ? 0 : ret;
	}
	c->cmdlines = cmdlines_new();
	if (!c->cmdlines) {
		rbmap_close(c->map);
		c->map = NULL;
		return -ENOMEM;
	}
	c->generation = rbmap_generation(c->map);
	return 0;
}

static bool map_cpu(struct recorder *rec, unsigned int cpu)
{
	struct cpu_recorder *c = &rec->cpu[cpu];
	int ret = cpu_recorder_open(rec, cpu);
	char path[128];
	uint64_t size;

	if (ret) {
		cpu_path(path, sizeof(path), rec, cpu);
		complain_open(path, ret);
		return false;
	}
	if (!c->map)
		return true;
	/* The first ring can be an older one that was not read to its end. */
	want_page_size(rec, rbmap_subbuf_size(c->map));
	if (!control_cpu_stat(cpu, "subbuf size", &size))
		want_page_size(rec, size);
	rbmap_loss(c->map, &c->before);
	count_earlier(c);
	return true;
}

/* Fail before anything is recorded. Further CPUs may come. */
static bool allow_files(struct recorder *rec)
{
	rlim_t highest = open_files_highest();

	rec->files = open_files_allow(rec->max_cpus);
	if (!rec->files)
		rec->files = open_files_within(rec->nr_cpus, highest);
	if (!rec->files)
		complain("recording %u CPUs needs %llu open files, and the limit is %llu: raise it (ulimit -n)",
			 rec->nr_cpus,
			 (unsigned long long)open_files_needed(rec->nr_cpus, OPEN_FILES_RINGS),
			 (unsigned long long)highest);
	return rec->files;
}

static void complain_directory(const char *dir, int error)
{
	if (error == ENOENT)
		complain_no_device(dir, rbmap_version());
	else
		complain("cannot read %s: %s", dir, strerror(error));
}

struct recorder *recorder_open(const char *dir_name)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	struct dirent *entry;
	bool ok = rec;
	int cpu, error;
	DIR *dir;

	if (rec) {
		rec->dir = dir_name;
		rec->clock = -1;
		rec->new_clock = -1;
		rec->watch = -1;
	}
	dir = opendir(dir_name);
	error = errno;
	if (!dir || !rec) {
		if (dir)
			complain("out of memory");
		else if (control_present())
			complain_directory(dir_name, error);
		ok = false;
	}
	while (ok && (entry = readdir(dir))) {
		cpu = control_cpu_of(entry->d_name);
		if (cpu >= (int)rec->nr_cpus)
			rec->nr_cpus = cpu + 1;
	}
	ok = ok && alloc_cpus(rec);
	ok = ok && allow_files(rec);
	for (cpu = 0; ok && cpu < (int)rec->nr_cpus; cpu++)
		ok = map_cpu(rec, cpu);
	if (ok && !rec->page_size) {
		if (!strcmp(dir_name, control_snapshot_devices()))
			complain("no snapshot exists: 'rbmap snapshot%s%s' takes one",
				 control_buffer() ? " -B " : "",
				 control_buffer() ? control_buffer() : "");
		else
			complain("%s contains no ring: see the kernel log (dmesg | grep rbmap)",
				 dir_name);
		ok = false;
	}
	if (dir)
		closedir(dir);
	if (!ok && rec) {
		recorder_close(rec);
		rec = NULL;
	}
	return rec;
}

static void close_files(struct cpu_recorder *c)
{
	rbmap_close(c->map);
	c->map = NULL;
	if (c->pipe_size) {
		close(c->pipe[0]);
		close(c->pipe[1]);
	}
	c->pipe_size = 0;
}

void cpu_recorder_close(struct cpu_recorder *c)
{
	close_files(c);
	cmdlines_free(c->cmdlines);
}

void recorder_close_files(struct recorder *rec)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		close_files(&rec->cpu[i]);
}

bool recorder_can_open_names(const struct recorder *rec)
{
	return rec->files == OPEN_FILES_ALL;
}

void recorder_close(struct recorder *rec)
{
	for (unsigned int i = 0; rec->cpu && i < rec->nr_cpus; i++)
		cpu_recorder_close(&rec->cpu[i]);
	if (rec->watch >= 0)
		close(rec->watch);
	free(rec->cpu);
	free(rec->unopened);
	free(rec);
}

unsigned int recorder_nr_cpus(const struct recorder *rec)
{
	return rec->nr_cpus;
}

unsigned int recorder_max_cpus(const struct recorder *rec)
{
	return rec->max_cpus;
}

bool recorder_has_cpu(const struct recorder *rec, unsigned int cpu)
{
	return cpu < rec->nr_cpus && rec->cpu[cpu].map;
}

int recorder_clock(const struct recorder *rec)
{
	for (unsigned int i = 0; i < rec->nr_cpus; i++)
		if (rec->cpu[i].map)
			return rbmap_clock(rec->cpu[i].map);
	return -1;
}

size_t recorder_page_size(const struct recorder *rec)
{
	return rec->page_size;
}
