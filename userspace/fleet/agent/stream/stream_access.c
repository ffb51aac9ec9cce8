// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernel/control.h"
#include "message/stream/stream.h"
#include "stream_access.h"

#define DEVICES		"/dev/rbmap"

static bool is_default(const char *buffer)
{
	return !strcmp(buffer, STREAM_DEFAULT_BUFFER);
}

static void devices_of(const char *buffer, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, DEVICES "%s%s", is_default(buffer) ? "" : "/",
		 is_default(buffer) ? "" : buffer);
}

static void control_of(const char *buffer, char path[PATH_MAX])
{
	/* control_dir() is that of the thread that sends. */
	snprintf(path, PATH_MAX, "%s%s%s", control_root(),
		 is_default(buffer) ? "" : "/instances/", is_default(buffer) ? "" : buffer);
}

/* systemd hides the devices of the module from a service with PrivateDevices=yes. */
static bool are_hidden(void)
{
	return access(DEVICES, F_OK) && !access(control_root(), F_OK);
}

static int list(const char *buffer, int *cpus, int most)
{
	struct dirent *entry;
	char path[PATH_MAX];
	int nr = 0, cpu, len;
	DIR *dir;

	devices_of(buffer, path);
	dir = opendir(path);
	if (!dir && errno == ENOENT && are_hidden())
		return -EPERM;
	if (!dir)
		return errno == ENOENT && is_default(buffer) ? RBMAP_ERR_NOT_LOADED : -errno;
	while (nr < most && (entry = readdir(dir))) {
		len = 0;
		if (sscanf(entry->d_name, "cpu%d%n", &cpu, &len) == 1 && !entry->d_name[len] &&
		    cpu >= 0 && cpu < STREAM_CPUS_MAX)
			cpus[nr++] = cpu;
	}
	closedir(dir);
	return nr;
}

static int open_ring(struct rbmap_map **map, const char *buffer, int cpu)
{
	char path[PATH_MAX];
	size_t len;

	devices_of(buffer, path);
	len = strlen(path);
	snprintf(path + len, sizeof(path) - len, "/cpu%d", cpu);
	return rbmap_observe_path(map, path, 0);
}

static int moment(struct rbmap_moment *m, const char *buffer, int clock)
{
	char path[PATH_MAX];

	control_of(buffer, path);
	return rbmap_moment_now(m, clock, path);
}

static int format(struct buf *text, char system[SYSTEM_NAME_SIZE], const char *buffer,
		  unsigned int id)
{
	static struct rbmap_formats *formats;
	const struct rbmap_format *f;
	char path[PATH_MAX];
	size_t len;
	int ret = formats ? 0 : rbmap_formats_new(&formats);

	control_of(buffer, path);
	len = strlen(path);
	f = ret ? NULL : rbmap_formats_by_id(formats, id);
	if (!ret && !f) {
		snprintf(path + len, sizeof(path) - len, "/events");
		ret = rbmap_formats_load(formats, path);
		f = ret < 0 ? NULL : rbmap_formats_by_id(formats, id);
	}
	if (!f)
		return ret < 0 ? ret : -ENOENT;
	snprintf(system, SYSTEM_NAME_SIZE, "%.63s", f->system);
	snprintf(path + len, sizeof(path) - len, "/events/%s/%s/format", f->system, f->name);
	return buf_read_file(text, path);
}

const struct stream_access stream_access_kernel = {
	.list = list, .open = open_ring, .moment = moment, .format = format,
};
