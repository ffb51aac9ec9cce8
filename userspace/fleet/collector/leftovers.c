// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/index/incidents.h"
#include "upkeep.h"

#define SUFFIX	".part"

static const char is_known[] =
	"SELECT 1 FROM incident JOIN host ON host.id = incident.host"
	" JOIN incoming ON incoming.incident = incident.id"
	" WHERE host.name = ?1 AND incident.name = ?2";

static void check_file(struct collector *c, int dir, const char *host, const char *file)
{
	size_t len = strlen(file), suffix = strlen(SUFFIX);
	char name[SOURCE_NAME_SIZE];

	if (len <= suffix || len - suffix >= sizeof(name) || strcmp(file + len - suffix, SUFFIX))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(len - suffix), file);
	if (!index_number(&c->index, 0, is_known, "ss", host, name) && !c->index.code)
		unlinkat(dir, file, 0);
}

static DIR *open_at(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static void check_host(struct collector *c, const char *host)
{
	DIR *dir = open_at(c->files.incoming, host);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		check_file(c, dirfd(dir), host, entry->d_name);
	if (dir)
		closedir(dir);
}

void leftovers_remove(struct collector *c)
{
	DIR *dir = open_at(c->files.incoming, ".");
	struct dirent *entry;

	index_clear(&c->index);
	while (dir && (entry = readdir(dir)))
		if (is_host_name(entry->d_name))
			check_host(c, entry->d_name);
	if (dir)
		closedir(dir);
}
