/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Linux system below a directory, the one that runs or another: its files and
 * its kernels.
 */
#ifndef RBMAP_CLI_SYSROOT_H
#define RBMAP_CLI_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"

struct sysroot {
	const char *root;	/* "": this one; else without a slash at its end */
	char release[128];	/* of the kernel in question */
	bool runs;		/* that kernel, and /proc and /sys tell of it */
	char **kernel;		/* that have modules, the newest last */
	size_t nr_kernels;
	struct buf config;	/* of the kernel in question; none: not known */
};

/* @release: NULL: the one that runs, else the newest.  Complains if it fails. */
bool sysroot_open(struct sysroot *m, const char *root, const char *release);
void sysroot_close(struct sysroot *m);

/* A file of it; the result is good until the next call but three. */
const char *sysroot_path(const struct sysroot *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool sysroot_has(const struct sysroot *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The first line of a file; to be freed, NULL without one. */
char *sysroot_line(const struct sysroot *m, const char *file);

/* A file, in which each line begins with a newline, and a 0 behind it. */
bool sysroot_read_lines(struct buf *lines, const char *path);

/* Where the headers of the kernel in question are; to be freed, NULL: nowhere. */
char *sysroot_headers(const struct sysroot *m);

/* Is CONFIG_@option set ("y" or "m") in the kernel's configuration? */
bool sysroot_config(const struct sysroot *m, const char *option);
/* Its text, without quotes; to be freed, NULL if there is none. */
char *sysroot_config_text(const struct sysroot *m, const char *option);

#endif /* RBMAP_CLI_SYSROOT_H */
