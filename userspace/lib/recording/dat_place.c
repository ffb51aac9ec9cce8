// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dat_place.h"

int dat_place_of(struct dat_place *p, const char *path)
{
	char *real = realpath(path, NULL), *slash;
	int ret;

	*p = DAT_NO_PLACE;
	if (!real)
		return -errno;
	slash = strrchr(real, '/');
	p->name = strdup(slash + 1);
	*slash = '\0';
	p->dir = open(*real ? real : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret = p->dir < 0 ? -errno : p->name ? 0 : -ENOMEM;
	free(real);
	if (ret)
		dat_place_free(p);
	return ret;
}

int dat_place_copy(struct dat_place *p, const struct dat_place *of)
{
	*p = DAT_NO_PLACE;
	if (of->dir < 0)
		return 0;
	p->dir = fcntl(of->dir, F_DUPFD_CLOEXEC, 0);
	if (p->dir < 0)
		return -errno;
	p->name = strdup(of->name);
	if (p->name)
		return 0;
	dat_place_free(p);
	return -ENOMEM;
}

void dat_place_free(struct dat_place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	free(p->name);
	*p = DAT_NO_PLACE;
}

bool dat_place_has(const struct dat_place *p, int fd)
{
	struct stat here, open;

	return p->dir >= 0 && !fstatat(p->dir, p->name, &here, AT_SYMLINK_NOFOLLOW) &&
	       !fstat(fd, &open) && here.st_dev == open.st_dev && here.st_ino == open.st_ino;
}
