/* SPDX-License-Identifier: GPL-2.0-only */
/* Pass the events of a recording, as far as the user wants them. */
#ifndef RBMAP_CLI_HTML_FEED_H
#define RBMAP_CLI_HTML_FEED_H

#include <rbmap.h>

struct input;

/* Return 0, or an error that ends all. */
typedef int feed_fn(void *data, const struct rbmap_event *ev);

/*
 * Call @each for each event; @what: what the progress says that is done. Return 0, the error
 * of @each, or one of dat_next().
 */
int feed(struct input *in, const char *what, feed_fn *each, void *data);

/* Do the same with a reader of its own, so that feed() can still pass all events. */
int feed_again(struct input *in, const char *what, feed_fn *each, void *data);

#endif /* RBMAP_CLI_HTML_FEED_H */
