// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_reader.h"

#define NO_NAME	"/dev/null/none"	/* no file can have this name */

const char *dat_strerror(int error)
{
	static const char subject[] = "the file ";
	const char *text;

	switch (error) {
	case DAT_ERR_COMPLETE:
		return "was finished by its recorder: there is nothing to recover";
	case DAT_ERR_BUSY:
		return "is still being written: end its recorder first";
	}
	text = rbmap_strerror(error);
	return strncmp(text, subject, strlen(subject)) ? text : text + strlen(subject);
}

/* @path is NULL if the file has no name; no files of CPUs are beside it then. */
static int read_file(struct dat_reader **reader, int fd, const char *path)
{
	struct dat_reader *r = calloc(1, sizeof(*r));
	struct stat st;
	int ret;

	if (!r) {
		close(fd);
		return -ENOMEM;
	}
	r->fd = fd;
	if (fstat(r->fd, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		ret = DAT_ERR_NO_RECORDING;
	else if (!(r->path = path ? realpath(path, NULL) : strdup(NO_NAME)))
		ret = -errno;
	else {
		r->file_size = st.st_size;
		r->end = r->file_size;
		ret = dat_read_headers(r);
		if (!ret)
			ret = dat_find_data(r);
		r->damage_of_heads = r->damage;
	}
	if (ret) {
		dat_close(r);
		return ret;
	}
	*reader = r;
	return 0;
}

int dat_open(struct dat_reader **reader, const char *path)
{
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : read_file(reader, fd, path);
}

int dat_open_fd(struct dat_reader **reader, int fd)
{
	return read_file(reader, fd, NULL);
}

static void free_cpu(struct dat_cpu_reader *c)
{
	dat_close_chunks(c->chunks);
	free(c->page);
	if (c->spool >= 0)
		close(c->spool);
}

void dat_close(struct dat_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	for (size_t i = 0; i < r->nr_formats; i++)
		free(r->format[i].text);
	for (size_t i = 0; i < r->nr_systems; i++)
		free(r->system[i]);
	for (uint32_t i = 0; r->cpu && i < r->nr_cpus; i++)
		free_cpu(&r->cpu[i]);
	free(r->format);
	free(r->system);
	free(r->kallsyms.text);
	free(r->cmdlines.text);
	free(r->clock);
	free(r->uname);
	free(r->section);
	free(r->path);
	free(r->cpu);
	free(r->heap);
	free(r);
}

int dat_fd(const struct dat_reader *r)
{
	return r->fd;
}

size_t dat_formats(const struct dat_reader *r, const struct dat_text **formats)
{
	*formats = r->format;
	return r->nr_formats;
}

const struct dat_text *dat_kallsyms(const struct dat_reader *r)
{
	return &r->kallsyms;
}

const struct dat_text *dat_cmdlines(const struct dat_reader *r)
{
	return &r->cmdlines;
}

const char *dat_clock(const struct dat_reader *r)
{
	return r->clock;
}

const char *dat_uname(const struct dat_reader *r)
{
	return r->uname;
}

const struct dat_times *dat_times(const struct dat_reader *r)
{
	return &r->times;
}

unsigned int dat_cpus(const struct dat_reader *r)
{
	return r->nr_cpus;
}

void dat_damage(const struct dat_reader *r, struct dat_damage *damage)
{
	*damage = r->damage;
}

double dat_done(const struct dat_reader *r)
{
	double at = 0, limit = 0;

	for (unsigned int i = 0; i < r->nr_cpus; i++) {
		at += r->cpu[i].at;
		limit += r->cpu[i].limit;
	}
	return limit ? at / limit : 1;
}

uint64_t dat_lost_last(const struct dat_reader *r, unsigned int cpu)
{
	return r->cpu[cpu].lost;
}
