/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages between hosts and the collector. A message is a header, names and a
 * payload, which is compressed if that makes it smaller. A checksum covers all of it.
 * Numbers are little endian:
 *
 *	offset	size
 *	0	4	"rbFL"
 *	4	4	CRC-32 (zlib) of all that follows
 *	8	2	version of the format, 1
 *	10	2	enum message_kind
 *	12	4	size of the payload
 *	16	4	size of the payload as stored; it is compressed by zstd if this is less
 *	20	1	length of the host's name; then of the boot id, and of the source
 *	23	1	0
 *	24	8	seq
 *	32	8	lost
 *	40		host, boot id, source, payload
 */
#ifndef RBMAP_FLEET_MESSAGE_MESSAGE_H
#define RBMAP_FLEET_MESSAGE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Names in messages. They become names of files and of subjects, so only a few characters
 * are valid, and no name begins with a dot.
 */

#define HOST_NAME_SIZE		64	/* with the final 0 */
#define BOOT_ID_SIZE		33
#define SOURCE_NAME_SIZE	128

/* Return whether the name consists of letters, digits, '-' and '_', at most 63 of them. */
bool is_host_name(const char *name);

/* Return whether the name is 32 hexadecimal digits, in lower case. */
bool is_boot_id(const char *name);

/* Return whether the name consists of letters, digits and "-_.:", at most 127 of them. */
bool is_source_name(const char *name);

/*
 * Store the name of this host. Dots become '_', which host names do not have. Return
 * whether it is a valid name.
 */
bool this_host(char name[HOST_NAME_SIZE]);

/*
 * Store the id of this boot, without dashes. Return 0 or a negative errno. -EBADMSG: the
 * kernel has none.
 */
int this_boot(char id[BOOT_ID_SIZE]);

/*
 * Payloads that are text: a line "NAME = VALUE" for each value. Names that a reader does
 * not know are skipped, so that a newer version can add some.
 */

/* Append a line. Control characters of the value become spaces. */
void text_add(struct buf *out, const char *name, const char *value);
void text_add_u64(struct buf *out, const char *name, uint64_t value);

/* A place in a text that nobody has checked */
struct text {
	const char *at;
	const char *end;
};

/*
 * Store the next name and its value, cut to the sizes. Return false at the end. Lines
 * without '=' are skipped. A value has no control characters.
 */
bool text_next(struct text *t, char *name, size_t name_size, char *value, size_t value_size);

/* Parse a value: a decimal number. Return false if it is anything else. */
bool text_u64(const char *value, uint64_t *number);

#define MESSAGE_PAYLOAD_MAX	(1024U << 10)
/* An encoded message is not larger. A transport must be able to carry this much. */
#define MESSAGE_SIZE_MAX	(MESSAGE_PAYLOAD_MAX + 512)
#define MESSAGE_LOST_UNKNOWN	UINT64_MAX

/* The numbers are part of the format. */
enum message_kind {
	/* from a host to the collector */
	MESSAGE_PART = 1,	/* bytes of an incident's file, from seq * MESSAGE_PAYLOAD_MAX on */
	MESSAGE_MANIFEST,	/* text: what the file must be; follows its parts */
	MESSAGE_LOSS,		/* text: an incident that was removed before it was sent */
	MESSAGE_HELLO,		/* text: the host is there, and what waits in its spool */
	MESSAGE_ANSWER,		/* text: what a command has done */
	/* from the collector to a host */
	MESSAGE_STORED,		/* the incident is on the collector's disk */
	MESSAGE_MISSING,	/* text: parts of an incident that are to be sent again */
	MESSAGE_PERMIT,		/* the host may send the incident now */
	/* from the administrator to all hosts */
	MESSAGE_COMMAND,	/* text: what each host is to do; the source is its id */
	/* streams, from a host to the collector: see message/stream/stream.h for their sources */
	MESSAGE_SUBBUFS,	/* sub-buffers of a ring: see message/stream/batch.h */
	MESSAGE_HEAD,		/* formats of events and names of threads: see message/stream/stream.h */
	MESSAGE_CLOCK,		/* text: clocks that were read together */
	MESSAGE_GAP,		/* text: messages that were removed before they were sent */
	NR_MESSAGE_KINDS
};

/**
 * struct message - a message
 * @kind: decides what the other members mean
 * @host: the host that sends it, or that is to receive it; "" in a command
 * @boot: the boot id of that host; "" in a command
 * @source: the id of an incident or of a command, or the source of a stream
 * @seq: number of the part, of the attempt or of the message
 * @lost: events that were lost with it; MESSAGE_LOST_UNKNOWN: unknown
 * @data: the payload
 * @size: its size, at most MESSAGE_PAYLOAD_MAX
 */
struct message {
	enum message_kind kind;
	char host[HOST_NAME_SIZE];
	char boot[BOOT_ID_SIZE];
	char source[SOURCE_NAME_SIZE];
	uint64_t seq;
	uint64_t lost;
	const void *data;
	size_t size;
};

/* Append the message to @out. Return 0 or a negative errno. */
int message_encode(struct buf *out, const struct message *m);

/*
 * Decode the message in @bytes, which nobody has checked. The payload is in @bytes or in
 * @space, which the caller frees. Return NULL, or what is wrong with the message.
 */
const char *message_decode(struct message *m, struct buf *space, const void *bytes,
			   size_t size);

#endif /* RBMAP_FLEET_MESSAGE_MESSAGE_H */
