/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Streams: the names of their sources, and the payloads besides sub-buffers.
 *
 * A source is BUFFER.CPU.GENERATION.INCARNATION. Each run of the agent has an incarnation of
 * its own, so that no message gets the number of another one. The source
 * BUFFER.head.0.INCARNATION has the messages HEAD and CLOCK of a buffer.
 */
#ifndef RBMAP_FLEET_MESSAGE_STREAM_STREAM_H
#define RBMAP_FLEET_MESSAGE_STREAM_STREAM_H

#include <rbmap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/message.h"
#include "recording/write/dat_write.h"

#define STREAM_BUFFER_SIZE	33	/* with the final 0 */
#define STREAM_DEFAULT_BUFFER	"default"
#define STREAM_CPUS_MAX		8192
#define STREAM_CPU_HEAD		(-1)

struct stream_source {
	char buffer[STREAM_BUFFER_SIZE];
	int cpu;
	uint32_t generation;
	uint64_t incarnation;
};

/* Return whether streams can have a buffer of this name. */
bool stream_buffer_is_valid(const char *name);

void stream_source_print(const struct stream_source *source, char name[SOURCE_NAME_SIZE]);

/* Parse a name that nobody has checked. Return false if it does not name a source. */
bool stream_source_parse(struct stream_source *source, const char *name);

/* The payload of MESSAGE_CLOCK: lines with the clocks of a host, read together. */

#define STREAM_CLOCK_UNKNOWN	UINT64_MAX

/**
 * struct stream_clock - a moment
 * @moment: the ring's clock and the others; real is 0 if it is not known
 * @error: maximum error of CLOCK_REALTIME in ns, as adjtimex() says; STREAM_CLOCK_UNKNOWN
 */
struct stream_clock {
	struct rbmap_moment moment;
	uint64_t error;
};

void stream_clock_print(const struct stream_clock *clock, struct buf *out);
/* Return false if the text has no moment. */
bool stream_clock_parse(struct stream_clock *clock, const void *text, size_t size);

/*
 * Behind the moment is a line for each CPU: how many events the kernel has missed on it since the
 * buffer began. They reached no ring, so no batch counts them. An agent that does not know them
 * sends no such line.
 */
void stream_missed_print(struct buf *out, unsigned int cpu, uint64_t missed);
/* Go to the next such line of a payload. Return false at the end. */
bool stream_missed_next(struct text *payload, unsigned int *cpu, uint64_t *missed);

/*
 * The payload of MESSAGE_HEAD: what a recording needs besides sub-buffers. It has the formats
 * of all events that came up to now. It is compressed, because it can be larger than a message.
 */

#define STREAM_FORMATS_MAX	65536

/**
 * struct stream_head - the contents; texts are in @raw after stream_head_decode()
 * @clock: name of the ring's clock, such as "local"
 * @uname: "SYSTEM HOST RELEASE MACHINE"
 * @version: that of the agent
 * @names: lines "PID NAME"
 */
struct stream_head {
	uint32_t page_size;
	uint32_t nr_cpus;
	struct stream_clock moment;
	const char *clock;
	const char *uname;
	const char *version;
	struct dat_format *formats;
	uint32_t nr_formats;
	const char *names;
	struct buf raw;
};

/* Append the payload. Return 0 or a negative errno; -EMSGSIZE: it is too large. */
int stream_head_encode(struct buf *out, const struct stream_head *head);

/*
 * Decode a payload that nobody has checked. Return false if it is damaged. The caller frees
 * the head in both cases.
 */
bool stream_head_decode(struct stream_head *head, const void *data, size_t size);
void stream_head_free(struct stream_head *head);

#endif /* RBMAP_FLEET_MESSAGE_STREAM_STREAM_H */
