/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent: it sends the contents of the spool to the collector, and executes commands. */
#ifndef RBMAP_FLEET_AGENT_AGENT_H
#define RBMAP_FLEET_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/commands/commands.h"
#include "agent/incident/intake.h"
#include "agent/incident/sending.h"
#include "agent/incident/spool.h"
#include "agent/stream/stream.h"
#include "agent/stream/stream_send.h"
#include "agent/uplink/uplink.h"

struct stream_names {
	const char *name[STREAM_BUFFERS_MAX];
	unsigned int nr;
};

/**
 * struct agent_options - settings of the agent
 * @transport: transport to the collector
 * @incidents: directory of the flight recorder
 * @spool: directory of the spool
 * @spool_bytes: bytes of incidents in the spool, at most
 * @snapshot: command that lets the flight recorder write a file
 * @streams: buffers that are sent as they are written
 * @stream_bytes: bytes of them in the spool, at most
 * @access: access to their rings; NULL: to those of the kernel
 * @patience: see struct stream_sender; 0: the default
 * @once: end when nothing waits
 * @timeout: seconds that this may take
 */
struct agent_options {
	struct transport_options transport;
	const char *incidents;
	const char *spool;
	uint64_t spool_bytes;
	const char *snapshot;
	struct stream_names streams;
	uint64_t stream_bytes;
	const struct stream_access *access;
	unsigned int patience;
	bool once;
	double timeout;
};

/**
 * struct agent - its state
 * @hello: time of the next HELLO, by CLOCK_MONOTONIC
 * @hello_number: number of the last one
 * @losses: time at which records of losses are sent again
 * @offered: incidents of the last HELLO that wait
 * @received: time of the last message from the collector, in ns since 1970; 0: none
 * @trim: time at which memory is trimmed, by CLOCK_MONOTONIC
 * @last_contact: time of the next report to `rbmap ship status`, by CLOCK_MONOTONIC
 * @reported_error: the error in that report
 * @has_streams: the spool of streams is open
 * @invalid: messages that were refused
 */
struct agent {
	const struct agent_options *options;
	struct spool spool;
	struct intake intake;
	struct command_log command_log;
	struct uplink uplink;
	struct sending sending;
	uint64_t hello;
	uint64_t hello_number;
	uint64_t losses;
	unsigned int offered;
	uint64_t received;
	uint64_t trim;
	uint64_t last_contact;
	char reported_error[sizeof(((struct backoff *)0)->text)];
	bool has_streams;
	struct stream_spool streams;
	struct stream_sender sender;
	struct stream stream;
	uint64_t invalid;
};

/* Run until a signal comes, or until nothing waits. Return the status of the command. */
int agent_run(const struct agent_options *options);

/*
 * hello.c: the number of a HELLO of this second. An engine takes a second message with the
 * same number for a copy of the first, and drops it.
 */
uint64_t hello_number(void);
/* hello.c: send the list of what waits. Return 0 or a negative errno. */
int agent_say_hello(struct agent *a);
/*
 * hello.c: store the events of all rings of this host since they were made, and the lost ones.
 * Return false, without a message, if the module or a number is missing.
 */
bool rings_read(uint64_t *events, uint64_t *lost);

/* inbox.c: receive a message, and handle it. Return whether one came. */
bool agent_receive(struct agent *a, int timeout_ms);

/* status.c: write the file for `rbmap ship status`, if that is due. */
void agent_write_last_contact(struct agent *a, bool now);

/*
 * memory.c: give free memory back to the kernel, and unmap the pages of programs and libraries
 * that nothing has changed. A page that is used again is mapped again from the page cache.
 */
void memory_trim(void);

#endif /* RBMAP_FLEET_AGENT_AGENT_H */
