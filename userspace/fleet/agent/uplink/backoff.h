/* SPDX-License-Identifier: GPL-2.0-only */
/* Report an error once while it lasts, and again when it is over. */
#ifndef RBMAP_FLEET_AGENT_UPLINK_BACKOFF_H
#define RBMAP_FLEET_AGENT_UPLINK_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct backoff - an error that may last
 * @text: the error; "": all is well
 * @delay: ns until the next attempt
 * @retry: time of the next attempt, by CLOCK_MONOTONIC
 */
struct backoff {
	char text[320];
	uint64_t delay;
	uint64_t retry;
};

/*
 * An attempt failed. Report the error if it is a new one. The next attempt comes after a
 * second at first, and a minute at most, each time with another fraction.
 */
void backoff_failed(struct backoff *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* An attempt succeeded. If there was an error, report that @what works again, return true. */
bool backoff_over(struct backoff *t, const char *what);

/* Return whether the next attempt is due, as it is without an error. */
bool backoff_due(const struct backoff *t);

/* Return whether the error lasts so long that the delay is the longest. */
bool backoff_is_long(const struct backoff *t);

#endif /* RBMAP_FLEET_AGENT_UPLINK_BACKOFF_H */
