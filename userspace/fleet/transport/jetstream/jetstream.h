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

#include "jetstream_live.h"
#include "jetstream_names.h"
#include "transport/transport.h"

/**
 * struct jetstream - the state of a transport
 * @url: the servers, for messages; cut if there are many
 * @inbox: answers of the servers go to subjects below it; nobody else knows it
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

/* Return the status of the library as an errno: -EACCES, -ENOMEM or -EAGAIN. */
int jetstream_errno(natsStatus status);

/* Store the text of an error of the library. Return its errno. */
int jetstream_failed(struct transport *t, natsStatus status, const char *what);

/* Connect and subscribe. Return 0 or a negative errno. */
int jetstream_connect(struct transport *t);
void jetstream_disconnect(struct jetstream *j);

/*
 * Return 0 if the connection is there. Otherwise store a text and return -EAGAIN or
 * -EACCES. A connection that the servers have closed is opened again now and then.
 */
int jetstream_ready(struct transport *t);

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_H */
