/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory for each test, which is removed after it */
#ifndef CLI_DIRECTORY_H
#define CLI_DIRECTORY_H

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/rbmap-test.XXXXXX";

/* Return the path of a file there, until the next call. */
static inline const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	DIR *list = opendir(dir);
	struct dirent *entry;

	(void)state;
	while ((entry = readdir(list)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	return rmdir(dir);
}

#endif /* CLI_DIRECTORY_H */
