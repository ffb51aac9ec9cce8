// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "setup_steps.h"

/*
 * The group of the directory is the one of hosts, collector and administrator. Files keep
 * that group (2000), and only their owners can remove them from "all" (1000).
 */
static const struct {
	const char *name;
	mode_t mode;
} folders[] = {
	{ "collector",	02770 },
	{ "host",	02770 },
	{ "all",	03770 },
};

static int make_folder(int base, const char *directory, const char *name, mode_t mode)
{
	if (mkdirat(base, name, 0700)) {
		struct stat st;

		if (errno == EEXIST && !fstatat(base, name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISDIR(st.st_mode))
			return STATUS_OK;
		complain("cannot make the folder %s/%s: %s", directory, name, strerror(errno));
		return STATUS_ERROR;
	}
	if (!fchmodat(base, name, mode, 0))
		return STATUS_OK;
	complain("cannot set the mode of %s/%s: %s", directory, name, strerror(errno));
	return STATUS_ERROR;
}

int setup_folders(const char *directory)
{
	int base, status = STATUS_OK;

	if (*directory != '/') {
		complain("the directory must begin with a slash: 'dir:%s'", directory);
		return STATUS_USAGE;
	}
	base = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base < 0) {
		complain("cannot open %s: %s; make it, or mount it, first", directory,
			 strerror(errno));
		return STATUS_ERROR;
	}
	for (size_t i = 0; !status && i < sizeof(folders) / sizeof(*folders); i++)
		status = make_folder(base, directory, folders[i].name, folders[i].mode);
	if (!status && fsync(base)) {
		complain("cannot write %s: %s", directory, strerror(errno));
		status = STATUS_ERROR;
	}
	close(base);
	if (!status)
		printf("made collector, host and all in %s; the URL is dir:%s\n", directory,
		       directory);
	return status;
}
