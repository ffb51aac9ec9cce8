/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many hosts in one process. swarm.c plays what the agents do; a link carries their
 * messages: swarm_nats.c has a connection for each host, swarm_directory.c has a directory.
 */
#ifndef RBMAP_TEST_SWARM_H
#define RBMAP_TEST_SWARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message/message.h"
#include "transport/transport.h"

#define SWARM_PENDING_MAX	8

enum host_kind {
	HOST_TAKES,	/* answers with an incident */
	HOST_FAILS,	/* answers that it has no recorder */
	HOST_SLEEPS,	/* does not answer */
};

/**
 * struct host - one of them
 * @kind: how it takes a command
 * @id: its incident
 * @size: bytes of it
 * @command: the command that it has got; "": none
 * @next_hello: when it says HELLO again
 * @permit: the last one that it has got
 * @busy_until: it ignores that permit until then
 * @granted: the collector has not given that permit earlier
 * @sent: times of the messages that the engine has not answered; 0: free
 * @answer_due: the ANSWER is not safe yet
 * @stored: the collector has the incident
 */
struct host {
	char name[HOST_NAME_SIZE];
	enum host_kind kind;
	char id[SOURCE_NAME_SIZE];
	uint32_t number, size;
	char command[SOURCE_NAME_SIZE];
	uint64_t permit;
	double next_hello, busy_until, granted;
	double sent[SWARM_PENDING_MAX];
	int answer_slot;
	bool answer_due, stored;
};

/**
 * struct swarm_sums - numbers of all hosts together
 * @expired: permits that came after the end of an earlier one, on a slow machine
 * @slowest: seconds until the engine answered the message that waited longest
 */
struct swarm_sums {
	uint64_t bytes, parts, manifests, hellos, answers, missing, expired, refused;
	double slowest;
};
extern struct swarm_sums sums;

/* How messages go and come. A link calls the three functions below. */
struct link {
	void (*open)(const char *url, struct host *hosts, unsigned int nr);
	/* Publish a message of the host. @slot: the number for swarm_safe() */
	void (*publish)(struct host *h, const char *id, const void *data, size_t size, int slot);
	void (*wait)(int timeout_ms);
};
extern const struct link link_nats, link_directory;

/* The host is connected. */
void swarm_connected(struct host *h);
/* A message has come for the host. */
void swarm_receive(struct host *h, enum channel channel, const void *data, size_t size);
/* The engine has answered a message: it is safe, or refused. */
void swarm_safe(struct host *h, unsigned int slot, bool safe);

/* Print a text and end the program. */
void swarm_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* RBMAP_TEST_SWARM_H */
