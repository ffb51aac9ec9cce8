/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that a command writes from a recording. It has a temporary name until it is
 * complete, so the file of before stays if the command fails. Functions report the errors
 * that they find.
 */
#ifndef RBMAP_INPUT_OUTPUT_FILE_H
#define RBMAP_INPUT_OUTPUT_FILE_H

#include <stdbool.h>

#include "recording/write/dat_output.h"

/**
 * struct output_file - a file, or standard output
 * @path: the name that the user has chosen; "-": standard output
 * @noun: the output in messages: "page"
 * @fd: its descriptor
 */
struct output_file {
	const char *path;
	const char *noun;
	int fd;
	struct dat_output names;
};

/*
 * Create the file. @is_text: it may go to a terminal. @recording: a descriptor of the
 * file that the output must not replace.
 */
bool output_file_begin(struct output_file *o, bool is_text, int recording);

/*
 * Return an empty file for data that the output is made of, beside the output and without a
 * name; -1 after an error. The caller closes it.
 */
int output_file_spool(struct output_file *o);

/*
 * Begin again with an empty file, for crash_guard(). Return false if something has gone to
 * standard output, which crash_notes()->progress says.
 */
bool output_file_again(struct output_file *o);

/* Remove the file, for crash_guard(). output_file_end() may still follow. */
void output_file_remove(struct output_file *o);

/* Give the file its name if it is @complete, or remove it. Return false after an error. */
bool output_file_end(struct output_file *o, bool complete);

/* Report that writing failed. @error is a negative errno. */
void output_file_failed(const struct output_file *o, int error);

#endif /* RBMAP_INPUT_OUTPUT_FILE_H */
