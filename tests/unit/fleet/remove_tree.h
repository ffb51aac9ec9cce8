/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a test that has a folder of its own */
#ifndef REMOVE_TREE_H
#define REMOVE_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Remove a folder and all that is in it. Return 0 if that succeeds. */
static int remove_tree(const char *path)
{
	return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif /* REMOVE_TREE_H */
