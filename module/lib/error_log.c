// SPDX-License-Identifier: GPL-2.0-only
/* The last refusals of a buffer: keep them, and print them as tracefs does. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "error_log.h"

/* Bytes of a command that are kept, as in tracefs. */
#define RBMAP_COMMAND_MAX	256

/**
 * struct rbmap_refusal - a refusal
 * @time: time of the clock local
 * @at: place of the error in @command, or RBMAP_ERROR_NO_PLACE
 * @where: name of the file, or what found the error
 * @what: description of the error
 * @command: beginning of the written text
 */
struct rbmap_refusal {
	u64	time;
	size_t	at;
	char	where[64];
	char	what[192];
	char	command[RBMAP_COMMAND_MAX];
};

/**
 * rbmap_error_log_init - prepare a log without refusals
 * @log: the log
 *
 * Context: any.
 */
void rbmap_error_log_init(struct rbmap_error_log *log)
{
	mutex_init(&log->lock);
}

/**
 * rbmap_error_log_clear - forget all refusals
 * @log: the log
 *
 * Context: may sleep; takes the lock of the log.
 */
void rbmap_error_log_clear(struct rbmap_error_log *log)
{
	int i;

	mutex_lock(&log->lock);
	for (i = 0; i < RBMAP_ERRORS_MAX; i++) {
		kfree(log->error[i]);
		log->error[i] = NULL;
	}
	log->next = 0;
	mutex_unlock(&log->lock);
}

/**
 * rbmap_error_log_add - keep a refusal in place of the oldest one
 * @log: the log
 * @where: name of the file, or of what found the error
 * @what: description of the error
 * @command: the written text
 * @len: bytes at @command
 * @at: place of the error in @command, or RBMAP_ERROR_NO_PLACE
 *
 * Without memory the refusal is not kept.  Lines of a command are joined, because a
 * record has a line for the command.
 *
 * Context: may sleep; takes the lock of the log, and no other lock.
 */
void rbmap_error_log_add(struct rbmap_error_log *log, const char *where,
			 const char *what, const char *command, size_t len,
			 size_t at)
{
	struct rbmap_refusal *error = kzalloc(sizeof(*error), GFP_KERNEL);
	unsigned int slot;

	if (!error)
		return;
	error->time = local_clock();
	error->at = at;
	strscpy(error->where, where, sizeof(error->where));
	strscpy(error->what, what, sizeof(error->what));
	memcpy(error->command, command, min(len, sizeof(error->command) - 1));
	strreplace(error->command, '\n', ' ');
	mutex_lock(&log->lock);
	slot = log->next++ % RBMAP_ERRORS_MAX;
	swap(log->error[slot], error);
	mutex_unlock(&log->lock);
	kfree(error);
}

static void rbmap_refusal_print(const struct rbmap_refusal *error, struct seq_file *m)
{
	static const char head[] = "  Command: ";
	u32 ns;
	u64 seconds = div_u64_rem(error->time, NSEC_PER_SEC, &ns);

	seq_printf(m, "[%5llu.%06u] %s: error: %s\n%s%s\n", seconds,
		   ns / (u32)NSEC_PER_USEC, error->where, error->what, head,
		   error->command);
	/* A place beyond the kept part of the command would mislead. */
	if (error->at <= strlen(error->command))
		seq_printf(m, "%*s\n", (int)(strlen(head) + error->at + 1), "^");
}

/**
 * rbmap_error_log_print - print all refusals, the oldest first
 * @log: the log
 * @m: the file
 *
 * Context: may sleep; takes the lock of the log.
 */
void rbmap_error_log_print(struct rbmap_error_log *log, struct seq_file *m)
{
	int i;

	mutex_lock(&log->lock);
	for (i = 0; i < RBMAP_ERRORS_MAX; i++) {
		const struct rbmap_refusal *error =
			log->error[(log->next + i) % RBMAP_ERRORS_MAX];

		if (error)
			rbmap_refusal_print(error, m);
	}
	mutex_unlock(&log->lock);
}
