// SPDX-License-Identifier: GPL-2.0-only
#include "open_files.h"

/* The standard files, the recording, its directory, control files, locks, libraries */
#define OTHERS		40

/* 0: the limit was not changed. */
static rlim_t limit_before;

/*
 * A map of librbmap has two descriptors, of the ring and of an eventfd. At the end the rings are
 * closed before the files of the CPUs are opened again, so the end needs no more descriptors.
 */
static const unsigned int per_cpu[] = {
	[OPEN_FILES_RINGS]	= 2 + 1,
	[OPEN_FILES_PIPES]	= 2 + 1 + 2,
	[OPEN_FILES_ALL]	= 2 + 1 + 2 + 2,
};

static unsigned int expected;	/* further files of each CPU */

void open_files_expect(unsigned int files)
{
	expected = files;
}

rlim_t open_files_needed(unsigned int nr_cpus, enum open_files what)
{
	return (rlim_t)nr_cpus * (per_cpu[what] + expected) + OTHERS;
}

enum open_files open_files_within(unsigned int nr_cpus, rlim_t limit)
{
	enum open_files what = OPEN_FILES_ALL;

	while (what && limit < open_files_needed(nr_cpus, what))
		what--;
	return what;
}

rlim_t open_files_highest(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_max;
}

enum open_files open_files_allow(unsigned int nr_cpus)
{
	rlim_t needed = open_files_needed(nr_cpus, OPEN_FILES_ALL);
	struct rlimit limit, more;

	/* If the limit is unknown, try: opening a file fails if there are too many. */
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return OPEN_FILES_ALL;
	if (limit.rlim_cur >= needed)
		return OPEN_FILES_ALL;
	more = limit;
	/* A recording of hours should not end because the number was too small. */
	more.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &more))
		return open_files_within(nr_cpus, limit.rlim_cur);
	if (!limit_before)
		limit_before = limit.rlim_cur;
	return open_files_within(nr_cpus, more.rlim_cur);
}

void open_files_restore(void)
{
	struct rlimit limit;

	if (!limit_before || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit_before;
	setrlimit(RLIMIT_NOFILE, &limit);
}
