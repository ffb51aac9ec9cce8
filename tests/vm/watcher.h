/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An observer of a ring by the letter of linux/rbmap.h, which knows no library:
 * it takes nothing, and follows numbered events.
 */
#ifndef WATCHER_H
#define WATCHER_H

#include "client.h"
#include "stream.h"

/**
 * struct watcher - how far it has looked
 * @client: the file and its maps
 * @shown: what it goes by
 * @copy: the sub-buffer that it looks at
 * @seq: its number
 * @have: bytes of events in @copy
 * @inside: @copy has something of it
 * @expected: number of the event that comes next
 * @torn: copies that were overwritten meanwhile, and thrown away
 * @rings: replaced ones that it has come to the end of
 * @stream: what it has seen
 */
struct watcher {
	struct client			client;
	const struct rbmap_slot_table	*shown;
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
 * Begin with what comes from now on, while nobody writes.  @first: the number
 * that comes next, by context.
 */
void watcher_open(struct watcher *watcher, int cpu,
		  const struct emit_rule *rule, uint64_t slack,
		  const uint64_t *first);
void watcher_close(struct watcher *watcher);

/* One step: false when there is nothing new. */
bool watcher_step(struct watcher *watcher);

#endif /* WATCHER_H */
