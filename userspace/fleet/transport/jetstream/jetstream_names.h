/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of subjects and streams, which permissions in servers' configurations have too. */
#ifndef RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_NAMES_H
#define RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_NAMES_H

#define JETSTREAM_SCHEME	"nats://"	/* the scheme of URLs */

#define STREAM_DATA		"RBMAP_DATA"
#define STREAM_COMMANDS		"RBMAP_COMMANDS"
#define CONSUMER		"collector"
#define SUBJECT_DATA		"rbmap.data."
#define SUBJECT_HOST		"rbmap.host."
#define SUBJECT_ALL		"rbmap.all"
#define INBOX_HOST		"_INBOX.host."
#define INBOX_COLLECTOR		"_INBOX.collector"
#define INBOX_ADMIN		"_INBOX.administrator"
#define API_NEXT		"$JS.API.CONSUMER.MSG.NEXT." STREAM_DATA "." CONSUMER
#define API_DIRECT_GET		"$JS.API.DIRECT.GET." STREAM_COMMANDS
#define API_ACK			"$JS.ACK." STREAM_DATA "." CONSUMER

#define HEADER_ID		"Nats-Msg-Id"
#define HEADER_STATUS		"Status"
#define HEADER_DESCRIPTION	"Description"

/* More than a prefix, a host's name and numbers need */
#define JETSTREAM_SUBJECT_SIZE	192
#define JETSTREAM_URL_SIZE	96
#define JETSTREAM_NUMBER_SIZE	18	/* a slash, and 16 hexadecimal digits */
/* The stream of commands has at most so many, of at most so many bytes each. */
#define COMMANDS_MAX		1024
#define COMMAND_SIZE_MAX	(64 << 10)

#endif /* RBMAP_FLEET_TRANSPORT_JETSTREAM_JETSTREAM_NAMES_H */
