/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a collector, its errors, and its messages to hosts. For a host it has a permit
 * and a budget alone.
 */
#ifndef RBMAP_FLEET_COLLECTOR_COLLECTOR_H
#define RBMAP_FLEET_COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "collector/files/files.h"
#include "collector/files/stream_files.h"
#include "collector/index/database.h"
#include "collector/index/hosts.h"
#include "limits.h"
#include "message/message.h"
#include "store.h"
#include "transport/transport.h"

#define NS_PER_SEC		1000000000LL
#define REPLIES_MAX		1024	/* Hosts ask again for those that did not fit. */
#define STREAM_ANSWERS_MAX	4096
#define STREAM_ANSWERS_BITS	10	/* There are 2^this chains of answers. */
#define INCIDENT_NAME_MAX	96	/* A reply's id is this name and up to 29 bytes. */

/**
 * struct collect_options - the command line
 * @max_incident_kb: size of one incident
 * @max_host_kb: size of the parts of one host that are not stored yet
 * @max_stream_kb: size of the streams of one host
 * @keep_size_kb: size of all stored incidents and streams; 0: no limit
 * @keep_days: age of a stored incident or stream; 0: no limit
 * @once: seconds without a message after which the collector ends; 0: never
 */
struct collect_options {
	struct transport_options transport;
	const char *directory;
	uint64_t permits;
	uint64_t max_incident_kb;
	uint64_t max_host_kb;
	uint64_t max_stream_kb;
	uint64_t keep_size_kb;
	uint64_t keep_days;
	double once;
};

/**
 * struct replies - messages to hosts
 * @offset: where each message is in @bytes
 * @number: that of the last message; an id needs one that was not used before
 *
 * They wait until the transaction of the index has ended: a host that gets STORED removes its
 * file.
 */
struct replies {
	unsigned int nr;
	struct parcel parcel[REPLIES_MAX];
	size_t offset[REPLIES_MAX];
	struct buf bytes;
	uint64_t number;
};

/**
 * struct collector - a collector that runs
 * @answers: sources of streams for which hosts wait for an answer
 * @answers_of: the last answer of each chain, counted from 1; all of a host are in the same one
 * @space: payload of the message that is handled
 * @stored_bytes: size of all files that are stored
 * @clock_real, @clock_boot: two clocks, when they were compared
 * @present_error: the last error that was reported and is not over; "": none
 * @next_report: time when another error is reported
 * @failed: something has failed in this round
 * @batch_failed: the last batch was not written
 * @messages, @stored, @refused: numbers since the start
 */
struct collector {
	const struct collect_options *options;
	struct transport transport;
	struct fleet_index index;
	struct collect_files files;
	struct permits permits;
	struct budget budget;
	struct checks checks;
	struct replies replies;
	struct stream_files streams;
	struct stream_answer *answers;
	unsigned int nr_answers;
	unsigned int answers_of[1U << STREAM_ANSWERS_BITS];
	struct buf space;
	uint64_t stored_bytes;
	int64_t clock_real, clock_boot;
	char present_error[512];
	double next_report;
	bool failed, batch_failed;
	uint64_t messages, stored, refused;
};

/* The time by CLOCK_REALTIME in ns */
int64_t collector_time(void);

/*
 * Report an error that can pass, once while it lasts. collector_works() reports its end.
 */
void collector_report(struct collector *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void collector_works(struct collector *c);

void replies_init(struct replies *r);
void replies_free(struct replies *r);

/* Add a message about an incident. @text: its payload, or NULL. Return its number. */
uint64_t replies_add(struct replies *r, const struct index_host *host, const char *incident,
		     enum message_kind kind, const struct buf *text);
/* Add a PERMIT again, with the same number, so that a host ignores the second one. */
void replies_repeat(struct replies *r, const struct index_host *host, const char *incident,
		    uint64_t number);
void replies_discard(struct replies *r);
/* Discard those behind the first @nr. */
void replies_cut(struct replies *r, unsigned int nr);
/* Publish all. After an error they are discarded, because each HELLO asks for them again. */
void replies_send(struct collector *c);

#endif /* RBMAP_FLEET_COLLECTOR_COLLECTOR_H */
