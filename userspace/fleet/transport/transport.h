/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A transport carries messages between hosts and the collector. It has five functions. A
 * message that was published is delivered at least once, in any order; a message with the
 * id of an earlier one can be dropped. Nothing else relies on more.
 */
#ifndef RBMAP_FLEET_TRANSPORT_H
#define RBMAP_FLEET_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message/message.h"

#define MESSAGE_ID_SIZE		SOURCE_NAME_SIZE
#define TRANSPORT_ERROR_SIZE	256

/* Where a message goes */
enum channel {
	CHANNEL_COLLECTOR,	/* to the collector; host: the sender */
	CHANNEL_HOST,		/* to one host */
	CHANNEL_ALL,		/* to all hosts that are connected, or connect in the next hour */
};

/* The party that opens the transport. Rights depend on it. */
enum transport_role {
	ROLE_HOST,		/* publishes to the collector; receives for its name, and for all */
	ROLE_COLLECTOR,		/* publishes to hosts; receives what all hosts publish */
	ROLE_ADMIN,		/* publishes to all hosts; receives nothing */
};

/**
 * struct parcel - a message on its way
 * @channel: where it goes
 * @host: the sender's name as the transport knows it, or the receiver's; "" for all
 * @id: name of the message: a valid name of a source
 * @data: the message, as message_encode() has made it
 * @size: its size
 * @handle: the transport's own, for messages that were received
 */
struct parcel {
	enum channel channel;
	char host[HOST_NAME_SIZE];
	char id[MESSAGE_ID_SIZE];
	const void *data;
	size_t size;
	void *handle;
};

/**
 * struct transport_options - where to
 * @url: "dir:/DIRECTORY" or "nats://HOST[:PORT][,nats://HOST...]"
 * @role: the party that opens it
 * @host: name of this host; the collector and the administrator have none
 * @certificate: file with the client's certificate; NULL: no TLS
 * @key: file with its key
 * @ca: file with the certificates that servers are checked against
 * @credentials: file with an NKEY or a JWT; NULL: none
 */
struct transport_options {
	const char *url;
	enum transport_role role;
	const char *host;
	const char *certificate;
	const char *key;
	const char *ca;
	const char *credentials;
};

/*
 * The options of a command that opens a transport. A table that has them includes
 * command/options.h. @member: a struct transport_options in @structure. Names of members take
 * no parentheses.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define TRANSPORT_OPTIONS(structure, member, bits)				\
	{ .name = "transport", .letter = 't', .arg = "URL", .kind = "text",	\
	  .target = STRING(structure, member.url), .actions = (bits),		\
	  .help = "where messages go: dir:/DIR, or nats://SERVER,..." },		\
	{ .name = "certificate", .arg = "FILE", .kind = "file",			\
	  .target = STRING(structure, member.certificate), .actions = (bits),	\
	  .help = "the client's certificate" },					\
	{ .name = "key", .arg = "FILE", .kind = "file",				\
	  .target = STRING(structure, member.key), .actions = (bits),		\
	  .help = "the key of the certificate" },				\
	{ .name = "ca", .arg = "FILE", .kind = "file",				\
	  .target = STRING(structure, member.ca), .actions = (bits),		\
	  .help = "the certificates that servers are checked against" },	\
	{ .name = "credentials", .arg = "FILE", .kind = "file",			\
	  .target = STRING(structure, member.credentials), .actions = (bits),	\
	  .help = "an NKEY or a JWT" }
/* NOLINTEND(bugprone-macro-parentheses) */

struct transport;

/**
 * struct transport_ops - a kind of transport; one thread at a time calls it
 * @scheme: the beginning of its URLs
 * @open: Connect. Return 0 or a negative errno, with a text for the user. -EAGAIN: the
 *	other side is away; -EACCES: it refuses. Both can pass, so a service tries again.
 *	After an open that succeeded, the transport connects again by itself. A transport
 *	whose other side is not there yet may open, and return -EAGAIN later.
 * @publish: Return 0 when all parcels are safe: after that a crash or a loss of power of
 *	this machine does not lose them. -EAGAIN: the other side is away; -ENOSPC: it is
 *	full; -EACCES: it refuses. After an error any of the parcels can have been
 *	published. -EMSGSIZE and -EINVAL: a parcel is invalid, and another try is useless.
 * @receive: Wait at most @timeout_ms for a message. Return 1, or 0: none came, or a
 *	negative errno. The parcel is valid until it is acknowledged. At most 64 are
 *	delivered to a host before it acknowledges one.
 * @acknowledge: Free the parcel. @done: do not deliver the message again. Return 0 or a
 *	negative errno. After an error, and without @done, it is delivered again.
 * @close: Disconnect.
 */
struct transport_ops {
	const char *scheme;
	int (*open)(struct transport *t, const struct transport_options *options);
	int (*publish)(struct transport *t, const struct parcel *parcels, unsigned int nr);
	int (*receive)(struct transport *t, struct parcel *parcel, int timeout_ms);
	int (*acknowledge)(struct transport *t, struct parcel *parcel, bool done);
	void (*close)(struct transport *t);
};

/**
 * struct transport - an open transport
 * @ops: its kind
 * @data: its own state
 * @error: text for the user after an error
 */
struct transport {
	const struct transport_ops *ops;
	void *data;
	char error[TRANSPORT_ERROR_SIZE];
};

extern const struct transport_ops transport_directory;
extern const struct transport_ops transport_jetstream;

/* Open the transport of a URL. Return 0 or a negative errno; t->error has the text. */
int transport_open(struct transport *t, const struct transport_options *options);
void transport_close(struct transport *t);

/* Return the kind of a failed system call: -ENOSPC, -EACCES, -ENOMEM or -EAGAIN. */
int transport_errno(int error);

/* Store the text of an error. Return @error. */
int transport_failed(struct transport *t, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* RBMAP_FLEET_TRANSPORT_H */
