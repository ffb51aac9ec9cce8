/* SPDX-License-Identifier: GPL-2.0-only */
/* The last refusals of a buffer, which the file error_log prints as tracefs does. */
#ifndef RBMAP_ERROR_LOG_H
#define RBMAP_ERROR_LOG_H

#include <linux/mutex.h>
#include <linux/types.h>

struct seq_file;
struct rbmap_refusal;

/* As many as tracefs keeps. */
#define RBMAP_ERRORS_MAX	8

/* The place of an error in a command is unknown. */
#define RBMAP_ERROR_NO_PLACE	SIZE_MAX

/**
 * struct rbmap_error_log - the last refusals
 * @lock: protects the other members
 * @error: the refusals; NULL where there was none
 * @next: number of refusals until now; the index of the next one, modulo the size
 */
struct rbmap_error_log {
	struct mutex		lock;
	struct rbmap_refusal	*error[RBMAP_ERRORS_MAX];
	unsigned int		next;
};

void rbmap_error_log_init(struct rbmap_error_log *log);
void rbmap_error_log_clear(struct rbmap_error_log *log);
void rbmap_error_log_add(struct rbmap_error_log *log, const char *where,
			 const char *what, const char *command, size_t len,
			 size_t at);
void rbmap_error_log_print(struct rbmap_error_log *log, struct seq_file *m);

#endif /* RBMAP_ERROR_LOG_H */
