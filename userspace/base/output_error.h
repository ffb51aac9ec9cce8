/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors of a file that -o names. */
#ifndef RBMAP_BASE_OUTPUT_ERROR_H
#define RBMAP_BASE_OUTPUT_ERROR_H

/**
 * struct output_words - words of the messages
 * @write: the verb for what the command does: "record to"
 * @writes: the verb for another process: "records to"
 * @beside: the files that the command creates beside the file
 */
struct output_words {
	const char *write;
	const char *writes;
	const char *beside;
};

/* Report an error of dat_output_create() or dat_output_publish(). */
void complain_output(const struct output_words *words, const char *path, int error);

#endif /* RBMAP_BASE_OUTPUT_ERROR_H */
