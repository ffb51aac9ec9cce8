/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of commands that open a transport */
#ifndef RBMAP_FLEET_TRANSPORT_OPTIONS_H
#define RBMAP_FLEET_TRANSPORT_OPTIONS_H

#include "command/options.h"

/* @member: a struct transport_options in @structure. Names of members take no parentheses. */
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

#endif /* RBMAP_FLEET_TRANSPORT_OPTIONS_H */
