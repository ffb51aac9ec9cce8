/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Error messages and exit statuses. Each message is one line on stderr that names the
 * problem and its remedy.
 */
#ifndef RBMAP_BASE_COMPLAIN_H
#define RBMAP_BASE_COMPLAIN_H

/* exit statuses, as rbmap(1) documents them */
enum {
	STATUS_OK	= 0,
	STATUS_ERROR	= 1,	/* the operation failed */
	STATUS_USAGE	= 2,	/* the command line is invalid */
	STATUS_CUT	= 3,	/* the recording is incomplete */
	STATUS_GONE	= 4,	/* record: the module that owns the buffer was removed */
};

/*
 * Print "rbmap: ..." and a newline to stderr. Texts can be those of files and messages, which
 * others have written: what printable.h escapes is escaped.
 */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Flush stdout. If that fails, report the error and return another status. */
int finish_stdout(int status);

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

/* output_error.c: report an error of dat_output_create() or dat_output_publish(). */
void complain_output(const struct output_words *words, const char *path, int error);

#endif /* RBMAP_BASE_COMPLAIN_H */
