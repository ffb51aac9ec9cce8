/* SPDX-License-Identifier: LGPL-2.1-only */
/* The files of a flight recorder: their names, and how many of them are kept. */
#ifndef RBMAP_RECORDING_WRITE_INCIDENT_FILES_H
#define RBMAP_RECORDING_WRITE_INCIDENT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of the files in a directory, for fnmatch() */
#define INCIDENT_NAME_PATTERN						\
	"[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"			\
	"T[0-9][0-9].[0-9][0-9].[0-9][0-9]*.dat"

/**
 * struct incident_files - options, and the number of the next file
 * @dir: directory of the files, which are named by the time: 2026-11-26T14.03.12.dat;
 *	NULL: they are @output, @output.1, @output.2 and so on
 * @output: name of the first file
 * @keep: number of files that are kept in @dir; 0: all
 * @keep_kb: KiB of files that are kept in @dir; 0: all
 * @nr: number of files that were written
 * @next_number: N of the next @output.N
 */
struct incident_files {
	const char *dir;
	const char *output;
	uint64_t keep;
	uint64_t keep_kb;
	unsigned int nr;
	unsigned int next_number;
};

/*
 * Store the name of the next file, without those that are there already. On failure,
 * report the error and return false.
 */
bool incident_files_name(struct incident_files *files, char *path, size_t size);

/*
 * Remove the oldest files of the directory, as far as there are too many. Files of other
 * names, and the newest file, stay. Recordings that are not assembled yet stay, too, and do
 * not count: their size is not known, and somebody works on them.
 */
void incident_files_remove_old(const struct incident_files *files);

/*
 * Remove a recording, and the files of its CPUs, from the directory with the descriptor
 * @dir. Return 0 or a negative errno.
 */
int incident_files_remove(int dir, const char *name);

/* Return the bytes in the files of a recording's CPUs. */
uint64_t incident_files_data(int dir, const char *name);

#endif /* RBMAP_RECORDING_WRITE_INCIDENT_FILES_H */
