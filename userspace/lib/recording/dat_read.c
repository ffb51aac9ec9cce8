// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_reader.h"

const char *dat_strerror(int error)
{
	static const char subject[] = "the file ";
	const char *text;

	switch (error) {
	case DAT_ERR_COMPLETE:
		return "was finished by its recorder: there is nothing to recover";
	case DAT_ERR_BUSY:
		return "is still being written: end its recorder first";
	case -ESTALE:
		return "was replaced by another file meanwhile";
	}
	text = rbmap_strerror(error);
	return strncmp(text, subject, strlen(subject)) ? text : text + strlen(subject);
}

/* Close @fd, and free @place, also after an error. */
static int read_file(struct rbmap_recording **reader, int fd, struct dat_place *place,
		     bool symbols, bool shares_lock)
{
	struct rbmap_recording *r = calloc(1, sizeof(*r));
	struct stat st;
	int ret;

	if (!r) {
		close(fd);
		dat_place_free(place);
		return -ENOMEM;
	}
	r->fd = fd;
	r->place = *place;
	r->skips_symbols = !symbols;
	r->shares_lock = shares_lock;
	if (fstat(r->fd, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		ret = RBMAP_ERR_NO_RECORDING;
	else {
		r->file_size = st.st_size;
		r->end = r->file_size;
		ret = dat_read_headers(r);
		if (!ret)
			ret = dat_missed_assign(r);
		if (!ret)
			ret = dat_find_data(r);
		r->damage_of_heads = r->damage;
	}
	if (ret) {
		rbmap_recording_close(r);
		return ret;
	}
	*reader = r;
	return 0;
}

int dat_open(struct rbmap_recording **reader, const char *path)
{
	struct dat_place place;
	int fd, ret;

	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	ret = dat_place_of(&place, path);
	/* A file without a name, or with another one since, has no files beside it. */
	if (ret || !dat_place_has(&place, fd))
		dat_place_free(&place);
	return read_file(reader, fd, &place, true, false);
}

int dat_open_fd(struct rbmap_recording **reader, int fd)
{
	struct dat_place none = DAT_NO_PLACE;

	return read_file(reader, fd, &none, true, false);
}

int dat_open_at(struct rbmap_recording **reader, int fd, const struct dat_place *place,
		bool symbols)
{
	struct dat_place copy;
	int ret = dat_place_copy(&copy, place);

	fd = ret ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (ret)
		return ret;
	if (fd < 0) {
		ret = -errno;
		dat_place_free(&copy);
		return ret;
	}
	return read_file(reader, fd, &copy, symbols, true);
}

static void free_cpu(struct dat_cpu_reader *c)
{
	dat_close_chunks(c->chunks);
	free(c->pages);
	if (c->spool >= 0)
		close(c->spool);
}

RBMAP_API void rbmap_recording_close(struct rbmap_recording *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	for (size_t i = 0; i < r->nr_formats; i++)
		free(r->format[i].text);
	for (size_t i = 0; i < r->nr_systems; i++)
		free(r->system[i]);
	for (uint32_t i = 0; i < r->nr_streams; i++)
		free_cpu(&r->cpu[i]);
	for (uint32_t i = 0; i < r->nr_buffers; i++) {
		free(r->buffer[i].name);
		dat_missed_free(&r->buffer[i].missed);
	}
	for (unsigned int i = 0; i < r->nr_missed; i++)
		dat_missed_free(&r->missed[i]);
	dat_correction_free(&r->correction);
	free(r->buffer);
	free(r->printk.text);
	free(r->format);
	free(r->system);
	free(r->kallsyms.text);
	free(r->cmdlines.text);
	free(r->clock);
	free(r->uname);
	free(r->missed);
	dat_cgroups_free(r->cgroups);
	dat_devices_free(r->devices);
	dat_hosts_free(r->hosts);
	free(r->section);
	dat_place_free(&r->place);
	free(r->cpu);
	free(r->heap);
	rbmap_formats_free(r->formats);
	free(r->comm);
	free(r);
}

int dat_fd(const struct rbmap_recording *r)
{
	return r->fd;
}

RBMAP_API const char *rbmap_recording_clock(const struct rbmap_recording *r)
{
	/* trace-cmd's name of cycles that become ns */
	return r->correction.mult ? "tsc2nsec" : r->clock;
}

RBMAP_API int rbmap_recording_is_dated(const struct rbmap_recording *r)
{
	return r->correction.is_dated;
}

bool dat_is_corrected(const struct rbmap_recording *r)
{
	return dat_correction_is_any(&r->correction);
}

RBMAP_API uint64_t rbmap_recording_correct(const struct rbmap_recording *r, unsigned int cpu,
					   uint64_t ts)
{
	return dat_correct(&r->correction, cpu, ts);
}

RBMAP_API const char *rbmap_recording_uname(const struct rbmap_recording *r)
{
	return r->uname;
}

RBMAP_API unsigned int rbmap_recording_cpus(const struct rbmap_recording *r)
{
	return r->nr_cpus;
}

RBMAP_API const struct rbmap_damage *rbmap_recording_damage(struct rbmap_recording *r)
{
	r->reported_damage = r->damage;
	return &r->reported_damage;
}

RBMAP_API double rbmap_recording_done(const struct rbmap_recording *r)
{
	double at = 0, limit = 0;

	for (unsigned int i = 0; i < r->nr_streams; i++) {
		if (!r->buffer[r->cpu[i].buffer].chosen)
			continue;
		at += r->cpu[i].at;
		limit += r->cpu[i].limit;
	}
	return limit ? at / limit : 1;
}
