/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages through NATS servers with JetStream:
 *
 *	rbmap.data.HOST		from a host, in the stream RBMAP_DATA until it is acknowledged
 *	rbmap.host.HOST		to a host that is connected; in no stream
 *	rbmap.all		to all hosts, in the stream RBMAP_COMMANDS for an hour
 *
 * `rbmap fleet setup streams` makes the streams. Only the library's core calls are used:
 * these are the same from libnats 3.4 on, and they start no thread for each request.
 */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_H

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
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

/**
 * struct jetstream - the state of a transport
 * @url: the servers, for messages; cut if there are many
 * @inbox: answers of the servers go to subjects below it; nobody else knows it
 * @number: a random number in the ids of messages to the collector; nobody else knows it
 * @options: kept to connect again
 * @acks: subscription for the answers to what is published
 * @batch: number of the call of publish(), so that late answers are known
 * @pull: subscription for what the collector receives
 * @request: number of the latest request for messages
 * @expected: messages that were asked for and did not come
 * @ask_at: when the collector asks again, in ms
 * @no_consumer: the servers say that nobody answers
 * @live: messages to a host
 * @violations: how often the servers refused a subject
 * @connects: how often the connection was made
 * @pulled_at: value of @connects when the collector asked
 * @reopen_at: when a closed connection is opened again, in ms
 * @closed: the library calls nothing more for the connection
 */
struct jetstream {
	enum transport_role role;
	char host[HOST_NAME_SIZE];
	char url[JETSTREAM_URL_SIZE];
	char inbox[JETSTREAM_SUBJECT_SIZE];
	uint64_t number;
	natsOptions *options;
	natsConnection *connection;
	natsSubscription *acks;
	uint64_t batch;
	natsSubscription *pull;
	uint64_t request;
	unsigned int expected;
	int64_t ask_at;
	bool no_consumer;
	struct live live;
	atomic_uint violations;
	atomic_uint connects;
	unsigned int pulled_at;
	int64_t reopen_at;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool closed;
};

/* Return the time of CLOCK_MONOTONIC in ms. */
int64_t jetstream_now(void);

/* Store the text of an error of the library. Return its errno. */
int jetstream_failed(struct transport *t, natsStatus status, const char *what);

/*
 * Return 0 if the connection is there. Otherwise store a text and return -EAGAIN or
 * -EACCES. A connection that the servers have closed is opened again now and then.
 */
int jetstream_ready(struct transport *t);

/*
 * Make a parcel of a message from a server. The parcel owns the message by its handle. A
 * message without a valid id, or of an invalid size, becomes a parcel without bytes, which
 * the caller refuses. @host is a valid name.
 */
void jetstream_parcel(struct parcel *p, natsMsg *msg, enum channel channel, const char *host);

/*
 * jetstream_options.c: make the options of the connection: servers, certificates, credentials,
 * limits of time, and the inbox. Return 0 or a negative errno.
 */
int jetstream_options(struct transport *t, const struct transport_options *options);

/*
 * jetstream_credentials.c: use a file with a JWT and its seed, or with the seed of an NKEY
 * ("SU..."). Return 0 or a negative errno.
 */
int jetstream_credentials(struct transport *t, natsOptions *options, const char *path);

/* jetstream_publish.c: publish messages, and wait for the servers' answers. */
int jetstream_publish(struct transport *t, const struct parcel *parcels, unsigned int nr);

/* jetstream_live.c: messages to a host */
int live_init(struct live *live);
void live_free(struct live *live);

/* Subscribe. live_stop() returns when the library calls nothing more. */
natsStatus live_start(struct jetstream *j);
void live_stop(struct live *live);

/* The connection was made: read the stream of commands. */
void live_connected(struct live *live);

int live_receive(struct transport *t, struct parcel *p, int timeout_ms);
void live_acknowledge(struct live *live, struct parcel *p, bool done);

/*
 * jetstream_pull.c: messages to the collector. It asks the consumer of the stream for a few at
 * a time. pull_stop() gives back what was not delivered, so that it comes again without a delay.
 */
natsStatus pull_start(struct jetstream *j);
void pull_stop(struct jetstream *j);
int pull_receive(struct transport *t, struct parcel *p, int timeout_ms);
int pull_acknowledge(struct transport *t, struct parcel *p, bool done);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_H */
