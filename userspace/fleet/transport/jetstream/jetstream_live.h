/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages to a host. Threads of the library put them into a queue that has a limit. A
 * message to this host that finds no room is lost, which the protocol allows. A command is
 * read from its stream later.
 */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_LIVE_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_LIVE_H

#include <nats/nats.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "jetstream_names.h"
#include "transport/transport.h"

#define LIVE_MAX	64	/* new messages; the caller has at most as many, too */

/**
 * struct live_message - a message in the queue
 * @due: not to be delivered before this time, in ms
 */
struct live_message {
	natsMsg *msg;
	enum channel channel;
	int64_t due;
};

/**
 * struct live - the messages of a host
 * @subscription: for the host, and for all hosts
 * @nr_subscriptions: those that can still call back
 * @queue: messages, the oldest first
 * @seen: ids of the latest commands; each is delivered once
 * @next_seen: the oldest of them
 * @handed: messages that the caller has
 * @next_seq: number of the next command in the stream
 * @read_at: when the stream is to be read, in ms; 0: not
 * @read_twice: read the stream again a little later
 */
struct live {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	natsSubscription *subscription[2];
	unsigned int nr_subscriptions;
	struct live_message queue[2 * LIVE_MAX];
	unsigned int nr;
	unsigned int handed;
	char (*seen)[MESSAGE_ID_SIZE];
	unsigned int next_seen;
	uint64_t next_seq;
	int64_t read_at;
	bool read_twice;
};

struct jetstream;

int live_init(struct live *live);
void live_free(struct live *live);

/* Subscribe. live_stop() returns when the library calls nothing more. */
natsStatus live_start(struct jetstream *j);
void live_stop(struct live *live);

/* The connection was made: read the stream of commands. */
void live_connected(struct live *live);

/* Put a command of the stream into the queue. Return false if it has no room. */
bool live_add_command(struct live *live, natsMsg *msg);

int live_receive(struct transport *t, struct parcel *p, int timeout_ms);
void live_acknowledge(struct live *live, struct parcel *p, bool done);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_LIVE_H */
