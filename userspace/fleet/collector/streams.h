/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of streams. They are written in the order in which they come; the index knows
 * which are missing. In a transaction, as the functions of incoming.h
 */
#ifndef RBMAP_FLEET_COLLECTOR_STREAMS_H
#define RBMAP_FLEET_COLLECTOR_STREAMS_H

#include "collector.h"
#include "collector/index/hosts.h"
#include "message/message.h"

/**
 * struct stream_answer - a source for which a host waits
 * @next: the answer before it in its chain, counted from 1; 0: none
 * @added: it is in a message to the host
 */
struct stream_answer {
	struct index_host host;
	char source[SOURCE_NAME_SIZE];
	unsigned int next;
	bool added;
};

/* Handle SUBBUFS, HEAD, CLOCK or GAP. @parcel: the message as it came */
int handle_stream(struct collector *c, const struct index_host *host, const struct message *m,
		  const struct parcel *parcel);

/*
 * The host waits for an answer about a source. Beyond the host's share of answers, and beyond
 * all, it is not answered: it asks again.
 */
void streams_ask(struct collector *c, const struct index_host *host, const char *source);

/*
 * A line of a HELLO: a source, and the oldest message of it that the host still has. Older
 * messages that the collector does not have will never come.
 */
void streams_first(struct collector *c, const struct index_host *host, char *line);

/* Forget what hosts wait for, but the first @nr. */
void streams_cut(struct collector *c, unsigned int nr);

/* Add a STORED for each host that waits for one. */
void streams_answer(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_STREAMS_H */
