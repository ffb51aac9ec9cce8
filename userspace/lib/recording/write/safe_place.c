// SPDX-License-Identifier: LGPL-2.1-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "safe_place.h"

#define LINKS_MAX	40	/* as the kernel */
#define TRIES		100

/* A walk: an open directory, and the path from there on */
struct walk {
	int dir;
	char *path;
	const char *rest;	/* in path */
	unsigned int links;
};

bool others_can_write(const struct stat *directory)
{
	return directory->st_mode & (S_IWGRP | S_IWOTH) ||
	       (directory->st_uid && directory->st_uid != geteuid());
}

/* Go to a directory. */
static int enter(struct walk *w, const char *name)
{
	int dir = openat(w->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC |
			 (strcmp(name, "/") ? O_NOFOLLOW : 0));

	if (dir < 0)
		return -errno;
	if (w->dir >= 0)
		close(w->dir);
	w->dir = dir;
	return 0;
}

/* Return 0 if the link may be followed. In a sticky directory only its owner replaces it. */
static int check_link(const struct walk *w, const struct stat *link, bool last)
{
	struct stat directory;

	if (fstat(w->dir, &directory))
		return -errno;
	if (!others_can_write(&directory))
		return 0;
	if (!last && directory.st_mode & S_ISVTX &&
	    (!link->st_uid || link->st_uid == geteuid()))
		return 0;
	return -ELOOP;
}

/* Put the target of a link before the rest. */
static int follow(struct walk *w, const char *name, const struct stat *link, const char *rest)
{
	char target[PATH_MAX], *path;
	int ret = check_link(w, link, !*rest);
	struct stat st;
	ssize_t size;

	if (ret)
		return ret;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if (!*rest && !fstatat(w->dir, name, &st, 0) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -ESPIPE;
	size = readlinkat(w->dir, name, target, sizeof(target) - 1);
	if (size < 0)
		return -errno;
	target[size] = '\0';
	if (asprintf(&path, "%s%s%s", target, *rest ? "/" : "", rest) < 0)
		return -ENOMEM;
	free(w->path);
	w->path = path;
	w->rest = path;
	return *target == '/' ? enter(w, "/") : 0;
}

/* Take one step. Return 1 if @name is the last part, and not a link. */
static int step(struct walk *w, char *name)
{
	const char *at = w->rest + strspn(w->rest, "/");
	size_t size = strcspn(at, "/");
	const char *rest = at + size + strspn(at + size, "/");
	struct stat st;

	if (size > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, at, size);
	name[size] = '\0';
	if (!size)
		return 1;
	if (!fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): LLVM 14 overlooks that w keeps it */
		return follow(w, name, &st, rest);
	if (!*rest)
		return 1;
	w->rest = rest;
	return enter(w, name);
}

int safe_place_find(struct dat_place *p, const char *path)
{
	struct walk w = { .dir = -1, .path = strdup(path) };
	char name[NAME_MAX + 1] = "";
	int ret;

	*p = DAT_NO_PLACE;
	w.rest = w.path;
	if (!w.rest)
		return -ENOMEM;
	if (!*path)
		ret = -ENOENT;
	else if (*path == '/')
		ret = enter(&w, "/");
	else
		ret = (w.dir = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0 ? -errno : 0;
	while (!ret)
		ret = step(&w, name);
	free(w.path);
	if (ret == 1) {
		p->dir = w.dir;
		p->name = strdup(*name ? name : ".");
		if (p->name)
			return 0;
		ret = -ENOMEM;
	}
	if (w.dir >= 0)
		close(w.dir);
	*p = DAT_NO_PLACE;
	return ret;
}

/* Six letters and digits, as mkstemp() has them */
static int print_name(const struct dat_place *p, char **name)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned char bytes[6];
	char text[sizeof(bytes) + 1] = "";

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		text[i] = chars[bytes[i] % (sizeof(chars) - 1)];
	return asprintf(name, "%s.%s", p->name, text) < 0 ? -ENOMEM : 0;
}

int safe_place_temporary(const struct dat_place *p, char **name)
{
	int fd = -EEXIST;

	*name = NULL;
	for (int i = 0; i < TRIES && fd == -EEXIST; i++) {
		free(*name);
		*name = NULL;
		fd = print_name(p, name);
		if (fd)
			break;
		fd = openat(p->dir, *name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			fd = -errno;
	}
	if (fd < 0) {
		free(*name);
		*name = NULL;
	}
	return fd;
}
