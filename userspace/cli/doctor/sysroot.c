// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/complain.h"
#include "sysroot.h"

#define NR_PATHS	4

static const char *vpath(const struct sysroot *m, const char *fmt, va_list ap)
{
	static char path[NR_PATHS][PATH_MAX];
	static unsigned int next;
	char *p = path[next++ % NR_PATHS];
	int len = snprintf(p, PATH_MAX, "%s", m->root);

	if (len < PATH_MAX)
		vsnprintf(p + len, PATH_MAX - len, fmt, ap);
	return p;
}

const char *sysroot_path(const struct sysroot *m, const char *fmt, ...)
{
	const char *path;
	va_list ap;

	va_start(ap, fmt);
	path = vpath(m, fmt, ap);
	va_end(ap);
	return path;
}

bool sysroot_has(const struct sysroot *m, const char *fmt, ...)
{
	const char *path;
	va_list ap;

	va_start(ap, fmt);
	path = vpath(m, fmt, ap);
	va_end(ap);
	return !access(path, F_OK);
}

char *sysroot_line(const struct sysroot *m, const char *file)
{
	struct buf b = { 0 };
	char *line = NULL;

	if (!buf_read_file(&b, sysroot_path(m, "%s", file)))
		line = strndup(b.size ? b.data : "",
			       b.size ? strcspn(b.data, "\n") : 0);
	buf_free(&b);
	return line;
}

bool sysroot_read_lines(struct buf *lines, const char *path)
{
	buf_add(lines, "\n", 1);
	if (buf_read_file(lines, path) || lines->size == 1)
		buf_free(lines);
	else
		buf_add(lines, "", 1);
	if (lines->failed)
		buf_free(lines);
	return lines->size;
}

/* Return the text after "\nCONFIG_option=", or NULL. */
static const char *config_value(const struct sysroot *m, const char *option)
{
	char key[128];
	const char *at;

	if (!m->config.size)
		return NULL;
	snprintf(key, sizeof(key), "\nCONFIG_%s=", option);
	at = strstr(m->config.data, key);
	return at ? at + strlen(key) : NULL;
}

bool sysroot_config(const struct sysroot *m, const char *option)
{
	const char *value = config_value(m, option);

	return value && (*value == 'y' || *value == 'm');
}

char *sysroot_config_text(const struct sysroot *m, const char *option)
{
	const char *value = config_value(m, option);

	if (!value || *value++ != '"')
		return NULL;
	return strndup(value, strcspn(value, "\"\n"));
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Ignore directories that only hold leftovers, such as those of DKMS. */
static bool is_kernel(const struct sysroot *m, const char *name)
{
	return *name != '.' &&
	       (sysroot_has(m, "/lib/modules/%s/kernel", name) ||
		sysroot_has(m, "/lib/modules/%s/modules.builtin", name));
}

static bool read_kernels(struct sysroot *m)
{
	DIR *dir = opendir(sysroot_path(m, "/lib/modules"));
	struct dirent *entry;
	bool ok = true;

	while (ok && dir && (entry = readdir(dir))) {
		if (!is_kernel(m, entry->d_name))
			continue;
		ok = array_grow(m->kernel, m->nr_kernels);
		if (!ok)
			break;
		m->kernel[m->nr_kernels] = strdup(entry->d_name);
		ok = m->kernel[m->nr_kernels];
		m->nr_kernels += ok;
	}
	if (dir)
		closedir(dir);
	if (!ok)
		complain("out of memory");
	else if (m->nr_kernels)
		qsort(m->kernel, m->nr_kernels, sizeof(*m->kernel), by_version);
	return ok;
}

/* The link is relative to the root of the examined system, not to ours. */
char *sysroot_headers(const struct sysroot *m)
{
	char target[PATH_MAX];
	const char *link;
	ssize_t len;
	char *dir;

	link = sysroot_path(m, "/lib/modules/%s/build", m->release);
	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0) {
		dir = strdup(link);
	} else {
		target[len] = '\0';
		dir = strdup(*target == '/' ? sysroot_path(m, "%s", target) :
			     sysroot_path(m, "/lib/modules/%s/%s", m->release,
					  target));
	}
	if (dir && access(dir, F_OK)) {
		free(dir);
		dir = NULL;
	}
	return dir;
}

static void find_config(struct sysroot *m)
{
	char *headers = sysroot_headers(m), path[PATH_MAX];

	if (!sysroot_read_lines(&m->config, sysroot_path(m, "/boot/config-%s",
							 m->release)) &&
	    !sysroot_read_lines(&m->config,
				sysroot_path(m, "/lib/modules/%s/config",
					     m->release)) && headers) {
		snprintf(path, sizeof(path), "%s/.config", headers);
		sysroot_read_lines(&m->config, path);
	}
	free(headers);
}

static bool choose_release(struct sysroot *m, const char *release)
{
	char *running = sysroot_line(m, "/proc/sys/kernel/osrelease");
	const char *chosen = release;

	if (!chosen)
		chosen = running;
	if (!chosen && m->nr_kernels)
		chosen = m->kernel[m->nr_kernels - 1];
	if (chosen)
		snprintf(m->release, sizeof(m->release), "%s", chosen);
	else
		complain("no kernel is installed in %s: give the root directory of a system",
			 sysroot_path(m, "/lib/modules"));
	m->runs = chosen && running && !strcmp(chosen, running);
	free(running);
	return chosen;
}

bool sysroot_open(struct sysroot *m, const char *root, const char *release)
{
	*m = (struct sysroot){ .root = root };
	if (access(sysroot_path(m, "/"), X_OK)) {
		complain("cannot look into %s: %s", root, strerror(errno));
		return false;
	}
	if (!read_kernels(m) || !choose_release(m, release)) {
		sysroot_close(m);
		return false;
	}
	find_config(m);
	return true;
}

void sysroot_close(struct sysroot *m)
{
	for (size_t i = 0; i < m->nr_kernels; i++)
		free(m->kernel[i]);
	free(m->kernel);
	buf_free(&m->config);
}
