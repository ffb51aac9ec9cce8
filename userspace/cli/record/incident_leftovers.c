// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "incident_leftovers.h"
#include "recording/assemble/dat_assemble.h"
#include "recording/dat_read.h"
#include "recording/write/incident_files.h"

/* The end of a temporary name: see dat_output_create() */
#define TEMPORARY	".[0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z]"

static bool is_temporary(const char *name)
{
	return !fnmatch(INCIDENT_NAME_PATTERN TEMPORARY, name, 0);
}

static int is_leftover(const struct dirent *entry)
{
	return !fnmatch(INCIDENT_NAME_PATTERN, entry->d_name, 0) ||
	       is_temporary(entry->d_name);
}

/*
 * Remove a file with a temporary name that is not a recording, if that loses nothing. A
 * half-written copy has the name, too: dat_compress() was writing it, and will copy the
 * recording @path again. A recorder without headers has not written any event.
 */
static bool is_useless(const char *dir, const char *name, const char *path)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool useless = fd >= 0 && (!access(path, F_OK) || !incident_files_data(fd, name)) &&
		       !incident_files_remove(fd, name);

	if (fd >= 0)
		close(fd);
	return useless;
}

static void tell_error(const char *dir, const char *name, int error)
{
	if (error < DAT_ERR_LAST)
		complain("note: %s/%s, which a recorder has left, %s: remove it", dir, name,
			 dat_strerror(error));
	else
		complain("note: cannot complete %s/%s, which a recorder has left: %s", dir, name,
			 dat_strerror(error));
}

static void complete(const char *dir, const char *name, struct assembly *assembly)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	if (is_temporary(name)) {
		strcpy(temporary, path);
		*strrchr(path, '.') = '\0';
		fd = dat_adopt(temporary, path);
		if (fd < DAT_ERR_LAST && fd != DAT_ERR_BUSY && is_useless(dir, name, path))
			return;
	} else {
		fd = dat_lock(path);
	}
	if (fd == DAT_ERR_COMPLETE)
		return;
	if (fd < 0) {
		tell_error(dir, name, fd);
		return;
	}
	complain("note: %s has what a recorder had written when it ended", path);
	/* Another kernel may have run then, with its functions at other addresses. */
	assembly_add(assembly, path, fd, false);
}

void incident_leftovers_complete(const char *dir, struct assembly *assembly)
{
	struct dirent **list;
	int nr = scandir(dir, &list, is_leftover, alphasort);

	for (int i = 0; i < nr; i++) {
		complete(dir, list[i]->d_name, assembly);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
	else
		complain("cannot read %s: %s", dir, strerror(errno));
}
