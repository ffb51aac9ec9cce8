/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An observer of a ring, written from linux/rbmap.h without a library. It does
 * not consume, and follows numbered events.
 */
#ifndef WATCHER_H
#define WATCHER_H

#include "client.h"
#include "stream.h"

/**
 * struct watcher - the position of an observer
 * @client: the file and its maps
 * @table: the slot table
 * @copy: copy of the current sub-buffer
 * @seq: sequence number of the current sub-buffer
 * @have: bytes of events in @copy
 * @inside: at least one event of @copy was handled
 * @expected: number of the next event
 * @torn: number of copies that were overwritten meanwhile and discarded
 * @rings: number of replaced rings that were read to their end
 * @stream: the events read so far
 */
struct watcher {
	struct client			client;
	const struct rbmap_slot_table	*table;
	char				*copy;
	uint64_t			seq;
	size_t				have;
	bool				inside;
	uint64_t			expected;
	uint64_t			torn;
	uint64_t			rings;
	struct stream			stream;
};

/*
 * Begin with the events from now on, while nobody writes. @first: the number of
 * the next event, by context.
 */
void watcher_open(struct watcher *watcher, int cpu,
		  const struct emit_rule *rule, uint64_t slack,
		  const uint64_t *first);
void watcher_close(struct watcher *watcher);

/* Make one step. Return false when there is nothing new. */
bool watcher_step(struct watcher *watcher);

#endif /* WATCHER_H */
