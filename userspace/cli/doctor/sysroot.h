/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Linux system below a directory (the running one or another): its files and
 * its kernels.
 */
#ifndef RBMAP_DOCTOR_SYSROOT_H
#define RBMAP_DOCTOR_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct sysroot {
	const char *root;	/* "": the running system; no slash at its end */
	char release[128];	/* the examined kernel */
	bool runs;		/* it is the running kernel, so /proc and /sys describe it */
	char **kernel;		/* kernels that have modules, the newest last */
	size_t nr_kernels;
	struct buf config;	/* configuration of the examined kernel; empty: unknown */
};

/*
 * Open a system. If @release is NULL, examine the running kernel, or the newest
 * one if none of the system's kernels runs. On failure, report the error and
 * return false.
 */
bool sysroot_open(struct sysroot *m, const char *root, const char *release);
void sysroot_close(struct sysroot *m);

/*
 * Return the path of a file in the system. The fourth call after this one
 * overwrites the result.
 */
const char *sysroot_path(const struct sysroot *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool sysroot_has(const struct sysroot *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Return the first line of a file, or NULL. The caller frees it. */
char *sysroot_line(const struct sysroot *m, const char *file);

/*
 * Read a file. Each line begins with a newline in @lines, and a 0 follows the
 * last line.
 */
bool sysroot_read_lines(struct buf *lines, const char *path);

/*
 * Return the directory of the examined kernel's headers, or NULL. The caller
 * frees it.
 */
char *sysroot_headers(const struct sysroot *m);

/* Return whether CONFIG_@option is "y" or "m" in the examined kernel. */
bool sysroot_config(const struct sysroot *m, const char *option);
/*
 * Return the value of CONFIG_@option without quotes, or NULL. The caller frees
 * it.
 */
char *sysroot_config_text(const struct sysroot *m, const char *option);

#endif /* RBMAP_DOCTOR_SYSROOT_H */
