/* SPDX-License-Identifier: GPL-2.0-only */
/* rbmap record --rotate: go on in another file when one is large or old enough. */
#ifndef RBMAP_CLI_RECORD_ROTATION_H
#define RBMAP_CLI_RECORD_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/options.h"

/**
 * struct rotation - the options, and the files
 * @kb: KiB of events after which the next file begins; 0: no limit
 * @seconds: the same for the time; 0: no limit
 * @keep: number of files that stay; 0: all
 * @output: the name that the files have with numbers
 * @number: the number of the present file
 * @path: the present file, and those before it; the oldest one is @path[@first]
 * @removed: number of files that were removed
 * @began: the time at which the present file began
 */
struct rotation {
	uint64_t kb;
	double seconds;
	uint64_t keep;
	const char *output;
	unsigned int number;
	char **path;
	size_t nr_paths, first;
	uint64_t removed;
	double began;
};

/* Store SIZE or TIME. */
set_option_fn rotation_set;

static inline bool rotation_is_wanted(const struct rotation *r)
{
	return r->kb || r->seconds > 0;
}

/*
 * Return the name of the next file: trace.dat has trace.0001.dat, trace.0002.dat and so on,
 * behind those that exist. NULL: an error was reported. The name is valid until
 * rotation_free().
 */
const char *rotation_next_name(struct rotation *r);

/* Is the present file, with so many bytes, large or old enough? */
bool rotation_is_due(const struct rotation *r, uint64_t bytes);

/* Return a file that is one too many, or NULL. It is counted as removed. */
const char *rotation_next_removed(struct rotation *r);

void rotation_free(struct rotation *r);

#endif /* RBMAP_CLI_RECORD_ROTATION_H */
