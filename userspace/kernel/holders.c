// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "holders.h"

/* The link of a snapshot's file does not name the buffer. */
#define SNAPSHOT	"anon_inode:[rbmap-snapshot]"

static bool is_device(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return (!strncmp(path, dir, len) && path[len] == '/') ||
	       !strncmp(path, SNAPSHOT, strlen(SNAPSHOT));
}

static bool has_open_file(const char *pid, const char *devices)
{
	char dir[300], path[600], target[256];
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%s/fd", pid);
	d = opendir(dir);
	while (d && !found && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		if (len > 0) {
			target[len] = '\0';
			found = is_device(target, devices);
		}
	}
	if (d)
		closedir(d);
	return found;
}

/* A map stays after its file is closed. */
static bool has_map(const char *pid, const char *devices)
{
	char path[300], *line = NULL, *name;
	bool found = false;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0) {
		name = strstr(line, SNAPSHOT);
		if (!name)
			name = strchr(line, '/');
		found = name && is_device(name, devices);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

void holders_add_comm(struct buf *who, const char *pid)
{
	char path[300];
	struct buf b = { 0 };

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	/* The name ends with a newline, and may contain others. */
	if (!buf_read_file(&b, path) && b.size > 1)
		buf_add_printable(who, b.data, b.size - 1);
	else
		buf_add(who, "?", 1);
	buf_free(&b);
}

static void add_name(struct buf *who, const char *pid)
{
	if (who->size)
		buf_add(who, ", ", 2);
	holders_add_comm(who, pid);
	buf_printf(who, " (pid %s)", pid);
}

void holders_find(struct buf *who, const char *dir)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    atoi(entry->d_name) != getpid() &&
		    (has_open_file(entry->d_name, dir) ||
		     has_map(entry->d_name, dir)))
			add_name(who, entry->d_name);
	if (proc)
		closedir(proc);
}

void holders_find_modules(struct buf *who)
{
	DIR *dir = opendir("/sys/module/rbmap/holders");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			buf_printf(who, "%smodule %s", who->size ? ", " : "",
				   entry->d_name);
	if (dir)
		closedir(dir);
}

static void add_mount(const char *path, void *data)
{
	struct buf *who = data;

	buf_printf(who, "%sdirectory ", who->size ? ", " : "");
	buf_add_printable(who, path, strlen(path));
}

void holders_find_mounts(struct buf *who)
{
	mounts_each(MOUNTS_TYPE, add_mount, who);
}

void mounts_each(const char *type, void (*see)(const char *path, void *data), void *data)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	/* The kernel writes a blank of a path as four characters. */
	static char line[4 * PATH_MAX + 1024];
	struct mntent entry;

	while (mounts && getmntent_r(mounts, &entry, line, sizeof(line)))
		if (!strcmp(entry.mnt_type, type))
			see(entry.mnt_dir, data);
	if (mounts)
		endmntent(mounts);
}
