/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A batch of events, which one thread prints. The batch copies the events, because the
 * reader uses their pages again before they are printed.
 */
#ifndef RBMAP_CLI_REPORT_BATCH_H
#define RBMAP_CLI_REPORT_BATCH_H

#include "print/line.h"

struct report_batch;

/**
 * struct report_buffer - what tells the events of a buffer, or of a file, from others
 * @name: for JSON; NULL: none
 * @prefix: the text before each line; may be empty
 * @source: the file, as an index of the texts that print
 */
struct report_buffer {
	const char *name;
	struct buf prefix;
	unsigned int source;
};

struct report_batch *report_batch_new(void);	/* NULL: out of memory */
void report_batch_free(struct report_batch *b);

/* Forget all events and their text. */
void report_batch_reset(struct report_batch *b);
bool report_batch_is_full(const struct report_batch *b);
bool report_batch_is_empty(const struct report_batch *b);

/*
 * Print each event when it is added, with the line of its file in @lines, and copy none.
 * report_batch_print() then has nothing to do.
 */
void report_batch_print_at_once(struct report_batch *b, struct print_line *const *lines,
				bool as_json);

/* Note how far the recordings were read, behind the last event that was added. */
void report_batch_set_position(struct report_batch *b, uint64_t position);
/* Return this of the last event that is printed; 0: no event is. */
uint64_t report_batch_position(const struct report_batch *b);

/* Add the number of events that a CPU lost here. */
int report_batch_add_lost(struct report_batch *b, int cpu, uint64_t lost,
			  const struct report_buffer *buffer);

/* Add an event, with its print_session_find_parts() or NULL: its common fields are missing. */
int report_batch_add_event(struct report_batch *b, const struct rbmap_event *ev,
			   const struct event_parts *parts, const struct report_buffer *buffer);

/*
 * Print the events that are not printed yet, with the lines of this thread, until there is much
 * text. Return 0 or -ENOMEM.
 */
int report_batch_print(struct report_batch *b, struct print_line *const *lines, bool as_json);
/* Are there more? They come after report_batch_drop_text(). */
bool report_batch_has_more(const struct report_batch *b);
void report_batch_drop_text(struct report_batch *b);

/* Return the text that report_batch_print() has made. */
const struct buf *report_batch_text(const struct report_batch *b);

#endif /* RBMAP_CLI_REPORT_BATCH_H */
